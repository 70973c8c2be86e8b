#!/bin/sh
# Installs Becket from an archive built by `make dist`.
set -eu

fail() { echo "install.sh: $1" >&2; exit 1; }
refuse() { fail "$1; nothing was installed"; }
# The text is embedded, because the script may be read from a pipe.
usage() {
  cat <<'TEXT'
Installs Becket from an archive built by `make dist`: a file or an https URL.

  install.sh [--prefix DIR] [--sha256 HEX] [--dry-run] ARCHIVE
  install.sh [--prefix DIR] [--dry-run] [--force] --uninstall

The checksum is verified against ARCHIVE.sha256 or HEX before the archive is unpacked. Existing programs are replaced only
if the new ones start. The programs are installed to DIR/bin (default: ~/.local/bin), manual pages and completions to
DIR/share. No root is needed, and no other file is changed. --uninstall fails while agents are connected, unless --force
is given.
TEXT
}
# Checks that an option has a value.
value() { case ${2-} in '' | -*) fail "$1 needs $3" ;; esac; }

prefix=${HOME:?}/.local
expected='' dry='' uninstall='' force='' archive=''
while [ $# -gt 0 ]; do
  case $1 in
    --prefix) value "$1" "${2-}" "a directory"; prefix=$2; shift ;;
    --sha256) value "$1" "${2-}" "a checksum"; expected=$2; shift ;;
    --dry-run) dry=1 ;;
    --uninstall) uninstall=1 ;;
    --force) force=1 ;;
    -h | --help) usage; exit 0 ;;
    -*) fail "unknown option $1 (see --help)" ;;
    *) [ -z "$archive" ] || fail "more than one archive given"; archive=$1 ;;
  esac
  shift
done
bin=$prefix/bin share=$prefix/share
bash=$share/bash-completion/completions/becket zsh=$share/zsh/site-functions/_becket fish=$share/fish/vendor_completions.d/becket.fish

# Whether agents are connected. Assumes they are not if becket does not start.
is_connected() {
  [ -x "$bin/becket" ] && "$bin/becket" uninstall --all --dry-run --json 2>/dev/null | tr -d ' \n' | grep -q '"files":\[{'
}

if [ -n "$uninstall" ]; then
  if [ -z "$force" ] && is_connected; then
    fail "agents are still connected; run $bin/becket uninstall --all first, or use --force; nothing was removed"
  fi
  for file in "$bin/becket" "$bin/becketd" "$share/man/man1/becket.1" "$share"/man/man1/becket-*.1 "$bash" "$zsh" "$fish"; do
    [ -e "$file" ] || continue
    if [ -n "$dry" ]; then echo "would remove $file"; else rm -f "$file" && echo "removed $file"; fi
  done
  exit 0
fi
[ -n "$archive" ] || fail "no archive given (see --help)"

work=$(mktemp -d) new=''
trap 'rm -rf "$work" ${new:+"$new"}' EXIT
trap 'exit 1' INT TERM HUP

case $archive in
  https://*)
    name=${archive##*/}
    curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location --output "$work/$name" "$archive" || refuse "cannot download $archive"
    if [ -z "$expected" ]; then
      curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location --output "$work/$name.sha256" "$archive.sha256" || refuse "cannot download $archive.sha256"
      expected=$(cut -d' ' -f1 "$work/$name.sha256")
    fi
    file=$work/$name ;;
  *://*) fail "the URL must use https: $archive" ;;
  *)
    file=$archive name=${archive##*/}
    [ -f "$file" ] || fail "$file does not exist"
    if [ -z "$expected" ]; then
      [ -f "$file.sha256" ] || fail "$file.sha256 does not exist; pass the checksum with --sha256"
      expected=$(cut -d' ' -f1 "$file.sha256")
    fi ;;
esac

if command -v sha256sum >/dev/null 2>&1; then
  actual=$(sha256sum <"$file")
else
  actual=$(shasum -a 256 <"$file")
fi
actual=${actual%% *}
expected=$(printf %s "$expected" | tr A-F a-f)
[ "$actual" = "$expected" ] || refuse "$name: checksum is $actual, expected $expected"
echo "$name: checksum OK"

# A valid archive has one top-level directory, no path outside of it, and no links.
tar -tzf "$file" >"$work/list" 2>/dev/null || refuse "$name is not an archive"
if grep -Eq '^/|(^|/)\.\.(/|$)' "$work/list"; then refuse "$name contains paths outside of its directory"; fi
[ "$(cut -d/ -f1 "$work/list" | sort -u | wc -l)" -eq 1 ] || refuse "$name has more than one top-level directory"
tar -tvzf "$file" >"$work/long" 2>/dev/null || refuse "$name is not an archive"
if grep -Eq '^[^-d]| link to ' "$work/long"; then refuse "$name contains links or special files"; fi
mkdir "$work/unpacked"
tar -xzf "$file" -C "$work/unpacked" 2>"$work/errors" || refuse "cannot unpack $name: $(head -1 "$work/errors")"
top=$work/unpacked/$(head -1 "$work/list" | cut -d/ -f1)
for program in becket becketd; do
  [ -f "$top/bin/$program" ] || refuse "$name does not contain bin/$program"
done

# Man pages and completions with their destinations.
others() {
  for page in "$top"/share/man/man1/*.1; do "$@" "$page" "$share/man/man1/${page##*/}"; done
  "$@" "$top/share/completions/becket.bash" "$bash"
  "$@" "$top/share/completions/becket.zsh" "$zsh"
  "$@" "$top/share/completions/becket.fish" "$fish"
}
would_put() { [ ! -f "$1" ] || echo "would install $2"; }
put() { [ ! -f "$1" ] || { mkdir -p "${2%/*}" && cp "$1" "$2" && chmod 644 "$2"; }; }

if [ -n "$dry" ]; then
  echo "would install $bin/becket"
  echo "would install $bin/becketd"
  others would_put
  exit 0
fi

mkdir -p "$bin"
# Test the programs in their target directory, because the temporary directory may be mounted noexec.
new=$(mktemp -d "$bin/.becket.XXXXXX")
for program in becketd becket; do
  cat "$top/bin/$program" >"$new/$program"
  chmod 755 "$new/$program"
done
for program in becketd becket; do
  "$new/$program" --version >"$work/version" 2>"$work/errors" || refuse "$name: $program does not start here: $(head -1 "$work/errors")"
done
# becketd first, because becket needs it. Each move is atomic, so that an agent always finds the old or the new program.
for program in becketd becket; do mv -f "$new/$program" "$bin/$program"; done
others put
echo "installed $bin/becket"
echo "installed $bin/becketd"
[ ! -d "$top/share" ] || echo "installed manual pages and completions in $share"
cat "$work/version"
case :${PATH}: in *:"$bin":*) ;; *) echo "$bin is not in your PATH: add it, or run $bin/becket" ;; esac
echo "next: becket up"
