//! JSON-RPC over a WebSocket, with a hand-written client.

use std::sync::Arc;
use std::time::Duration;

use becket_daemon::rpc::ws::{RpcEndpoint, router};
use becket_daemon::rpc::{NoPermissions, SessionServices, StoreBackend};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::Echo;
use crate::record::{Trail, turn};

/// A server on a record, and the sender that announces stored events.
async fn serve(trail: &Trail) -> (u16, watch::Sender<i64>, CancellationToken) {
    let path = trail.path();
    let services = move || SessionServices {
        backend: Box::new(StoreBackend::at(&path)),
        hooks: Box::new(Echo),
        permissions: Box::new(NoPermissions),
    };
    let (stored, changes) = watch::channel(0);
    let stop = CancellationToken::new();
    let endpoint = RpcEndpoint::new(Arc::new(services), vec![changes], stop.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("bound");
    let port = listener.local_addr().expect("an address").port();
    tokio::spawn(becket_daemon::http::serve::serve(
        listener,
        router(endpoint),
        becket_daemon::http::serve::ConnectionLimits::default(),
        stop.clone(),
    ));
    (port, stored, stop)
}

pub(crate) struct Client(TcpStream);

impl Client {
    /// Connects with additional header lines.
    pub(crate) async fn connect(port: u16, headers: &str) -> Self {
        let mut stream = TcpStream::connect(("127.0.0.1", port))
            .await
            .expect("connected");
        let request = format!(
            "GET /rpc HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n{headers}\r\n"
        );
        stream.write_all(request.as_bytes()).await.expect("sent");
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.expect("a byte"));
        }
        assert!(
            head.starts_with(b"HTTP/1.1 101"),
            "{}",
            String::from_utf8_lossy(&head)
        );
        Self(stream)
    }

    /// Sends a text, masked with zeros.
    pub(crate) async fn send(&mut self, text: &str) {
        let length = u16::try_from(text.len()).expect("short");
        let mut frame = vec![0x81];
        match u8::try_from(length) {
            Ok(short) if short < 126 => frame.push(0x80 | short),
            _ => {
                frame.push(0x80 | 0x7e);
                frame.extend(length.to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(text.as_bytes());
        self.0.write_all(&frame).await.expect("sent");
    }

    /// The next frame: its opcode and its content.
    pub(crate) async fn frame(&mut self) -> (u8, Vec<u8>) {
        let kind = self.0.read_u8().await.expect("a byte") & 0x0f;
        let length = match self.0.read_u8().await.expect("a byte") {
            126 => usize::from(self.0.read_u16().await.expect("a length")),
            short => usize::from(short),
        };
        let mut content = vec![0; length];
        self.0.read_exact(&mut content).await.expect("content");
        (kind, content)
    }

    /// The next message; pings are skipped.
    pub(crate) async fn message(&mut self) -> Value {
        let message = async {
            loop {
                match self.frame().await {
                    (1, text) => return serde_json::from_slice(&text).expect("JSON"),
                    (9, _) => {}
                    other => panic!("unexpected frame {other:?}"),
                }
            }
        };
        let patience = Duration::from_secs(60);
        tokio::time::timeout(patience, message)
            .await
            .expect("a message")
    }

    pub(crate) async fn call(&mut self, method: &str, params: Value) -> Value {
        let call = json!({ "jsonrpc": "2.0", "id": method, "method": method, "params": params });
        self.send(&call.to_string()).await;
        let answer = self.message().await;
        assert_eq!(answer["id"], method, "{answer}");
        answer["result"].clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn websocket_client_subscribes_and_gets_stored_events() {
    let mut trail = Trail::of(&turn()[..2]);
    let (port, stored, stop) = serve(&trail).await;
    let mut client = Client::connect(port, "").await;
    client.send("no JSON").await;
    assert_eq!(client.message().await["error"]["code"], -32700);
    let answer = client.call("becket.subscribe", json!({})).await;
    assert_eq!(answer["cursor"], 2);
    trail.add(&turn()[2..3]);
    stored.send_modify(|count| *count += 1);
    let told = client.message().await;
    assert_eq!(told["method"], "autohand.hook.preTool");
    assert_eq!(told["params"]["cursor"], 3);
    stop.cancel();
    let mut last = client.frame().await;
    while last.0 == 9 {
        last = client.frame().await;
    }
    assert_eq!(last.0, 8, "the daemon says that it goes");
}

#[tokio::test(flavor = "multi_thread")]
async fn flooding_client_still_gets_responses() {
    let trail = Trail::of(&turn());
    let (port, _stored, stop) = serve(&trail).await;
    let mut client = Client::connect(port, "").await;
    for _ in 0..1000 {
        client
            .send(r#"{"jsonrpc":"2.0","method":"$/progress"}"#)
            .await;
    }
    let status = client.call("becket.status", json!({})).await;
    assert_eq!(status["cursor"], 6);
    stop.cancel();
}

#[tokio::test(flavor = "multi_thread")]
async fn close_frame_is_answered() {
    let trail = Trail::of(&turn());
    let (port, _stored, stop) = serve(&trail).await;
    let mut client = Client::connect(port, "").await;
    let normally = [0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8];
    client.0.write_all(&normally).await.expect("sent");
    let mut last = client.frame().await;
    while last.0 == 9 {
        last = client.frame().await;
    }
    assert_eq!(last, (8, vec![0x03, 0xe8]));
    stop.cancel();
}
