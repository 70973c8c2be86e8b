#!/bin/sh
# Installs what the tests need beside Rust, a C compiler and npm: tmux, in which the interactive screens are tested, and
# Chromium, in which the dashboard is. Does nothing where they are there already. Without Chromium the tests of the dashboard
# are skipped, unless BECKET_REQUIRE_BROWSER is set.
set -eu
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }
has() { command -v "$1" >/dev/null 2>&1; }
install() {
  if has apt-get; then
    as_root apt-get update -qq && as_root apt-get install -y -qq "$1"
  elif has dnf; then
    as_root dnf install -y -q "$1"
  elif has apk; then
    as_root apk add -q "$1"
  elif has brew; then
    brew install -q "$1"
  else
    echo "install $1 by hand: no package manager that this script knows" >&2
    return 1
  fi
}
has tmux || install tmux
if [ -z "${CHROMIUM:-}" ] && ! has chromium && ! has chromium-browser && ! has google-chrome; then
  install chromium || {
    echo "the dashboard cannot be tested in a browser: Chromium could not be installed; CHROMIUM may name one" >&2
    [ -z "${BECKET_REQUIRE_BROWSER:-}" ]
  }
fi
