#!/bin/sh
# Installs what the tests need beside Rust and a C compiler: tmux, in which the interactive screens are tested.
# Does nothing where it is there already.
set -eu
command -v tmux >/dev/null 2>&1 && exit 0
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }
if command -v apt-get >/dev/null 2>&1; then
  as_root apt-get update -qq && as_root apt-get install -y -qq tmux
elif command -v dnf >/dev/null 2>&1; then
  as_root dnf install -y -q tmux
elif command -v apk >/dev/null 2>&1; then
  as_root apk add -q tmux
elif command -v brew >/dev/null 2>&1; then
  brew install -q tmux
else
  echo "install tmux by hand: no package manager that this script knows" >&2
  exit 1
fi
