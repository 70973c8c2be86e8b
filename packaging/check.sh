#!/bin/sh
# Tests the release artifacts in a directory: the installer, the Homebrew formula, the npm packages. Uses only a scratch
# directory and no network.
#
#   check.sh DIST
set -eu
dist=$(cd "${1:?a directory with archives}" && pwd)
cd "$(dirname "$0")"
archive=$dist/becket-$(./version.sh)-$(./platform.sh).tar.gz
[ -f "$archive" ] || { echo "check.sh: $archive does not exist" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME="$work/home" BECKET_DAEMON=off
unset BECKET_HOME XDG_CONFIG_HOME XDG_STATE_HOME 2>/dev/null || true
mkdir "$HOME"

fail() { echo "check.sh: $1" >&2; exit 1; }
refused() { if "$@" >"$work/out" 2>&1; then cat "$work/out"; fail "expected to fail: $*"; fi; }
nothing_in() { [ ! -e "$1" ] || fail "$1 exists"; }
because() { grep -q -- "$1" "$work/out" || fail "expected \`$1\` in the output: $(cat "$work/out")"; }
summed() { (cd "$(dirname "$1")" && { sha256sum "$(basename "$1")" 2>/dev/null || shasum -a 256 "$(basename "$1")"; } >"$(basename "$1").sha256"); }

# The installer, with a local file.
./install.sh --dry-run "$archive" >"$work/out" || fail "$(cat "$work/out")"
nothing_in "$HOME/.local"
./install.sh "$archive" >"$work/out" || fail "$(cat "$work/out")"
"$HOME/.local/bin/becket" --version | grep -q '^becket ' || fail "becket does not start"
"$HOME/.local/bin/becket" check -- 'rm -rf /' | grep -q '^deny' || fail "becket does not find becketd in its directory"
./install.sh "$archive" >/dev/null || fail "installing twice fails"
[ "$(ls -A "$HOME/.local/bin")" = "becket
becketd" ] || fail "unexpected files in bin: $(ls -A "$HOME/.local/bin")"
for file in man/man1/becket.1 bash-completion/completions/becket zsh/site-functions/_becket fish/vendor_completions.d/becket.fish; do
  [ -s "$HOME/.local/share/$file" ] || fail "$file is not installed"
done
sum=$(cut -d' ' -f1 "$archive.sha256" | tr a-f A-F)
./install.sh --sha256 "$sum" "$archive" >/dev/null || fail "an upper-case checksum is rejected"
sh -s -- --help <install.sh >"$work/out" || fail "--help does not work through a pipe"
because --prefix
refused ./install.sh --prefix
because '--prefix needs a directory'
./install.sh --prefix "$work/a place" "$archive" >/dev/null || fail "--prefix with a space fails"
"$work/a place/bin/becket" --version >/dev/null || fail "becket does not start from --prefix"

# A broken program does not replace a working one.
before=$(cksum "$HOME/.local/bin/becket" "$HOME/.local/bin/becketd")
mkdir -p "$work/broken/b/bin" && for program in becket becketd; do printf '#!/bin/sh\nexit 127\n' >"$work/broken/b/bin/$program"; done
tar -czf "$work/broken/b.tar.gz" -C "$work/broken" b
summed "$work/broken/b.tar.gz"
refused ./install.sh "$work/broken/b.tar.gz"
because 'does not start here.*; nothing was installed'
[ "$before" = "$(cksum "$HOME/.local/bin/becket" "$HOME/.local/bin/becketd")" ] || fail "a working program was replaced"
[ "$(find "$HOME/.local/bin" -mindepth 1 | wc -l)" -eq 2 ] || fail "leftover files in bin: $(ls -A "$HOME/.local/bin")"

# --uninstall keeps the programs while agents are connected, unless --force is given.
mkdir "$HOME/.claude"
"$HOME/.local/bin/becket" init --agent claude --yes >/dev/null || fail "cannot connect claude"
refused ./install.sh --uninstall
because 'still connected.*nothing was removed'
[ -x "$HOME/.local/bin/becket" ] || fail "becket was removed"
./install.sh --uninstall --force >/dev/null || fail "--uninstall --force fails"
./install.sh "$archive" >/dev/null
"$HOME/.local/bin/becket" uninstall --all --yes >/dev/null
./install.sh --uninstall >"$work/out" || fail "$(cat "$work/out")"
[ -z "$(find "$HOME/.local" -type f -name '*becket*' ! -path '*/state/*')" ] || fail "leftover files: $(find "$HOME/.local" -type f)"

# Damaged, unverified or malicious archives are rejected, and no file is installed.
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
summed "$work/bad/evil.tar.gz"
refused ./install.sh "$work/bad/evil.tar.gz"
because 'paths outside of its directory; nothing was installed'
mkdir -p "$work/links/elsewhere" "$work/links/a" "$work/links/c/bin" && cp "$work/broken/b/bin/"* "$work/links/elsewhere/"
ln -s ../elsewhere "$work/links/a/bin"
cp "$work/broken/b/bin/"* "$work/links/c/bin/" && ln "$work/links/c/bin/becket" "$work/links/c/bin/again"
for dir in a c; do
  tar -czf "$work/bad/$dir.tar.gz" -C "$work/links" "$dir"
  summed "$work/bad/$dir.tar.gz"
  refused ./install.sh "$work/bad/$dir.tar.gz"
  because 'contains links.*; nothing was installed'
done
tar -czf "$work/bad/two.tar.gz" -C "$work/links" c elsewhere
summed "$work/bad/two.tar.gz"
refused ./install.sh "$work/bad/two.tar.gz"
because 'more than one top-level directory.*; nothing was installed'
nothing_in "$HOME/.local/bin/becket"
echo "installer: ok"

# The formula contains the version and the checksum of every archive.
./homebrew/formula.sh "$dist" https://example.org/releases https://example.org >"$work/becket.rb"
grep -q "sha256 \"$(cut -d' ' -f1 "$archive.sha256")\"" "$work/becket.rb" || fail "the checksum is not in the formula"
if grep -q '@' "$work/becket.rb"; then fail "unreplaced placeholder: $(grep '@' "$work/becket.rb")"; fi
if command -v ruby >/dev/null 2>&1; then ruby -c "$work/becket.rb" >/dev/null || fail "the formula is not valid Ruby"; fi
# An archive of another version is rejected.
mkdir "$work/two" && cp "$dist"/becket-*.tar.gz "$dist"/becket-*.sha256 "$work/two/"
cp "$archive" "$work/two/becket-0.0.1-x86_64-linux.tar.gz"
summed "$work/two/becket-0.0.1-x86_64-linux.tar.gz"
refused ./homebrew/formula.sh "$work/two" https://example.org/releases https://example.org
because 'becket-0.0.1-x86_64-linux.tar.gz has another version than'
refused ./npm/pack.sh "$work/two" "$work/npm-two"
because 'becket-0.0.1-x86_64-linux.tar.gz has another version than'
echo "formula: ok"

# The npm packages, installed from files as a registry would.
if command -v npm >/dev/null 2>&1; then
  ./npm/pack.sh "$dist" "$work/npm" >"$work/packed" || fail "$(cat "$work/packed")"
  mkdir "$work/project" && cd "$work/project" && echo '{"private": true}' >package.json
  own=$(ls "$work"/npm/becket-"$(node -p 'process.platform + "-" + process.arch')"-*.tgz)
  main=$(ls "$work"/npm/becket-[0-9]*.tgz)
  npm install --silent --offline --no-audit --no-fund --ignore-scripts "$own" "$main" >"$work/out" 2>&1 || fail "$(cat "$work/out")"
  ./node_modules/.bin/becket --version | grep -q '^becket ' || fail "the npm package does not start"
  code=0 && ./node_modules/.bin/becket check -- 'rm -rf /' >/dev/null || code=$?
  [ "$code" = 1 ] || fail "wrong exit code: $code"
  # Agents start the native program, not Node.
  ./node_modules/.bin/becket init --agent claude --dry-run | grep -q 'node_modules/becket-.*/bin/becket hook' || fail "init does not write the native program"
  # npx runs from a cache, which agents must not depend on.
  mkdir -p "$work/_npx/1" && cp -R node_modules "$work/_npx/1/"
  "$work/_npx/1/node_modules/.bin/becket" --version >/dev/null || fail "becket does not start from npx"
  refused "$work/_npx/1/node_modules/.bin/becket" init --agent claude --dry-run
  because 'npm install --global becket'
  rm -rf node_modules/becket-*-*
  refused ./node_modules/.bin/becket --version
  grep -q 'no programs for' "$work/out" || fail "no error for a missing platform: $(cat "$work/out")"
  echo "npm: ok"
else
  echo "npm is not installed: skipped"
fi
