//! HTTP requests that delete: curl and similar clients against servers, search engines and the container engine.

use super::args::{Args, FlagStyle};
use super::tool::{CommandContext, ProgramCall, report};
use crate::rule::{Finding, Rule};
use crate::rules;

const CURL_VALUES: &str = "-X --request -d --data --data-raw --data-binary --data-urlencode --json -H --header -o --output -u --user -F --form -T --upload-file -A --user-agent -e --referer -b --cookie -c --cookie-jar -x --proxy -w --write-out -m --max-time --connect-timeout --retry --cacert -E --cert --key --unix-socket -K --config --url --resolve --retry-delay";
const WGET_VALUES: &str = "--method --body-data --header -O --output-document -o -U --user-agent -t --tries -T --timeout --post-data --user --password";
const HTTPIE_VALUES: &str =
    "-a --auth -A --auth-type -o --output -s --session --timeout -p --print -b -h";

pub(super) fn check(context: &CommandContext<'_>, call: ProgramCall<'_>, found: &mut Vec<Finding>) {
    let Some(request) = HttpRequest::read(call) else {
        return;
    };
    if let Some(rule) = request.judge() {
        report(rule, context.command, call, found);
    }
}

struct HttpRequest<'a> {
    method: String,
    urls: Vec<&'a str>,
    socket: Option<&'a str>,
}

impl<'a> HttpRequest<'a> {
    fn read(call: ProgramCall<'a>) -> Option<Self> {
        let (args, method) = match call.program {
            "curl" | "curlie" => {
                let args = Args::read(call.args, CURL_VALUES, FlagStyle::Gnu);
                let method = curl_method(&args);
                (args, method)
            }
            "wget" | "wget2" => {
                let args = Args::read(call.args, WGET_VALUES, FlagStyle::Abbreviating);
                let method = args.values("method").last().unwrap_or("GET");
                (args, method)
            }
            "http" | "https" | "xh" | "xhs" => {
                let args = Args::read(call.args, HTTPIE_VALUES, FlagStyle::Gnu);
                let method = args
                    .operand(0)
                    .filter(|word| is_method(word))
                    .unwrap_or("GET");
                (args, method)
            }
            _ => return None,
        };
        Some(Self {
            method: method.to_ascii_uppercase(),
            urls: args.values("url").chain(args.texts()).collect(),
            socket: args.values("unix-socket").last(),
        })
    }

    fn judge(&self) -> Option<&'static Rule> {
        if self.urls.iter().any(|url| is_metadata_service(url)) {
            return Some(&rules::SERVICES_METADATA);
        }
        let changes = !matches!(self.method.as_str(), "GET" | "HEAD" | "OPTIONS");
        if changes && self.socket.is_some_and(is_engine) {
            return Some(&rules::SERVICES_ENGINE_SOCKET);
        }
        if self.urls.iter().any(|url| deletes_index(&self.method, url)) {
            return Some(&rules::SERVICES_SEARCH_INDEX);
        }
        let elsewhere = self
            .urls
            .iter()
            .any(|url| !is_method(url) && !is_loopback(url));
        (self.method == "DELETE" && elsewhere && self.socket.is_none())
            .then_some(&rules::SERVICES_HTTP_DELETE)
    }
}

/// `-X` overrides the method that other flags imply.
fn curl_method<'a>(args: &Args<'a>) -> &'a str {
    let implied = if args.has("I") || args.has("head") {
        "HEAD"
    } else if ["d", "data", "data-raw", "data-binary", "json", "F", "form"]
        .iter()
        .any(|flag| args.has(flag))
        && !args.has("G")
        && !args.has("get")
    {
        "POST"
    } else {
        "GET"
    };
    args.values_of(&["X", "request"]).last().unwrap_or(implied)
}

fn is_method(word: &str) -> bool {
    ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"]
        .iter()
        .any(|method| word.eq_ignore_ascii_case(method))
}

fn is_engine(socket: &str) -> bool {
    ["docker", "podman", "containerd"]
        .iter()
        .any(|engine| socket.contains(engine))
}

fn without_scheme(url: &str) -> &str {
    url.split_once("://").map_or(url, |(_, rest)| rest)
}

fn authority(url: &str) -> &str {
    let rest = without_scheme(url);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    authority.rsplit('@').next().unwrap_or(authority)
}

fn is_loopback(url: &str) -> bool {
    let authority = authority(url);
    if authority.starts_with("[::1]") || authority.starts_with(':') {
        return true;
    }
    let host = authority.split(':').next().unwrap_or(authority);
    host.eq_ignore_ascii_case("localhost")
        || host.ends_with(".localhost")
        || host.starts_with("127.")
        || host == "0.0.0.0"
}

/// Whether the address belongs to a cloud metadata service.
pub(crate) fn is_metadata_service(url: &str) -> bool {
    let authority = authority(url);
    let host = authority.split(':').next().unwrap_or(authority);
    matches!(
        host,
        "169.254.169.254" | "169.254.170.2" | "metadata.google.internal" | "100.100.100.200"
    ) || authority.starts_with("[fd00:ec2::254]")
}

/// Whether the request deletes an Elasticsearch or OpenSearch index, anything in another data service that is
/// recognized by its port, or data by query, on any server.
fn deletes_index(method: &str, url: &str) -> bool {
    let rest = without_scheme(url);
    let path = rest.split_once('/').map_or("", |(_, path)| path);
    let path = path
        .split(['?', '#'])
        .next()
        .unwrap_or(path)
        .trim_end_matches('/');
    if matches!(method, "POST" | "PUT") {
        return path.ends_with("_delete_by_query") || path.ends_with("admin/tsdb/delete_series");
    }
    if method != "DELETE" {
        return false;
    }
    let port = authority(url).rsplit(':').next().unwrap_or_default();
    let whole_index = !path.is_empty() && !path.contains('/');
    let kept = path.starts_with("_data_stream/") || path.starts_with("_snapshot/");
    match port {
        "9200" => whole_index || kept,
        _ => matches!(path, "_all" | "*") || (DATA_PORTS.contains(&port) && !path.is_empty()),
    }
}

/// CouchDB, Qdrant, Meilisearch, Typesense, InfluxDB, Solr, RabbitMQ's management, Consul, Vault.
const DATA_PORTS: &[&str] = &[
    "5984", "6333", "7700", "8086", "8108", "8200", "8500", "8983", "15672",
];
