#!/bin/sh
# Tries what is published, with the archives of a directory: the installer, the formula, the npm packages. Touches nothing
# outside of a scratch directory and reaches no network.
#
#   check.sh DIST
set -eu
dist=$(cd "${1:?a directory with archives}" && pwd)
cd "$(dirname "$0")"
set -- "$dist"/becket-*-"$(./platform.sh)".tar.gz
if [ $# -ne 1 ] || [ ! -f "$1" ]; then echo "check.sh: there has to be one archive for this machine in $dist" >&2; exit 1; fi
archive=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work/home" BECKET_DAEMON=off
unset BECKET_HOME XDG_CONFIG_HOME XDG_STATE_HOME 2>/dev/null || true
mkdir "$HOME"

fail() { echo "check.sh: $1" >&2; exit 1; }
refused() { if "$@" >"$work/out" 2>&1; then cat "$work/out"; fail "was not refused: $*"; fi; }
nothing_in() { [ ! -e "$1" ] || fail "$1 is there"; }

# The installer, from a file.
./install.sh --dry-run "$archive" >"$work/out" || fail "$(cat "$work/out")"
nothing_in "$HOME/.local"
./install.sh "$archive" >"$work/out" || fail "$(cat "$work/out")"
"$HOME/.local/bin/becket" --version | grep -q '^becket ' || fail "becket does not start"
"$HOME/.local/bin/becket" check -- 'rm -rf /' | grep -q '^deny' || fail "becketd is not found beside becket"
./install.sh "$archive" >/dev/null || fail "a second time it fails"
[ "$(ls -A "$HOME/.local/bin")" = "becket
becketd" ] || fail "something else is in bin: $(ls -A "$HOME/.local/bin")"
./install.sh --prefix "$work/a place" "$archive" >/dev/null || fail "--prefix with a blank in it"
"$work/a place/bin/becket" --version >/dev/null || fail "it does not start there"
./install.sh --uninstall >/dev/null
nothing_in "$HOME/.local/bin/becket"
nothing_in "$HOME/.local/bin/becketd"

# What is damaged, unproven or hostile is refused, and leaves nothing behind.
name=$(basename "$archive")
mkdir "$work/bad"
{ cat "$archive"; echo x; } >"$work/bad/$name"
refused ./install.sh "$work/bad/$name"
cp "$archive.sha256" "$work/bad/"
refused ./install.sh "$work/bad/$name"
refused ./install.sh --sha256 0000 "$archive"
refused ./install.sh "http://127.0.0.1:9/$name"
refused ./install.sh --frobnicate "$archive"
refused ./install.sh "$work/bad/none.tar.gz"
mkdir -p "$work/evil/b/bin" && echo owned >"$work/evil/owned"
(cd "$work/evil/b" && tar -czPf "$work/bad/evil.tar.gz" ../owned)
(cd "$work/bad" && { sha256sum evil.tar.gz 2>/dev/null || shasum -a 256 evil.tar.gz; } >evil.tar.gz.sha256)
refused ./install.sh "$work/bad/evil.tar.gz"
grep -q 'lead out of it' "$work/out" || fail "for another reason: $(cat "$work/out")"
nothing_in "$HOME/.local/bin/becket"
echo "installer: good"

# The formula has the version and the checksum of every archive.
./homebrew/formula.sh "$dist" https://example.org/releases https://example.org >"$work/becket.rb"
grep -q "sha256 \"$(cut -d' ' -f1 "$archive.sha256")\"" "$work/becket.rb" || fail "the checksum is not in the formula"
if grep -q '@' "$work/becket.rb"; then fail "something is not filled in: $(grep '@' "$work/becket.rb")"; fi
if command -v ruby >/dev/null 2>&1; then ruby -c "$work/becket.rb" >/dev/null || fail "the formula is no Ruby"; fi
echo "formula: good"

# The npm packages, installed side by side as a registry would.
if command -v npm >/dev/null 2>&1; then
  ./npm/pack.sh "$dist" "$work/npm" >"$work/packed" || fail "$(cat "$work/packed")"
  mkdir "$work/project" && cd "$work/project" && echo '{"private": true}' >package.json
  own=$(ls "$work"/npm/becket-"$(node -p 'process.platform + "-" + process.arch')"-*.tgz)
  main=$(ls "$work"/npm/becket-[0-9]*.tgz)
  npm install --silent --offline --no-audit --no-fund --ignore-scripts "$own" "$main" >"$work/out" 2>&1 || fail "$(cat "$work/out")"
  ./node_modules/.bin/becket --version | grep -q '^becket ' || fail "the npm package does not start"
  code=0 && ./node_modules/.bin/becket check -- 'rm -rf /' >/dev/null || code=$?
  [ "$code" = 1 ] || fail "exit codes do not come through: $code"
  # Agents are given the program itself, not Node.
  ./node_modules/.bin/becket init --agent claude --dry-run | grep -q 'node_modules/becket-.*/bin/becket hook' || fail "init writes another program"
  rm -rf node_modules/becket-*-*
  refused ./node_modules/.bin/becket --version
  grep -q 'there are no programs for' "$work/out" || fail "a missing platform is not told: $(cat "$work/out")"
  echo "npm: good"
else
  echo "npm is not installed: not checked"
fi
