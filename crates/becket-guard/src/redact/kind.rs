//! Kinds of secrets and their labels in placeholders.

use std::fmt;

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident => $label:literal,)*) => {
        /// The kind of a secret. The label is part of the placeholder and therefore of a persisted format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum RedactionKind {
            $($(#[$doc])* $variant,)*
        }

        impl RedactionKind {
            /// All kinds.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The label: lower-case letters, digits and dashes.
            pub const fn label(self) -> &'static str {
                match self {
                    $(Self::$variant => $label,)*
                }
            }
        }
    };
}

kinds! {
    /// A PEM or PGP private key block, complete or truncated.
    PrivateKey => "private-key",
    /// A JSON web token.
    Jwt => "jwt",
    /// The password of `scheme://user:password@host`.
    UrlPassword => "url-password",
    /// The credential of an `Authorization` header.
    Authorization => "authorization",
    /// The value of a `Cookie` or `Set-Cookie` header.
    Cookie => "cookie",
    /// A value assigned to a name that indicates a password.
    Password => "password",
    /// A value assigned to a name that indicates a secret, key, token or credential.
    Secret => "secret",
    /// The signature of a pre-signed URL, which works for every holder.
    UrlSignature => "url-signature",
    /// An AWS access key id, or a Bedrock key.
    AwsAccessKey => "aws-access-key",
    /// An Alibaba Cloud access key id.
    AlibabaAccessKey => "alibaba-access-key",
    /// A GitHub token of any type.
    GithubToken => "github-token",
    /// A GitLab token of any type.
    GitlabToken => "gitlab-token",
    /// An `OpenAI` key, or one of the same shape.
    OpenaiKey => "openai-key",
    /// An Anthropic key or OAuth token.
    AnthropicKey => "anthropic-key",
    /// A key of another model provider.
    ModelProviderKey => "model-provider-key",
    /// A Slack token of any type.
    SlackToken => "slack-token",
    /// An incoming webhook of Slack, Discord or Teams. The URL is the credential.
    Webhook => "webhook",
    /// A Google API key.
    GoogleApiKey => "google-api-key",
    /// A Google OAuth access token or client secret.
    GoogleOauth => "google-oauth",
    /// A Stripe secret, restricted or webhook key.
    StripeKey => "stripe-key",
    /// A Square token.
    SquareToken => "square-token",
    /// An npm token.
    NpmToken => "npm-token",
    /// A `PyPI` upload token.
    PypiToken => "pypi-token",
    /// A token of another package registry.
    RegistryToken => "registry-token",
    /// A Docker Hub token.
    DockerToken => "docker-token",
    /// A Hugging Face token.
    HuggingfaceToken => "huggingface-token",
    /// A key of SendGrid, Mailgun or another mail service.
    MailServiceKey => "mail-service-key",
    /// A Twilio API key.
    TwilioKey => "twilio-key",
    /// A `DigitalOcean` token.
    DigitaloceanToken => "digitalocean-token",
    /// A Databricks token.
    DatabricksToken => "databricks-token",
    /// A Discord bot token.
    DiscordToken => "discord-token",
    /// A Telegram bot token.
    TelegramToken => "telegram-token",
    /// An Azure storage or service bus key, or an Entra client secret.
    AzureKey => "azure-key",
    /// An age secret key.
    AgeKey => "age-key",
    /// A Shopify token.
    ShopifyToken => "shopify-token",
    /// A `HashiCorp` Vault or Terraform token.
    HashicorpToken => "hashicorp-token",
    /// An Atlassian token.
    AtlassianToken => "atlassian-token",
    /// A Grafana token.
    GrafanaToken => "grafana-token",
    /// A Sentry token.
    SentryToken => "sentry-token",
    /// A 1Password secret key or service account token.
    OnepasswordKey => "onepassword-key",
    /// A token of another service, recognized by its prefix.
    ServiceToken => "service-token",
}

impl RedactionKind {
    /// Whether the text alone identifies the kind, as for a provider's token. Other kinds depend on the adjacent
    /// name and are often placeholders for local development.
    pub const fn is_unmistakable(self) -> bool {
        !matches!(
            self,
            Self::Jwt
                | Self::UrlPassword
                | Self::Authorization
                | Self::Cookie
                | Self::Password
                | Self::Secret
                | Self::UrlSignature
        )
    }
}

impl fmt::Display for RedactionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.label())
    }
}
