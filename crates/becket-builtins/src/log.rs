//! `log`: every event as one line of JSON, without secrets.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use becket_runner::HookOutput;
use chrono::SecondsFormat;
use serde_json::{Map, Value, json};

use crate::hook::{Job, Trouble, Work};
use crate::options::{Options, Read};
use crate::registry::OptionDoc;
use crate::told::private_dir;
use crate::words;

pub(crate) const OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "path",
        holds: "text",
        default: "",
        about: "The file: absolute, below `~/`, or relative to the directory of logs (of a project's hook: to the project). `logs/events.jsonl` in the state directory if left out.",
    },
    OptionDoc {
        name: "max_bytes",
        holds: "number",
        default: "10485760",
        about: "A file that would grow beyond this is set aside; 0 lets it grow.",
    },
    OptionDoc {
        name: "keep",
        holds: "number",
        default: "3",
        about: "How many files that were set aside are kept.",
    },
    OptionDoc {
        name: "fields",
        holds: "list of texts",
        default: "",
        about: "The fields of a line; all of them if left out.",
    },
];

/// Longer texts are cut: a log is to be read.
const LONGEST_TEXT: usize = 16 * 1024;

pub(crate) struct Log {
    path: Option<PathBuf>,
    max_bytes: u64,
    keep: u64,
    fields: Option<Vec<String>>,
}

impl Log {
    pub(crate) fn read(options: &Options<'_>) -> Read<Self> {
        Ok(Self {
            path: options.text("path")?.map(PathBuf::from),
            max_bytes: options
                .number("max_bytes", 0, u64::MAX)?
                .unwrap_or(10 << 20),
            keep: options.number("keep", 0, 1000)?.unwrap_or(3),
            fields: options.texts("fields")?,
        })
    }

    fn file(&self, job: &Job) -> PathBuf {
        let logs = job.deps.state_dir.join("logs");
        let Some(path) = &self.path else {
            return logs.join("events.jsonl");
        };
        if let (Ok(below), Some(home)) = (path.strip_prefix("~"), job.var("HOME")) {
            return Path::new(&home).join(below);
        }
        let from = if job.spec.source.level.needs_trust() {
            &job.project
        } else {
            &logs
        };
        from.join(path)
    }

    fn line(&self, job: &Job) -> Vec<u8> {
        let mut line = Map::new();
        let at = job.at.to_rfc3339_opts(SecondsFormat::Millis, true);
        line.insert("ts".into(), json!(at));
        if !job.event_id.is_empty() {
            line.insert("id".into(), json!(job.event_id));
        }
        if let Value::Object(event) = job.event.to_json() {
            line.extend(event);
        }
        // Redacted whole, and only then picked from and cut: half a secret is not recognised.
        let mut line = Value::Object(line);
        becket_guard::redact::redact_json(&mut line);
        if let (Some(fields), Value::Object(map)) = (&self.fields, &mut line) {
            map.retain(|key, _| fields.contains(key));
        }
        shorten(&mut line);
        let mut bytes = line.to_string().into_bytes();
        bytes.push(b'\n');
        bytes
    }
}

impl Work for Log {
    fn work(&self, job: &Job) -> Result<HookOutput, Trouble> {
        let file = self.file(job);
        let line = self.line(job);
        append(&file, &line, self.max_bytes, self.keep)
            .map_err(|error| format!("cannot write `{}`: {error}", file.display()))?;
        Ok(HookOutput::allow())
    }
}

fn shorten(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > LONGEST_TEXT => {
            let cut = words::boundary(text, LONGEST_TEXT);
            let left_out = text.len() - cut;
            text.truncate(cut);
            text.push_str(&format!("… ({left_out} bytes left out)"));
        }
        Value::Array(items) => items.iter_mut().for_each(shorten),
        Value::Object(map) => map.values_mut().for_each(shorten),
        _ => {}
    }
}

/// Appends a line in one write, so that lines of several writers never mix.
fn append(path: &Path, line: &[u8], max_bytes: u64, keep: u64) -> io::Result<()> {
    if let Some(dir) = path.parent() {
        private_dir(dir)?;
    }
    let mut file = open(path)?;
    if max_bytes > 0 {
        let full = |size: u64| size > 0 && size.saturating_add(line.len() as u64) > max_bytes;
        if full(file.metadata()?.len()) {
            set_aside(path, keep, &full)?;
            file = open(path)?;
        }
    }
    let written = file.write(line)?;
    if written < line.len() {
        return Err(io::Error::new(io::ErrorKind::WriteZero, "the disk is full"));
    }
    Ok(())
}

fn open(path: &Path) -> io::Result<File> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new()
        .append(true)
        .create(true)
        .mode(0o600)
        // A pipe that nobody reads must not hold up the agent.
        .custom_flags(nonblocking)
        .open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(file)
}

/// Renames `events.jsonl` to `events.jsonl.1`, that to `.2`, and so on. A writer that still has the
/// old file open writes to it under its new name, so no line is lost.
fn set_aside(path: &Path, keep: u64, full: &dyn Fn(u64) -> bool) -> io::Result<()> {
    let lock = open(&numbered(path, "lock"))?;
    lock.lock()?;
    // Another writer may have done it while this one waited.
    if !fs::metadata(path).is_ok_and(|meta| full(meta.len())) {
        return Ok(());
    }
    if keep == 0 {
        return fs::remove_file(path);
    }
    for number in (1..keep).rev() {
        let from = numbered(path, &number.to_string());
        if from.exists() {
            fs::rename(from, numbered(path, &(number + 1).to_string()))?;
        }
    }
    fs::rename(path, numbered(path, "1"))
}

fn numbered(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}
