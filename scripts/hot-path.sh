#!/bin/sh
# Writes link/hot-path.ld: the functions that `becket hook` runs, so that the linker puts them side by side.
# Starting touches each 64 KiB of the program that holds one of them, and that was most of what starting cost.
# Names carry no hashes, so the file stays good while functions keep their names; a name that is gone does no harm.
# Needs valgrind and the target x86_64-unknown-linux-musl.
set -eu
cd "$(dirname "$0")/.."
top=$PWD
target=x86_64-unknown-linux-musl
CARGO_PROFILE_RELEASE_STRIP=none cargo build --quiet --release --bin becket --package becket-cli \
  --no-default-features --target $target --target-dir target/hot-path
becket=$top/target/hot-path/$target/release/becket
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM

mkdir -p "$scratch/plain/.becket" "$scratch/guarded/.becket" "$scratch/app/.git"
printf '[[hook]]\nname = "other"\nevent = "PreToolUse"\nmatcher = "Write"\ncommand = "true"\n' > "$scratch/plain/.becket/config.toml"
printf '[[hook]]\nname = "guard"\nuse = "security-guard"\n' > "$scratch/guarded/.becket/config.toml"
cd "$scratch/app"

as() { # home, agent, event, payload, a command to run it under
  home=$scratch/$1 agent=$2 event=$3 payload=$4
  shift 4
  env -i PATH=/usr/bin:/bin HOME="$home" BECKET_HOME="$home/.becket" BECKET_DAEMON=off "$@" "$becket" hook "$event" --agent "$agent" < "$payload" > "$scratch/answer"
}
each() { # home, a command to run them under
  home=$1
  shift
  as "$home" claude PreToolUse "$top/fixtures/claude/PreToolUse/bash/input.json" "$@"
  as "$home" codex PreToolUse "$top/fixtures/codex/PreToolUse/bash/input.json" "$@"
  as "$home" cursor beforeShellExecution "$top/fixtures/cursor/beforeShellExecution/command/input.json" "$@"
}
record() { each "$1" valgrind --quiet --demangle=no --tool=callgrind --callgrind-out-file="$scratch/$1.%p"; }

each plain
each guarded
sleep 3 # Configuration that changed just now is not remembered.
each plain
each guarded
record plain
record guarded

names=$(cat "$scratch"/plain.* "$scratch"/guarded.* | sed -nE "s/^c?fn=\([0-9]+\) ([A-Za-z_][^ ']*).*/\1/p" |
  sed -E 's/17h[0-9a-f]{16}E.*/17h*/; s/Cs[0-9a-zA-Z]+_/Cs*_/g; s/\.[0-9]+$/*/' | awk '!seen[$0]++')
for section in text rodata; do
  printf 'SECTIONS\n{\n  .%s.hot_path : {\n' $section
  echo "$names" | sed "s/.*/    *(.$section.&)/"
  printf '  }\n}\nINSERT BEFORE .%s;\n' $section
done > "$top/link/hot-path.ld"
echo "link/hot-path.ld: $(echo "$names" | wc -l) functions"
