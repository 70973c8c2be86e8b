#!/bin/sh
# Prints the Homebrew formula for the archives in a directory.
#
#   formula.sh DIST BASE HOMEPAGE      BASE is the URL under which the archives are published
set -eu
dist=${1:?directory with archives} base=${2:?URL of the archives} homepage=${3:?URL of the project}
here=$(dirname "$0")
work=$(mktemp)
trap 'rm -f "$work"' EXIT
version=$("$here/../version.sh")
for sum in "$dist"/becket-*.tar.gz.sha256; do
  [ -f "$sum" ] || { echo "formula.sh: no archives in $dist" >&2; exit 1; }
  name=$(basename "$sum" .sha256)
  plain=${name#becket-} plain=${plain%.tar.gz}
  system=${plain##*-} plain=${plain%-*}
  cpu=${plain##*-}
  [ "${plain%-*}" = "$version" ] || { echo "formula.sh: $name has another version than $version; remove it from $dist" >&2; exit 1; }
  case $system in
    darwin) system=macos ;;
    linux) ;;
    *) echo "formula.sh: Homebrew does not support $system" >&2; exit 1 ;;
  esac
  case $cpu in x86_64) cpu=intel ;; *) cpu=arm ;; esac
  {
    echo "  on_$system do"
    echo "    on_$cpu do"
    echo "      url \"$base/$name\""
    echo "      sha256 \"$(cut -d' ' -f1 "$sum")\""
    echo "    end"
    echo "  end"
    echo
  } >>"$work"
done
sed -e "s|@VERSION@|$version|" -e "s|@HOMEPAGE@|$homepage|" -e "/@PLATFORMS@/{r $work
d
}" "$here/becket.rb.in"
