#!/bin/sh
# Changes the code that .cargo/mutants.toml lists in small ways and runs the tests of each changed crate; builds
# cargo-mutants once. Fails if a crate's tests notice less than 90 % of the changes.
#
#   mutants.sh [ARGUMENTS OF cargo mutants]      such as `--package becket-spool` or `--shard 0/8`
set -eu
cd "$(dirname "$0")/.."
wanted=90
tool=$(./scripts/tool.sh cargo-mutants)
out=${CARGO_TARGET_DIR:-target}
mkdir -p "$out"
"$tool" mutants --output "$out" "$@" || case $? in
  2 | 3) ;; # some changes were missed, or some tests ran too long: the score decides
  *) exit 1 ;;
esac
cd "$out/mutants.out"
cat caught.txt timeout.txt missed.txt | awk -v wanted="$wanted" -v missed=missed.txt '
  BEGIN { while ((getline line < missed) > 0) is_missed[line] = 1 }
  { split($0, part, "/"); all[part[2]]++; if (!($0 in is_missed)) caught[part[2]]++ }
  END {
    for (crate in all) {
      score = 100 * caught[crate] / all[crate]
      printf "%s: %d of %d changes were noticed (%.0f %%)\n", crate, caught[crate], all[crate], score
      if (score < wanted) { low = 1; print crate ": see mutants.out/missed.txt" > "/dev/stderr" }
    }
    exit low
  }'
