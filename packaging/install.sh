#!/bin/sh
# Installs Becket from an archive that `make dist` made. Start reading at the end of the options.
set -eu

fail() { echo "install.sh: $1" >&2; exit 1; }
refuse() { fail "$1; nothing was installed"; }
# Said here rather than read from this file: it may come through a pipe.
usage() {
  cat <<'TEXT'
Installs Becket from an archive that `make dist` made: a file, or an address (https only).

  install.sh [--prefix DIR] [--sha256 HEX] [--dry-run] ARCHIVE
  install.sh [--prefix DIR] [--dry-run] [--force] --uninstall

Nothing is unpacked before its checksum was compared with ARCHIVE.sha256, or with HEX, and nothing is replaced before the
new programs have started. The two programs go into DIR/bin (~/.local/bin), manual pages and completions below DIR/share;
no root is needed, and no other file is changed. --uninstall refuses while agents are connected, unless --force is said.
TEXT
}
# An option's value, which is no other option.
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
    -*) fail "unknown option $1 (--help says which there are)" ;;
    *) [ -z "$archive" ] || fail "one archive at a time"; archive=$1 ;;
  esac
  shift
done
bin=$prefix/bin share=$prefix/share
bash=$share/bash-completion/completions/becket zsh=$share/zsh/site-functions/_becket fish=$share/fish/vendor_completions.d/becket.fish

# Whether an agent would start a program that is gone. One that does not start cannot say.
is_connected() {
  [ -x "$bin/becket" ] && "$bin/becket" uninstall --all --dry-run --json 2>/dev/null | tr -d ' \n' | grep -q '"files":\[{'
}

if [ -n "$uninstall" ]; then
  if [ -z "$force" ] && is_connected; then
    fail "agents are still connected; first: $bin/becket uninstall --all (or --force); nothing was removed"
  fi
  for file in "$bin/becket" "$bin/becketd" "$share/man/man1/becket.1" "$share"/man/man1/becket-*.1 "$bash" "$zsh" "$fish"; do
    [ -e "$file" ] || continue
    if [ -n "$dry" ]; then echo "would remove $file"; else rm -f "$file" && echo "removed $file"; fi
  done
  exit 0
fi
[ -n "$archive" ] || fail "which archive? (--help says how)"

work=$(mktemp -d) new=''
trap 'rm -rf "$work" ${new:+"$new"}' EXIT
trap 'exit 1' INT TERM HUP

case $archive in
  https://*)
    name=${archive##*/}
    curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location --output "$work/$name" "$archive" || refuse "$archive cannot be fetched"
    if [ -z "$expected" ]; then
      curl --proto '=https' --tlsv1.2 --fail --silent --show-error --location --output "$work/$name.sha256" "$archive.sha256" || refuse "$archive.sha256 cannot be fetched"
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
expected=$(printf %s "$expected" | tr A-F a-f)
[ "$actual" = "$expected" ] || refuse "$name: checksum is $actual, and should be $expected"
echo "$name: checksum is right"

# An archive of ours has one directory, nothing outside of it, and no links.
tar -tzf "$file" >"$work/list" 2>/dev/null || refuse "$name is no archive"
if grep -Eq '^/|(^|/)\.\.(/|$)' "$work/list"; then refuse "$name has paths that lead out of it"; fi
[ "$(cut -d/ -f1 "$work/list" | sort -u | wc -l)" -eq 1 ] || refuse "$name has more than one directory at its top"
tar -tvzf "$file" >"$work/long" 2>/dev/null || refuse "$name is no archive"
if grep -Eq '^[^-d]| link to ' "$work/long"; then refuse "$name has links in it, or other things that are no files"; fi
mkdir "$work/unpacked"
tar -xzf "$file" -C "$work/unpacked" 2>"$work/errors" || refuse "$name cannot be unpacked: $(head -1 "$work/errors")"
top=$work/unpacked/$(head -1 "$work/list" | cut -d/ -f1)
for program in becket becketd; do
  [ -f "$top/bin/$program" ] || refuse "$name has no bin/$program"
done

# Every other file, and where it belongs.
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
# Started where they will be: a directory for temporary files need not let programs run.
new=$(mktemp -d "$bin/.becket.XXXXXX")
for program in becketd becket; do
  cat "$top/bin/$program" >"$new/$program"
  chmod 755 "$new/$program"
done
for program in becketd becket; do
  "$new/$program" --version >"$work/version" 2>"$work/errors" || refuse "$name: $program does not start here: $(head -1 "$work/errors")"
done
# The large program first: the small one looks for it. Each takes its place in one step, so that an agent that
# starts it meanwhile finds the old one or the new one.
for program in becketd becket; do mv -f "$new/$program" "$bin/$program"; done
others put
echo "installed $bin/becket"
echo "installed $bin/becketd"
[ ! -d "$top/share" ] || echo "installed manual pages and completions below $share"
cat "$work/version"
case :${PATH}: in *:"$bin":*) ;; *) echo "$bin is not in your PATH: add it, or start $bin/becket" ;; esac
echo "next: becket up"
