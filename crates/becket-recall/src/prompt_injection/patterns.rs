//! Word patterns of prompt injections.

use super::PromptInjection;

/// A sequence of slots. One word of each slot must occur within [`MAX_GAP`] words after the previous slot. A trailing `*`
/// matches any ending.
type WordPattern = &'static [&'static [&'static str]];

/// Maximum number of words between two slots.
const MAX_GAP: usize = 3;

const INSTRUCTION_WORDS: &[&str] = &[
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
const EARLIER_WORDS: &[&str] = &[
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
const AGENT_WORDS: &[&str] = &[
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
const ACTION_WORDS: &[&str] = &[
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
const PERSON_WORDS: &[&str] = &[
    "user",
    "human",
    "owner",
    "developer",
    "maintainer",
    "person",
];
const SECRET_WORDS: &[&str] = &[
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
const NEGATIONS: &[&str] = &["not", "never", "dont", "without"];

pub(super) const PATTERNS: &[(PromptInjection, WordPattern)] = &[
    (
        PromptInjection::Override,
        &[
            &[
                "ignore",
                "disregard",
                "forget",
                "override",
                "bypass",
                "discard",
            ],
            EARLIER_WORDS,
            INSTRUCTION_WORDS,
        ],
    ),
    (
        PromptInjection::Override,
        &[
            &["instruction*", "prompt*"],
            &["above", "before", "previous*"],
            &["void", "invalid", "obsolete", "ignored", "superseded"],
        ],
    ),
    (
        PromptInjection::Override,
        &[
            &["your"],
            &["new", "real", "actual", "true"],
            &["instruction*", "task", "goal", "objective", "role"],
        ],
    ),
    (
        PromptInjection::Override,
        &[
            &["you"],
            &["are"],
            &["now"],
            &["a", "an", "in", "the", "dan", "free"],
        ],
    ),
    (
        PromptInjection::Override,
        &[&["from"], &["now"], &["on"], &["you"]],
    ),
    (
        PromptInjection::Override,
        &[&["new"], &["system"], &["prompt", "instruction*"]],
    ),
    // In other languages: Spanish, Portuguese, French, German, Italian.
    (
        PromptInjection::Override,
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
        PromptInjection::Override,
        &[
            &["ignorier*", "vergiss", "ignorez", "oubliez"],
            &["vorherig*", "bisherig*", "alle", "toutes", "les"],
            &["anweisung*", "instructions"],
        ],
    ),
    (
        PromptInjection::Approval,
        &[
            &["always", "automatically", "auto", "blindly"],
            &[
                "approve*", "allow", "accept", "grant", "permit", "trust", "confirm", "consent",
            ],
        ],
    ),
    (
        PromptInjection::Approval,
        &[
            NEGATIONS,
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
        PromptInjection::Approval,
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
        PromptInjection::Approval,
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
        PromptInjection::Approval,
        &[
            &["pre", "already"],
            &["approved", "authorized", "authorised"],
            &["by"],
            &["user", "human", "owner", "admin*", "developer"],
        ],
    ),
    (
        PromptInjection::Approval,
        &[
            PERSON_WORDS,
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
        PromptInjection::Approval,
        &[
            &["skip", "bypass", "disable"],
            &["security"],
            &["review*", "check*", "scan*"],
        ],
    ),
    (
        PromptInjection::Secrecy,
        &[
            NEGATIONS,
            &["mention", "reveal", "show", "report", "disclose"],
            &["to"],
            PERSON_WORDS,
        ],
    ),
    (
        PromptInjection::Secrecy,
        &[
            NEGATIONS,
            &[
                "tell", "mention", "inform", "reveal", "show", "report", "notify", "disclose",
            ],
            &[
                "user",
                "human",
                "anyone",
                "anybody", // prose-ok
                "developer",
                "person",
                "owner",
            ],
        ],
    ),
    (
        PromptInjection::Secrecy,
        &[
            &["hide", "conceal", "keep"],
            &["this", "it", "that"],
            &["from"],
            &["user", "human", "developer", "person", "owner"],
        ],
    ),
    (
        PromptInjection::Command,
        &[
            AGENT_WORDS,
            &[
                "must", "should", "shall", "need", "needs", "have", "has", "required",
            ],
            ACTION_WORDS,
        ],
    ),
    (
        PromptInjection::Command,
        &[
            &["please", "immediately", "now", "first"],
            ACTION_WORDS,
            &["following", "this", "command*", "script", "below"],
        ],
    ),
    (
        PromptInjection::Command,
        &[
            &["run", "execute"],
            &["the", "this", "these"],
            &["following", "command*", "script", "below"],
        ],
    ),
    (
        PromptInjection::Command,
        &[
            &["important", "urgent", "attention"],
            AGENT_WORDS,
            ACTION_WORDS,
        ],
    ),
    (
        PromptInjection::Command,
        &[
            &["when", "whenever", "if", "once", "after"],
            &["you"],
            &["see", "read", "encounter", "process"],
            &["this"],
        ],
    ),
    (
        PromptInjection::Command,
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
            ACTION_WORDS,
        ],
    ),
    (
        PromptInjection::Command,
        &[&["before"], &["doing", "anything"], &["else"], ACTION_WORDS],
    ),
    (
        PromptInjection::Command,
        &[
            PERSON_WORDS,
            &["wants", "asked", "expects", "told"],
            &["you"],
            &["to"],
        ],
    ),
    (
        PromptInjection::Command,
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
            SECRET_WORDS,
            &["to"],
            &["http*", "www", "server*", "paste*", "webhook*", "url"],
        ],
    ),
    (
        PromptInjection::Command,
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

pub(super) fn occurs(pattern: WordPattern, words: &[String]) -> bool {
    let Some((first, rest)) = pattern.split_first() else {
        return true;
    };
    let starts = (0..words.len()).filter(|at| is_one_of(first, &words[*at]));
    let mut reached: Vec<usize> = starts.collect();
    for slot in rest {
        // Each position is visited once, which keeps the search linear.
        let mut next: Vec<usize> = Vec::new();
        for at in reached {
            let end = (at + 2 + MAX_GAP).min(words.len());
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
