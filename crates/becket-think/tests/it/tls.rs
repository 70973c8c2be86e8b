//! HTTPS: certificates are checked, and the user can add a certificate authority.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use becket_model::{HookOutcome, Verdict};
use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

use crate::support::{World, bash, failure};

/// A server with its own certificate for these names. It accepts one connection and answers if the handshake succeeds.
fn serve(identity: &CertifiedKey<KeyPair>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port on loopback");
    let addr = listener.local_addr().expect("its address");
    let key = PrivatePkcs8KeyDer::from(identity.signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![identity.cert.der().clone()], PrivateKeyDer::Pkcs8(key))
        .expect("a certificate");
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().expect("a connection");
        let session = ServerConnection::new(Arc::new(config)).expect("a session");
        let mut tls = StreamOwned::new(session, stream);
        let mut request = [0; 16 * 1024];
        let mut read = 0;
        // A client that rejects the certificate closes the connection here.
        while let Ok(count) = tls.read(&mut request[read..]) {
            read += count;
            if count == 0 || request[..read].ends_with(b"}") {
                break;
            }
        }
        let body = r#"{"decision": "deny", "reason": "said in private"}"#;
        let reply = format!(
            "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let _ = tls.write_all(reply.as_bytes()).and_then(|()| tls.flush());
    });
    addr
}

fn fire(names: &[&str], authority: impl FnOnce(&str) -> String, host: &str) -> HookOutcome {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let identity = generate_simple_self_signed(names).expect("a certificate");
    let addr = serve(&identity);
    let dir = tempfile::tempdir().expect("a directory");
    let file = dir.path().join("ca.pem");
    std::fs::write(&file, identity.cert.pem()).expect("written");
    let text = format!(
        "[http]\nallow_private = true\n{}\n\
         [[hook]]\nevent = 'PreToolUse'\nurl = 'https://{host}:{}/'\n",
        authority(&file.to_string_lossy()),
        addr.port()
    );
    World::in_dir(dir, &text).fire(bash("ls"))
}

fn own(file: &str) -> String {
    format!("ca_file = '{file}'")
}

#[test]
fn server_with_a_configured_authority_is_trusted() {
    for host in ["localhost", "127.0.0.1"] {
        let outcome = fire(&["localhost", "127.0.0.1"], own, host);
        assert_eq!(outcome.verdict, Verdict::Deny, "{outcome:?}");
        assert_eq!(outcome.reason.as_deref(), Some("said in private"));
    }
}

#[test]
fn unknown_authority_and_wrong_name_are_rejected() {
    let unknown = fire(&["localhost"], |_| String::new(), "localhost");
    assert!(failure(&unknown).contains("certificate"), "{unknown:?}");
    let another = fire(&["other.example"], own, "localhost");
    assert!(failure(&another).contains("certificate"), "{another:?}");
}

#[test]
fn unreadable_ca_file_is_named_in_the_error() {
    for (authority, expected) in [
        ("/nonexistent/ca.pem", "No such file"),
        ("/dev/null", "no certificates"),
    ] {
        let outcome = fire(&["localhost"], |_| own(authority), "localhost");
        let message = failure(&outcome);
        assert!(
            message.contains(authority) && message.contains(expected),
            "{message}"
        );
    }
}
