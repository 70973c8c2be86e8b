#!/bin/sh
# A scripted session of a demo agent that speaks Claude Code's protocol, played through the real binary in a
# scratch project: the guard refusing a command and a secret, a rewritten input, injected context, and the trail of it all.
# Nothing outside a temporary directory is touched.
set -eu
becket=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scratch=$(mktemp -d)
trap '"$becket" daemon stop > "$scratch/stopped"; rm -rf "$scratch"' EXIT INT TERM
export HOME="$scratch/home" BECKET_HOME="$scratch/home/.becket"
mkdir -p "$BECKET_HOME" "$scratch/app/.git" "$scratch/app/scripts"
cd "$scratch/app"

bold() { if [ -t 1 ]; then printf '\033[1m%s\033[0m\n' "$1"; else printf '%s\n' "$1"; fi; }
say() { printf '\n'; bold "$1"; }
fire() { # event, the fields beside the usual ones
  printf '{"session_id":"demo","transcript_path":"","cwd":"%s","hook_event_name":"%s",%s}' "$PWD" "$1" "$2" |
    "$becket" hook "$1" --agent claude
}

cat > "$BECKET_HOME/config.toml" <<'TOML'
[[hook]]
name = "quiet-npm"
description = "Tests without progress bars"
event = "PreToolUse"
if = "Bash(npm test*)"
command = '''echo '{"updatedInput": {"command": "npm test --silent"}}' '''

[[hook]]
name = "briefing"
description = "Tell every session about the house rules"
event = "SessionStart"
command = "echo 'This repository uses tabs. Tests run with npm test.'"
TOML

cat > becket.toml <<'TOML'
[[hook]]
name = "protect-migrations"
description = "Migrations are written by hand"
event = "PreToolUse"
matcher = "Write|Edit"
filter = { path = ["migrations/**"] }
command = "./scripts/protect.sh"
TOML
printf '#!/bin/sh\necho "migrations are written by hand" >&2\nexit 2\n' > scripts/protect.sh
chmod +x scripts/protect.sh

bold "The guard comes with Becket, and one command switches it on:"
"$becket" hooks enable security-guard

say "One hook file, any agent. These hooks are configured:"
"$becket" hooks list

say "1. The session starts. Context is injected; the project's own hook waits for your trust:"
fire SessionStart '"source":"startup"'

fire UserPromptSubmit '"prompt":"Clean up, then run the tests"'

say "2. The agent wants to run: git status && rm -rf ~/   The guard refuses and says what to do instead:"
fire PreToolUse '"tool_name":"Bash","tool_input":{"command":"git status && rm -rf ~/"},"tool_use_id":"t1"'

say "3. The agent wants to read .env   The same guard, for another tool:"
fire PreToolUse '"tool_name":"Read","tool_input":{"file_path":".env"},"tool_use_id":"t4"'

say "4. The agent wants to run: npm test. The input is rewritten:"
fire PreToolUse '"tool_name":"Bash","tool_input":{"command":"npm test"},"tool_use_id":"t2"'

say "5. The project's hook, once you have looked at it and trusted it:"
"$becket" trust --yes
fire PreToolUse '"tool_name":"Write","tool_input":{"file_path":"migrations/001.sql","content":"drop table users"},"tool_use_id":"t3"'

say "6. Why did that happen?"
"$becket" explain PreToolUse --tool Write --input '{"file_path":"migrations/001.sql"}'

fire PostToolUse '"tool_name":"Bash","tool_input":{"command":"npm test --silent"},"tool_response":{"stdout":"ok"},"tool_use_id":"t2"'
fire Stop '"stop_hook_active":false'
fire SessionEnd '"reason":"other"'

say "7. The trail. The first event has started the daemon, which keeps everything in a database:"
"$becket" tail
"$becket" daemon status
say "8. The session as one story:"
"$becket" session demo

say "Connect your own agent:"
echo "  $becket init          # shows the change to Claude Code's settings, then asks"
