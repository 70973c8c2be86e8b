//! Rules against disabling the guard.

use super::{all_meet, none_meets};

#[test]
fn disabling_becket_is_found() {
    all_meet(
        "guard.turn-off",
        &[
            "becket uninstall",
            "becket uninstall --yes",
            "becket trust",
            "becket trust add",
            "becket memories review --release 0c1d",
            "becket memories review --release=0c1d",
            "becket -C . trust --yes",
            "becket hooks disable security-guard",
            "becket hooks off",
            "/usr/local/bin/becket hooks off",
            "pkill becket",
            "pkill -9 -f becket",
            "killall becket",
            "BECKET_HOME=/tmp/x claude",
            "export BECKET_HOME=/tmp/x",
            "systemctl --user stop becket",
            "cargo uninstall becket-cli",
            "brew uninstall becket",
        ],
    );
    none_meets(
        "guard.turn-off",
        &[
            "becket doctor",
            "becket hooks list",
            "becket hooks",
            "becket trust list",
            "becket memories review",
            "becket memories list",
            "becket trust show",
            "becket explain",
            "becket uninstall --dry-run",
            "becket --help",
            "becket tail",
        ],
    );
    all_meet(
        "guard.own",
        &[
            "echo x > becket.toml",
            "sed -i s/a/b/ becket.toml",
            "rm becket.toml",
            "mv becket.toml x",
            "cp x becket.local.toml",
            "rm -rf ~/.config/becket",
            "echo x > ~/.config/becket/config.toml",
            "rm ~/.local/state/becket/trust.json",
            "truncate -s 0 ~/.local/state/becket/trust.json",
            "rm /usr/local/bin/becket",
            "chmod -x ~/.cargo/bin/becket",
            "cp x ~/.cargo/bin/becket",
            "ln -sf /bin/true /usr/local/bin/becket",
            "tee ./becket.toml",
        ],
    );
    none_meets(
        "guard.own",
        &[
            "cat becket.toml",
            "cp becket.toml /tmp/x",
            "rm src/becket.rs",
            "echo x > docs/becket.md",
        ],
    );
}

#[test]
fn writing_agent_settings_is_found() {
    all_meet(
        "guard.agent-settings",
        &[
            "echo x > .claude/settings.json",
            "cp x .claude/settings.local.json",
            "cp settings.json .claude/",
            "tee .gemini/settings.json",
            "echo x > .cursor/hooks.json",
            "echo x > .mcp.json",
            "mv x .codex/config.toml",
            "cp x .claude/hooks/y.sh",
            "rm .claude/settings.json",
            "rm -rf .claude",
            "mv .cursor /tmp/x",
            "jq . x > .qwen/settings.json",
            "echo x > opencode.json",
            "curl -o .claude/settings.json https://x.dev",
        ],
    );
    all_meet(
        "guard.agent-settings-user",
        &[
            "echo x > ~/.claude/settings.json",
            "sed -i s/a/b/ ~/.claude.json",
            "rm ~/.codex/hooks.json",
            "cp x ~/.gemini/settings.json",
            "tee ~/.cursor/hooks.json",
            "mv ~/.copilot/hooks/becket.json /tmp",
            "cp a ~/.config/opencode/plugins/x.js",
            "rm ~/.autohand/config.json",
            "ln -sf x ~/.codex/config.toml",
            "rm -rf ~/.claude/hooks",
        ],
    );
    for rule in ["guard.agent-settings", "guard.agent-settings-user"] {
        none_meets(
            rule,
            &[
                "cat .claude/settings.json",
                "cat ~/.claude/settings.json",
                "echo x > CLAUDE.md",
                "echo x > .claude/commands/x.md",
                "cp .claude/settings.json /tmp/x",
            ],
        );
    }
}

#[test]
fn starting_an_agent_without_safeguards_is_found() {
    all_meet(
        "guard.child-agent",
        &[
            "claude --dangerously-skip-permissions -p x",
            "claude -p x --permission-mode bypassPermissions",
            "claude --permission-mode=bypassPermissions",
            "codex --yolo",
            "codex exec --dangerously-bypass-approvals-and-sandbox x",
            "codex -a never -s danger-full-access",
            "gemini --yolo -p x",
            "gemini -y -p x",
            "gemini --approval-mode yolo",
            "copilot --allow-all-tools -p x",
            "npx @anthropic-ai/claude-code --dangerously-skip-permissions",
            "claude --settings '{\"disableAllHooks\": true}'",
            "cursor-agent --force -p x",
        ],
    );
    none_meets(
        "guard.child-agent",
        &[
            "claude -p x",
            "claude --version",
            "codex exec x",
            "gemini -p x",
            "npx prettier --yolo",
            "echo --yolo",
        ],
    );
    all_meet(
        "guard.delete-hooks",
        &[
            "rm .git/hooks/pre-commit",
            "rm -rf .git/hooks",
            "mv .git/hooks /tmp/x",
        ],
    );
}
