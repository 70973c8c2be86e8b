//! The dashboard: four files that hold no data, so that anybody on this machine may have them.

use std::io::Write;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::run::Daemon;

/// Nothing but what comes from here, and nothing inline.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// Where the app shows one of its pages.
const PAGES: [&str; 9] = [
    "/",
    "/live",
    "/sessions",
    "/decisions",
    "/hooks",
    "/memory",
    "/insight",
    "/settings",
    "/login",
];
const OF_SESSION: &str = "/sessions/";

static INDEX: LazyLock<Page> = LazyLock::new(|| {
    let text = include_bytes!("../../../../web/dist/index.html");
    Page::new("text/html; charset=utf-8", text)
});
static SCRIPT: LazyLock<Page> = LazyLock::new(|| {
    let text = include_bytes!("../../../../web/dist/app.js");
    Page::new("text/javascript; charset=utf-8", text)
});
static STYLE: LazyLock<Page> = LazyLock::new(|| {
    let text = include_bytes!("../../../../web/dist/app.css");
    Page::new("text/css; charset=utf-8", text)
});
static ICON: LazyLock<Page> = LazyLock::new(|| {
    let text = include_bytes!("../../../../web/dist/favicon.svg");
    Page::new("image/svg+xml", text)
});

const FILES: [(&str, &LazyLock<Page>); 4] = [
    ("/app.js", &SCRIPT),
    ("/app.css", &STYLE),
    ("/favicon.svg", &ICON),
    // Browsers ask for it unbidden; they look at what it is and not at its name.
    ("/favicon.ico", &ICON),
];

/// What is not for eyes; an address below one of these that does not exist is told so in its own way.
const SERVICES: [&str; 5] = ["/api", "/rpc", "/mcp", "/v1", "/metrics"];

/// The app, for an address that somebody mistyped: it says that there is no such page, and how to go on. Nothing for programs,
/// which take no pages, and for what is no page.
pub(super) fn mistyped(method: &Method, path: &str, headers: &HeaderMap) -> Option<Response> {
    let is_service = SERVICES.iter().any(|one| path.starts_with(one));
    let is_file = path
        .rsplit('/')
        .next()
        .is_some_and(|name| name.contains('.'));
    let mut wanted = listed(headers, header::ACCEPT);
    if *method != Method::GET || is_service || is_file || !wanted.any(|one| one == "text/html") {
        return None;
    }
    // What was not found has not changed, either.
    let mut headers = headers.clone();
    headers.remove(header::IF_NONE_MATCH);
    let mut response = INDEX.answer(&headers);
    *response.status_mut() = StatusCode::NOT_FOUND;
    Some(response)
}

/// Whether a path is one of the dashboard's.
pub(super) fn is_ours(path: &str) -> bool {
    let session = path.strip_prefix(OF_SESSION);
    let is_session = session.is_some_and(|id| !id.is_empty() && !id.contains('/'));
    is_session || PAGES.contains(&path) || FILES.iter().any(|(file, _)| *file == path)
}

pub(super) fn router() -> Router<Arc<Daemon>> {
    let answer = |page: &'static LazyLock<Page>| {
        get(move |headers: HeaderMap| async move { page.answer(&headers) })
    };
    let pages = PAGES.iter().copied().chain(["/sessions/{id}"]);
    let router = pages.fold(Router::new(), |router, path| {
        router.route(path, answer(&INDEX))
    });
    FILES.into_iter().fold(router, |router, (path, file)| {
        router.route(path, answer(file))
    })
}

/// A file, as it is and made small.
struct Page {
    media: &'static str,
    plain: &'static [u8],
    small: Bytes,
    /// Of its bytes.
    digest: String,
}

impl Page {
    fn new(media: &'static str, plain: &'static [u8]) -> Self {
        Self {
            media,
            plain,
            small: gzip(plain).unwrap_or_default(),
            digest: blake3::hash(plain).to_hex().to_string(),
        }
    }

    fn answer(&self, headers: &HeaderMap) -> Response {
        let is_small = !self.small.is_empty() && takes_gzip(headers);
        // Two forms of one file are two things to a cache.
        let tag = format!("\"{}{}\"", self.digest, if is_small { "-gzip" } else { "" });
        let mut response = if knows(headers, &tag) {
            StatusCode::NOT_MODIFIED.into_response()
        } else if is_small {
            let encoding = [(header::CONTENT_ENCODING, "gzip")];
            (encoding, self.small.clone()).into_response()
        } else {
            Bytes::from_static(self.plain).into_response()
        };
        let own = response.headers_mut();
        let mut set = |name: HeaderName, value: &str| {
            if let Ok(value) = HeaderValue::from_str(value) {
                own.insert(name, value);
            }
        };
        set(header::CONTENT_TYPE, self.media);
        set(header::ETAG, &tag);
        set(header::VARY, "accept-encoding");
        // Kept, and asked about each time: another daemon brings another app.
        set(header::CACHE_CONTROL, "no-cache");
        set(header::CONTENT_SECURITY_POLICY, POLICY);
        response
    }
}

fn gzip(plain: &[u8]) -> std::io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    Ok(encoder.finish()?.into())
}

/// The parts of a header that is a list.
fn listed(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let values = headers.get_all(name).into_iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    listed(headers, header::ACCEPT_ENCODING).any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, "q=1"));
        let refused = weight.trim().trim_start_matches("q=").parse() == Ok(0.0_f32);
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

fn knows(headers: &HeaderMap, tag: &str) -> bool {
    listed(headers, header::IF_NONE_MATCH)
        .any(|one| one == "*" || one.trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_apps_own_paths_are_open() {
        for path in ["/", "/login", "/app.js", "/sessions/a%2Fb", "/favicon.svg"] {
            assert!(is_ours(path), "{path}");
        }
        for path in [
            "/sessions/",
            "/sessions/a/b",
            "/api/v1/status",
            "/metrics",
            "/app.js/",
            "//",
            "/Login",
        ] {
            assert!(!is_ours(path), "{path}");
        }
    }

    #[test]
    fn a_file_is_made_small_for_those_who_take_that() {
        let given = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, value.parse().expect("a header"));
            takes_gzip(&headers)
        };
        for yes in ["gzip", "br, GZIP;q=0.5", "deflate,gzip"] {
            assert!(given(yes), "{yes}");
        }
        for no in ["", "br", "gzip;q=0", "gzip; q=0.0", "xgzip"] {
            assert!(!given(no), "{no}");
        }
    }
}
