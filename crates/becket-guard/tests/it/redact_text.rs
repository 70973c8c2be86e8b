//! Redaction of text: secrets that have to be replaced, in realistic surroundings.

use becket_guard::redact::{RedactionKind, find, redact_text};

use crate::samples::{Alphabet, jwt, key_lines, marker, random, recognisable, token};

/// Surroundings without a telling name; `@` marks the secret.
const SURROUNDINGS: &[&str] = &[
    "@",
    "export CI_THING=@",
    "curl -s -d @ https://api.example.com/v1/items",
    "echo '@' | pbcopy",
    "first @ last",
    "It is @.",
    "{\"output\": \"@\"}",
    "{\\\"output\\\": \\\"before\\n@\\nafter\\\"}",
    "\"stdout\":\"line one\\n@\\tline two\"",
    "THING=@\nOTHER=1\n",
    "X-Custom: @\r\nAccept: */*\r\n",
    "https://example.com/callback?thing=@&state=1",
    "let thing = \"@\";",
    "thing = '@'  # noqa",
    "    - @\n    - other",
    "|@|",
    "(@)",
    "<td>@</td>",
    "日本@日本",
];

#[test]
fn recognisable_tokens_are_redacted_everywhere_and_nothing_else_is() {
    for (kind, secret) in recognisable() {
        for surroundings in SURROUNDINGS {
            let text = surroundings.replace('@', &secret);
            let redacted = redact_text(&text);
            let (before, after) = surroundings
                .split_once('@')
                .expect("surroundings hold one @");
            assert!(
                redacted.contains(&format!("[redacted:{kind}:")),
                "{kind} in {text}: {redacted}"
            );
            assert!(
                redacted.starts_with(before) && redacted.ends_with(after),
                "{text}: {redacted}"
            );
            assert_gone(&redacted, &secret);
        }
    }
}

#[test]
fn token_under_a_telling_name_keeps_its_kind() {
    let secret = token(concat!("gh", "p_"), Alphabet::Base62, 36);
    for text in [
        format!("GITHUB_TOKEN={secret}"),
        format!("\"github_token\": \"{secret}\""),
        format!("Authorization: token {secret}"),
        format!("https://user:{secret}@github.com/o/r.git"),
        format!("https://{secret}@github.com/o/r.git"),
        format!("curl -u me:{secret} https://api.github.com"),
    ] {
        let redacted = redact_text(&text);
        assert_gone(&redacted, &secret);
        assert_eq!(find(&text).len(), 1, "{text}");
        let kind = find(&text)[0].kind;
        assert!(
            matches!(
                kind,
                RedactionKind::GithubToken | RedactionKind::UrlPassword
            ),
            "{kind} {text}"
        );
    }
}

/// Notations in which a name says that the value is a secret. `%n` is the name in snake case, `%c` in capitals,
/// `%m` in camel case, `@` the value.
const ASSIGNMENTS: &[&str] = &[
    "%c=@",
    "export %c=@ && run",
    "export %c='@'",
    "%c=\"@\" ./run.sh",
    "docker run -e %c=@ image",
    "run --%n @ --other",
    "run --%n=@",
    "run --%n '@'",
    "%n: @",
    "%n: '@'",
    "%n = @",
    "%n = \"@\"",
    "%n: |\n  @\n",
    "- name: %c\n  value: @\n",
    "- name: %c\n  value: \"@\"\n",
    "{\"name\": \"%c\", \"value\": \"@\"}",
    "{\n    \"%n\": \"@\"\n}",
    "{\\\"%n\\\":\\\"@\\\"}",
    "{\\\\\\\"%n\\\\\\\": \\\\\\\"@\\\\\\\"}",
    "{\"config.ini\": \"%c=@\\nBACKUP=true\"}",
    "const %m = \"@\";",
    "const %m = `@`;",
    "string %m = \"@\";",
    "var %m string = \"@\"",
    "var %m: String = \"@\"",
    "const %c: &'static str = \"@\";",
    "%m := \"@\"",
    "$%m .= \"@\";",
    "%c ?= \"@\"",
    "%c :::= \"@\"",
    "config['%n'] = '@'",
    "config[\"%n\"] = \"@\"",
    "  \"%m\" => \"@\",",
    "%m: \"@\",",
    "%m == \"@\"",
    "let %m = String::from(\"@\");",
    "%n=b'@'",
    "<%m>@</%m>",
    "<%m>\n    @\n</%m>",
    "<entry name=\"%m\" value=\"@\" />",
    "https://example.com/x?%n=@&page=2",
    "Server=db;%m=@;Timeout=5",
    "**%m:** @",
    "# %c=@",
];

fn fill(notation: &str, name: &str, value: &str) -> String {
    let words: Vec<_> = name.split('_').collect();
    let mut camel = words[0].to_owned();
    for word in &words[1..] {
        camel.push_str(&word[..1].to_uppercase());
        camel.push_str(&word[1..]);
    }
    let text = notation
        .replace("%n", name)
        .replace("%c", &name.to_uppercase());
    text.replace("%m", &camel).replace('@', value)
}

#[test]
fn random_values_under_telling_names_are_redacted_in_every_notation() {
    for name in [
        "api_key",
        "auth_token",
        "client_secret",
        "my_service_api_key",
        "db_password",
        "aws_secret_access_key",
    ] {
        for (alphabet, len) in [
            (Alphabet::Base62, 24),
            (Alphabet::Hex, 32),
            (Alphabet::Hex, 64),
            (Alphabet::Url64, 43),
            (Alphabet::Base36, 20),
        ] {
            let secret = random(alphabet, len, 77);
            for notation in ASSIGNMENTS {
                let text = fill(notation, name, &secret);
                assert_gone(&redact_text(&text), &secret);
            }
        }
    }
}

#[test]
fn human_passwords_are_redacted_in_every_notation() {
    for password in [
        "hunter2",
        "Tr0ub4dor&3",
        "correct9horse",
        "p4ssw0rd!",
        "S3cr3t-2024",
        "letmein#1",
    ] {
        for notation in ASSIGNMENTS {
            let unquoted_stop = password.contains(['&', '#']) && notation.contains("?%n=@");
            let comparison = notation.contains("==");
            if unquoted_stop || comparison {
                continue;
            }
            let text = fill(notation, "db_password", password);
            assert!(
                !redact_text(&text).contains(password),
                "{text}: {}",
                redact_text(&text)
            );
        }
    }
}

#[test]
fn password_arguments_of_commands_are_redacted() {
    for (text, secret) in [
        ("curl -u admin:hunter2 https://example.com", "hunter2"),
        ("curl -uadmin:hunter2 https://example.com", "hunter2"),
        ("curl --user 'admin:hunter2' https://example.com", "hunter2"),
        ("sshpass -p hunter2 ssh host", "hunter2"),
        ("sshpass -phunter2 ssh host", "hunter2"),
        ("mysql -u root -phunter2 db", "hunter2"),
        ("mysqldump --password=hunter2 db", "hunter2"),
        ("redis-cli -h cache -a hunter2 ping", "hunter2"),
        (
            "docker login -u me -p hunter2 registry.example.com",
            "hunter2",
        ),
        ("PGPASSWORD=hunter2 psql", "hunter2"),
        ("CREATE USER app WITH PASSWORD 'hunter2';", "hunter2"),
        ("CREATE USER app IDENTIFIED BY 'hunter2';", "hunter2"),
        ("psql postgres://app:hunter2@db.example.com/app", "hunter2"),
        ("redis://:hunter2@cache:6379/0", "hunter2"),
        (
            "mongodb+srv://app:hun%40ter2@cluster.example.com/x",
            "hun%40ter2",
        ),
        ("amqp://app:p@ss@rabbit:5672/vhost", "p@ss"),
        ("postgres://app:pa/ss2@db/app", "pa/ss2"),
        ("curl --user=admin:hunter2 https://example.com", "hunter2"),
        (
            "curl -b 'sid=4fz81kq07xw2' https://example.com",
            "4fz81kq07xw2",
        ),
        (
            "curl --cookie sid=4fz81kq07xw2 https://example.com",
            "4fz81kq07xw2",
        ),
        ("echo hunter2 | sudo -S apt update", "hunter2"),
        ("printf '%s' 'hunter2' | sudo -k -S ls", "hunter2"),
        (
            "echo \"hunter2\" | docker login -u me --password-stdin",
            "hunter2",
        ),
        ("echo -n hunter2 | gh auth login --with-token", "hunter2"),
        ("mongosh -u app -p hunter2 db", "hunter2"),
        ("7z x -phunter2 backup.7z", "hunter2"),
        ("unzip -P hunter2 backup.zip", "hunter2"),
        ("ldapsearch -D cn=admin -w hunter2", "hunter2"),
        (
            "requests.get(url, auth=(\"admin\", \"hunter2\"))",
            "hunter2",
        ),
        ("HTTPBasicAuth('admin', 'hunter2')", "hunter2"),
        ("the password is Tr0ub4dor&3, try it", "Tr0ub4dor&3"),
        ("The password is \"hunter2\".", "hunter2"),
        ("Passwort: Tr0ub4dor", "Tr0ub4dor"),
        ("Password [none]: hunter2", "hunter2"),
        (
            "{\"db_password\": {\"sensitive\": true, \"value\": \"hunter2\"}}",
            "hunter2",
        ),
    ] {
        let redacted = redact_text(text);
        assert!(!redacted.contains(secret), "{text}: {redacted}");
    }
}

#[test]
fn token_in_the_user_position_of_a_url_is_redacted() {
    let token = random(Alphabet::Hex, 40, 81);
    for password in ["", ":", ":x-oauth-basic"] {
        let url = format!("git clone https://{token}{password}@github.com/o/r.git");
        assert_gone(&redact_text(&url), &token);
    }
}

#[test]
fn aws_secret_next_to_its_access_key_id_is_redacted() {
    let id = token(concat!("AK", "IA"), Alphabet::Base32, 16);
    let secret = random(Alphabet::Base64, 40, 82);
    for text in [
        format!("Access key ID,Secret access key\n{id},{secret}\n"),
        format!("{id}\n{secret}\n"),
        format!("{id}\t{secret}"),
        format!("\"{id}\", \"{secret}\""),
        format!("AWS Secret Access Key [None]: {secret}"),
        format!("AWS Secret Access Key [****************ABCD]: {secret}"),
        format!(
            "\"SecretAccessKey\": \"{}\\/{}\"",
            &secret[..20],
            &secret[21..]
        ),
    ] {
        let redacted = redact_text(&text);
        for half in [&secret[..20], &secret[21..]] {
            assert!(!redacted.contains(half), "{text}: {redacted}");
        }
    }
    let digest = random(Alphabet::Hex, 40, 83);
    let redacted = redact_text(&format!("{id} in commit {digest}")).into_owned();
    assert!(redacted.contains(&digest), "{redacted}");
}

#[test]
fn name_after_an_escaped_newline_excludes_the_escape() {
    let opaque = random(Alphabet::Base62, 40, 84);
    for text in [
        format!("HTTP/1.1 200 OK\\r\\nSet-Cookie: sid={opaque}; Path=/\\r\\n"),
        format!("GET / HTTP/1.1\\nCookie: sid={opaque}\\n"),
        format!("user=app\\npwd={opaque}"),
        format!("{{\"set-cookie\": [\"sid={opaque}; Path=/\"]}}"),
        format!("{{\"name\": \"Cookie\", \"value\": \"sid={opaque}\"}}"),
        format!("C:\\token={opaque}"),
    ] {
        assert_gone(&redact_text(&text), &opaque);
    }
}

#[test]
fn long_quoted_keys_are_redacted() {
    let key = "v^8k(2n!0s@w3)zr-q5%y7&m=1e*t4+b6#u9_h$j{x}c<d>f";
    for text in [
        format!("SECRET_KEY = '{key}'"),
        format!("SECRET_KEY=\"{key}\""),
        format!("\"secret_key\": \"{key}\""),
    ] {
        assert!(!redact_text(&text).contains(&key[..20]), "{text}");
    }
}

#[test]
fn urls_lose_only_their_password() {
    let redacted = redact_text("postgres://app:hunter2@db.example.com:5432/app?sslmode=require");
    assert!(
        redacted.starts_with("postgres://app:[redacted:url-password:"),
        "{redacted}"
    );
    assert!(
        redacted.ends_with("]@db.example.com:5432/app?sslmode=require"),
        "{redacted}"
    );
}

#[test]
fn headers_lose_only_their_credential() {
    let opaque = random(Alphabet::Base62, 40, 90);
    let basic = concat!("dXNlcjpo", "dW50ZXIy");
    for (header, secret, kept) in [
        (
            format!("Authorization: Bearer {opaque}"),
            opaque.as_str(),
            "Authorization: Bearer [redacted:",
        ),
        (
            format!("authorization: bearer {opaque}"),
            &opaque,
            "authorization: bearer [redacted:",
        ),
        (
            format!("curl -H 'Authorization: Bearer {opaque}' x"),
            &opaque,
            "Bearer [redacted:authorization:",
        ),
        (
            format!("\"Authorization\": \"Bearer {opaque}\","),
            &opaque,
            "\"Bearer [redacted:",
        ),
        (
            format!("{{\\\"Authorization\\\":\\\"Bearer {opaque}\\\"}}"),
            &opaque,
            "Bearer [redacted:",
        ),
        (
            format!("headers = {{'Authorization': f'Token {opaque}'}}"),
            &opaque,
            "Token [redacted:",
        ),
        (
            format!("Proxy-Authorization: Basic {basic}"),
            basic,
            "Basic [redacted:authorization:",
        ),
        (
            format!("Authorization: {opaque}"),
            &opaque,
            "Authorization: [redacted:",
        ),
        (
            format!("sent Bearer {opaque} to the server"),
            &opaque,
            "sent Bearer [redacted:",
        ),
        (format!("Bearer {}", jwt()), &jwt(), "Bearer [redacted:jwt:"),
        (
            format!("X-Api-Key: {opaque}"),
            &opaque,
            "X-Api-Key: [redacted:",
        ),
        (
            format!("-H \"PRIVATE-TOKEN: {opaque}\""),
            &opaque,
            "PRIVATE-TOKEN: [redacted:",
        ),
        (
            format!("Cookie: theme=dark; sid={opaque}; x=1\r\nHost: a"),
            &opaque,
            "Cookie: [redacted:cookie:",
        ),
        (
            format!("Set-Cookie: sid={opaque}; HttpOnly"),
            &opaque,
            "Set-Cookie: [redacted:cookie:",
        ),
    ] {
        let redacted = redact_text(&header);
        assert!(redacted.contains(kept), "{header}: {redacted}");
        assert_gone(&redacted, secret);
    }
}

#[test]
fn signed_urls_and_account_keys_lose_their_credential() {
    let signature = random(Alphabet::Base62, 43, 91);
    let hex = random(Alphabet::Hex, 64, 92);
    let account = format!("{}==", random(Alphabet::Base64, 86, 93));
    for (text, secret) in [
        (
            format!("https://a.blob.core.windows.net/c/b?sv=2024&sig={signature}%3D&se=1"),
            &signature,
        ),
        (
            format!("https://b.s3.amazonaws.com/k?X-Amz-Date=20240101&X-Amz-Signature={hex}"),
            &hex,
        ),
        (
            format!(
                "DefaultEndpointsProtocol=https;AccountName=a;AccountKey={account};EndpointSuffix=core"
            ),
            &account,
        ),
        (
            format!("Endpoint=sb://a/;SharedAccessKeyName=root;SharedAccessKey={account}"),
            &account,
        ),
    ] {
        assert_gone(&redact_text(&text), secret);
    }
    assert_eq!(
        find(&format!("AccountKey={account}"))[0].kind,
        RedactionKind::AzureKey
    );
}

#[test]
fn private_keys_are_redacted_in_every_line_format() {
    for label in ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "] {
        let lines = key_lines();
        let (begin, end) = (marker("BEGIN", label), marker("END", label));
        let with = |newline: &str| format!("{begin}{newline}{}{newline}{end}", lines.join(newline));
        let numbered: Vec<_> = lines
            .iter()
            .enumerate()
            .map(|(i, line)| format!("{:>6}→{line}", i + 2))
            .collect();
        for block in [
            with("\n"),
            with("\r\n"),
            with("\\n"),
            with("\\\\n"),
            with("\n    "),
            with("\\n\" +\n  \""),
            format!("     1→{begin}\n{}\n     9→{end}", numbered.join("\n")),
            format!(
                "{begin}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{}\n{end}",
                lines.join("\n")
            ),
        ] {
            let redacted = redact_text(&block);
            assert!(redacted.contains("[redacted:private-key:"), "{redacted}");
            for line in &lines {
                assert_gone(&redacted, line.trim_end_matches('='));
            }
            assert!(!redacted.contains("PRIVATE"), "{redacted}");
        }
    }
}

#[test]
fn private_key_with_a_missing_end_is_redacted() {
    let lines = key_lines();
    let begin = marker("BEGIN", "RSA ");
    for (newline, after) in [
        ("\n", "\n[output truncated]\n"),
        ("\\n", "\"}"),
        ("\n", ""),
        ("\n", "\n\nDone, see above.\n"),
    ] {
        let body = &lines[..4];
        let text = format!(
            "$ head key.pem\n{begin}{newline}{}{after}",
            body.join(newline)
        );
        let redacted = redact_text(&text);
        for line in body {
            assert_gone(&redacted, line);
        }
        assert!(
            redacted.starts_with("$ head key.pem\n[redacted:private-key:"),
            "{redacted}"
        );
        assert!(redacted.ends_with(after), "{redacted}");
    }
    let numbered: Vec<_> = lines
        .iter()
        .enumerate()
        .map(|(i, line)| format!("{:>6}\t{line}", i + 2))
        .collect();
    let redacted = redact_text(&format!("     1\t{begin}\n{}\n", numbered.join("\n"))).into_owned();
    for line in &lines {
        assert_gone(&redacted, line.trim_end_matches('='));
    }
}

#[test]
fn private_key_with_a_missing_start_is_redacted() {
    let lines = key_lines();
    let end = marker("END", "RSA ");
    for (before, newline) in [
        ("$ tail -n 4 key.pem\n", "\n"),
        ("[1200 characters omitted]\n", "\r\n"),
        ("", "\n"),
        ("stdout: \"", "\\n"),
    ] {
        let mut body = lines[4..].to_vec();
        body.push("Qk8=".into());
        let text = format!("{before}{}{newline}{end}\nDone.", body.join(newline));
        let redacted = redact_text(&text);
        for line in &body {
            assert!(!redacted.contains(line.trim_end_matches('=')), "{redacted}");
        }
        assert!(redacted.ends_with("]\nDone."), "{redacted}");
        assert!(redacted.starts_with(before), "{redacted}");
    }
    let words = format!("The file ends with a line that reads\n{end}\n");
    assert_eq!(redact_text(&words), words);
}

#[test]
fn private_key_without_markers_is_redacted_but_a_public_key_is_not() {
    let line = |seed| random(Alphabet::Base62, 64, seed);
    for start in [
        concat!("b3BlbnNzaC1r", "ZXktdjEAAAAA"),
        concat!("MIIEpAIBA", "AKCAQEA"),
        concat!("MIIEvQIBA", "DANBgkqhkiG9w0BAQEFAASC"),
    ] {
        let (first, second) = (format!("{start}{}", line(96)), line(97));
        let second = format!("{second}{}", random(Alphabet::Base62, start.len(), 98));
        let redacted = redact_text(&format!("{first}\n{second}\n")).into_owned();
        assert_gone(&redacted, &first);
        assert_gone(&redacted, &second);
    }
    let public = format!("MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A{}", line(99));
    assert_eq!(redact_text(&public), public);
}

#[test]
fn base64_private_key_is_redacted_but_a_certificate_is_not() {
    let private = concat!("LS0tLS1CRUdJTi", "BSU0EgUFJJVkFURSBLRVktLS0tLQ");
    let certificate = concat!("LS0tLS1CRUdJTi", "BDRVJUSUZJQ0FURS0tLS0tCk1JSUM");
    let rest = random(Alphabet::Base62, 400, 95);
    assert_gone(
        &redact_text(&format!("client-key-data: {private}{rest}")),
        &rest,
    );
    let public = format!("certificate-authority-data: {certificate}{rest}");
    assert_eq!(redact_text(&public), public);
}

#[test]
fn placeholders_are_equal_for_equal_secrets_only() {
    let (one, two) = (
        token(concat!("gh", "p_"), Alphabet::Base62, 36),
        token(concat!("gh", "o_"), Alphabet::Base62, 36),
    );
    let redacted = redact_text(&format!("{one} {one} {two}")).into_owned();
    let parts: Vec<_> = redacted.split(' ').collect();
    assert_eq!(parts[0], parts[1]);
    assert_ne!(parts[0], parts[2]);
}

#[test]
fn placeholders_depend_on_the_key() {
    let secret = token(concat!("gh", "p_"), Alphabet::Base62, 36);
    let keyed = becket_guard::redact::Redactor::with_key([7; 32]);
    assert_ne!(keyed.text(&secret), redact_text(&secret));
}

#[test]
fn matches_have_range_and_kind() {
    let secret = token(concat!("gh", "p_"), Alphabet::Base62, 36);
    let text = format!("é {secret} and password=hunter2x");
    let found = find(&text);
    let seen: Vec<_> = found
        .iter()
        .map(|found| (&text[found.range.clone()], found.kind))
        .collect();
    assert_eq!(
        seen,
        [
            (secret.as_str(), RedactionKind::GithubToken),
            ("hunter2x", RedactionKind::Password)
        ]
    );
}

/// Asserts that neither the secret nor any eight consecutive characters of it are left.
#[track_caller]
pub(crate) fn assert_gone(redacted: &str, secret: &str) {
    let random_part = secret.rsplit(['/', '.', '_']).next().unwrap_or(secret);
    let random_part = if random_part.len() < 8 {
        secret
    } else {
        random_part
    };
    let characters: Vec<char> = random_part.chars().collect();
    for window in characters.windows(8) {
        let piece: String = window.iter().collect();
        assert!(
            !redacted.contains(&piece),
            "{piece} of {secret} is left in {redacted}"
        );
    }
}

#[test]
fn credential_file_lines_are_redacted_in_any_output() {
    for (text, secret) in [
        (
            "machine db.example.com login ana password s3cNETRC9",
            "s3cNETRC9",
        ),
        (
            "machine db.example.com\n  login ana\n  password s3cNETRC9\n",
            "s3cNETRC9",
        ),
        ("default login ana password s3cNETRC9", "s3cNETRC9"),
        (
            "machine db.example.com password s3cNETRC9 login ana",
            "s3cNETRC9",
        ),
        ("db:5432:shop:ana:Tr0ub4PGPASS", "Tr0ub4PGPASS"),
        ("# a comment\n*:*:*:postgres:Tr0ub4PGPASS\n", "Tr0ub4PGPASS"),
        (
            "export X_TOKEN=\\\n  Zk3v9Qm2Lx7Rt5Wb8Yc1",
            "Zk3v9Qm2Lx7Rt5Wb8Yc1",
        ),
        ("export DB_PASSWORD=\\\nTr0ub4dor3", "Tr0ub4dor3"),
        (
            "Private-Lines: 2\nAAAAgQDx0aB\nQm2Lx7Rt5Wb8Yc1=\nPrivate-MAC: 1f",
            "Qm2Lx7Rt5Wb8Yc1=",
        ),
    ] {
        let redacted = redact_text(text);
        assert!(!redacted.contains(secret), "{redacted}");
        assert_eq!(
            redact_text(&redacted),
            redacted,
            "a second time changes nothing"
        );
    }
}

#[test]
fn credential_file_lookalikes_stay() {
    for text in [
        "the login form password field is empty",
        "this machine asks for a login and password twice",
        "src/main.rs:5432:17:warning:unused",
        "web:5432:shop",
        "a:5432:b:c:d:e",
        "tcp:6543:x:y:two words",
        "db:5432:shop:ana:$PGPASSWORD",
        "Private-Lines: see the manual",
        "machine x login y password ****",
    ] {
        assert_eq!(redact_text(text), text);
    }
}
