//! The daemon's own directory: private, or not used at all. Clients and the daemon meet there.

use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// Where a daemon keeps its socket, its lock, its token and its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    dir: PathBuf,
}

/// Why a directory is not fit to hold a socket.
#[derive(Debug, thiserror::Error)]
#[error("`{}` is not safe to use: {why}", path.display())]
pub struct Unsafe {
    path: PathBuf,
    why: String,
}

/// The longest path that can be the name of a socket on every system, with some room.
const LONGEST_NAME: usize = 100;

/// A path to the socket that is short enough; good for as long as this lives.
#[derive(Debug)]
pub struct Door {
    path: PathBuf,
    _dir: Option<fs::File>,
}

impl AsRef<Path> for Door {
    fn as_ref(&self) -> &Path {
        &self.path
    }
}

impl Place {
    /// The place below a state directory. Touches nothing.
    pub fn below(state: &Path) -> Self {
        Self {
            dir: state.join("daemon"),
        }
    }

    /// Creates the directory if need be, and refuses one that somebody else could have a hand in:
    /// whoever can put a socket there decides what clients hear.
    pub fn prepare(&self) -> Result<(), Unsafe> {
        let created = fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&self.dir);
        if let Err(error) = created {
            return Err(self.bad(format!("it cannot be created: {error}")));
        }
        self.check()
    }

    /// Refuses a directory that is not this user's alone.
    pub fn check(&self) -> Result<(), Unsafe> {
        self.check_for(me())
    }

    /// For clients: refuses a socket that is not this user's, and one that somebody else could have put there.
    pub fn check_socket(&self) -> io::Result<()> {
        self.check_socket_for(me())
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

    fn check_for(&self, me: u32) -> Result<(), Unsafe> {
        let meta = fs::symlink_metadata(&self.dir).map_err(|error| self.bad(error.to_string()))?;
        if !meta.is_dir() {
            return Err(self.bad("it is not a directory".into()));
        }
        if meta.uid() != me {
            return Err(self.bad(format!("it belongs to user {}, not {me}", meta.uid())));
        }
        if meta.mode() & 0o077 != 0 {
            let mode = meta.mode() & 0o777;
            return Err(self.bad(format!(
                "others may enter it (mode {mode:o}, should be 700)"
            )));
        }
        Ok(())
    }

    fn bad(&self, why: String) -> Unsafe {
        Unsafe {
            path: self.dir.clone(),
            why,
        }
    }

    /// The directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Hashes of the cookies of browsers that were let in.
    pub fn logins(&self) -> PathBuf {
        self.dir.join("logins")
    }

    /// The socket of the client.
    pub fn socket(&self) -> PathBuf {
        self.dir.join("socket")
    }

    /// The socket's name for the kernel, which takes no more than about a hundred bytes of it.
    pub fn door(&self) -> io::Result<Door> {
        let path = self.socket();
        if path.as_os_str().len() <= LONGEST_NAME || !cfg!(target_os = "linux") {
            return Ok(Door { path, _dir: None });
        }
        let dir = fs::File::open(&self.dir)?;
        let path = format!("/proc/self/fd/{}/socket", dir.as_raw_fd()).into();
        Ok(Door {
            path,
            _dir: Some(dir),
        })
    }

    /// Held by the one daemon for as long as it lives.
    pub fn lock(&self) -> PathBuf {
        self.dir.join("lock")
    }

    /// Held by the one client that starts a daemon, until it listens.
    pub fn start_lock(&self) -> PathBuf {
        self.dir.join("start.lock")
    }

    /// The token for HTTP.
    pub fn token(&self) -> PathBuf {
        self.dir.join("token")
    }

    /// Where HTTP listens, as text: `127.0.0.1:PORT`.
    pub fn address(&self) -> PathBuf {
        self.dir.join("address")
    }

    /// The port that HTTP had last, as text; it stays when the daemon ends.
    pub fn last_port(&self) -> PathBuf {
        self.dir.join("port")
    }

    /// The log.
    pub fn log(&self) -> PathBuf {
        self.dir.join("daemon.log")
    }
}

fn me() -> u32 {
    rustix::process::geteuid().as_raw()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_directory_that_others_may_enter_is_refused() {
        let state = tempfile::tempdir().expect("a directory");
        let place = Place::below(state.path());
        place.prepare().expect("a fresh directory is private");
        fs::set_permissions(place.dir(), fs::Permissions::from_mode(0o755)).expect("changed");
        let error = place.prepare().expect_err("it is open to others");
        assert!(error.to_string().contains("mode 755"), "{error}");
    }

    #[test]
    fn a_link_in_the_place_of_the_directory_is_refused() {
        let state = tempfile::tempdir().expect("a directory");
        let elsewhere = state.path().join("elsewhere");
        fs::create_dir(&elsewhere).expect("created");
        std::os::unix::fs::symlink(&elsewhere, state.path().join("daemon")).expect("linked");
        let error = Place::below(state.path()).prepare().expect_err("a link");
        assert!(error.to_string().contains("not a directory"), "{error}");
    }

    #[test]
    fn another_users_directory_is_refused_though_its_mode_is_right() {
        let state = tempfile::tempdir().expect("a directory");
        let place = Place::below(state.path());
        place.prepare().expect("private");
        place.check_for(me()).expect("it is ours");
        let error = place.check_for(me() + 1).expect_err("not theirs");
        let told = format!("belongs to user {}, not {}", me(), me() + 1);
        assert!(error.to_string().contains(&told), "{error}");
    }

    #[test]
    fn only_this_users_socket_in_this_users_directory_is_spoken_to() {
        let state = tempfile::tempdir().expect("a directory");
        let place = Place::below(state.path());
        let kind = |place: &Place, user| {
            let checked = place.check_socket_for(user);
            checked.map_err(|error| error.kind())
        };
        assert_eq!(kind(&place, me()), Err(io::ErrorKind::NotFound));
        place.prepare().expect("private");
        assert_eq!(kind(&place, me()), Err(io::ErrorKind::NotFound));
        let _listener = std::os::unix::net::UnixListener::bind(place.socket()).expect("bound");
        assert_eq!(kind(&place, me()), Ok(()));
        assert_eq!(kind(&place, me() + 1), Err(io::ErrorKind::PermissionDenied));
        for mode in [0o750, 0o705, 0o777] {
            fs::set_permissions(place.dir(), fs::Permissions::from_mode(mode)).expect("changed");
            assert_eq!(kind(&place, me()), Err(io::ErrorKind::PermissionDenied));
        }
        fs::set_permissions(place.dir(), fs::Permissions::from_mode(0o700)).expect("changed");
        fs::remove_file(place.socket()).expect("removed");
        let elsewhere = state.path().join("elsewhere");
        let _listener = std::os::unix::net::UnixListener::bind(&elsewhere).expect("bound");
        std::os::unix::fs::symlink(&elsewhere, place.socket()).expect("linked");
        assert_eq!(kind(&place, me()), Err(io::ErrorKind::PermissionDenied));
    }
}
