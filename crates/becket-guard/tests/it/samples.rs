//! Secrets generated at run time, so that this repository contains none.

use becket_guard::redact::RedactionKind;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

/// The alphabet of a provider's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Alphabet {
    Hex,
    Base32,
    Base36,
    Base62,
    Base64,
    Url64,
    Digits,
    Letters,
}

impl Alphabet {
    pub(crate) fn characters(self) -> Vec<char> {
        let text = match self {
            Self::Hex => "0123456789abcdef".to_owned(),
            Self::Base32 => format!("{UPPER}234567"),
            Self::Base36 => format!("{LOWER}{DIGITS}"),
            Self::Base62 => format!("{LOWER}{UPPER}{DIGITS}"),
            Self::Base64 => format!("{LOWER}{UPPER}{DIGITS}+/"),
            Self::Url64 => format!("{LOWER}{UPPER}{DIGITS}-_"),
            Self::Digits => DIGITS.to_owned(),
            Self::Letters => format!("{LOWER}{UPPER}"),
        };
        text.chars().collect()
    }
}

/// Deterministic: the same `len` characters for the same `seed`.
pub(crate) fn random(alphabet: Alphabet, len: usize, seed: u64) -> String {
    let characters = alphabet.characters();
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state >> 33).unwrap_or_default()
    };
    for _ in 0..8 {
        next();
    }
    (0..len)
        .map(|_| characters[next() % characters.len()])
        .collect()
}

/// A prefix, then random characters.
pub(crate) fn token(prefix: &str, alphabet: Alphabet, len: usize) -> String {
    format!(
        "{prefix}{}",
        random(
            alphabet,
            len,
            u64::try_from(prefix.len() + len).unwrap_or(1)
        )
    )
}

/// Prefix, alphabet and length of tokens that are recognized by a prefix.
#[rustfmt::skip]
pub(crate) const PREFIXED: &[(&str, Alphabet, usize, RedactionKind)] = &[
    (concat!("AK", "IA"), Alphabet::Base32, 16, RedactionKind::AwsAccessKey),
    (concat!("AS", "IA"), Alphabet::Base32, 16, RedactionKind::AwsAccessKey),
    (concat!("LT", "AI"), Alphabet::Base62, 20, RedactionKind::AlibabaAccessKey),
    (concat!("gh", "p_"), Alphabet::Base62, 36, RedactionKind::GithubToken),
    (concat!("gh", "o_"), Alphabet::Base62, 36, RedactionKind::GithubToken),
    (concat!("gh", "u_"), Alphabet::Base62, 36, RedactionKind::GithubToken),
    (concat!("gh", "s_"), Alphabet::Base62, 36, RedactionKind::GithubToken),
    (concat!("gh", "r_"), Alphabet::Base62, 76, RedactionKind::GithubToken),
    (concat!("github", "_pat_"), Alphabet::Base62, 82, RedactionKind::GithubToken),
    (concat!("gl", "pat-"), Alphabet::Url64, 20, RedactionKind::GitlabToken),
    (concat!("gl", "rt-"), Alphabet::Url64, 20, RedactionKind::GitlabToken),
    (concat!("s", "k-"), Alphabet::Base62, 48, RedactionKind::OpenaiKey),
    (concat!("s", "k-proj-"), Alphabet::Url64, 120, RedactionKind::OpenaiKey),
    (concat!("s", "k-ant-api03-"), Alphabet::Url64, 93, RedactionKind::AnthropicKey),
    (concat!("s", "k-ant-oat01-"), Alphabet::Url64, 86, RedactionKind::AnthropicKey),
    (concat!("gs", "k_"), Alphabet::Base62, 52, RedactionKind::ModelProviderKey),
    (concat!("xa", "i-"), Alphabet::Base62, 80, RedactionKind::ModelProviderKey),
    (concat!("xo", "xb-123456789012-1234567890123-"), Alphabet::Base62, 24, RedactionKind::SlackToken),
    (concat!("xo", "xp-123456789012-123456789012-"), Alphabet::Hex, 32, RedactionKind::SlackToken),
    (concat!("xa", "pp-1-A0123456789-"), Alphabet::Hex, 64, RedactionKind::SlackToken),
    (concat!("https://hooks.slack", ".com/services/T01234567/B01234567/"), Alphabet::Base62, 24, RedactionKind::Webhook),
    (concat!("https://discord", ".com/api/webhooks/123456789012345678/"), Alphabet::Url64, 68, RedactionKind::Webhook),
    (concat!("AI", "za"), Alphabet::Url64, 35, RedactionKind::GoogleApiKey),
    (concat!("ya", "29."), Alphabet::Url64, 120, RedactionKind::GoogleOauth),
    (concat!("GOC", "SPX-"), Alphabet::Url64, 28, RedactionKind::GoogleOauth),
    (concat!("s", "k_live_"), Alphabet::Base62, 24, RedactionKind::StripeKey),
    (concat!("r", "k_live_"), Alphabet::Base62, 24, RedactionKind::StripeKey),
    (concat!("s", "k_test_"), Alphabet::Base62, 24, RedactionKind::StripeKey),
    (concat!("wh", "sec_"), Alphabet::Base62, 32, RedactionKind::StripeKey),
    (concat!("np", "m_"), Alphabet::Base62, 36, RedactionKind::NpmToken),
    (concat!("py", "pi-AgEIcHlwaS5vcmc"), Alphabet::Url64, 120, RedactionKind::PypiToken),
    (concat!("ruby", "gems_"), Alphabet::Hex, 48, RedactionKind::RegistryToken),
    (concat!("dckr", "_pat_"), Alphabet::Url64, 27, RedactionKind::DockerToken),
    (concat!("h", "f_"), Alphabet::Letters, 34, RedactionKind::HuggingfaceToken),
    (concat!("S", "K"), Alphabet::Hex, 32, RedactionKind::TwilioKey),
    (concat!("dop", "_v1_"), Alphabet::Hex, 64, RedactionKind::DigitaloceanToken),
    (concat!("da", "pi"), Alphabet::Hex, 32, RedactionKind::DatabricksToken),
    (concat!("AGE-", "SECRET-KEY-1"), Alphabet::Base32, 58, RedactionKind::AgeKey),
    (concat!("shp", "at_"), Alphabet::Hex, 32, RedactionKind::ShopifyToken),
    (concat!("hv", "s."), Alphabet::Url64, 95, RedactionKind::HashicorpToken),
    (concat!("ATA", "TT3"), Alphabet::Url64, 186, RedactionKind::AtlassianToken),
    (concat!("gl", "sa_"), Alphabet::Base62, 41, RedactionKind::GrafanaToken),
    (concat!("sntr", "yu_"), Alphabet::Hex, 64, RedactionKind::SentryToken),
    (concat!("key", "-"), Alphabet::Hex, 32, RedactionKind::MailServiceKey),
    (concat!("lin", "_api_"), Alphabet::Base62, 40, RedactionKind::ServiceToken),
    (concat!("nt", "n_12345678901"), Alphabet::Base62, 35, RedactionKind::ServiceToken),
    (concat!("PMA", "K-"), Alphabet::Hex, 59, RedactionKind::ServiceToken),
    (concat!("se", "ss-"), Alphabet::Base62, 40, RedactionKind::OpenaiKey),
    (concat!("cs", "k-"), Alphabet::Base36, 48, RedactionKind::ModelProviderKey),
    (concat!("s", "k_"), Alphabet::Hex, 48, RedactionKind::ModelProviderKey),
    (concat!("p", "a-"), Alphabet::Url64, 43, RedactionKind::ModelProviderKey),
    (concat!("wan", "db_v1_"), Alphabet::Base62, 77, RedactionKind::ModelProviderKey),
    (concat!("gl", "rtr-"), Alphabet::Url64, 20, RedactionKind::GitlabToken),
    (concat!("gl", "wt-"), Alphabet::Url64, 20, RedactionKind::GitlabToken),
    (concat!("https://canary.discord", ".com/api/v10/webhooks/123456789012345678/"), Alphabet::Url64, 68, RedactionKind::Webhook),
    (concat!("AT", "BB"), Alphabet::Base62, 32, RedactionKind::AtlassianToken),
    (concat!("CCI", "PAT_"), Alphabet::Base62, 62, RedactionKind::ServiceToken),
    (concat!("IG", "QV"), Alphabet::Url64, 150, RedactionKind::ServiceToken),
    (concat!("bk", "ua_"), Alphabet::Hex, 40, RedactionKind::ServiceToken),
    (concat!("cf", "ut_"), Alphabet::Base62, 48, RedactionKind::ServiceToken),
    (concat!("e2", "b_"), Alphabet::Hex, 40, RedactionKind::ServiceToken),
    (concat!("f", "c-"), Alphabet::Hex, 32, RedactionKind::ServiceToken),
    (concat!("ke", "y_"), Alphabet::Hex, 64, RedactionKind::ServiceToken),
    (concat!("na", "pi_"), Alphabet::Base36, 64, RedactionKind::ServiceToken),
    (concat!("pc", "sk_"), Alphabet::Base62, 69, RedactionKind::ServiceToken),
    (concat!("rn", "d_"), Alphabet::Base62, 28, RedactionKind::ServiceToken),
    (concat!("sb_", "secret_"), Alphabet::Url64, 31, RedactionKind::ServiceToken),
    (concat!("vc", "p_"), Alphabet::Base62, 56, RedactionKind::ServiceToken),
    (concat!("vercel", "_blob_rw_"), Alphabet::Base62, 46, RedactionKind::ServiceToken),
];

/// One token of every kind that is recognized without an adjacent name.
pub(crate) fn recognisable() -> Vec<(RedactionKind, String)> {
    use Alphabet::{Base62, Digits, Url64};
    let mut all: Vec<_> = PREFIXED
        .iter()
        .map(|(prefix, alphabet, len, kind)| (*kind, token(prefix, *alphabet, *len)))
        .collect();
    all.push((RedactionKind::Jwt, jwt()));
    all.push((
        RedactionKind::MailServiceKey,
        format!("SG.{}.{}", random(Url64, 22, 1), random(Url64, 43, 2)),
    ));
    all.push((
        RedactionKind::DiscordToken,
        format!(
            "MTk{}.{}.{}",
            random(Base62, 21, 3),
            random(Url64, 6, 4),
            random(Url64, 38, 5)
        ),
    ));
    all.push((
        RedactionKind::TelegramToken,
        format!("1{}:AA{}", random(Digits, 9, 6), random(Url64, 33, 7)),
    ));
    all.push((
        RedactionKind::HashicorpToken,
        format!(
            "{}.atlasv1.{}",
            random(Base62, 14, 8),
            random(Base62, 67, 9)
        ),
    ));
    all.push((
        RedactionKind::AzureKey,
        format!("{}8Q~{}", random(Base62, 3, 10), random(Base62, 34, 11)),
    ));
    for (before, mark, after) in [(52, "JQQJ99", 26), (76, "AZDO", 4), (76, "+ASt", 6)] {
        let end = if mark == "+ASt" { "==" } else { "" };
        let (head, tail) = (random(Base62, before, 12), random(Base62, after, 13));
        all.push((RedactionKind::AzureKey, format!("{head}{mark}{tail}{end}")));
    }
    all
}

/// A JSON web token.
pub(crate) fn jwt() -> String {
    let part = |start: &str, len, seed| format!("{start}{}", random(Alphabet::Url64, len, seed));
    let start = concat!("ey", "J");
    format!(
        "{}.{}.{}",
        part(start, 33, 21),
        part(start, 71, 22),
        random(Alphabet::Url64, 43, 23)
    )
}

/// The lines of a private key, without its markers.
pub(crate) fn key_lines() -> Vec<String> {
    let mut lines: Vec<_> = (0..6)
        .map(|seed| random(Alphabet::Base64, 64, 30 + seed))
        .collect();
    lines[0].replace_range(..8, "MIIEowIB");
    lines.push(format!("{}==", random(Alphabet::Base64, 22, 40)));
    lines
}

/// A marker of a private key block.
pub(crate) fn marker(word: &str, label: &str) -> String {
    format!("-----{word} {label}PRIVATE KEY-----")
}
