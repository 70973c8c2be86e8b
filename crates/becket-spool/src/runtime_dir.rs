//! The daemon's private runtime directory, where clients find its socket.

use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use becket_base::fs::create_private_dir;

/// The directory with the daemon's socket, lock, token and log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuntimeDir {
    dir: PathBuf,
}

/// Why a directory is not safe to use.
#[derive(Debug, thiserror::Error)]
#[error("`{}` is not safe to use: {why}", path.display())]
pub struct UnsafeDirError {
    path: PathBuf,
    why: String,
}

/// The longest path of a socket that every system accepts, with a margin.
const MAX_SOCKET_PATH_BYTES: usize = 100;

/// A path to the socket that is short enough for the kernel. Valid as long as this value lives.
#[derive(Debug)]
pub struct SocketPath {
    path: PathBuf,
    _dir: Option<fs::File>,
}

impl AsRef<Path> for SocketPath {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

impl RuntimeDir {
    /// The runtime directory below a state directory. Does no I/O.
    pub fn in_state_dir(state: &Path) -> Self {
        Self {
            dir: state.join("daemon"),
        }
    }

    /// Creates the directory if it does not exist. Refuses one that others can write to: they could create a socket
    /// there and answer clients in the daemon's place.
    pub fn prepare(&self) -> Result<(), UnsafeDirError> {
        if let Err(error) = create_private_dir(&self.dir) {
            return Err(self.unsafe_dir(format!("it cannot be created: {error}")));
        }
        self.check()
    }

    /// Refuses a directory that is not private to this user.
    pub fn check(&self) -> Result<(), UnsafeDirError> {
        self.check_for(effective_uid())
    }

    /// For clients: refuses a socket that this user does not own, or whose directory is not private.
    pub fn check_socket(&self) -> io::Result<()> {
        self.check_socket_for(effective_uid())
    }

    fn check_socket_for(&self, me: u32) -> io::Result<()> {
        let socket = self.socket();
        let meta = fs::symlink_metadata(&socket)?;
        let denied = |why: String| io::Error::new(io::ErrorKind::PermissionDenied, why);
        self.check_for(me)
            .map_err(|error| denied(error.to_string()))?;
        if !meta.file_type().is_socket() || meta.uid() != me {
            let why = format!("`{}` is not a socket of user {me}", socket.display());
            return Err(denied(why));
        }
        Ok(())
    }

    pub(crate) fn check_for(&self, me: u32) -> Result<(), UnsafeDirError> {
        let meta =
            fs::symlink_metadata(&self.dir).map_err(|error| self.unsafe_dir(error.to_string()))?;
        if !meta.is_dir() {
            return Err(self.unsafe_dir("it is not a directory".into()));
        }
        if meta.uid() != me {
            return Err(self.unsafe_dir(format!("it belongs to user {}, not {me}", meta.uid())));
        }
        if meta.mode() & 0o077 != 0 {
            let mode = meta.mode() & 0o777;
            return Err(
                self.unsafe_dir(format!("others can access it (mode {mode:o}, must be 700)"))
            );
        }
        Ok(())
    }

    fn unsafe_dir(&self, why: String) -> UnsafeDirError {
        UnsafeDirError {
            path: self.dir.clone(),
            why,
        }
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Hashes of the session cookies of logged-in browsers.
    pub fn logins(&self) -> PathBuf {
        self.dir.join("logins")
    }

    /// The socket for clients.
    pub fn socket(&self) -> PathBuf {
        self.dir.join("socket")
    }

    /// The socket's path in a form that fits into `sockaddr_un`, which takes about a hundred bytes. On Linux a
    /// longer path goes through `/proc/self/fd`.
    pub fn short_socket_path(&self) -> io::Result<SocketPath> {
        let path = self.socket();
        if path.as_os_str().len() <= MAX_SOCKET_PATH_BYTES || !cfg!(target_os = "linux") {
            return Ok(SocketPath { path, _dir: None });
        }
        let dir = fs::File::open(&self.dir)?;
        let path = format!("/proc/self/fd/{}/socket", dir.as_raw_fd()).into();
        Ok(SocketPath {
            path,
            _dir: Some(dir),
        })
    }

    /// The FIFO that the daemon reads notifications from.
    pub fn wake_fifo(&self) -> PathBuf {
        self.dir.join("wake")
    }

    /// Held by the running daemon.
    pub fn lock(&self) -> PathBuf {
        self.dir.join("lock")
    }

    /// Held by the client that starts a daemon, until the daemon listens.
    pub fn start_lock(&self) -> PathBuf {
        self.dir.join("start.lock")
    }

    /// The bearer token of the HTTP API.
    pub fn token(&self) -> PathBuf {
        self.dir.join("token")
    }

    /// The address of the HTTP API, as text: `127.0.0.1:PORT`.
    pub fn address(&self) -> PathBuf {
        self.dir.join("address")
    }

    /// The port that the HTTP API used last, as text; kept when the daemon exits.
    pub fn last_port(&self) -> PathBuf {
        self.dir.join("port")
    }

    /// The log file.
    pub fn log(&self) -> PathBuf {
        self.dir.join("daemon.log")
    }
}

pub(crate) fn effective_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_directory_that_others_may_enter_is_refused() {
        let state = tempfile::tempdir().expect("a directory");
        let runtime_dir = RuntimeDir::in_state_dir(state.path());
        runtime_dir.prepare().expect("a fresh directory is private");
        fs::set_permissions(runtime_dir.dir(), fs::Permissions::from_mode(0o755)).expect("changed");
        let error = runtime_dir.prepare().expect_err("it is open to others");
        assert!(error.to_string().contains("mode 755"), "{error}");
    }

    #[test]
    fn a_link_in_the_place_of_the_directory_is_refused() {
        let state = tempfile::tempdir().expect("a directory");
        let elsewhere = state.path().join("elsewhere");
        fs::create_dir(&elsewhere).expect("created");
        std::os::unix::fs::symlink(&elsewhere, state.path().join("daemon")).expect("linked");
        let error = RuntimeDir::in_state_dir(state.path())
            .prepare()
            .expect_err("a link");
        assert!(error.to_string().contains("not a directory"), "{error}");
    }

    #[test]
    fn another_users_directory_is_refused_though_its_mode_is_right() {
        let state = tempfile::tempdir().expect("a directory");
        let runtime_dir = RuntimeDir::in_state_dir(state.path());
        runtime_dir.prepare().expect("private");
        runtime_dir.check_for(effective_uid()).expect("it is ours");
        let error = runtime_dir
            .check_for(effective_uid() + 1)
            .expect_err("not theirs");
        let expected = format!(
            "belongs to user {}, not {}",
            effective_uid(),
            effective_uid() + 1
        );
        assert!(error.to_string().contains(&expected), "{error}");
    }

    #[test]
    fn only_this_users_socket_in_a_private_directory_is_trusted() {
        let state = tempfile::tempdir().expect("a directory");
        let runtime_dir = RuntimeDir::in_state_dir(state.path());
        let kind = |runtime_dir: &RuntimeDir, user| {
            let checked = runtime_dir.check_socket_for(user);
            checked.map_err(|error| error.kind())
        };
        assert_eq!(
            kind(&runtime_dir, effective_uid()),
            Err(io::ErrorKind::NotFound)
        );
        runtime_dir.prepare().expect("private");
        assert_eq!(
            kind(&runtime_dir, effective_uid()),
            Err(io::ErrorKind::NotFound)
        );
        let _listener =
            std::os::unix::net::UnixListener::bind(runtime_dir.socket()).expect("bound");
        assert_eq!(kind(&runtime_dir, effective_uid()), Ok(()));
        assert_eq!(
            kind(&runtime_dir, effective_uid() + 1),
            Err(io::ErrorKind::PermissionDenied)
        );
        for mode in [0o750, 0o705, 0o777] {
            fs::set_permissions(runtime_dir.dir(), fs::Permissions::from_mode(mode))
                .expect("changed");
            assert_eq!(
                kind(&runtime_dir, effective_uid()),
                Err(io::ErrorKind::PermissionDenied)
            );
        }
        fs::set_permissions(runtime_dir.dir(), fs::Permissions::from_mode(0o700)).expect("changed");
        fs::remove_file(runtime_dir.socket()).expect("removed");
        let elsewhere = state.path().join("elsewhere");
        let _listener = std::os::unix::net::UnixListener::bind(&elsewhere).expect("bound");
        std::os::unix::fs::symlink(&elsewhere, runtime_dir.socket()).expect("linked");
        assert_eq!(
            kind(&runtime_dir, effective_uid()),
            Err(io::ErrorKind::PermissionDenied)
        );
    }
}
