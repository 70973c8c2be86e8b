//! `becket mcp`: the Model Context Protocol, over standard input and output.

use std::io::{Read, Write};
use std::path::PathBuf;

use becket_daemon::mcp::{Recalling, Server};
use becket_daemon::rpc::Store;
use becket_daemon::rpc::frame::{Decoder, Framing};

use crate::args::Here;
use crate::exit::Exit;
use crate::memories::asking::asking;

/// Bytes that are read at once.
const PIECE: usize = 64 * 1024;

pub(crate) fn main(project: Option<PathBuf>) -> anyhow::Result<Exit> {
    let here = Here {
        project,
        json: true,
    };
    let (home, root) = here.find()?;
    let store = || Store::at(home.database());
    // Where no project is, there is no reason to look at one only.
    let is_project = here.project.is_some() || (root != home.user && root.join(".git").exists());
    let project = is_project.then(|| root.to_string_lossy().into_owned());
    let memory = Recalling::new(store(), asking(&home));
    let mut server = Server::new(Box::new(store()), Box::new(memory), project);
    let mut decoder = Decoder::new(Some(Framing::Lines));
    let mut piece = vec![0; PIECE];
    let mut stdin = std::io::stdin().lock();
    loop {
        let length = match stdin.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(length) => length,
        };
        for message in decoder.feed(&piece[..length]) {
            if !answer(&mut server, &message) {
                return Ok(Exit::Success);
            }
        }
    }
    if let Some(message) = decoder.finish() {
        answer(&mut server, &message);
    }
    Ok(Exit::Success)
}

/// Whether the client still reads.
fn answer(
    server: &mut Server,
    message: &Result<String, becket_daemon::rpc::frame::FrameError>,
) -> bool {
    let Some(answer) = server.receive(message) else {
        return true;
    };
    let mut out = std::io::stdout().lock();
    let sent = out.write_all(&Framing::Lines.encode(&answer));
    sent.and_then(|()| out.flush()).is_ok()
}
