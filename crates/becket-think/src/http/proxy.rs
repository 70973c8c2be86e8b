//! The proxy from the environment, used only if the configuration enables it.

use ureq::Proxy;

use super::client::HttpError;
use crate::settings::EnvLookup;

/// The proxy for a request; `None` if the environment names none or excludes the host.
pub(super) fn proxy_for(
    env: &EnvLookup,
    scheme: &str,
    host: &str,
) -> Result<Option<Proxy>, HttpError> {
    let either = |name: &str| {
        let upper = name.to_ascii_uppercase();
        env.get(name).or_else(|| env.get(&upper))
    };
    let excepted = either("no_proxy").is_some_and(|list| matches_no_proxy(&list, host));
    let Some(url) = either(&format!("{scheme}_proxy")).or_else(|| either("all_proxy")) else {
        return Ok(None);
    };
    if excepted {
        return Ok(None);
    }
    let url = url.trim();
    let lower = url.to_ascii_lowercase();
    let known = !lower.contains("://")
        || ["http://", "https://"]
            .iter()
            .any(|it| lower.starts_with(it));
    // The URL of a proxy may contain a password, so the error does not repeat it.
    let proxy = known.then(|| Proxy::new(url).ok()).flatten();
    proxy.map(Some).ok_or(HttpError::BadProxy)
}

/// Matches a `NO_PROXY` list: `*`, `host`, `domain` or `.domain`, separated by commas.
fn matches_no_proxy(list: &str, host: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    list.split(',').map(str::trim).any(|one| {
        let domain = one
            .trim_start_matches("*.")
            .trim_start_matches('.')
            .to_ascii_lowercase();
        one == "*"
            || (!domain.is_empty() && (host == domain || host.ends_with(&format!(".{domain}"))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proxy_is_selected_by_scheme_and_no_proxy() {
        let env = EnvLookup::from_pairs([
            ("HTTPS_PROXY", "http://secure.example:3128"),
            ("all_proxy", "http://any.example:3128"),
            ("NO_PROXY", "localhost, .corp.example,*.lab.example"),
        ]);
        for (scheme, host, expected) in [
            ("https", "a.example", Some("secure.example")),
            ("http", "a.example", Some("any.example")),
            ("http", "localhost", None),
            ("https", "git.corp.example", None),
            ("https", "corp.example", None),
            ("https", "notcorp.example", Some("secure.example")),
            ("https", "x.lab.example.", None),
        ] {
            let found = proxy_for(&env, scheme, host).expect("a proxy or none");
            assert_eq!(found.as_ref().map(Proxy::host), expected, "{scheme} {host}");
        }
        assert!(
            proxy_for(&EnvLookup::from_pairs([]), "https", "h")
                .expect("none")
                .is_none()
        );
    }

    #[test]
    fn invalid_proxy_error_omits_the_password() {
        for url in ["socks5://u:s3cret@h:1", "http://", "::"] {
            let env = EnvLookup::from_pairs([("https_proxy", url)]);
            let error = proxy_for(&env, "https", "h").expect_err(url).to_string();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
