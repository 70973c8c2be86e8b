#!/usr/bin/env bash
# Checks the writing rules of CONTRIBUTING.md ("Writing") that a program can check:
# words on the avoid list, and type names that one crate defines more than once.
#
#   scripts/prose.sh            counts both in the whole tree; fails when a count is above its limit
#   scripts/prose.sh PATH...    lists every hit below these paths
set -euo pipefail
cd "$(dirname "$0")/.."

avoid_limit=0
duplicate_limit=0

avoid='whoever|whomever|nobody|somebody|anybody|anew|besides?|(is|are|was|were|be|been) told|what is known|minds|has a say|in its own words|of one'"'"'s own'
# `prose-ok` on a line exempts it, for data that has to contain such a word.
exempt='prose-ok'

# Tracked and new files with prose. The lists of the avoid list itself, data and generated files are not prose.
files() {
  git ls-files --cached --others --exclude-standard -- "$@" |
    grep -E '\.(rs|md|ts|tsx|toml|sh|sql)$' |
    grep -vE '^(scripts/prose\.sh|docs/glossary\.md|CONTRIBUTING\.md|Cargo\.lock|web/src/api/schema\.d\.ts|fixtures/|web/dist/|crates/[^/]*/(data|eval|prompts)/)|/tests/corpus/' |
    while IFS= read -r file; do if [ -f "$file" ]; then echo "$file"; fi; done
}

avoided() {
  files "$@" | xargs -r grep -nHwiE "$avoid" | grep -v "$exempt" || true
}

# `Error`, `Options`, `Config` and `Args` may repeat: their module says whose they are.
duplicates() {
  files "$@" | grep -E '^(crates/[^/]+|lab)/src/.*\.rs$' | xargs -r awk '
    match($0, /^ *(pub(\([a-z]+\))? )?(struct|enum|trait|union) [A-Z][A-Za-z0-9]*/) ||
    match($0, /^(pub(\([a-z]+\))? )?type [A-Z][A-Za-z0-9]*/) {
      name = substr($0, RSTART, RLENGTH); sub(/.* /, "", name)
      if (name ~ /^(Error|Options|Config|Args)$/) next
      crate = FILENAME; sub(/\/src\/.*/, "", crate)
      key = crate " " name
      count[key]++; where[key] = where[key] " " FILENAME ":" FNR
    }
    END { for (key in count) if (count[key] > 1) print key ":" where[key] }' | sort
}

if [ $# -gt 0 ]; then
  avoided "$@"
  duplicates "$@"
  exit 0
fi

status=0
check() { # what, count, limit
  if [ "$2" -gt "$3" ]; then
    echo "prose: $2 $1, at most $3 allowed; \`scripts/prose.sh PATH\` lists them" >&2
    status=1
  fi
}
check "words on the avoid list" "$(avoided . | wc -l)" "$avoid_limit"
check "type names defined twice in a crate" "$(duplicates . | wc -l)" "$duplicate_limit"
exit $status
