#!/bin/sh
# Builds the npm packages from the archives in a directory: one per platform, and `becket`, which depends on them.
#
#   pack.sh DIST [OUT]
set -eu
dist=$(cd "${1:?directory with archives}" && pwd) out=${2:-$1/npm}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$("$here/../version.sh") platforms=''
for archive in "$dist"/becket-*.tar.gz; do
  [ -f "$archive" ] || { echo "pack.sh: no archives in $dist" >&2; exit 1; }
  plain=$(basename "$archive" .tar.gz) plain=${plain#becket-}
  os=${plain##*-} plain=${plain%-*}
  cpu=${plain##*-}
  [ "${plain%-*}" = "$version" ] || { echo "pack.sh: $(basename "$archive") has another version than $version; remove it from $dist" >&2; exit 1; }
  case $cpu in x86_64) cpu=x64 ;; aarch64) cpu=arm64 ;; esac
  name=becket-$os-$cpu
  mkdir "$work/$name"
  tar -xzf "$archive" -C "$work/$name" --strip-components=1
  rm -f "$work/$name/install.sh"
  cat >"$work/$name/package.json" <<JSON
{ "name": "$name", "version": "$version", "description": "Becket's programs for $os on $cpu", "license": "MIT OR Apache-2.0", "os": ["$os"], "cpu": ["$cpu"], "preferUnplugged": true }
JSON
  platforms="$platforms $name"
done
mkdir -p "$work/becket"
cp -R "$here/bin" "$here/README.md" "$work/becket/"
cp "$here/../../LICENSE-MIT" "$here/../../LICENSE-APACHE" "$work/becket/"
VERSION=$version PLATFORMS=$platforms node - "$here/package.json" "$work/becket/package.json" <<'JS'
const { readFileSync, writeFileSync } = require('node:fs');
const [, , from, to] = process.argv;
const made = JSON.parse(readFileSync(from, 'utf8'));
made.version = process.env.VERSION;
for (const name of process.env.PLATFORMS.trim().split(/\s+/)) made.optionalDependencies[name] = process.env.VERSION;
writeFileSync(to, `${JSON.stringify(made, null, 2)}\n`);
JS
for name in $platforms becket; do
  npm pack --silent --pack-destination "$out" "$work/$name" | sed "s|^|$out/|"
done
