//! Tokens that providers made recognisable: a prefix, then a run of known characters.
//!
//! Lengths are looser than what the providers issue today, since they change them without notice; the
//! prefix does the work. Sorted by first byte, the more specific prefix first.

use super::Kind;
use super::bytes::{
    ALNUM, BASE64, DASH, DIGIT, DOT, EQUALS, HEX, PLUS_SLASH, Runs, Set, UNDER, UPPER, URL64, WORD,
};
use super::provider;

/// One recognisable token.
pub(super) struct Rule {
    pub(super) prefix: &'static [u8],
    pub(super) kind: Kind,
    pub(super) shape: Shape,
}

/// What follows the prefix.
pub(super) enum Shape {
    /// A run of bytes.
    Run(Run),
    /// Something else.
    Custom(Matcher),
    /// The prefix is a mark that stands inside the token.
    Around(Around),
}

/// Given the text, the start of the prefix and the end of it: where the token ends.
pub(super) type Matcher = fn(&[u8], usize, usize, &mut Runs) -> Option<usize>;

/// So many bytes before a mark and so many after it.
pub(super) struct Around {
    pub(super) set: Set,
    pub(super) before: usize,
    pub(super) after: usize,
}

/// A run of bytes that has to pass a few tests.
pub(super) struct Run {
    pub(super) set: Set,
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) edge: Edge,
    pub(super) look: Look,
}

/// Where a token may start.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Edge {
    /// The prefix is unmistakable even in the middle of a word.
    Anywhere,
    /// Only where a word starts, and no letter or digit may follow the run.
    Word,
}

/// What the run must look like.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Anything but a stand-in such as `xxxx`.
    Any,
    /// Letters and digits, because a single word can follow the same prefix.
    Mixed,
    /// Letters and digits at random, because several words can follow the same prefix.
    Random,
}

const NO_LIMIT: usize = usize::MAX;

const fn rule(prefix: &'static str, kind: Kind, set: Set, least: usize) -> Rule {
    full(
        prefix,
        kind,
        set,
        (least, NO_LIMIT),
        Edge::Anywhere,
        Look::Any,
    )
}

const fn word(prefix: &'static str, kind: Kind, set: Set, least: usize) -> Rule {
    full(prefix, kind, set, (least, NO_LIMIT), Edge::Word, Look::Any)
}

const fn random(prefix: &'static str, kind: Kind, set: Set, least: usize) -> Rule {
    full(
        prefix,
        kind,
        set,
        (least, NO_LIMIT),
        Edge::Word,
        Look::Random,
    )
}

const fn mixed(prefix: &'static str, kind: Kind, set: Set, least: usize) -> Rule {
    full(
        prefix,
        kind,
        set,
        (least, NO_LIMIT),
        Edge::Word,
        Look::Mixed,
    )
}

const fn exact(prefix: &'static str, kind: Kind, set: Set, least: usize, most: usize) -> Rule {
    full(prefix, kind, set, (least, most), Edge::Word, Look::Mixed)
}

const fn full(
    prefix: &'static str,
    kind: Kind,
    set: Set,
    (least, most): (usize, usize),
    edge: Edge,
    look: Look,
) -> Rule {
    let run = Run {
        set,
        least,
        most,
        edge,
        look,
    };
    Rule {
        prefix: prefix.as_bytes(),
        kind,
        shape: Shape::Run(run),
    }
}

const fn custom(prefix: &'static str, kind: Kind, end: Matcher) -> Rule {
    Rule {
        prefix: prefix.as_bytes(),
        kind,
        shape: Shape::Custom(end),
    }
}

const fn around(mark: &'static str, kind: Kind, set: Set, before: usize, after: usize) -> Rule {
    Rule {
        prefix: mark.as_bytes(),
        kind,
        shape: Shape::Around(Around { set, before, after }),
    }
}

const UPPER_DIGIT: Set = UPPER | DIGIT;
const DOTTED: Set = URL64 | DOT;

/// Every rule. The order matters; see the module's documentation.
#[rustfmt::skip]
pub(super) static RULES: &[Rule] = &[
    around("+ASt", Kind::AzureKey, ALNUM | PLUS_SLASH, 76, 6),
    random("1//0", Kind::GoogleOauth, URL64, 40),
    exact("4b1d", Kind::ServiceToken, ALNUM, 38, 38),
    full("A3-", Kind::OnepasswordKey, UPPER_DIGIT | DASH, (30, 38), Edge::Word, Look::Random),
    exact("A3T", Kind::AwsAccessKey, UPPER_DIGIT, 17, 17),
    word("ABIA", Kind::AwsAccessKey, UPPER_DIGIT, 16),
    word("ABSK", Kind::AwsAccessKey, BASE64, 100),
    word("ACCA", Kind::AwsAccessKey, UPPER_DIGIT, 16),
    rule("AGE-SECRET-KEY-", Kind::AgeKey, UPPER_DIGIT | DASH, 50),
    word("AIza", Kind::GoogleApiKey, URL64, 33),
    word("AKCp", Kind::RegistryToken, ALNUM, 60),
    word("AKIA", Kind::AwsAccessKey, UPPER_DIGIT, 16),
    exact("API-", Kind::ServiceToken, UPPER_DIGIT, 26, 26),
    word("ASIA", Kind::AwsAccessKey, UPPER_DIGIT, 16),
    rule("ATATT3", Kind::AtlassianToken, URL64 | EQUALS, 50),
    mixed("ATBB", Kind::AtlassianToken, ALNUM, 32),
    rule("ATCTT3", Kind::AtlassianToken, URL64 | EQUALS, 50),
    around("AZDO", Kind::AzureKey, ALNUM, 76, 4),
    word("CCIPAT_", Kind::ServiceToken, WORD, 40),
    word("CCIPRJ_", Kind::ServiceToken, WORD, 40),
    word("CLOJARS_", Kind::RegistryToken, ALNUM, 40),
    full("EAAA", Kind::SquareToken, URL64, (22, 64), Edge::Word, Look::Random),
    mixed("EAAB", Kind::ServiceToken, ALNUM, 100),
    mixed("EAAC", Kind::ServiceToken, ALNUM, 100),
    mixed("EAAG", Kind::ServiceToken, ALNUM, 100),
    mixed("EAAM", Kind::ServiceToken, ALNUM, 100),
    word("EZAK", Kind::ServiceToken, ALNUM, 54),
    word("EZTK", Kind::ServiceToken, ALNUM, 54),
    word("FLWSECK", Kind::ServiceToken, URL64, 17),
    rule("GOCSPX-", Kind::GoogleOauth, URL64, 20),
    rule("GR1348941", Kind::GitlabToken, URL64, 20),
    rule("HRKU-AA", Kind::ServiceToken, URL64, 40),
    random("IGQV", Kind::ServiceToken, URL64, 100),
    around("JQQJ99", Kind::AzureKey, ALNUM, 52, 26),
    custom("LS0tLS1CRUdJTi", Kind::PrivateKey, provider::encoded_pem),
    full("LTAI", Kind::AlibabaAccessKey, ALNUM, (16, 24), Edge::Word, Look::Any),
    rule("MC4CAQAwBQYDK2VwBCIEI", Kind::PrivateKey, BASE64, 40),
    rule("MHcCAQEEI", Kind::PrivateKey, BASE64, 100),
    rule("MIGHAgEAMBMGByqGSM49AgEG", Kind::PrivateKey, BASE64, 100),
    custom("MII", Kind::PrivateKey, provider::rsa_body),
    word("NRAK-", Kind::ServiceToken, ALNUM, 27),
    word("PMAK-", Kind::ServiceToken, HEX | DASH, 50),
    custom("SG.", Kind::MailServiceKey, provider::sendgrid),
    custom("SK", Kind::TwilioKey, provider::twilio),
    mixed("ZXlK", Kind::Jwt, URL64 | BASE64, 60),
    rule("_gitlab_session=", Kind::Cookie, ALNUM, 30),
    word("api_org_", Kind::HuggingfaceToken, ALNUM, 30),
    custom("b3BlbnNzaC1rZXktdjE", Kind::PrivateKey, provider::openssh_body),
    word("bedrock-api-key-", Kind::AwsAccessKey, BASE64, 28),
    word("bkua_", Kind::ServiceToken, HEX, 40),
    mixed("cfat_", Kind::ServiceToken, ALNUM, 40),
    mixed("cfut_", Kind::ServiceToken, ALNUM, 40),
    exact("cio", Kind::RegistryToken, ALNUM, 32, 32),
    exact("cmVmd", Kind::RegistryToken, ALNUM, 59, 59),
    mixed("csk-", Kind::ModelProviderKey, ALNUM, 40),
    exact("dapi", Kind::DatabricksToken, HEX | DASH, 32, 34),
    rule("dckr_oat_", Kind::DockerToken, URL64, 20),
    rule("dckr_pat_", Kind::DockerToken, URL64, 20),
    custom("discord.com/api/v", Kind::Webhook, provider::versioned_webhook),
    custom("discord.com/api/webhooks/", Kind::Webhook, provider::webhook),
    custom("discordapp.com/api/webhooks/", Kind::Webhook, provider::webhook),
    random("dnkey-", Kind::ServiceToken, URL64 | EQUALS, 70),
    rule("doo_v1_", Kind::DigitaloceanToken, HEX, 32),
    rule("dop_v1_", Kind::DigitaloceanToken, HEX, 32),
    rule("dor_v1_", Kind::DigitaloceanToken, HEX, 32),
    word("dp.ct.", Kind::ServiceToken, DOTTED, 40),
    word("dp.pt.", Kind::ServiceToken, DOTTED, 40),
    word("dp.sa.", Kind::ServiceToken, DOTTED, 40),
    word("dp.st.", Kind::ServiceToken, DOTTED, 40),
    word("dt0c01.", Kind::ServiceToken, ALNUM | DOT, 80),
    word("duffel_live_", Kind::ServiceToken, URL64 | EQUALS, 40),
    word("duffel_test_", Kind::ServiceToken, URL64 | EQUALS, 40),
    mixed("e2b_", Kind::ServiceToken, HEX, 40),
    word("eyJrIjoi", Kind::GrafanaToken, ALNUM | EQUALS, 60),
    custom("eyJ", Kind::Jwt, provider::jwt),
    exact("fc-", Kind::ServiceToken, HEX, 32, 32),
    rule("figd_", Kind::ServiceToken, URL64, 30),
    word("fio-u-", Kind::ServiceToken, URL64 | EQUALS, 60),
    word("fm1a_", Kind::ServiceToken, BASE64, 80),
    word("fm1r_", Kind::ServiceToken, BASE64, 80),
    word("fm2_", Kind::ServiceToken, BASE64, 80),
    word("fo1_", Kind::ServiceToken, URL64, 40),
    mixed("fw_", Kind::ModelProviderKey, ALNUM, 20),
    rule("gho_", Kind::GithubToken, ALNUM, 20),
    rule("ghp_", Kind::GithubToken, ALNUM, 20),
    rule("ghr_", Kind::GithubToken, ALNUM, 20),
    rule("ghs_", Kind::GithubToken, ALNUM, 20),
    rule("ghu_", Kind::GithubToken, ALNUM, 20),
    rule("github_pat_", Kind::GithubToken, WORD, 22),
    word("glagent-", Kind::GitlabToken, DOTTED, 20),
    word("glcbt-", Kind::GitlabToken, DOTTED, 20),
    word("gldt-", Kind::GitlabToken, DOTTED, 20),
    word("glffct-", Kind::GitlabToken, DOTTED, 20),
    word("glft-", Kind::GitlabToken, DOTTED, 20),
    word("glimt-", Kind::GitlabToken, DOTTED, 20),
    word("gloas-", Kind::GitlabToken, DOTTED, 20),
    rule("glpat-", Kind::GitlabToken, DOTTED, 18),
    word("glptt-", Kind::GitlabToken, DOTTED, 20),
    word("glrt-", Kind::GitlabToken, DOTTED, 20),
    word("glrtr-", Kind::GitlabToken, DOTTED, 20),
    word("glsoat-", Kind::GitlabToken, DOTTED, 20),
    word("glwt-", Kind::GitlabToken, DOTTED, 20),
    mixed("glc_", Kind::GrafanaToken, BASE64, 32),
    word("glsa_", Kind::GrafanaToken, WORD, 36),
    mixed("gsk_", Kind::ModelProviderKey, ALNUM, 30),
    word("hf_", Kind::HuggingfaceToken, ALNUM, 30),
    custom("hooks.slack.com/", Kind::Webhook, provider::webhook),
    random("hvb.", Kind::HashicorpToken, URL64, 24),
    random("hvr.", Kind::HashicorpToken, URL64, 24),
    random("hvs.", Kind::HashicorpToken, URL64, 24),
    exact("ico-", Kind::ServiceToken, ALNUM, 32, 32),
    mixed("jina_", Kind::ModelProviderKey, ALNUM, 40),
    exact("key-", Kind::MailServiceKey, HEX, 32, 32),
    exact("key_", Kind::ServiceToken, HEX, 64, 64),
    rule("lin_api_", Kind::ServiceToken, ALNUM, 30),
    rule("lin_oauth_", Kind::ServiceToken, ALNUM, 30),
    random("lsv2_", Kind::ModelProviderKey, WORD, 30),
    mixed("napi_", Kind::ServiceToken, ALNUM, 40),
    word("nfp_", Kind::ServiceToken, ALNUM, 30),
    word("npm_", Kind::NpmToken, ALNUM, 30),
    mixed("ntn_", Kind::ServiceToken, ALNUM, 40),
    random("nvapi-", Kind::ModelProviderKey, URL64, 40),
    word("ops_eyJ", Kind::OnepasswordKey, BASE64, 100),
    exact("oy2", Kind::RegistryToken, ALNUM, 43, 43),
    word("p8e-", Kind::ServiceToken, ALNUM, 32),
    full("pa-", Kind::ModelProviderKey, URL64, (43, 43), Edge::Word, Look::Random),
    exact("pat-eu1-", Kind::ServiceToken, HEX | DASH, 36, 36),
    exact("pat-na1-", Kind::ServiceToken, HEX | DASH, 36, 36),
    random("pat.", Kind::ServiceToken, DOTTED, 60),
    exact("pat", Kind::ServiceToken, ALNUM | DOT, 79, 79),
    random("pcsk_", Kind::ServiceToken, WORD, 60),
    mixed("phx_", Kind::ServiceToken, ALNUM, 40),
    word("pnu_", Kind::ServiceToken, ALNUM, 36),
    word("pplx-", Kind::ModelProviderKey, ALNUM, 40),
    word("pscale_oauth_", Kind::ServiceToken, DOTTED | EQUALS, 30),
    word("pscale_pw_", Kind::ServiceToken, DOTTED | EQUALS, 30),
    word("pscale_tkn_", Kind::ServiceToken, DOTTED | EQUALS, 30),
    word("pul-", Kind::ServiceToken, HEX, 40),
    random("pypi-", Kind::PypiToken, URL64, 50),
    mixed("r8_", Kind::ModelProviderKey, ALNUM, 30),
    word("rdme_", Kind::ServiceToken, ALNUM, 60),
    random("re_", Kind::MailServiceKey, WORD, 24),
    word("rk_live_", Kind::StripeKey, ALNUM, 10),
    word("rk_prod_", Kind::StripeKey, ALNUM, 10),
    word("rk_test_", Kind::StripeKey, ALNUM, 10),
    random("rnd_", Kind::ServiceToken, ALNUM, 28),
    word("rubygems_", Kind::RegistryToken, HEX, 40),
    word("s-s4t2af-", Kind::ServiceToken, HEX, 40),
    word("s-s4t2ud-", Kind::ServiceToken, HEX, 40),
    random("sat.", Kind::ServiceToken, DOTTED, 60),
    random("sb_secret_", Kind::ServiceToken, URL64, 30),
    word("sbp_", Kind::ServiceToken, HEX, 40),
    exact("secret_", Kind::ServiceToken, ALNUM, 43, 43),
    random("sess-", Kind::OpenaiKey, ALNUM, 40),
    word("sgp_local_", Kind::ServiceToken, HEX, 40),
    word("sgp_", Kind::ServiceToken, HEX | UNDER, 40),
    random("sha256~", Kind::ServiceToken, URL64, 40),
    word("shippo_live_", Kind::ServiceToken, HEX, 40),
    word("shippo_test_", Kind::ServiceToken, HEX, 40),
    rule("shpat_", Kind::ShopifyToken, HEX, 32),
    rule("shpca_", Kind::ShopifyToken, HEX, 32),
    rule("shppa_", Kind::ShopifyToken, HEX, 32),
    rule("shpss_", Kind::ShopifyToken, HEX, 32),
    full("sk-ant-", Kind::AnthropicKey, URL64, (16, NO_LIMIT), Edge::Anywhere, Look::Random),
    random("sk-or-", Kind::ModelProviderKey, URL64, 20),
    random("sk-", Kind::OpenaiKey, URL64, 20),
    word("sk_live_", Kind::StripeKey, ALNUM, 10),
    word("sk_prod_", Kind::StripeKey, ALNUM, 10),
    word("sk_test_", Kind::StripeKey, ALNUM, 10),
    exact("sk_", Kind::ModelProviderKey, HEX, 48, 48),
    random("sk.eyJ", Kind::ServiceToken, DOTTED, 60),
    random("sl.", Kind::ServiceToken, DOTTED | EQUALS, 100),
    word("sm_aat_", Kind::ServiceToken, ALNUM, 16),
    word("sm_pat_", Kind::ServiceToken, ALNUM, 16),
    word("sm_sat_", Kind::ServiceToken, ALNUM, 16),
    word("sntrys_", Kind::SentryToken, BASE64 | UNDER, 50),
    word("sntryu_", Kind::SentryToken, HEX, 40),
    word("sq0atp-", Kind::SquareToken, URL64, 20),
    word("sq0csp-", Kind::SquareToken, URL64, 20),
    word("sqa_", Kind::ServiceToken, HEX, 40),
    word("sqp_", Kind::ServiceToken, HEX, 40),
    word("squ_", Kind::ServiceToken, HEX, 40),
    random("tfp_", Kind::ServiceToken, DOTTED | EQUALS, 50),
    random("tgp_v1_", Kind::ModelProviderKey, URL64, 30),
    random("tk-us-", Kind::ServiceToken, URL64, 40),
    random("tskey-", Kind::ServiceToken, URL64, 16),
    random("tvly-", Kind::ModelProviderKey, URL64, 20),
    random("v1.0-", Kind::ServiceToken, HEX | DASH, 150),
    mixed("vca_", Kind::ServiceToken, ALNUM, 40),
    mixed("vci_", Kind::ServiceToken, ALNUM, 40),
    mixed("vck_", Kind::ServiceToken, ALNUM, 40),
    mixed("vcp_", Kind::ServiceToken, ALNUM, 40),
    random("vercel_blob_rw_", Kind::ServiceToken, WORD, 30),
    random("wandb_v1_", Kind::ModelProviderKey, WORD, 40),
    custom("webhook.office.com/", Kind::Webhook, provider::webhook),
    mixed("whsec_", Kind::StripeKey, BASE64, 24),
    mixed("xai-", Kind::ModelProviderKey, ALNUM, 40),
    word("xapp-", Kind::SlackToken, URL64, 20),
    word("xkeysib-", Kind::MailServiceKey, URL64, 60),
    custom("xox", Kind::SlackToken, provider::slack),
    word("ya29.", Kind::GoogleOauth, DOTTED, 20),
];

/// For a first byte, the rules that start with it: `RULES[from..to]`.
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

/// A set of hashes of three bytes: where the bit is clear, no rule can start.
pub(super) static LEADS: [u64; LEAD_WORDS] = leads();

const LEAD_WORDS: usize = 256;

/// Whether a rule may start with these three bytes.
pub(super) const fn may_lead(a: u8, b: u8, c: u8) -> bool {
    let hash = lead_hash(a, b, c);
    LEADS[hash / 64] >> (hash % 64) & 1 == 1
}

const fn lead_hash(a: u8, b: u8, c: u8) -> usize {
    let bytes = u32::from_le_bytes([a, b, c, 0]);
    (bytes.wrapping_mul(0x9e37_79b1) >> 18) as usize % (LEAD_WORDS * 64)
}

const fn leads() -> [u64; LEAD_WORDS] {
    let mut table = [0; LEAD_WORDS];
    let mut i = 0;
    while i < RULES.len() {
        let prefix = RULES[i].prefix;
        let mut third = 0_u32;
        // A prefix of two bytes can be followed by any.
        while third < 256 {
            #[expect(clippy::cast_possible_truncation, reason = "the loop ends at 255")]
            let last = third as u8;
            if prefix.len() < 3 || prefix[2] == last {
                let hash = lead_hash(prefix[0], prefix[1], last);
                table[hash / 64] |= 1 << (hash % 64);
            }
            third += 1;
        }
        i += 1;
    }
    table
}
