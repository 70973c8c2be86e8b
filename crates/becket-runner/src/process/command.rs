//! The command to start, and why starting it can fail.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

const SHELL: &str = "/bin/sh";

/// A child process to start: program, environment, input and deadline.
#[derive(Debug, Clone)]
pub struct Command {
    /// The program.
    pub program: Program,
    /// The working directory; `None` is that of this process.
    pub cwd: Option<PathBuf>,
    /// Environment variables in addition to the inherited ones; the last of equal names wins.
    pub env: Vec<(OsString, OsString)>,
    /// Inherited variables to remove. [`Command::env`] is applied afterwards.
    pub env_remove: Vec<OsString>,
    /// Written to the child's standard input, which is then closed.
    pub stdin: Vec<u8>,
    /// The time for start, input, output and exit together.
    pub timeout: Duration,
}

/// How a program is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Program {
    /// A command line for `/bin/sh -c`. The shell itself exits with 127 or 126 if it cannot run the command.
    Shell(String),
    /// A program with its arguments, without a shell. A name without `/` is searched in `PATH`.
    Exec {
        /// Name or path.
        program: OsString,
        /// Arguments after the name.
        args: Vec<OsString>,
    },
}

/// Why the process could not be started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The program does not exist.
    #[error("program `{}` not found", Path::new(.program).display())]
    NotFound {
        /// The program's name or path.
        program: OsString,
    },
    /// The file names an interpreter or loader that does not exist.
    #[error("`{}` cannot run: the interpreter it names is missing", Path::new(.program).display())]
    NoInterpreter {
        /// The program's name or path.
        program: OsString,
    },
    /// The file is not executable, or not a program.
    #[error("`{}` is not executable", Path::new(.program).display())]
    NotExecutable {
        /// The program's name or path.
        program: OsString,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// Arguments and environment exceed the system's limit, together or one of them.
    #[error("arguments or environment too large for the system to start `{}`", Path::new(.program).display())]
    TooBig {
        /// The program's name or path.
        program: OsString,
    },
    /// The working directory does not exist, is not a directory, or is not accessible.
    #[error("cannot run in directory `{}`", .cwd.display())]
    BadCwd {
        /// The directory.
        cwd: PathBuf,
        /// The system's error.
        #[source]
        source: io::Error,
    },
    /// Any other error: no processes, memory or descriptors left, a NUL byte in an argument, …
    #[error("cannot start `{}`", Path::new(.program).display())]
    Other {
        /// The program's name or path.
        program: OsString,
        /// The system's error.
        #[source]
        source: io::Error,
    },
}

impl Command {
    /// A command without input, with the inherited environment and a deadline of one minute.
    pub fn new(program: Program) -> Self {
        Self {
            program,
            cwd: None,
            env: Vec::new(),
            env_remove: Vec::new(),
            stdin: Vec::new(),
            timeout: Duration::from_secs(60),
        }
    }

    /// A command line for `/bin/sh -c`.
    pub fn shell(line: impl Into<String>) -> Self {
        Self::new(Program::Shell(line.into()))
    }

    /// A program and its arguments, without a shell.
    pub fn exec<A: Into<OsString>>(
        program: impl Into<OsString>,
        args: impl IntoIterator<Item = A>,
    ) -> Self {
        Self::new(Program::Exec {
            program: program.into(),
            args: args.into_iter().map(Into::into).collect(),
        })
    }

    /// Starts the child as the leader of a new process group, with pipes for all three streams.
    pub(super) fn spawn(&self) -> Result<Child, StartError> {
        // No `pre_exec`, uid or gid here: each would replace the cheap `posix_spawn` by a fork of this whole
        // process.
        let mut std_command = match &self.program {
            Program::Shell(line) => {
                let mut shell = std::process::Command::new(SHELL);
                shell.arg("-c").arg(line);
                shell
            }
            Program::Exec { program, args } => {
                let mut plain = std::process::Command::new(program);
                plain.args(args);
                plain
            }
        };
        for name in &self.env_remove {
            std_command.env_remove(name);
        }
        for (name, value) in &self.env {
            std_command.env(name, value);
        }
        if let Some(cwd) = &self.cwd {
            std_command.current_dir(cwd);
        }
        std_command
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| self.explain(error))
    }

    /// An error that occurred before the program was started.
    pub(super) fn unprepared(&self, source: io::Error) -> StartError {
        StartError::Other {
            program: self.program_name().to_owned(),
            source,
        }
    }

    fn program_name(&self) -> &OsStr {
        match &self.program {
            Program::Shell(_) => OsStr::new(SHELL),
            Program::Exec { program, .. } => program,
        }
    }

    /// The system reports the same errno for a missing program and a missing directory; this finds out which one it
    /// is.
    fn explain(&self, error: io::Error) -> StartError {
        let program = self.program_name().to_owned();
        let errno = rustix::io::Errno::from_io_error(&error);
        if let Some(rejected) = self.cwd_problem() {
            return rejected;
        }
        match errno {
            Some(rustix::io::Errno::NOENT | rustix::io::Errno::NOTDIR) => {
                if self.names_existing_file() {
                    StartError::NoInterpreter { program }
                } else {
                    StartError::NotFound { program }
                }
            }
            Some(
                rustix::io::Errno::ACCESS | rustix::io::Errno::NOEXEC | rustix::io::Errno::ISDIR,
            ) => StartError::NotExecutable {
                program,
                source: error,
            },
            Some(rustix::io::Errno::TOOBIG) => StartError::TooBig { program },
            _ => StartError::Other {
                program,
                source: error,
            },
        }
    }

    fn cwd_problem(&self) -> Option<StartError> {
        let cwd = self.cwd.as_ref()?;
        let entry = if cwd.as_os_str().is_empty() {
            cwd.clone()
        } else {
            // The trailing `.` makes the lookup require the same as entering: a directory with search permission.
            cwd.join(".")
        };
        let source = std::fs::metadata(entry).err()?;
        Some(StartError::BadCwd {
            cwd: cwd.clone(),
            source,
        })
    }

    fn names_existing_file(&self) -> bool {
        let program = Path::new(self.program_name());
        let is_path = program.as_os_str().as_encoded_bytes().contains(&b'/');
        let place = self.cwd.as_deref().unwrap_or(Path::new(""));
        is_path && place.join(program).exists()
    }
}
