#!/bin/sh
# Installs what the tests need in addition to Rust, a C compiler and npm: tmux for the interactive screens, Chromium for the
# dashboard. Does nothing if both exist. Without Chromium the dashboard tests are skipped, unless BECKET_REQUIRE_BROWSER is
# set.
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
    echo "install $1 by hand: no supported package manager found" >&2
    return 1
  fi
}
has tmux || install tmux
if [ -z "${CHROMIUM:-}" ] && ! has chromium && ! has chromium-browser && ! has google-chrome; then
  install chromium || {
    echo "cannot install Chromium, so the dashboard is not tested in a browser; set CHROMIUM to use another browser" >&2
    [ -z "${BECKET_REQUIRE_BROWSER:-}" ]
  }
fi
