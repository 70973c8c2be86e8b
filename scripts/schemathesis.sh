#!/bin/sh
# Runs schemathesis (installed from PyPI once) against a running daemon: valid and invalid requests generated from its
# OpenAPI document. No response may be a 5xx, and every response must conform to the document.
set -eu
becket=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cache=${BECKET_LAB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/becket-lab}/schemathesis
if [ ! -e "$cache/ready" ]; then
    if ! python3 -m venv "$cache"; then
        echo "SKIPPED: schemathesis needs Python with the venv module"
        exit 0
    fi
    "$cache/bin/pip" install --quiet schemathesis==4.32.5
    touch "$cache/ready"
fi

work=$(mktemp -d)
export HOME="$work" BECKET_HOME="$work/becket"
# These variables move agents' settings, and requests may change settings.
unset XDG_CONFIG_HOME XDG_STATE_HOME CLAUDE_CONFIG_DIR CODEX_HOME COPILOT_HOME GEMINI_CLI_HOME QWEN_HOME AUTOHAND_HOME CRUSH_GLOBAL_CONFIG
trap '"$becket" daemon stop > "$work/stopped"; rm -rf "$work"' EXIT INT TERM
mkdir -p "$work/app/.git"
cd "$work/app"
fire() { # session, event, additional fields
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
# The event stream never ends, so it is left out.
"$cache/bin/st" run "http://$address/api/v1/openapi.json" --header "Authorization: Bearer $token" \
  --exclude-path /api/v1/events/stream --checks not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance \
  --max-examples "${EXAMPLES:-50}" --phases examples,coverage,fuzzing --seed 1 --no-color
