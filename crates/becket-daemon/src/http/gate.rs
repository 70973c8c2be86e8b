//! Who gets in: the right host, no foreign page, and the token.
//!
//! A page in a browser can reach loopback, so being local proves nothing. A name that resolves to
//! loopback (DNS rebinding) shows itself in `Host`, a foreign page in `Origin`; neither knows the token.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::token::Token;

/// What the gate checks against.
#[derive(Debug, Clone)]
pub struct Gate {
    token: Token,
    port: u16,
}

/// Why somebody is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Refusal {
    Host,
    Origin,
    Token,
}

impl Gate {
    /// A gate in front of `127.0.0.1:port`.
    pub fn new(token: Token, port: u16) -> Arc<Self> {
        Arc::new(Self { token, port })
    }

    fn check(&self, method: &Method, path: &str, headers: &HeaderMap) -> Result<(), Refusal> {
        if !self.is_own_host(headers) {
            return Err(Refusal::Host);
        }
        if !self.is_own_origin(headers) {
            return Err(Refusal::Origin);
        }
        if is_open(method, path) || self.has_token(headers) {
            return Ok(());
        }
        Err(Refusal::Token)
    }

    fn is_own_host(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(header::HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            // HTTP/2 carries it in the request line; hyper has put it into the URI, and there is none.
            return headers.get(header::HOST).is_none();
        };
        host.to_str().is_ok_and(|host| self.is_own_authority(host))
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

/// What anybody on this machine may know.
fn is_open(method: &Method, path: &str) -> bool {
    method == Method::GET && path == "/api/health"
}

/// The middleware.
pub async fn guard(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let authority = request.uri().authority().map(|a| a.as_str().to_owned());
    let foreign = authority.is_some_and(|authority| !gate.is_own_authority(&authority));
    let refusal = if foreign {
        Err(Refusal::Host)
    } else {
        gate.check(request.method(), request.uri().path(), request.headers())
    };
    match refusal {
        Ok(()) => harden(next.run(request).await),
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
        (Gate::new(token, 4711), digits)
    }

    fn headers(list: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in list {
            headers.append(*name, value.parse().expect("a header"));
        }
        headers
    }

    #[test]
    fn only_own_names_own_pages_and_the_token_get_in() {
        let (gate, token) = gate();
        let bearer = format!("Bearer {token}");
        let cut = format!("Bearer {}", &token[1..]);
        let own = "127.0.0.1:4711";
        let good = ("authorization", bearer.as_str());
        for (given, expected) in [
            (vec![("host", own), good], Ok(())),
            (vec![("host", "localhost:4711"), good], Ok(())),
            (
                vec![("host", own), good, ("origin", "http://localhost:4711")],
                Ok(()),
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
            let found = gate.check(&Method::POST, "/api/v1/sessions", &headers(&given));
            assert_eq!(found, expected, "{given:?}");
        }
    }

    #[test]
    fn health_is_for_everybody_on_this_machine_but_only_to_read() {
        let (gate, _) = gate();
        let headers = headers(&[("host", "127.0.0.1:4711")]);
        assert_eq!(gate.check(&Method::GET, "/api/health", &headers), Ok(()));
        assert_eq!(
            gate.check(&Method::POST, "/api/health", &headers),
            Err(Refusal::Token)
        );
    }
}
