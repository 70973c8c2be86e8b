//! False positives of redaction: text that has to stay unchanged, byte for byte.

use becket_guard::redact::{redact_json, redact_text};
use serde_json::json;

#[rustfmt::skip]
const INNOCENT: &[&str] = &[
    // Identifiers, counts, types.
    "token_count = 5",
    "max_tokens: 4096, input_tokens: 1234, output_tokens: 99",
    "let tokens = tokenizer.encode(text);",
    "private_key: ed25519.Ed25519PrivateKey, f_priv: _FragList",
    "generate_private_key: x25519_generate_private_key,",
    "const KEY_MAX: attr_key_kinds = attr_key_kinds::NL80211_KEY_DEFAULT_BEACON;",
    "pub pat: nl80211_pattern_support,",
    "the password is required, and the token is 32 bytes long",
    "the password is hashed with argon2id before it is stored",
    "signature: 3045022100c4b1a5e3f2d1908f7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d",
    "echo $PASSWORD | sudo -S ls",
    "cat token.txt | docker login --password-stdin",
    "curl -b cookies.txt -c cookies.txt https://example.com",
    "napi_create_reference_for_an_external_buffer_of_data",
    "sess-manager and key_binding_for_the_second_pane_of_windows",
    "Continue [Y/n]: yes",
    "\"password\": {\"type\": \"string\"}, \"limit\": {\"value\": \"abc12345\"}",
    "password: str",
    "password: String,",
    "password: Option<String>,",
    "def login(username: str, password: str) -> Token:",
    "fn new(secret: &[u8], token: u64) -> Self",
    "token: uint256",
    "getPassword()",
    "user.setPassword(password)",
    "password = getPassword()",
    "password = self.password",
    "this.token = token;",
    "const token = await getToken(user);",
    "secretName: app-secrets",
    "secretKeyRef:\n  name: app\n  key: password",
    "tokenType: Bearer",
    "password: z.string().min(8).max(100),",
    "password: 'required|string|min:8|confirmed',",
    "passwordHash: string;",
    "api_key: Optional[str] = None",
    "private_key = load_pem_private_key(data)",
    "key = \"user:42:profile\"",
    "primary_key: id",
    "cache_key = f\"{user}:{page}\"",
    "nextPageToken: CAUQAA",
    "<input type=\"password\" name=\"password\" id=\"password\">",
    "<label for=\"password\">Password</label>",
    "\"password\": \"Password must be at least 8 characters\"",
    "{ token: 'keyword.control', foreground: 'ff0000' }",
    "case TOKEN_IDENTIFIER: return \"identifier\";",
    "secret = hmac.new(key, msg, hashlib.sha256)",
    "PasswordAuthentication no",
    "AUTH_METHOD=oauth2",
    "SSH_AUTH_SOCK=/tmp/ssh-XXXXXXabcdef/agent.1234",
    "PWD=/home/user/project",
    "OLDPWD=/var/lib/app-1.2.3",
    "SECRET_FILE=/run/secrets/db_password",
    "TOKEN_URL=https://auth.example.com/oauth2/token",
    "pass; # nothing to do on this pass: 2",
    "the first pass = 12, second pass = 7",
    "compass: north, bypass: none",
    "Author: Jane Doe <jane@example.com>",
    "keyboard: qwerty, monkey: yes",
    // References instead of values.
    "process.env.API_KEY",
    "apiKey: process.env.API_KEY,",
    "api_key = os.environ[\"API_KEY\"]",
    "API_KEY=${API_KEY}",
    "API_KEY=$API_KEY",
    "export TOKEN=$(gcloud auth print-access-token)",
    "password: ${{ secrets.DB_PASSWORD }}",
    "password: {{ vault_password }}",
    "set PASSWORD=%DB_PASSWORD%",
    "curl -H \"Authorization: Bearer $TOKEN\" https://example.com",
    "curl -H 'Authorization: Bearer ${TOKEN}' https://example.com",
    "headers = {'Authorization': f'Bearer {token}'}",
    "'Authorization': 'Bearer ' + token,",
    "curl -u \"$USER:$PASSWORD\" https://example.com",
    "docker run -u 1000:1000 image",
    "mkdir -p target && ls -a",
    "postgres://$USER:$PASSWORD@localhost/db",
    "postgres://user:${DB_PASSWORD}@localhost/db",
    "op://vault/item/password",
    "secret: arn:aws:secretsmanager:us-east-1:123456789012:secret:prod/db-AbC123",
    // Placeholders in documentation.
    "API_KEY=<your-api-key>",
    "token: <your-token>",
    "API_KEY=your_api_key_here",
    "password: changeme",
    "PASSWORD=xxxxxxxx",
    "password = \"********\"",
    "api_key: sk-xxxxxxxxxxxxxxxxxxxxxxxx",
    "OPENAI_API_KEY=sk-...",
    "token=abc...",
    concat!("AWS_ACCESS_KEY_ID=AK", "IAIOSFODNN7EXAMPLE"),
    "postgres://user:password@localhost/db",
    "Authorization: Bearer <token>",
    "Authorization: Bearer YOUR_TOKEN",
    "Use the --password option, or --token flags.",
    "Pass --password-stdin and pass `inline=False2` to it",
    // Public random strings.
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "session_id: 7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "\"tool_use_id\": \"toolu_01A09q90qw90lq917835lq9\"",
    "checksum = \"6d9e454fc11f76977dc803893aff6304ed33d6a26efae8696573bea74baa27ae\"",
    "\"integrity\": \"sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==\"",
    "integrity sha1-y1lqqvMhdFVRn8W0NR+GIKqI1gM=",
    "image: app@sha256:4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1",
    "docker://alpine:3.18@sha256:4bcff63911fcb4448bd4fdacec207030997caf25e9bea4045fa6c8c44de311d1",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl user@host",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    "if text.contains(\"-----BEGIN PRIVATE KEY-----\") || text.contains(\"-----END PRIVATE KEY-----\") {",
    "etag: W/\"5e8c-1a2b3c4d5e6f\"",
    "https://example.com:8080/path@2x.png",
    "git@github.com:org/repo.git",
    "ssh://git@github.com:22/org/repo.git",
    "file:///home/user/token.txt",
    "task-manager-with-a-long-name disk-usage-report risk-assessment-2024-final",
    "npm_config_registry=https://registry.example.com npm_lifecycle_event=test",
    "hf_hub_download(repo_id=\"org/model\")",
    "re_compile_pattern_buffer_with_syntax",
    "model: claude-3-5-sonnet-20241022, gpt-4o-mini-2024-07-18",
    "SKIPPED 12, SK1234, SKU: SK-2024-000123",
    "eyJ is how base64 of a JSON object starts",
    "a.b.c.d 1.2.3.4 v1.0.0-rc.1+build.5",
    "Basic Authentication, basic usage, Bearer tokens, bearer of news",
    "Set-Cookie and Cookie: see RFC 6265; theme=dark",
    "[redacted:github-token:3f9a1c] and password=[redacted:password:00ff00]",
    "token = [redacted]",
];

#[test]
fn ordinary_text_survives_unchanged() {
    assert!(INNOCENT.len() >= 60);
    for text in INNOCENT {
        assert_eq!(redact_text(text), *text);
    }
}

#[test]
fn ordinary_text_survives_inside_other_text() {
    for text in INNOCENT {
        let escaped = serde_json::to_string(text).expect("strings serialise");
        for outer in [
            format!("{{\"content\": {escaped}}}"),
            format!("before\n{text}\nafter"),
        ] {
            assert_eq!(redact_text(&outer), outer);
        }
    }
    let everything = INNOCENT.join("\n");
    assert_eq!(redact_text(&everything), everything);
}

#[test]
fn ordinary_text_survives_as_a_json_string() {
    for text in INNOCENT {
        let original = json!({"tool_input": {"command": text, "content": [text]}, "session_id": "7c9e6679-7425-40de-944b-e07fc1f90ae7"});
        let mut redacted = original.clone();
        redact_json(&mut redacted);
        assert_eq!(redacted, original);
    }
}
