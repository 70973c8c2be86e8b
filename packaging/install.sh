#!/bin/sh
# Installs Becket from an archive that `make dist` made: a file, or an address (https only).
#
#   install.sh [--prefix DIR] [--sha256 HEX] [--dry-run] ARCHIVE
#   install.sh [--prefix DIR] --uninstall
#
# Nothing is unpacked before its checksum was compared with ARCHIVE.sha256, or with HEX. The two programs go into
# DIR/bin (~/.local/bin), no root is needed, and no other file is changed.
set -eu

fail() { echo "install.sh: $1" >&2; exit 1; }

prefix=${HOME:?}/.local
expected='' dry='' uninstall='' archive=''
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) prefix=${2:?--prefix needs a directory}; shift ;;
    --sha256) expected=${2:?--sha256 needs a checksum}; shift ;;
    --dry-run) dry=1 ;;
    --uninstall) uninstall=1 ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) fail "unknown option $1 (--help says which there are)" ;;
    *) [ -z "$archive" ] || fail "one archive at a time"; archive=$1 ;;
  esac
  shift
done
bin=$prefix/bin

if [ -n "$uninstall" ]; then
  [ ! -x "$bin/becket" ] || echo "first, if agents are still connected: $bin/becket uninstall"
  for program in becket becketd; do
    [ -e "$bin/$program" ] || continue
    if [ -n "$dry" ]; then echo "would remove $bin/$program"; else rm -f "$bin/$program" && echo "removed $bin/$program"; fi
  done
  exit 0
fi
[ -n "$archive" ] || fail "which archive? (--help says how)"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

case $archive in
  https://*)
    name=${archive##*/}
    curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location --output "$work/$name" "$archive" || fail "$archive cannot be fetched"
    if [ -z "$expected" ]; then
      curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location --output "$work/$name.sha256" "$archive.sha256" || fail "$archive.sha256 cannot be fetched"
      expected=$(cut -d' ' -f1 "$work/$name.sha256")
    fi
    file=$work/$name ;;
  *://*) fail "addresses have to be https: $archive" ;;
  *)
    file=$archive name=${archive##*/}
    [ -f "$file" ] || fail "there is no $file"
    if [ -z "$expected" ]; then
      [ -f "$file.sha256" ] || fail "there is no $file.sha256; give the checksum with --sha256"
      expected=$(cut -d' ' -f1 "$file.sha256")
    fi ;;
esac

if command -v sha256sum >/dev/null 2>&1; then
  actual=$(sha256sum <"$file")
else
  actual=$(shasum -a 256 <"$file")
fi
actual=${actual%% *}
[ "$actual" = "$expected" ] || fail "$name: checksum is $actual, and should be $expected; nothing was installed"
echo "$name: checksum is right"

# An archive of ours has nothing outside of its own directory.
tar -tzf "$file" >"$work/list" || fail "$name is no archive"
if grep -Eq '^/|(^|/)\.\.(/|$)' "$work/list"; then fail "$name has paths that lead out of it"; fi
mkdir "$work/unpacked"
tar -xzf "$file" -C "$work/unpacked"
for program in becket becketd; do
  set -- "$work/unpacked"/*/bin/"$program"
  if [ $# -ne 1 ] || [ ! -f "$1" ] || [ -h "$1" ]; then fail "$name has no bin/$program"; fi
done
if [ -n "$dry" ]; then
  echo "would install $bin/becket"
  echo "would install $bin/becketd"
  exit 0
fi

mkdir -p "$bin"
# The large program first: the small one looks for it. Each takes its place in one step, so that an agent that
# starts it meanwhile finds the old one or the new one.
for program in becketd becket; do
  new=$(mktemp "$bin/.$program.XXXXXX")
  cat "$work/unpacked"/*/bin/"$program" >"$new"
  chmod 755 "$new"
  mv -f "$new" "$bin/$program"
done
echo "installed $bin/becket"
echo "installed $bin/becketd"
"$bin/becket" --version
case :${PATH}: in *:"$bin":*) ;; *) echo "$bin is not in your PATH: add it, or start $bin/becket" ;; esac
echo "next: becket init"
