//! The proxy that the environment names, for those who ask for it.

use ureq::Proxy;

use super::client::HttpError;
use crate::settings::Env;

/// The proxy for a request, unless the environment excepts its host.
pub(super) fn find(env: &Env, scheme: &str, host: &str) -> Result<Option<Proxy>, HttpError> {
    let either = |name: &str| {
        let upper = name.to_ascii_uppercase();
        env.get(name).or_else(|| env.get(&upper))
    };
    let excepted = either("no_proxy").is_some_and(|list| excepts(&list, host));
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
    // The address of a proxy may hold a password.
    let proxy = known.then(|| Proxy::new(url).ok()).flatten();
    proxy.map(Some).ok_or(HttpError::BadProxy)
}

/// `*`, `host`, `domain` and `.domain` for all below it, separated by commas.
fn excepts(list: &str, host: &str) -> bool {
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
    fn the_environment_names_a_proxy_by_scheme_and_excepts_hosts() {
        let env = Env::of([
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
            let found = find(&env, scheme, host).expect("a proxy or none");
            assert_eq!(found.as_ref().map(Proxy::host), expected, "{scheme} {host}");
        }
        assert!(find(&Env::of([]), "https", "h").expect("none").is_none());
    }

    #[test]
    fn a_proxy_that_cannot_be_used_is_told_without_its_password() {
        for url in ["socks5://u:s3cret@h:1", "http://", "::"] {
            let env = Env::of([("https_proxy", url)]);
            let error = find(&env, "https", "h").expect_err(url).to_string();
            assert!(!error.contains("s3cret"), "{error}");
        }
    }
}
