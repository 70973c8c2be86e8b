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
    "direction*",
    "constraint*",
    "restriction*",
    "safeguard*",
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
    "run",
    "execute",
    "install",
    "download",
    "fetch",
    "curl",
    "open",
    "visit",
    "delete",
    "remove",
    "send",
    "upload",
    "post",
    "paste",
    "call",
    "invoke",
    "eval",
    "encode",
    "exfiltrate",
    "leak",
    "disable",
];
const PEOPLE: &[&str] = &[
    "user",
    "human",
    "owner",
    "developer",
    "maintainer",
    "person",
];
const SECRETS: &[&str] = &[
    "env",
    "key",
    "keys",
    "token*",
    "credential*",
    "password*",
    "secret*",
    "ssh",
    "cookie*",
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
    // In other languages: Spanish, Portuguese, French, German, Italian.
    (
        Suspicion::Override,
        &[
            &[
                "ignora*",
                "ignore*",
                "ignorez",
                "ignorier*",
                "olvida*",
                "vergiss",
                "oubliez",
            ],
            &[
                "instruccion*",
                "instruç*",
                "instruction*",
                "anweisung*",
                "istruzion*",
            ],
            &[
                "anterior*",
                "précédent*",
                "precedent*",
                "previous",
                "vorherig*",
                "bisherig*",
            ],
        ],
    ),
    (
        Suspicion::Override,
        &[
            &["ignorier*", "vergiss", "ignorez", "oubliez"],
            &["vorherig*", "bisherig*", "alle", "toutes", "les"],
            &["anweisung*", "instructions"],
        ],
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
        Suspicion::Approval,
        &[
            PEOPLE,
            &["already", "pre"],
            &[
                "approved",
                "authorized",
                "authorised",
                "consented",
                "agreed",
            ],
        ],
    ),
    (
        Suspicion::Approval,
        &[
            &["skip", "bypass", "disable"],
            &["security"],
            &["review*", "check*", "scan*"],
        ],
    ),
    (
        Suspicion::Secrecy,
        &[
            NOT,
            &["mention", "reveal", "show", "report", "disclose"],
            &["to"],
            PEOPLE,
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
    (
        Suspicion::Command,
        &[
            &["when", "whenever", "if", "once", "after"],
            &["you"],
            &["see", "read", "encounter", "process"],
            &["this"],
        ],
    ),
    (
        Suspicion::Command,
        &[
            &["when", "while", "upon", "after"],
            &[
                "reading",
                "processing",
                "parsing",
                "summarizing",
                "summarising",
            ],
            &["this"],
            DOING,
        ],
    ),
    (
        Suspicion::Command,
        &[&["before"], &["doing", "anything"], &["else"], DOING],
    ),
    (
        Suspicion::Command,
        &[
            PEOPLE,
            &["wants", "asked", "expects", "told"],
            &["you"],
            &["to"],
        ],
    ),
    (
        Suspicion::Command,
        &[
            &[
                "send",
                "upload",
                "post",
                "paste",
                "exfiltrate",
                "leak",
                "email",
                "transmit",
            ],
            SECRETS,
            &["to"],
            &["http*", "www", "server*", "paste*", "webhook*", "url"],
        ],
    ),
    (
        Suspicion::Command,
        &[
            &["all", "dear", "attention"],
            &["language", "ai", "llm", "coding"],
            &["model*", "agent*", "assistant*"],
        ],
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
