//! Table of provider tokens: a prefix, then a run of certain characters.
//!
//! Length limits are looser than what providers issue today, because providers change lengths without notice; the
//! prefix is the main criterion. Sorted by first byte, more specific prefixes first.

use super::RedactionKind;
use super::bytes::{
    ALNUM, BASE64, ByteSet, DASH, DIGIT, DOT, EQUALS, HEX, PLUS_SLASH, RunCache, UNDER, UPPER,
    URL64, WORD,
};
use super::tokens;

/// A recognizable token.
pub(super) struct TokenRule {
    pub(super) prefix: &'static [u8],
    pub(super) kind: RedactionKind,
    pub(super) shape: TokenShape,
}

/// The text after the prefix.
pub(super) enum TokenShape {
    /// A run of bytes.
    Run(RunShape),
    /// A custom matcher.
    Custom(TokenMatcher),
    /// The prefix is a mark inside the token.
    Infix(InfixShape),
}

/// Takes the text, the start of the prefix and its end; returns the end of the token.
pub(super) type TokenMatcher = fn(&[u8], usize, usize, &mut RunCache) -> Option<usize>;

/// Fixed numbers of bytes before and after a mark.
pub(super) struct InfixShape {
    pub(super) set: ByteSet,
    pub(super) before: usize,
    pub(super) after: usize,
}

/// A run of bytes with conditions.
pub(super) struct RunShape {
    pub(super) set: ByteSet,
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) boundary: TokenBoundary,
    pub(super) randomness: Randomness,
}

/// Where a token may start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenBoundary {
    /// Anywhere: the prefix is unambiguous even inside a word.
    Anywhere,
    /// Only at a word start; no letter or digit may follow the run.
    Word,
}

/// How random the run has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Randomness {
    /// Anything except a placeholder such as `xxxx`.
    Any,
    /// Letters and digits, because a word can follow the same prefix.
    Mixed,
    /// Random letters and digits, because several words can follow the same prefix.
    Random,
}

const NO_LIMIT: usize = usize::MAX;

const fn rule(prefix: &'static str, kind: RedactionKind, set: ByteSet, least: usize) -> TokenRule {
    full(
        prefix,
        kind,
        set,
        (least, NO_LIMIT),
        TokenBoundary::Anywhere,
        Randomness::Any,
    )
}

const fn word(prefix: &'static str, kind: RedactionKind, set: ByteSet, least: usize) -> TokenRule {
    full(
        prefix,
        kind,
        set,
        (least, NO_LIMIT),
        TokenBoundary::Word,
        Randomness::Any,
    )
}

const fn random(
    prefix: &'static str,
    kind: RedactionKind,
    set: ByteSet,
    least: usize,
) -> TokenRule {
    full(
        prefix,
        kind,
        set,
        (least, NO_LIMIT),
        TokenBoundary::Word,
        Randomness::Random,
    )
}

const fn mixed(prefix: &'static str, kind: RedactionKind, set: ByteSet, least: usize) -> TokenRule {
    full(
        prefix,
        kind,
        set,
        (least, NO_LIMIT),
        TokenBoundary::Word,
        Randomness::Mixed,
    )
}

const fn exact(
    prefix: &'static str,
    kind: RedactionKind,
    set: ByteSet,
    least: usize,
    most: usize,
) -> TokenRule {
    full(
        prefix,
        kind,
        set,
        (least, most),
        TokenBoundary::Word,
        Randomness::Mixed,
    )
}

const fn full(
    prefix: &'static str,
    kind: RedactionKind,
    set: ByteSet,
    (least, most): (usize, usize),
    boundary: TokenBoundary,
    randomness: Randomness,
) -> TokenRule {
    let run = RunShape {
        set,
        least,
        most,
        boundary,
        randomness,
    };
    TokenRule {
        prefix: prefix.as_bytes(),
        kind,
        shape: TokenShape::Run(run),
    }
}

const fn custom(prefix: &'static str, kind: RedactionKind, end: TokenMatcher) -> TokenRule {
    TokenRule {
        prefix: prefix.as_bytes(),
        kind,
        shape: TokenShape::Custom(end),
    }
}

const fn around(
    mark: &'static str,
    kind: RedactionKind,
    set: ByteSet,
    before: usize,
    after: usize,
) -> TokenRule {
    TokenRule {
        prefix: mark.as_bytes(),
        kind,
        shape: TokenShape::Infix(InfixShape { set, before, after }),
    }
}

const UPPER_DIGIT: ByteSet = UPPER | DIGIT;
const DOTTED: ByteSet = URL64 | DOT;

/// All rules. The order matters; see the module documentation.
#[rustfmt::skip]
pub(super) static RULES: &[TokenRule] = &[
    around("+ASt", RedactionKind::AzureKey, ALNUM | PLUS_SLASH, 76, 6),
    random("1//0", RedactionKind::GoogleOauth, URL64, 40),
    exact("4b1d", RedactionKind::ServiceToken, ALNUM, 38, 38),
    full("A3-", RedactionKind::OnepasswordKey, UPPER_DIGIT | DASH, (30, 38), TokenBoundary::Word, Randomness::Random),
    exact("A3T", RedactionKind::AwsAccessKey, UPPER_DIGIT, 17, 17),
    word("ABIA", RedactionKind::AwsAccessKey, UPPER_DIGIT, 16),
    word("ABSK", RedactionKind::AwsAccessKey, BASE64, 100),
    word("ACCA", RedactionKind::AwsAccessKey, UPPER_DIGIT, 16),
    rule("AGE-SECRET-KEY-", RedactionKind::AgeKey, UPPER_DIGIT | DASH, 50),
    word("AIza", RedactionKind::GoogleApiKey, URL64, 33),
    word("AKCp", RedactionKind::RegistryToken, ALNUM, 60),
    word("AKIA", RedactionKind::AwsAccessKey, UPPER_DIGIT, 16),
    exact("API-", RedactionKind::ServiceToken, UPPER_DIGIT, 26, 26),
    word("ASIA", RedactionKind::AwsAccessKey, UPPER_DIGIT, 16),
    rule("ATATT3", RedactionKind::AtlassianToken, URL64 | EQUALS, 50),
    mixed("ATBB", RedactionKind::AtlassianToken, ALNUM, 32),
    rule("ATCTT3", RedactionKind::AtlassianToken, URL64 | EQUALS, 50),
    around("AZDO", RedactionKind::AzureKey, ALNUM, 76, 4),
    word("CCIPAT_", RedactionKind::ServiceToken, WORD, 40),
    word("CCIPRJ_", RedactionKind::ServiceToken, WORD, 40),
    word("CLOJARS_", RedactionKind::RegistryToken, ALNUM, 40),
    full("EAAA", RedactionKind::SquareToken, URL64, (22, 64), TokenBoundary::Word, Randomness::Random),
    mixed("EAAB", RedactionKind::ServiceToken, ALNUM, 100),
    mixed("EAAC", RedactionKind::ServiceToken, ALNUM, 100),
    mixed("EAAG", RedactionKind::ServiceToken, ALNUM, 100),
    mixed("EAAM", RedactionKind::ServiceToken, ALNUM, 100),
    word("EZAK", RedactionKind::ServiceToken, ALNUM, 54),
    word("EZTK", RedactionKind::ServiceToken, ALNUM, 54),
    word("FLWSECK", RedactionKind::ServiceToken, URL64, 17),
    rule("GOCSPX-", RedactionKind::GoogleOauth, URL64, 20),
    rule("GR1348941", RedactionKind::GitlabToken, URL64, 20),
    rule("HRKU-AA", RedactionKind::ServiceToken, URL64, 40),
    random("IGQV", RedactionKind::ServiceToken, URL64, 100),
    around("JQQJ99", RedactionKind::AzureKey, ALNUM, 52, 26),
    custom("LS0tLS1CRUdJTi", RedactionKind::PrivateKey, tokens::encoded_pem),
    full("LTAI", RedactionKind::AlibabaAccessKey, ALNUM, (16, 24), TokenBoundary::Word, Randomness::Any),
    rule("MC4CAQAwBQYDK2VwBCIEI", RedactionKind::PrivateKey, BASE64, 40),
    rule("MHcCAQEEI", RedactionKind::PrivateKey, BASE64, 100),
    rule("MIGHAgEAMBMGByqGSM49AgEG", RedactionKind::PrivateKey, BASE64, 100),
    custom("MII", RedactionKind::PrivateKey, tokens::rsa_body),
    word("NRAK-", RedactionKind::ServiceToken, ALNUM, 27),
    word("PMAK-", RedactionKind::ServiceToken, HEX | DASH, 50),
    custom("SG.", RedactionKind::MailServiceKey, tokens::sendgrid),
    custom("SK", RedactionKind::TwilioKey, tokens::twilio),
    mixed("ZXlK", RedactionKind::Jwt, URL64 | BASE64, 60),
    rule("_gitlab_session=", RedactionKind::Cookie, ALNUM, 30),
    word("api_org_", RedactionKind::HuggingfaceToken, ALNUM, 30),
    custom("b3BlbnNzaC1rZXktdjE", RedactionKind::PrivateKey, tokens::openssh_body),
    word("bedrock-api-key-", RedactionKind::AwsAccessKey, BASE64, 28),
    word("bkua_", RedactionKind::ServiceToken, HEX, 40),
    mixed("cfat_", RedactionKind::ServiceToken, ALNUM, 40),
    mixed("cfut_", RedactionKind::ServiceToken, ALNUM, 40),
    exact("cio", RedactionKind::RegistryToken, ALNUM, 32, 32),
    exact("cmVmd", RedactionKind::RegistryToken, ALNUM, 59, 59),
    mixed("csk-", RedactionKind::ModelProviderKey, ALNUM, 40),
    exact("dapi", RedactionKind::DatabricksToken, HEX | DASH, 32, 34),
    rule("dckr_oat_", RedactionKind::DockerToken, URL64, 20),
    rule("dckr_pat_", RedactionKind::DockerToken, URL64, 20),
    custom("discord.com/api/v", RedactionKind::Webhook, tokens::versioned_webhook),
    custom("discord.com/api/webhooks/", RedactionKind::Webhook, tokens::webhook),
    custom("discordapp.com/api/webhooks/", RedactionKind::Webhook, tokens::webhook),
    random("dnkey-", RedactionKind::ServiceToken, URL64 | EQUALS, 70),
    rule("doo_v1_", RedactionKind::DigitaloceanToken, HEX, 32),
    rule("dop_v1_", RedactionKind::DigitaloceanToken, HEX, 32),
    rule("dor_v1_", RedactionKind::DigitaloceanToken, HEX, 32),
    word("dp.ct.", RedactionKind::ServiceToken, DOTTED, 40),
    word("dp.pt.", RedactionKind::ServiceToken, DOTTED, 40),
    word("dp.sa.", RedactionKind::ServiceToken, DOTTED, 40),
    word("dp.st.", RedactionKind::ServiceToken, DOTTED, 40),
    word("dt0c01.", RedactionKind::ServiceToken, ALNUM | DOT, 80),
    word("duffel_live_", RedactionKind::ServiceToken, URL64 | EQUALS, 40),
    word("duffel_test_", RedactionKind::ServiceToken, URL64 | EQUALS, 40),
    mixed("e2b_", RedactionKind::ServiceToken, HEX, 40),
    word("eyJrIjoi", RedactionKind::GrafanaToken, ALNUM | EQUALS, 60),
    custom("eyJ", RedactionKind::Jwt, tokens::jwt),
    exact("fc-", RedactionKind::ServiceToken, HEX, 32, 32),
    rule("figd_", RedactionKind::ServiceToken, URL64, 30),
    word("fio-u-", RedactionKind::ServiceToken, URL64 | EQUALS, 60),
    word("fm1a_", RedactionKind::ServiceToken, BASE64, 80),
    word("fm1r_", RedactionKind::ServiceToken, BASE64, 80),
    word("fm2_", RedactionKind::ServiceToken, BASE64, 80),
    word("fo1_", RedactionKind::ServiceToken, URL64, 40),
    mixed("fw_", RedactionKind::ModelProviderKey, ALNUM, 20),
    rule("gho_", RedactionKind::GithubToken, ALNUM, 20),
    rule("ghp_", RedactionKind::GithubToken, ALNUM, 20),
    rule("ghr_", RedactionKind::GithubToken, ALNUM, 20),
    rule("ghs_", RedactionKind::GithubToken, ALNUM, 20),
    rule("ghu_", RedactionKind::GithubToken, ALNUM, 20),
    rule("github_pat_", RedactionKind::GithubToken, WORD, 22),
    word("glagent-", RedactionKind::GitlabToken, DOTTED, 20),
    word("glcbt-", RedactionKind::GitlabToken, DOTTED, 20),
    word("gldt-", RedactionKind::GitlabToken, DOTTED, 20),
    word("glffct-", RedactionKind::GitlabToken, DOTTED, 20),
    word("glft-", RedactionKind::GitlabToken, DOTTED, 20),
    word("glimt-", RedactionKind::GitlabToken, DOTTED, 20),
    word("gloas-", RedactionKind::GitlabToken, DOTTED, 20),
    rule("glpat-", RedactionKind::GitlabToken, DOTTED, 18),
    word("glptt-", RedactionKind::GitlabToken, DOTTED, 20),
    word("glrt-", RedactionKind::GitlabToken, DOTTED, 20),
    word("glrtr-", RedactionKind::GitlabToken, DOTTED, 20),
    word("glsoat-", RedactionKind::GitlabToken, DOTTED, 20),
    word("glwt-", RedactionKind::GitlabToken, DOTTED, 20),
    mixed("glc_", RedactionKind::GrafanaToken, BASE64, 32),
    word("glsa_", RedactionKind::GrafanaToken, WORD, 36),
    mixed("gsk_", RedactionKind::ModelProviderKey, ALNUM, 30),
    word("hf_", RedactionKind::HuggingfaceToken, ALNUM, 30),
    custom("hooks.slack.com/", RedactionKind::Webhook, tokens::webhook),
    random("hvb.", RedactionKind::HashicorpToken, URL64, 24),
    random("hvr.", RedactionKind::HashicorpToken, URL64, 24),
    random("hvs.", RedactionKind::HashicorpToken, URL64, 24),
    exact("ico-", RedactionKind::ServiceToken, ALNUM, 32, 32),
    mixed("jina_", RedactionKind::ModelProviderKey, ALNUM, 40),
    exact("key-", RedactionKind::MailServiceKey, HEX, 32, 32),
    exact("key_", RedactionKind::ServiceToken, HEX, 64, 64),
    rule("lin_api_", RedactionKind::ServiceToken, ALNUM, 30),
    rule("lin_oauth_", RedactionKind::ServiceToken, ALNUM, 30),
    random("lsv2_", RedactionKind::ModelProviderKey, WORD, 30),
    mixed("napi_", RedactionKind::ServiceToken, ALNUM, 40),
    word("nfp_", RedactionKind::ServiceToken, ALNUM, 30),
    word("npm_", RedactionKind::NpmToken, ALNUM, 30),
    mixed("ntn_", RedactionKind::ServiceToken, ALNUM, 40),
    random("nvapi-", RedactionKind::ModelProviderKey, URL64, 40),
    word("ops_eyJ", RedactionKind::OnepasswordKey, BASE64, 100),
    exact("oy2", RedactionKind::RegistryToken, ALNUM, 43, 43),
    word("p8e-", RedactionKind::ServiceToken, ALNUM, 32),
    full("pa-", RedactionKind::ModelProviderKey, URL64, (43, 43), TokenBoundary::Word, Randomness::Random),
    exact("pat-eu1-", RedactionKind::ServiceToken, HEX | DASH, 36, 36),
    exact("pat-na1-", RedactionKind::ServiceToken, HEX | DASH, 36, 36),
    random("pat.", RedactionKind::ServiceToken, DOTTED, 60),
    exact("pat", RedactionKind::ServiceToken, ALNUM | DOT, 79, 79),
    random("pcsk_", RedactionKind::ServiceToken, WORD, 60),
    mixed("phx_", RedactionKind::ServiceToken, ALNUM, 40),
    word("pnu_", RedactionKind::ServiceToken, ALNUM, 36),
    word("pplx-", RedactionKind::ModelProviderKey, ALNUM, 40),
    word("pscale_oauth_", RedactionKind::ServiceToken, DOTTED | EQUALS, 30),
    word("pscale_pw_", RedactionKind::ServiceToken, DOTTED | EQUALS, 30),
    word("pscale_tkn_", RedactionKind::ServiceToken, DOTTED | EQUALS, 30),
    word("pul-", RedactionKind::ServiceToken, HEX, 40),
    random("pypi-", RedactionKind::PypiToken, URL64, 50),
    mixed("r8_", RedactionKind::ModelProviderKey, ALNUM, 30),
    word("rdme_", RedactionKind::ServiceToken, ALNUM, 60),
    random("re_", RedactionKind::MailServiceKey, WORD, 24),
    word("rk_live_", RedactionKind::StripeKey, ALNUM, 10),
    word("rk_prod_", RedactionKind::StripeKey, ALNUM, 10),
    word("rk_test_", RedactionKind::StripeKey, ALNUM, 10),
    random("rnd_", RedactionKind::ServiceToken, ALNUM, 28),
    word("rubygems_", RedactionKind::RegistryToken, HEX, 40),
    word("s-s4t2af-", RedactionKind::ServiceToken, HEX, 40),
    word("s-s4t2ud-", RedactionKind::ServiceToken, HEX, 40),
    random("sat.", RedactionKind::ServiceToken, DOTTED, 60),
    random("sb_secret_", RedactionKind::ServiceToken, URL64, 30),
    word("sbp_", RedactionKind::ServiceToken, HEX, 40),
    exact("secret_", RedactionKind::ServiceToken, ALNUM, 43, 43),
    random("sess-", RedactionKind::OpenaiKey, ALNUM, 40),
    word("sgp_local_", RedactionKind::ServiceToken, HEX, 40),
    word("sgp_", RedactionKind::ServiceToken, HEX | UNDER, 40),
    random("sha256~", RedactionKind::ServiceToken, URL64, 40),
    word("shippo_live_", RedactionKind::ServiceToken, HEX, 40),
    word("shippo_test_", RedactionKind::ServiceToken, HEX, 40),
    rule("shpat_", RedactionKind::ShopifyToken, HEX, 32),
    rule("shpca_", RedactionKind::ShopifyToken, HEX, 32),
    rule("shppa_", RedactionKind::ShopifyToken, HEX, 32),
    rule("shpss_", RedactionKind::ShopifyToken, HEX, 32),
    full("sk-ant-", RedactionKind::AnthropicKey, URL64, (16, NO_LIMIT), TokenBoundary::Anywhere, Randomness::Random),
    random("sk-or-", RedactionKind::ModelProviderKey, URL64, 20),
    random("sk-", RedactionKind::OpenaiKey, URL64, 20),
    word("sk_live_", RedactionKind::StripeKey, ALNUM, 10),
    word("sk_prod_", RedactionKind::StripeKey, ALNUM, 10),
    word("sk_test_", RedactionKind::StripeKey, ALNUM, 10),
    exact("sk_", RedactionKind::ModelProviderKey, HEX, 48, 48),
    random("sk.eyJ", RedactionKind::ServiceToken, DOTTED, 60),
    random("sl.", RedactionKind::ServiceToken, DOTTED | EQUALS, 100),
    word("sm_aat_", RedactionKind::ServiceToken, ALNUM, 16),
    word("sm_pat_", RedactionKind::ServiceToken, ALNUM, 16),
    word("sm_sat_", RedactionKind::ServiceToken, ALNUM, 16),
    word("sntrys_", RedactionKind::SentryToken, BASE64 | UNDER, 50),
    word("sntryu_", RedactionKind::SentryToken, HEX, 40),
    word("sq0atp-", RedactionKind::SquareToken, URL64, 20),
    word("sq0csp-", RedactionKind::SquareToken, URL64, 20),
    word("sqa_", RedactionKind::ServiceToken, HEX, 40),
    word("sqp_", RedactionKind::ServiceToken, HEX, 40),
    word("squ_", RedactionKind::ServiceToken, HEX, 40),
    random("tfp_", RedactionKind::ServiceToken, DOTTED | EQUALS, 50),
    random("tgp_v1_", RedactionKind::ModelProviderKey, URL64, 30),
    random("tk-us-", RedactionKind::ServiceToken, URL64, 40),
    random("tskey-", RedactionKind::ServiceToken, URL64, 16),
    random("tvly-", RedactionKind::ModelProviderKey, URL64, 20),
    random("v1.0-", RedactionKind::ServiceToken, HEX | DASH, 150),
    mixed("vca_", RedactionKind::ServiceToken, ALNUM, 40),
    mixed("vci_", RedactionKind::ServiceToken, ALNUM, 40),
    mixed("vck_", RedactionKind::ServiceToken, ALNUM, 40),
    mixed("vcp_", RedactionKind::ServiceToken, ALNUM, 40),
    random("vercel_blob_rw_", RedactionKind::ServiceToken, WORD, 30),
    random("wandb_v1_", RedactionKind::ModelProviderKey, WORD, 40),
    custom("webhook.office.com/", RedactionKind::Webhook, tokens::webhook),
    mixed("whsec_", RedactionKind::StripeKey, BASE64, 24),
    mixed("xai-", RedactionKind::ModelProviderKey, ALNUM, 40),
    word("xapp-", RedactionKind::SlackToken, URL64, 20),
    word("xkeysib-", RedactionKind::MailServiceKey, URL64, 60),
    custom("xox", RedactionKind::SlackToken, tokens::slack),
    word("ya29.", RedactionKind::GoogleOauth, DOTTED, 20),
];

/// For each first byte, the range of rules that start with it: `RULES[from..to]`.
pub(super) static BY_FIRST: [(u8, u8); 256] = by_first();

const fn by_first() -> [(u8, u8); 256] {
    assert!(RULES.len() < 256, "the index holds u8");
    let mut table = [(0, 0); 256];
    let mut i = 0;
    while i < RULES.len() {
        let first = RULES[i].prefix[0] as usize;
        let (from, to) = table[first];
        assert!(
            to == 0 || to as usize == i,
            "rules are sorted by first byte"
        );
        #[expect(clippy::cast_possible_truncation, reason = "asserted above")]
        let here = i as u8;
        table[first] = (if to == 0 { here } else { from }, here + 1);
        i += 1;
    }
    table
}

/// A Bloom-style filter over the first three bytes: no rule starts where the bit is clear.
pub(super) static PREFIX_FILTER: [u64; FILTER_WORDS] = prefix_filter();

const FILTER_WORDS: usize = 256;

/// Whether a rule may start with these three bytes.
pub(super) const fn may_be_prefix(a: u8, b: u8, c: u8) -> bool {
    let hash = prefix_hash(a, b, c);
    PREFIX_FILTER[hash / 64] >> (hash % 64) & 1 == 1
}

const fn prefix_hash(a: u8, b: u8, c: u8) -> usize {
    let bytes = u32::from_le_bytes([a, b, c, 0]);
    (bytes.wrapping_mul(0x9e37_79b1) >> 18) as usize % (FILTER_WORDS * 64)
}

const fn prefix_filter() -> [u64; FILTER_WORDS] {
    let mut table = [0; FILTER_WORDS];
    let mut i = 0;
    while i < RULES.len() {
        let prefix = RULES[i].prefix;
        let mut third = 0_u32;
        // Any byte can follow a two-byte prefix.
        while third < 256 {
            #[expect(clippy::cast_possible_truncation, reason = "the loop ends at 255")]
            let last = third as u8;
            if prefix.len() < 3 || prefix[2] == last {
                let hash = prefix_hash(prefix[0], prefix[1], last);
                table[hash / 64] |= 1 << (hash % 64);
            }
            third += 1;
        }
        i += 1;
    }
    table
}
