#!/bin/sh
# Packs the two built programs into an archive for this platform, with a checksum.
#
#   dist.sh BECKET BECKETD [OUT]
set -eu
becket=${1:?path of becket} becketd=${2:?path of becketd}
cd "$(dirname "$0")/.."
out=${3:-dist}
version=$(./packaging/version.sh)
platform=$(./packaging/platform.sh)
name=becket-$version-$platform

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name/bin" "$work/$name/lib/systemd/user" "$out"
cp "$becket" "$work/$name/bin/becket"
cp "$becketd" "$work/$name/bin/becketd"
cp LICENSE-MIT LICENSE-APACHE README.md CHANGELOG.md packaging/install.sh "$work/$name/"
cp packaging/systemd/becket.service "$work/$name/lib/systemd/user/"
chmod 755 "$work/$name/bin/becket" "$work/$name/bin/becketd" "$work/$name/install.sh"
# Man pages and completions, if the program can generate them.
becket=$work/$name/bin/becket
if "$becket" man --help >/dev/null 2>&1; then mkdir -p "$work/$name/share/man/man1" && "$becket" man "$work/$name/share/man/man1"; fi
if "$becket" completions --help >/dev/null 2>&1; then
  mkdir -p "$work/$name/share/completions"
  for shell in bash zsh fish; do "$becket" completions "$shell" >"$work/$name/share/completions/becket.$shell"; done
fi

# Reproducible archive: no user names, and the commit time as the only timestamp.
time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
if tar --version 2>/dev/null | grep -q GNU; then
  tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" -C "$work" -cf - "$name" | gzip -n -9 >"$out/$name.tar.gz"
else
  tar -C "$work" -cf - "$name" | gzip -n -9 >"$out/$name.tar.gz"
fi
cd "$out"
if command -v sha256sum >/dev/null 2>&1; then sha256sum "$name.tar.gz"; else shasum -a 256 "$name.tar.gz"; fi >"$name.tar.gz.sha256"
echo "$out/$name.tar.gz"
