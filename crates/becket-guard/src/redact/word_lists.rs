//! Word lists that distinguish names of secrets from names about secrets, and values from ordinary words.

/// First words that make a name a question or an amount.
#[rustfmt::skip]
pub(super) const PREDICATES: &[&str] = &[
    "allow", "can", "check", "count", "forget", "forgot", "has", "hide", "is", "max", "min", "n",
    "needs", "no", "num", "requires", "should", "show", "total", "validate", "verify",
];

/// Words after the noun that do not change its meaning.
#[rustfmt::skip]
pub(super) const NEUTRAL: &[&str] = &[
    "b64", "backup", "base", "base64", "current", "default", "dev", "development", "encoded", "hex",
    "literal", "live", "main", "new", "old", "plain", "plaintext", "previous", "prod", "production",
    "raw", "sandbox", "secondary", "stage", "staging", "str", "string", "test", "testing", "value",
];

/// Words after the noun that make the name about a secret.
#[rustfmt::skip]
pub(super) const ABOUT: &[&str] = &[
    "age", "alg", "algorithm", "alias", "arn", "at", "audience", "board", "budget", "callback",
    "checksum", "class", "cmd", "code", "command", "cost", "count", "counter", "counts",
    "description", "detection", "dir", "directory", "disabled", "docs", "down", "enabled",
    "endpoint", "engine", "env", "error", "errors", "estimate", "expiration", "expired", "expires",
    "expiry", "factory", "field", "fields", "file", "filename", "files", "fingerprint", "format",
    "frame", "handler", "header", "help", "helper", "hint", "id", "ids", "in", "index", "input",
    "issuer", "kind", "label", "len", "length", "limit", "limits", "list", "manager", "map",
    "message", "method", "mode", "mount", "name", "names", "offset", "pair", "path", "paths",
    "pattern", "per", "placeholder", "policy", "position", "prefix", "press", "pressed", "price",
    "prompt", "provider", "rate", "ref", "reference", "refs", "regex", "required", "reset", "ring",
    "rotation", "scanner", "scanning", "scope", "scopes", "selector", "service", "size", "sock",
    "socket", "source", "state", "status", "stdin", "store", "stream", "strength", "suffix", "text",
    "title", "ttl", "type", "types", "up", "uri", "url", "urls", "usage", "used", "valid",
    "validator", "var", "variable", "version", "window", "word", "words",
];

/// Words before `token` that make it harmless.
#[rustfmt::skip]
pub(super) const HARMLESS_TOKENS: &[&str] = &[
    "bos", "cached", "cancel", "cancellation", "cls", "completion", "continuation", "csrf",
    "design", "eos", "input", "lex", "mask", "max", "min", "next", "num", "output", "pad", "page",
    "prompt", "public", "reasoning", "sep", "sync", "syntax", "thinking", "total", "unk", "xsrf",
];

/// Words before `key` that make it harmless.
#[rustfmt::skip]
pub(super) const HARMLESS_KEYS: &[&str] = &[
    "a", "alt", "any", "arrow", "attr", "attribute", "bucket", "by", "cache", "child", "column",
    "composite", "config", "ctrl", "data", "dedupe", "dict", "each", "enter", "entry", "escape",
    "event", "feature", "field", "first", "flag", "foreign", "group", "hash", "host", "hot", "i18n",
    "idempotency", "idx", "index", "issuer", "item", "json", "kms", "known", "label", "last",
    "lookup", "map", "message", "meta", "metadata", "modifier", "natural", "next", "object", "on",
    "option", "param", "parameter", "parent", "partition", "prev", "primary", "prop", "property",
    "pub", "public", "publishable", "query", "range", "result", "routing", "row", "schema",
    "sequence", "setting", "settings", "shortcut", "sort", "state", "tab", "tag", "the", "topic",
    "translation", "unique",
];

/// Words before `key` that make it a secret.
#[rustfmt::skip]
pub(super) const SECRET_KEYS: &[&str] = &[
    "access", "account", "admin", "aes", "api", "app", "application", "auth", "authentication",
    "consumer", "decryption", "deploy", "encrypt", "encryption", "gpg", "hmac", "integration",
    "jwt", "license", "master", "pgp", "priv", "private", "root", "rsa", "secret", "service",
    "shared", "sign", "signing", "ssh", "subscription", "token", "webhook", "wrapping",
];

/// Ordinary values that occur next to "password" or "token".
#[rustfmt::skip]
pub(super) const ORDINARY: &[&str] = &[
    "accepted", "any", "apikey", "argon2", "argon2i", "argon2id", "argument", "arguments", "array",
    "ask", "auto", "base64", "basic", "bcrypt", "bearer", "blake2b", "blake3", "bool", "boolean",
    "buffer", "byte", "bytea", "bytes", "bytes32", "char", "char16_t", "char8_t", "confirmed",
    "cookie", "credentials", "default", "digest", "directly", "disabled", "ed25519", "email",
    "empty", "enabled", "encrypted", "env", "environment", "expired", "false", "field", "file",
    "flag", "flags", "float32", "float64", "followed", "generated", "hashed", "header", "hidden",
    "http2", "incorrect", "instead", "int", "int16", "int32", "int64", "integer", "interactive",
    "invalid", "keychain", "keyring", "ldap", "local", "masked", "md5", "mismatch", "missing",
    "never", "none", "null", "nullable", "number", "nvarchar", "oauth", "oauth2", "object",
    "option", "optional", "options", "parameter", "parameters", "passwd", "password", "pbkdf2",
    "plain", "plaintext", "prompt", "properties", "property", "protected", "provided", "query",
    "random", "rejected", "required", "saml", "scram", "scrypt", "secret", "secretstr",
    "secretstring", "securestring", "session", "sha1", "sha224", "sha256", "sha384", "sha512",
    "stdin", "str", "string", "struct", "switch", "switches", "symbol", "text", "token", "true",
    "uint16", "uint256", "uint32", "uint64", "uint8array", "undefined", "unknown", "unset",
    "username", "utf16", "utf8", "utf8mb4", "uuid", "value", "varchar", "vault", "void", "x25519",
];
