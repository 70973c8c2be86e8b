//! Authentication of HTTP requests: `Host`, `Origin`, and the bearer token or, for the dashboard, a cookie.
//!
//! Any web page can send requests to loopback, so a local client is not trusted. The `Host` header reveals DNS
//! rebinding, the `Origin` header reveals a page of another site; neither has the token.
//!
//! A browser sends the cookie with every request to this port, so a cookie is worth less than the token: it is accepted
//! for Becket's own API only, and for changes only with the `Origin` of the dashboard (CSRF protection).

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use becket_store::Millis;
use serde_json::json;

use super::pages;
use super::unauthenticated::TrackedConnection;
use crate::counters::Counters;
use crate::login::Logins;
use crate::token::Token;

/// The name of the cookie.
pub(super) const COOKIE: &str = "becket_session";

/// The credentials and the port that requests are checked against.
#[derive(Debug)]
pub struct Authenticator {
    token: Token,
    logins: Arc<Logins>,
    port: u16,
    counters: Arc<Counters>,
}

/// An authenticated caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caller {
    /// A person, with the dashboard in a browser.
    Person,
    /// A program with the token, such as an agent's shell; any client, for public paths.
    Program,
}

/// Why a request is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AuthError {
    Host,
    Origin,
    /// A change without proof that the dashboard sent it.
    Forged,
    Token,
}

impl Authenticator {
    /// An authenticator for `127.0.0.1:port`.
    pub fn new(token: Token, logins: Arc<Logins>, port: u16, counters: Arc<Counters>) -> Arc<Self> {
        Arc::new(Self {
            token,
            logins,
            port,
            counters,
        })
    }

    fn reject(&self, error: AuthError) -> Response {
        self.counters.refused.add(1);
        error_response(error)
    }

    fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Caller, AuthError> {
        let path = uri.path();
        if !self.is_expected_host(uri, headers) {
            return Err(AuthError::Host);
        }
        if !self.is_expected_origin(headers) {
            return Err(AuthError::Origin);
        }
        if is_public(method, path) || self.has_token(headers) {
            return Ok(Caller::Program);
        }
        if !accepts_cookie(path) || !self.has_cookie(headers) {
            return Err(AuthError::Token);
        }
        if is_same_site(method, headers) {
            Ok(Caller::Person)
        } else {
            Err(AuthError::Forged)
        }
    }

    /// HTTP/2 has the host in the request line, which hyper puts into the URI; a `Host` header is then optional.
    fn is_expected_host(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let requested = uri.authority().map(Authority::as_str);
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (None, _) => requested,
            (Some(host), None) => host.to_str().ok(),
            _ => None,
        };
        let is_own = |authority| self.is_expected_authority(authority);
        host.is_some_and(is_own) && requested.is_none_or(is_own)
    }

    fn is_expected_authority(&self, authority: &str) -> bool {
        let Some((name, port)) = authority.rsplit_once(':') else {
            return false;
        };
        port.parse() == Ok(self.port) && matches!(name, "127.0.0.1" | "localhost" | "[::1]")
    }

    /// Programs send no origin; the dashboard sends its own.
    fn is_expected_origin(&self, headers: &HeaderMap) -> bool {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        origins.all(|origin| {
            origin
                .to_str()
                .ok()
                .and_then(|origin| origin.strip_prefix("http://"))
                .is_some_and(|authority| self.is_expected_authority(authority))
        })
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let now = Millis::now();
        cookies(headers).any(|cookie| self.logins.is_valid_cookie(cookie, now))
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.split_once(' '))
            .is_some_and(|(scheme, token)| {
                scheme.eq_ignore_ascii_case("bearer") && self.token.matches(token.trim())
            })
    }
}

/// Paths that need no authentication: health, the dashboard's files, and the login.
fn is_public(method: &Method, path: &str) -> bool {
    match *method {
        Method::GET => path == "/api/health" || pages::is_dashboard_path(path),
        Method::HEAD => pages::is_dashboard_path(path),
        Method::POST => path == "/api/login",
        _ => false,
    }
}

/// Paths for which a cookie is accepted.
fn accepts_cookie(path: &str) -> bool {
    path.starts_with("/api/v1/") || path == "/api/logout"
}

/// Whether the dashboard sent the request, according to the browser's headers. The check of `Origin` has rejected
/// other origins already.
fn is_same_site(method: &Method, headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all("sec-fetch-site").iter();
    let is_own = sites.all(|site| site == "same-origin" || site == "none");
    let changes = !matches!(*method, Method::GET | Method::HEAD);
    is_own && (!changes || headers.contains_key(header::ORIGIN))
}

/// All values of the cookie; a page on another port of this machine can add its own.
pub(super) fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(header::COOKIE).into_iter();
    let pairs = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'));
    pairs
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(name, _)| *name == COOKIE)
        .map(|(_, value)| value)
        .take(MAX_COOKIES)
}

/// Further cookies are ignored.
const MAX_COOKIES: usize = 8;

/// The authentication middleware.
pub async fn authenticate(
    State(auth): State<Arc<Authenticator>>,
    mut request: Request,
    next: Next,
) -> Response {
    let (method, uri) = (request.method(), request.uri());
    let checked = auth.check(method, uri, request.headers());
    // Only a path that needs authentication proves that the connection is authenticated.
    if checked.is_ok()
        && !is_public(method, uri.path())
        && let Some(connection) = request.extensions().get::<Arc<TrackedConnection>>()
    {
        connection.mark_authenticated();
    }
    match checked {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            add_security_headers(next.run(request).await)
        }
        Err(AuthError::Token) => {
            let page =
                pages::not_found_page(request.method(), request.uri().path(), request.headers());
            page.map_or_else(|| auth.reject(AuthError::Token), add_security_headers)
        }
        Err(error) => auth.reject(error),
    }
}

fn error_response(error: AuthError) -> Response {
    let (status, message) = match error {
        AuthError::Host => (
            StatusCode::FORBIDDEN,
            "the Host header must be 127.0.0.1 or localhost with the daemon's port",
        ),
        AuthError::Origin => (
            StatusCode::FORBIDDEN,
            "requests from pages of other origins are rejected",
        ),
        AuthError::Forged => (
            StatusCode::FORBIDDEN,
            "a change with a cookie needs the Origin of the dashboard",
        ),
        AuthError::Token => (StatusCode::UNAUTHORIZED, "the token is missing or invalid"),
    };
    let body = axum::Json(json!({ "error": message }));
    let mut response = (status, body).into_response();
    if error == AuthError::Token {
        let bearer = header::HeaderValue::from_static("Bearer");
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, bearer);
    }
    add_security_headers(response)
}

/// Forbids framing, caching and content type sniffing.
fn add_security_headers(mut response: Response) -> Response {
    let headers = response.headers_mut();
    for (name, value) in [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.insert(name, header::HeaderValue::from_static(value));
    }
    headers
        .entry(header::CACHE_CONTROL)
        .or_insert(header::HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auth() -> (Arc<Authenticator>, String) {
        let token = Token::random().expect("random");
        let digits = token.expose().to_owned();
        let logins = Logins::open("/nonexistent/logins".into());
        let auth = Authenticator::new(token, Arc::new(logins), 4711, Arc::default());
        (auth, digits)
    }

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            headers.append(*name, value.parse().expect("a header"));
        }
        headers
    }

    fn uri(text: &str) -> Uri {
        text.parse().expect("a URI")
    }

    #[test]
    fn host_origin_and_token_are_checked() {
        let (auth, token) = auth();
        let bearer = format!("Bearer {token}");
        let cut = format!("Bearer {}", &token[1..]);
        let own = "127.0.0.1:4711";
        let good = ("authorization", bearer.as_str());
        for (given, expected) in [
            (vec![("host", own), good], Ok(Caller::Program)),
            (vec![("host", "localhost:4711"), good], Ok(Caller::Program)),
            (
                vec![("host", own), good, ("origin", "http://localhost:4711")],
                Ok(Caller::Program),
            ),
            (vec![("host", own)], Err(AuthError::Token)),
            (
                vec![("host", own), ("authorization", cut.as_str())],
                Err(AuthError::Token),
            ),
            (
                vec![("host", own), ("authorization", "Bearer")],
                Err(AuthError::Token),
            ),
            (
                vec![("host", own), ("authorization", token.as_str())],
                Err(AuthError::Token),
            ),
            (
                vec![("host", "evil.example:4711"), good],
                Err(AuthError::Host),
            ),
            (vec![("host", "127.0.0.1"), good], Err(AuthError::Host)),
            (
                vec![("host", "127.0.0.1.evil.example:4711"), good],
                Err(AuthError::Host),
            ),
            (
                vec![("host", own), ("host", own), good],
                Err(AuthError::Host),
            ),
            (
                vec![("host", own), good, ("origin", "http://evil.example")],
                Err(AuthError::Origin),
            ),
            (
                vec![("host", own), good, ("origin", "https://localhost:4711")],
                Err(AuthError::Origin),
            ),
            (
                vec![("host", own), good, ("origin", "null")],
                Err(AuthError::Origin),
            ),
        ] {
            let found = auth.check(&Method::POST, &uri("/api/v1/sessions"), &headers(&given));
            assert_eq!(found, expected, "{given:?}");
        }
    }

    /// HTTP/2 has the host in the request line; HTTP/1 must have the header.
    #[test]
    fn host_is_checked_in_the_header_and_the_request_line() {
        let (auth, _) = auth();
        let (own, localhost) = ("http://127.0.0.1:4711", "http://localhost:4711");
        for (base, host, expected) in [
            ("", Some("127.0.0.1:4711"), Ok(Caller::Program)),
            ("", None, Err(AuthError::Host)),
            (own, None, Ok(Caller::Program)),
            (own, Some("localhost:4711"), Ok(Caller::Program)),
            (localhost, None, Ok(Caller::Program)),
            (own, Some("evil.example:4711"), Err(AuthError::Host)),
            ("http://evil.example:4711", None, Err(AuthError::Host)),
            (
                "http://evil.example:4711",
                Some("127.0.0.1:4711"),
                Err(AuthError::Host),
            ),
        ] {
            let named: Vec<_> = host.into_iter().map(|host| ("host", host)).collect();
            let found = auth.check(
                &Method::GET,
                &uri(&format!("{base}/api/health")),
                &headers(&named),
            );
            assert_eq!(found, expected, "{base} {host:?}");
        }
    }

    #[test]
    fn health_needs_no_token_for_get_only() {
        let (auth, _) = auth();
        let headers = headers(&[("host", "127.0.0.1:4711")]);
        assert_eq!(
            auth.check(&Method::GET, &uri("/api/health"), &headers),
            Ok(Caller::Program)
        );
        assert_eq!(
            auth.check(&Method::POST, &uri("/api/health"), &headers),
            Err(AuthError::Token)
        );
    }

    #[test]
    fn cookie_is_accepted_for_the_api_and_for_changes_only_with_the_dashboard_origin() {
        let dir = tempfile::tempdir().expect("a directory");
        let logins = Logins::open(dir.path().join("logins"));
        let now = std::time::Instant::now();
        let code = logins.issue_code(now).expect("a code");
        let cookie = logins.redeem(&code, now, Millis::now()).expect("kept");
        let cookie = format!("a=b; {COOKIE}={}", cookie.expect("a cookie"));
        let token = Token::random().expect("random");
        let auth = Authenticator::new(token, Arc::new(logins), 4711, Arc::default());
        let ours = ("origin", "http://127.0.0.1:4711");
        let other = ("origin", "http://127.0.0.1:8080");
        let (get, post) = (Method::GET, Method::POST);
        let sessions = "/api/v1/sessions";
        for (method, path, more, expected) in [
            (&get, sessions, vec![], Ok(Caller::Person)),
            (
                &get,
                sessions,
                vec![("sec-fetch-site", "same-origin")],
                Ok(Caller::Person),
            ),
            (
                &get,
                sessions,
                vec![("sec-fetch-site", "same-site")],
                Err(AuthError::Forged),
            ),
            (&get, sessions, vec![other], Err(AuthError::Origin)),
            (&post, sessions, vec![ours], Ok(Caller::Person)),
            (&post, sessions, vec![], Err(AuthError::Forged)),
            (&post, sessions, vec![other], Err(AuthError::Origin)),
            (
                &post,
                sessions,
                vec![ours, ("sec-fetch-site", "cross-site")],
                Err(AuthError::Forged),
            ),
            (&Method::DELETE, sessions, vec![], Err(AuthError::Forged)),
            (&post, "/api/logout", vec![ours], Ok(Caller::Person)),
            (&post, "/api/logout", vec![], Err(AuthError::Forged)),
            (
                &post,
                "/api/oak/ci/prompt-submit",
                vec![ours],
                Err(AuthError::Token),
            ),
            (&get, "/api/v1", vec![ours], Err(AuthError::Token)),
            (&get, "/rpc", vec![ours], Err(AuthError::Token)),
            (&post, "/mcp", vec![ours], Err(AuthError::Token)),
            (&post, "/v1/logs", vec![ours], Err(AuthError::Token)),
            (&get, "/metrics", vec![ours], Err(AuthError::Token)),
        ] {
            let mut given = vec![("host", "127.0.0.1:4711"), ("cookie", cookie.as_str())];
            given.extend(more);
            let found = auth.check(method, &uri(path), &headers(&given));
            assert_eq!(found, expected, "{method} {path} {:?}", &given[2..]);
        }
        let wrong = format!("{COOKIE}=0; {COOKIE}=");
        let given = [("host", "127.0.0.1:4711"), ("cookie", wrong.as_str())];
        let found = auth.check(&get, &uri(sessions), &headers(&given));
        assert_eq!(found, Err(AuthError::Token));
    }
}
