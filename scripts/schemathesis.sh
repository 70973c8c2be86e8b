#!/bin/sh
# Lets schemathesis (installed from PyPI once) ask a running daemon everything that its OpenAPI document allows, and much that
# it does not. Nothing may be answered with a 5xx, and every answer has to be one that the document knows.
set -eu
becket=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cache=${BECKET_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/becket-lab}/schemathesis
if [ ! -e "$cache/ready" ]; then
    if ! python3 -m venv "$cache"; then
        echo "SKIPPED: schemathesis needs Python with its module venv"
        exit 0
    fi
    "$cache/bin/pip" install --quiet schemathesis==4.32.5
    touch "$cache/ready"
fi

work=$(mktemp -d)
export HOME="$work" BECKET_HOME="$work/becket"
# Agents keep their settings elsewhere if one of these says so, and requests may change settings.
unset XDG_CONFIG_HOME XDG_STATE_HOME CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_HOME GEMINI_CLI_HOME QWEN_HOME AUTOHAND_HOME CRUSH_GLOBAL_CONFIG
trap '"$becket" daemon stop > "$work/stopped"; rm -rf "$work"' EXIT INT TERM
mkdir -p "$work/app/.git"
cd "$work/app"
fire() { # event, the fields beside the usual ones
  printf '{"session_id":"s%s","cwd":"%s","hook_event_name":"%s",%s}' "$1" "$PWD" "$2" "$3" | "$becket" hook "$2" --agent claude > "$work/answer"
}
for session in 1 2 3; do
  fire $session SessionStart '"source":"startup"'
  fire $session UserPromptSubmit '"prompt":"Make the parser return early"'
  fire $session PreToolUse '"tool_name":"Edit","tool_input":{"file_path":"src/a.rs","old_string":"a","new_string":"b"},"tool_use_id":"t1"'
  fire $session PostToolUse '"tool_name":"Edit","tool_input":{"file_path":"src/a.rs","old_string":"a","new_string":"b"},"tool_response":{},"tool_use_id":"t1"'
  fire $session Stop '"stop_hook_active":false'
done
"$becket" sessions > "$work/sessions"
address=$(cat "$BECKET_HOME/daemon/address")
token=$(cat "$BECKET_HOME/daemon/token")
# The stream never ends, so it is not asked.
"$cache/bin/st" run "http://$address/api/v1/openapi.json" --header "Authorization: Bearer $token" \
  --exclude-path /api/v1/events/stream --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
  --max-examples "${EXAMPLES:-50}" --phases examples,coverage,fuzzing --seed 1 --no-color
