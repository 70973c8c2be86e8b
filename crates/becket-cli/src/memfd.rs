//! Anonymous in-memory files, to pass bytes to another process without leaving them on disk or in the process list.

use std::fs::File;
use std::io::{Seek, Write};

use becket::id;

/// An anonymous file with these bytes, in memory where the system supports it.
pub(crate) fn file_with(bytes: &[u8]) -> std::io::Result<File> {
    let mut file = anonymous_file()?;
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

fn anonymous_file() -> std::io::Result<File> {
    #[cfg(target_os = "linux")]
    if let Ok(fd) = rustix::fs::memfd_create("becket", rustix::fs::MemfdFlags::CLOEXEC) {
        return Ok(fd.into());
    }
    let path = std::env::temp_dir().join(format!("becket-{}", id::new_id()));
    let mut options = becket_base::fs::private_options();
    let file = options.read(true).create_new(true).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}
