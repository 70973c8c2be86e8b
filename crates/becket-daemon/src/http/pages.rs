//! The dashboard's static files. They contain no data, so no authentication is needed.

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

/// Only resources from this server, and no inline code.
const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The paths of the dashboard's pages.
const PAGE_PATHS: [&str; 9] = [
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
const SESSION_PREFIX: &str = "/sessions/";

static INDEX: LazyLock<StaticFile> = LazyLock::new(|| {
    let text = include_bytes!("../../../../web/dist/index.html");
    StaticFile::new("text/html; charset=utf-8", text)
});
static SCRIPT: LazyLock<StaticFile> = LazyLock::new(|| {
    let text = include_bytes!("../../../../web/dist/app.js");
    StaticFile::new("text/javascript; charset=utf-8", text)
});
static STYLE: LazyLock<StaticFile> = LazyLock::new(|| {
    let text = include_bytes!("../../../../web/dist/app.css");
    StaticFile::new("text/css; charset=utf-8", text)
});
static ICON: LazyLock<StaticFile> = LazyLock::new(|| {
    let text = include_bytes!("../../../../web/dist/favicon.svg");
    StaticFile::new("image/svg+xml", text)
});

const FILES: [(&str, &LazyLock<StaticFile>); 4] = [
    ("/app.js", &SCRIPT),
    ("/app.css", &STYLE),
    ("/favicon.svg", &ICON),
    // Browsers request it by default; the content type says that it is SVG.
    ("/favicon.ico", &ICON),
];

/// Prefixes of APIs; unknown paths below them get an API error instead of a page.
const SERVICE_PREFIXES: [&str; 5] = ["/api", "/rpc", "/mcp", "/v1", "/metrics"];

/// The dashboard's "not found" page, for a mistyped path in a browser. `None` for API clients and for files.
pub(super) fn not_found_page(method: &Method, path: &str, headers: &HeaderMap) -> Option<Response> {
    let is_service = SERVICE_PREFIXES.iter().any(|one| path.starts_with(one));
    let is_file = path
        .rsplit('/')
        .next()
        .is_some_and(|name| name.contains('.'));
    let mut accepted = header_list(headers, header::ACCEPT);
    if *method != Method::GET || is_service || is_file || !accepted.any(|one| one == "text/html") {
        return None;
    }
    // Never answer 304 to an unknown path.
    let mut headers = headers.clone();
    headers.remove(header::IF_NONE_MATCH);
    let mut response = INDEX.respond(&headers);
    *response.status_mut() = StatusCode::NOT_FOUND;
    Some(response)
}

/// Whether a path belongs to the dashboard.
pub(super) fn is_dashboard_path(path: &str) -> bool {
    let session = path.strip_prefix(SESSION_PREFIX);
    let is_session = session.is_some_and(|id| !id.is_empty() && !id.contains('/'));
    is_session || PAGE_PATHS.contains(&path) || FILES.iter().any(|(file, _)| *file == path)
}

pub(super) fn router() -> Router<Arc<Daemon>> {
    let handler = |page: &'static LazyLock<StaticFile>| {
        get(move |headers: HeaderMap| async move { page.respond(&headers) })
    };
    let pages = PAGE_PATHS.iter().copied().chain(["/sessions/{id}"]);
    let router = pages.fold(Router::new(), |router, path| {
        router.route(path, handler(&INDEX))
    });
    FILES.into_iter().fold(router, |router, (path, file)| {
        router.route(path, handler(file))
    })
}

/// A static file, plain and gzipped.
struct StaticFile {
    media: &'static str,
    plain: &'static [u8],
    gzipped: Bytes,
    /// A hash of the content, for the ETag.
    digest: String,
}

impl StaticFile {
    fn new(media: &'static str, plain: &'static [u8]) -> Self {
        Self {
            media,
            plain,
            gzipped: gzip(plain).unwrap_or_default(),
            digest: blake3::hash(plain).to_hex().to_string(),
        }
    }

    fn respond(&self, headers: &HeaderMap) -> Response {
        let use_gzip = !self.gzipped.is_empty() && accepts_gzip(headers);
        // The two encodings need different ETags.
        let tag = format!("\"{}{}\"", self.digest, if use_gzip { "-gzip" } else { "" });
        let mut response = if etag_matches(headers, &tag) {
            StatusCode::NOT_MODIFIED.into_response()
        } else if use_gzip {
            let encoding = [(header::CONTENT_ENCODING, "gzip")];
            (encoding, self.gzipped.clone()).into_response()
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
        // Cached, but revalidated every time: a new daemon may bring a new dashboard.
        set(header::CACHE_CONTROL, "no-cache");
        set(header::CONTENT_SECURITY_POLICY, CONTENT_POLICY);
        response
    }
}

fn gzip(plain: &[u8]) -> std::io::Result<Bytes> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    Ok(encoder.finish()?.into())
}

/// The items of a list header.
fn header_list(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let values = headers.get_all(name).into_iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    header_list(headers, header::ACCEPT_ENCODING).any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, "q=1"));
        let refused = weight.trim().trim_start_matches("q=").parse() == Ok(0.0_f32);
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

fn etag_matches(headers: &HeaderMap, tag: &str) -> bool {
    header_list(headers, header::IF_NONE_MATCH)
        .any(|one| one == "*" || one.trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_dashboard_paths_are_public() {
        for path in ["/", "/login", "/app.js", "/sessions/a%2Fb", "/favicon.svg"] {
            assert!(is_dashboard_path(path), "{path}");
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
            assert!(!is_dashboard_path(path), "{path}");
        }
    }

    #[test]
    fn gzip_is_used_if_accepted() {
        let given = |value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ACCEPT_ENCODING, value.parse().expect("a header"));
            accepts_gzip(&headers)
        };
        for yes in ["gzip", "br, GZIP;q=0.5", "deflate,gzip"] {
            assert!(given(yes), "{yes}");
        }
        for no in ["", "br", "gzip;q=0", "gzip; q=0.0", "xgzip"] {
            assert!(!given(no), "{no}");
        }
    }
}
