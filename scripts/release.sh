#!/usr/bin/env bash
# Builds the programs of a release: without paths of the build machine and, on Linux, with a static client.
#
#   scripts/release.sh static    the static client `becket`, in target/<arch>-unknown-linux-musl/release
#   scripts/release.sh           `becket` and `becketd` for this platform, in target/release
#
# The linker places the functions that `becket hook` runs next to each other, so that a start touches fewer pages. The
# order is recorded with valgrind for the architecture and the sources at hand. Without valgrind the static client is
# built without it; only the start gets slower. docs/reference/releasing.md has the measurement.
set -euo pipefail
cd "$(dirname "$0")/.."
top=$PWD
cargo=${CARGO:-cargo}
out=${CARGO_TARGET_DIR:-$top/target}
musl=$(uname -m)-unknown-linux-musl

registry=${CARGO_HOME:-$HOME/.cargo}/registry/src

# Panic messages name source files; the names should not tell where they were built.
remap() {
  local source
  printf '"--remap-path-prefix=%s=becket"' "$top"
  for source in "$registry"/*/; do printf ', "--remap-path-prefix=%s=deps"' "${source%/}"; done
}
build() { # target, arguments of `cargo rustc`
  local target=$1
  shift
  "$cargo" rustc --quiet --release --package becket-cli --config "target.$target.rustflags=[$(remap)]" "$@"
}
static_client() { build "$musl" --target "$musl" --no-default-features --bin becket -- "$@"; }

# Runs events of three agents, with and without the guard, under the command that is given.
run_events() {
  local client=$1 home
  shift
  for home in plain guarded; do
    while read -r agent event payload; do
      (cd "$scratch/app" && env -i PATH=/usr/bin:/bin HOME="$scratch/$home" BECKET_HOME="$scratch/$home/.becket" BECKET_DAEMON=off \
        "$@" "$client" hook "$event" --agent "$agent" <"$top/fixtures/$payload/input.json" >/dev/null)
    done <<EVENTS
claude PreToolUse claude/PreToolUse/bash
codex PreToolUse codex/PreToolUse/bash
cursor beforeShellExecution cursor/beforeShellExecution/command
EVENTS
  done
}

# Prints a linker script with the functions in the order in which valgrind saw them first. Hashes are replaced by
# wildcards; a name without a match is ignored.
hot_path_order() {
  local client=$1 names section
  mkdir -p "$scratch/plain/.becket" "$scratch/guarded/.becket" "$scratch/app/.git"
  printf '[[hook]]\nname = "other"\nevent = "PreToolUse"\nmatcher = "Write"\ncommand = "true"\n' >"$scratch/plain/.becket/config.toml"
  printf '[[hook]]\nname = "guard"\nuse = "security-guard"\n' >"$scratch/guarded/.becket/config.toml"
  # The matcher cache ignores files that changed within the last two seconds.
  touch -d '1 minute ago' "$scratch"/*/.becket/config.toml
  sleep 3
  run_events "$client"
  run_events "$client" valgrind --quiet --demangle=no --tool=callgrind --callgrind-out-file="$scratch/callgrind.%p"
  names=$(cat "$scratch"/callgrind.* | sed -nE "s/^c?fn=\([0-9]+\) ([A-Za-z_][^ ']*).*/\1/p" |
    sed -E 's/17h[0-9a-f]{16}E.*/17h*/; s/Cs[0-9a-zA-Z]+_/Cs*_/g; s/\.[0-9]+$/*/' | awk '!seen[$0]++')
  for section in text rodata; do
    printf 'SECTIONS\n{\n  .%s.hot_path : {\n' $section
    sed "s/.*/    *(.$section.&)/" <<<"$names"
    printf '  }\n}\nINSERT BEFORE .%s;\n' $section
  done
}

"$cargo" fetch --quiet --locked # so that `remap` sees the registry
if [ "${1:-}" != static ]; then
  host=$(rustc -vV | sed -n 's/^host: //p')
  # So do assertions in C code.
  export CFLAGS="${CFLAGS:-} -ffile-prefix-map=$registry=deps"
  for bin in becket becketd; do build "$host" --bin "$bin"; done
  exit
fi
if ! command -v valgrind >/dev/null 2>&1; then
  echo "valgrind is not installed: the static client is built without a recorded order" >&2
  static_client
  exit
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM
static_client -C strip=none
hot_path_order "$out/$musl/release/becket" >"$out/hot-path.ld"
static_client -C "link-arg=-Wl,-T,$out/hot-path.ld"
