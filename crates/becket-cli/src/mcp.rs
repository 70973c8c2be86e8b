//! `becket mcp`: serves the Model Context Protocol over standard input and output.

use std::io::{Read, Write};
use std::path::PathBuf;

use becket_daemon::mcp::{McpServer, RecallBackend};
use becket_daemon::rpc::StoreBackend;
use becket_daemon::rpc::frame::{FrameDecoder, Framing};

use crate::args::ProjectArgs;
use crate::exit::Exit;
use crate::memories::backend::query_handler;

/// Size of the read buffer.
const READ_BUFFER_BYTES: usize = 64 * 1024;

pub(crate) fn main(project: Option<PathBuf>) -> anyhow::Result<Exit> {
    let here = ProjectArgs {
        project,
        json: true,
    };
    let (home, root) = here.find()?;
    let store = || StoreBackend::at(home.database());
    // Outside a project, the server covers all projects.
    let is_project = here.project.is_some() || (root != home.user && root.join(".git").exists());
    let project = is_project.then(|| root.to_string_lossy().into_owned());
    let memory = RecallBackend::new(store(), query_handler(&home));
    let mut server = McpServer::new(Box::new(store()), Box::new(memory), project);
    let mut decoder = FrameDecoder::new(Some(Framing::Lines));
    let mut buffer = vec![0; READ_BUFFER_BYTES];
    let mut stdin = std::io::stdin().lock();
    loop {
        let length = match stdin.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(length) => length,
        };
        for message in decoder.feed(&buffer[..length]) {
            if !respond(&mut server, &message) {
                return Ok(Exit::Success);
            }
        }
    }
    if let Some(message) = decoder.finish() {
        respond(&mut server, &message);
    }
    Ok(Exit::Success)
}

/// Handles a message. Returns whether the client still reads.
fn respond(
    server: &mut McpServer,
    message: &Result<String, becket_daemon::rpc::frame::FrameError>,
) -> bool {
    let Some(response) = server.receive(message) else {
        return true;
    };
    let mut out = std::io::stdout().lock();
    let sent = out.write_all(&Framing::Lines.encode(&response));
    sent.and_then(|()| out.flush()).is_ok()
}
