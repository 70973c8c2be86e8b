#!/bin/sh
# Prints the path of a tool that a make target needs. Builds it once, from source, into a directory that all clones share;
# unoptimised, because each tool runs for a second and an optimised build takes minutes.
#
#   tool.sh [--if-there] NAME       with --if-there, builds nothing; the exit code tells whether the tool exists
set -eu
only=''
if [ "${1:-}" = --if-there ]; then only=1; shift; fi
name=${1:?the name of a tool}
case $name in
  mdbook) version=0.5.4 ;;
  cargo-deb) version=3.8.0 ;;
  cargo-deny) version=0.20.2 ;;
  cargo-cyclonedx) version=0.5.9 ;;
  cargo-mutants) version=27.1.0 ;;
  *) echo "tool.sh: no version is pinned for $name" >&2; exit 64 ;;
esac
root=${BECKET_TOOLS:-${BECKET_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/becket-lab}/tools}/$name-$version
if [ ! -x "$root/bin/$name" ]; then
  [ -z "$only" ] || exit 1
  echo "tool.sh: building $name $version, once" >&2
  CARGO_TARGET_DIR=$root/build "${CARGO:-cargo}" install --quiet --locked --debug --root "$root" "$name@$version" >&2
  rm -rf "$root/build"
fi
echo "$root/bin/$name"
