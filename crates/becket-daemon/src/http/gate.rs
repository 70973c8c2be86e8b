//! Who gets in: the right host, no foreign page, and the token or, for the dashboard, a cookie.
//!
//! A page in a browser can reach loopback, so being local proves nothing. A name that resolves to
//! loopback (DNS rebinding) shows itself in `Host`, a foreign page in `Origin`; neither knows the token.
//!
//! A browser sends its cookie along with whatever a page asks for, so a cookie proves less than the token: it is good
//! for Becket's own API alone, and for changes only together with the `Origin` of a page of ours.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use becket_store::Millis;
use serde_json::json;

use super::guests::Guest;
use super::pages;
use crate::login::Logins;
use crate::token::Token;

/// The name of the cookie.
pub(super) const COOKIE: &str = "becket_session";

/// What the gate checks against.
#[derive(Debug)]
pub struct Gate {
    token: Token,
    logins: Arc<Logins>,
    port: u16,
}

/// Who was let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Visitor {
    /// A page of ours in the browser of a person.
    Person,
    /// Whoever can read the token, such as an agent's shell; or anybody, where that is enough.
    Program,
}

/// Why somebody is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Host,
    Origin,
    /// A change that may not have been asked for by a page of ours.
    Forged,
    Token,
}

impl Gate {
    /// A gate in front of `127.0.0.1:port`.
    pub fn new(token: Token, logins: Arc<Logins>, port: u16) -> Arc<Self> {
        Arc::new(Self {
            token,
            logins,
            port,
        })
    }

    fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<Visitor, Refusal> {
        let path = uri.path();
        if !self.is_own_host(uri, headers) {
            return Err(Refusal::Host);
        }
        if !self.is_own_origin(headers) {
            return Err(Refusal::Origin);
        }
        if is_open(method, path) || self.has_token(headers) {
            return Ok(Visitor::Program);
        }
        if !is_for_browsers(path) || !self.has_cookie(headers) {
            return Err(Refusal::Token);
        }
        if is_from_here(method, headers) {
            Ok(Visitor::Person)
        } else {
            Err(Refusal::Forged)
        }
    }

    /// HTTP/2 names the host in the request line, which hyper has put into the URI, and needs no header beside it.
    fn is_own_host(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let asked = uri.authority().map(Authority::as_str);
        let mut hosts = headers.get_all(header::HOST).iter();
        let host = match (hosts.next(), hosts.next()) {
            (None, _) => asked,
            (Some(host), None) => host.to_str().ok(),
            _ => None,
        };
        let is_own = |authority| self.is_own_authority(authority);
        host.is_some_and(is_own) && asked.is_none_or(is_own)
    }

    fn is_own_authority(&self, authority: &str) -> bool {
        let Some((name, port)) = authority.rsplit_once(':') else {
            return false;
        };
        port.parse() == Ok(self.port) && matches!(name, "127.0.0.1" | "localhost" | "[::1]")
    }

    /// Programs send no origin; a page of ours sends ours.
    fn is_own_origin(&self, headers: &HeaderMap) -> bool {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        origins.all(|origin| {
            origin
                .to_str()
                .ok()
                .and_then(|origin| origin.strip_prefix("http://"))
                .is_some_and(|authority| self.is_own_authority(authority))
        })
    }

    fn has_cookie(&self, headers: &HeaderMap) -> bool {
        let now = Millis::now();
        cookies(headers).any(|cookie| self.logins.knows(cookie, now))
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        headers
            .get(header::AUTHORIZATION)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.split_once(' '))
            .is_some_and(|(scheme, token)| {
                scheme.eq_ignore_ascii_case("bearer") && self.token.is(token.trim())
            })
    }
}

/// What anybody on this machine may know, and where a browser shows its code.
fn is_open(method: &Method, path: &str) -> bool {
    match *method {
        Method::GET => path == "/api/health" || pages::is_ours(path),
        Method::HEAD => pages::is_ours(path),
        Method::POST => path == "/api/login",
        _ => false,
    }
}

/// What a cookie is good for.
fn is_for_browsers(path: &str) -> bool {
    path.starts_with("/api/v1/") || path == "/api/logout"
}

/// Whether a page of ours asks, as far as browsers tell. An origin that is there is our own: others are refused before.
fn is_from_here(method: &Method, headers: &HeaderMap) -> bool {
    let mut sites = headers.get_all("sec-fetch-site").iter();
    let is_own = sites.all(|site| site == "same-origin" || site == "none");
    let changes = !matches!(*method, Method::GET | Method::HEAD);
    is_own && (!changes || headers.contains_key(header::ORIGIN))
}

/// Every cookie of ours; a page on another port of this machine can add one of its own.
pub(super) fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lines = headers.get_all(header::COOKIE).into_iter();
    let pairs = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(';'));
    pairs
        .filter_map(|pair| pair.trim().split_once('='))
        .filter(|(name, _)| *name == COOKIE)
        .map(|(_, value)| value)
        .take(MOST_COOKIES)
}

/// More are not looked at.
const MOST_COOKIES: usize = 8;

/// The middleware.
pub async fn guard(State(gate): State<Arc<Gate>>, mut request: Request, next: Next) -> Response {
    let (method, uri) = (request.method(), request.uri());
    let checked = gate.check(method, uri, request.headers());
    // Who gets in where not everybody does is known.
    if checked.is_ok()
        && !is_open(method, uri.path())
        && let Some(guest) = request.extensions().get::<Arc<Guest>>()
    {
        guest.is_known();
    }
    match checked {
        Ok(visitor) => {
            request.extensions_mut().insert(visitor);
            harden(next.run(request).await)
        }
        Err(Refusal::Token) => {
            let page = pages::mistyped(request.method(), request.uri().path(), request.headers());
            page.map_or_else(|| refuse(Refusal::Token), harden)
        }
        Err(refusal) => refuse(refusal),
    }
}

fn refuse(refusal: Refusal) -> Response {
    let (status, message) = match refusal {
        Refusal::Host => (StatusCode::FORBIDDEN, "this host name is not served here"),
        Refusal::Origin => (
            StatusCode::FORBIDDEN,
            "pages of other origins are not served",
        ),
        Refusal::Forged => (
            StatusCode::FORBIDDEN,
            "a change by cookie needs the Origin of a page of this daemon",
        ),
        Refusal::Token => (StatusCode::UNAUTHORIZED, "the token is missing or wrong"),
    };
    let body = axum::Json(json!({ "error": message }));
    let mut response = (status, body).into_response();
    if refusal == Refusal::Token {
        let bearer = header::HeaderValue::from_static("Bearer");
        response
            .headers_mut()
            .insert(header::WWW_AUTHENTICATE, bearer);
    }
    harden(response)
}

/// Nothing here is for frames, caches or guesses about content.
fn harden(mut response: Response) -> Response {
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

    fn gate() -> (Arc<Gate>, String) {
        let token = Token::random().expect("random");
        let digits = token.expose().to_owned();
        let logins = Logins::open("/nonexistent/logins".into());
        (Gate::new(token, Arc::new(logins), 4711), digits)
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
    fn only_own_names_own_pages_and_the_token_get_in() {
        let (gate, token) = gate();
        let bearer = format!("Bearer {token}");
        let cut = format!("Bearer {}", &token[1..]);
        let own = "127.0.0.1:4711";
        let good = ("authorization", bearer.as_str());
        for (given, expected) in [
            (vec![("host", own), good], Ok(Visitor::Program)),
            (vec![("host", "localhost:4711"), good], Ok(Visitor::Program)),
            (
                vec![("host", own), good, ("origin", "http://localhost:4711")],
                Ok(Visitor::Program),
            ),
            (vec![("host", own)], Err(Refusal::Token)),
            (
                vec![("host", own), ("authorization", cut.as_str())],
                Err(Refusal::Token),
            ),
            (
                vec![("host", own), ("authorization", "Bearer")],
                Err(Refusal::Token),
            ),
            (
                vec![("host", own), ("authorization", token.as_str())],
                Err(Refusal::Token),
            ),
            (
                vec![("host", "evil.example:4711"), good],
                Err(Refusal::Host),
            ),
            (vec![("host", "127.0.0.1"), good], Err(Refusal::Host)),
            (
                vec![("host", "127.0.0.1.evil.example:4711"), good],
                Err(Refusal::Host),
            ),
            (vec![("host", own), ("host", own), good], Err(Refusal::Host)),
            (
                vec![("host", own), good, ("origin", "http://evil.example")],
                Err(Refusal::Origin),
            ),
            (
                vec![("host", own), good, ("origin", "https://localhost:4711")],
                Err(Refusal::Origin),
            ),
            (
                vec![("host", own), good, ("origin", "null")],
                Err(Refusal::Origin),
            ),
        ] {
            let found = gate.check(&Method::POST, &uri("/api/v1/sessions"), &headers(&given));
            assert_eq!(found, expected, "{given:?}");
        }
    }

    /// HTTP/2 has a host in its request line instead; HTTP/1 has nothing instead.
    #[test]
    fn a_host_is_named_in_one_place_or_the_other_and_is_ours_in_both() {
        let (gate, _) = gate();
        let (own, localhost) = ("http://127.0.0.1:4711", "http://localhost:4711");
        for (base, host, expected) in [
            ("", Some("127.0.0.1:4711"), Ok(Visitor::Program)),
            ("", None, Err(Refusal::Host)),
            (own, None, Ok(Visitor::Program)),
            (own, Some("localhost:4711"), Ok(Visitor::Program)),
            (localhost, None, Ok(Visitor::Program)),
            (own, Some("evil.example:4711"), Err(Refusal::Host)),
            ("http://evil.example:4711", None, Err(Refusal::Host)),
            (
                "http://evil.example:4711",
                Some("127.0.0.1:4711"),
                Err(Refusal::Host),
            ),
        ] {
            let named: Vec<_> = host.into_iter().map(|host| ("host", host)).collect();
            let found = gate.check(
                &Method::GET,
                &uri(&format!("{base}/api/health")),
                &headers(&named),
            );
            assert_eq!(found, expected, "{base} {host:?}");
        }
    }

    #[test]
    fn health_is_for_everybody_on_this_machine_but_only_to_read() {
        let (gate, _) = gate();
        let headers = headers(&[("host", "127.0.0.1:4711")]);
        assert_eq!(
            gate.check(&Method::GET, &uri("/api/health"), &headers),
            Ok(Visitor::Program)
        );
        assert_eq!(
            gate.check(&Method::POST, &uri("/api/health"), &headers),
            Err(Refusal::Token)
        );
    }

    #[test]
    fn a_cookie_is_good_for_the_api_and_for_changes_only_from_a_page_of_ours() {
        let dir = tempfile::tempdir().expect("a directory");
        let logins = Logins::open(dir.path().join("logins"));
        let now = std::time::Instant::now();
        let code = logins.code(now).expect("a code");
        let cookie = logins.redeem(&code, now, Millis::now()).expect("kept");
        let cookie = format!("a=b; {COOKIE}={}", cookie.expect("a cookie"));
        let token = Token::random().expect("random");
        let gate = Gate::new(token, Arc::new(logins), 4711);
        let ours = ("origin", "http://127.0.0.1:4711");
        let other = ("origin", "http://127.0.0.1:8080");
        let (get, post) = (Method::GET, Method::POST);
        let sessions = "/api/v1/sessions";
        for (method, path, more, expected) in [
            (&get, sessions, vec![], Ok(Visitor::Person)),
            (
                &get,
                sessions,
                vec![("sec-fetch-site", "same-origin")],
                Ok(Visitor::Person),
            ),
            (
                &get,
                sessions,
                vec![("sec-fetch-site", "same-site")],
                Err(Refusal::Forged),
            ),
            (&get, sessions, vec![other], Err(Refusal::Origin)),
            (&post, sessions, vec![ours], Ok(Visitor::Person)),
            (&post, sessions, vec![], Err(Refusal::Forged)),
            (&post, sessions, vec![other], Err(Refusal::Origin)),
            (
                &post,
                sessions,
                vec![ours, ("sec-fetch-site", "cross-site")],
                Err(Refusal::Forged),
            ),
            (&Method::DELETE, sessions, vec![], Err(Refusal::Forged)),
            (&post, "/api/logout", vec![ours], Ok(Visitor::Person)),
            (&post, "/api/logout", vec![], Err(Refusal::Forged)),
            (
                &post,
                "/api/oak/ci/prompt-submit",
                vec![ours],
                Err(Refusal::Token),
            ),
            (&get, "/api/v1", vec![ours], Err(Refusal::Token)),
            (&get, "/rpc", vec![ours], Err(Refusal::Token)),
            (&post, "/mcp", vec![ours], Err(Refusal::Token)),
            (&post, "/v1/logs", vec![ours], Err(Refusal::Token)),
            (&get, "/metrics", vec![ours], Err(Refusal::Token)),
        ] {
            let mut given = vec![("host", "127.0.0.1:4711"), ("cookie", cookie.as_str())];
            given.extend(more);
            let found = gate.check(method, &uri(path), &headers(&given));
            assert_eq!(found, expected, "{method} {path} {:?}", &given[2..]);
        }
        let wrong = format!("{COOKIE}=0; {COOKIE}=");
        let given = [("host", "127.0.0.1:4711"), ("cookie", wrong.as_str())];
        let found = gate.check(&get, &uri(sessions), &headers(&given));
        assert_eq!(found, Err(Refusal::Token));
    }
}
