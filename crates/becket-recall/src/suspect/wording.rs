//! How such texts are worded.

use super::Suspicion;

/// Words in order; a slot is a list of words of which one has to come within [`GAP`] words of the slot before.
/// A word with a `*` is a beginning.
type Pattern = &'static [&'static [&'static str]];

/// As many other words may stand between.
const GAP: usize = 3;

const ORDERS: &[&str] = &[
    "instruction*",
    "prompt*",
    "rule*",
    "guideline*",
    "directive*",
    "polic*",
    "order*",
];
const EARLIER: &[&str] = &[
    "previous",
    "prior",
    "earlier",
    "above",
    "preceding",
    "all",
    "any",
    "your",
    "system",
    "existing",
    "other",
];
const AGENTS: &[&str] = &[
    "you",
    "agent",
    "agents",
    "assistant",
    "ai",
    "claude",
    "codex",
    "copilot",
    "gemini",
    "cursor",
    "model",
];
const DOING: &[&str] = &[
    "run", "execute", "install", "download", "fetch", "curl", "open", "visit", "delete", "remove",
    "send", "upload", "post", "paste", "call", "invoke", "eval",
];
const NOT: &[&str] = &["not", "never", "dont", "without"];

pub(super) const PATTERNS: &[(Suspicion, Pattern)] = &[
    (
        Suspicion::Override,
        &[
            &[
                "ignore",
                "disregard",
                "forget",
                "override",
                "bypass",
                "discard",
            ],
            EARLIER,
            ORDERS,
        ],
    ),
    (
        Suspicion::Override,
        &[
            &["instruction*", "prompt*"],
            &["above", "before", "previous*"],
            &["void", "invalid", "obsolete", "ignored", "superseded"],
        ],
    ),
    (
        Suspicion::Override,
        &[
            &["your"],
            &["new", "real", "actual", "true"],
            &["instruction*", "task", "goal", "objective", "role"],
        ],
    ),
    (
        Suspicion::Override,
        &[
            &["you"],
            &["are"],
            &["now"],
            &["a", "an", "in", "the", "dan", "free"],
        ],
    ),
    (
        Suspicion::Override,
        &[&["from"], &["now"], &["on"], &["you"]],
    ),
    (
        Suspicion::Override,
        &[&["new"], &["system"], &["prompt", "instruction*"]],
    ),
    (
        Suspicion::Approval,
        &[
            &["always", "automatically", "auto", "blindly"],
            &[
                "approve*", "allow", "accept", "grant", "permit", "trust", "confirm", "consent",
            ],
        ],
    ),
    (
        Suspicion::Approval,
        &[
            NOT,
            &["ask*", "prompt*", "request*", "wait*", "requir*"],
            &[
                "permission*",
                "confirmation",
                "approval",
                "user",
                "human",
                "consent",
            ],
        ],
    ),
    (
        Suspicion::Approval,
        &[
            &["without"],
            &[
                "asking",
                "confirmation",
                "approval",
                "permission",
                "consent",
            ],
        ],
    ),
    (
        Suspicion::Approval,
        &[
            &["skip", "bypass", "disable", "turn"],
            &[
                "confirmation*",
                "approval*",
                "permission*",
                "guard*",
                "sandbox*",
                "safety",
                "hooks",
                "becket",
            ],
        ],
    ),
    (
        Suspicion::Approval,
        &[
            &["pre", "already"],
            &["approved", "authorized", "authorised"],
            &["by"],
            &["user", "human", "owner", "admin*", "developer"],
        ],
    ),
    (
        Suspicion::Secrecy,
        &[
            NOT,
            &[
                "tell", "mention", "inform", "reveal", "show", "report", "notify", "disclose",
            ],
            &[
                "user",
                "human",
                "anyone",
                "anybody",
                "developer",
                "person",
                "owner",
            ],
        ],
    ),
    (
        Suspicion::Secrecy,
        &[
            &["hide", "conceal", "keep"],
            &["this", "it", "that"],
            &["from"],
            &["user", "human", "developer", "person", "owner"],
        ],
    ),
    (
        Suspicion::Command,
        &[
            AGENTS,
            &[
                "must", "should", "shall", "need", "needs", "have", "has", "required",
            ],
            DOING,
        ],
    ),
    (
        Suspicion::Command,
        &[
            &["please", "immediately", "now", "first"],
            DOING,
            &["following", "this", "command*", "script", "below"],
        ],
    ),
    (
        Suspicion::Command,
        &[
            &["run", "execute"],
            &["the", "this", "these"],
            &["following", "command*", "script", "below"],
        ],
    ),
    (
        Suspicion::Command,
        &[&["important", "urgent", "attention"], AGENTS, DOING],
    ),
];

pub(super) fn words(plain: &str) -> Vec<String> {
    let plain = plain.replace(['\'', '\u{2019}'], "");
    let words = plain.split(|c: char| !c.is_alphanumeric());
    let words = words.filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

pub(super) fn occurs(pattern: Pattern, words: &[String]) -> bool {
    let Some((first, rest)) = pattern.split_first() else {
        return true;
    };
    let starts = (0..words.len()).filter(|at| is_one_of(first, &words[*at]));
    let mut reached: Vec<usize> = starts.collect();
    for slot in rest {
        // Every place is looked at once however many ways lead to it.
        let mut next: Vec<usize> = Vec::new();
        for at in reached {
            let end = (at + 2 + GAP).min(words.len());
            let from = next.last().map_or(at + 1, |last| (last + 1).max(at + 1));
            next.extend((from..end).filter(|at| is_one_of(slot, &words[*at])));
        }
        reached = next;
    }
    !reached.is_empty()
}

fn is_one_of(slot: &[&str], word: &str) -> bool {
    slot.iter().any(|one| match one.strip_suffix('*') {
        Some(beginning) => word.starts_with(beginning),
        None => *one == word,
    })
}
