//! `log`: write every event as one redacted line of JSON.

use std::path::{Path, PathBuf};

use becket_base::fs::{RotatingFile, create_private_parent};
use becket_base::text::prefix_bytes;
use becket_runner::HookOutput;
use chrono::SecondsFormat;
use serde_json::{Map, Value, json};

use crate::hook::{BlockingHook, HookFailure, HookJob};
use crate::options::{OptionResult, Options};
use crate::registry::OptionDoc;

pub(crate) const OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "path",
        value_type: "text",
        default: "",
        about: "The log file: absolute, below `~/`, or relative to the log directory (hooks of a project: relative to the project). Default: `logs/events.jsonl` in the state directory.",
    },
    OptionDoc {
        name: "max_bytes",
        value_type: "number",
        default: "10485760",
        about: "Rotate the file before it grows beyond this size; 0 disables rotation.",
    },
    OptionDoc {
        name: "keep",
        value_type: "number",
        default: "3",
        about: "How many rotated files to keep.",
    },
    OptionDoc {
        name: "fields",
        value_type: "list of texts",
        default: "",
        about: "The fields to write; all fields if omitted.",
    },
];

/// Longer texts are truncated, to keep the log readable.
const MAX_TEXT_BYTES: usize = 16 * 1024;

pub(crate) struct EventLog {
    path: Option<PathBuf>,
    max_bytes: u64,
    keep: u64,
    fields: Option<Vec<String>>,
}

impl EventLog {
    pub(crate) fn read(options: &Options<'_>) -> OptionResult<Self> {
        Ok(Self {
            path: options.text("path")?.map(PathBuf::from),
            max_bytes: options
                .number("max_bytes", 0, u64::MAX)?
                .unwrap_or(10 << 20),
            keep: options.number("keep", 0, 1000)?.unwrap_or(3),
            fields: options.texts("fields")?,
        })
    }

    fn file(&self, job: &HookJob) -> PathBuf {
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

    fn line(&self, job: &HookJob) -> Vec<u8> {
        let mut line = Map::new();
        let at = job.at.to_rfc3339_opts(SecondsFormat::Millis, true);
        line.insert("ts".into(), json!(at));
        if !job.event_id.is_empty() {
            line.insert("id".into(), json!(job.event_id));
        }
        if let Value::Object(event) = job.event.to_json() {
            line.extend(event);
        }
        // Redact before selecting fields and truncating: half a secret would not be recognised.
        let mut line = Value::Object(line);
        becket_guard::redact::redact_json(&mut line);
        if let (Some(fields), Value::Object(map)) = (&self.fields, &mut line) {
            map.retain(|key, _| fields.contains(key));
        }
        truncate_texts(&mut line);
        let mut bytes = line.to_string().into_bytes();
        bytes.push(b'\n');
        bytes
    }
}

impl BlockingHook for EventLog {
    fn run(&self, job: &HookJob) -> Result<HookOutput, HookFailure> {
        let file = self.file(job);
        let line = self.line(job);
        create_private_parent(&file)
            .and_then(|()| RotatingFile::new(&file, self.max_bytes, self.keep).append(&line))
            .map_err(|error| format!("cannot write `{}`: {error}", file.display()))?;
        Ok(HookOutput::allow())
    }
}

fn truncate_texts(value: &mut Value) {
    match value {
        Value::String(text) if text.len() > MAX_TEXT_BYTES => {
            let cut = prefix_bytes(text, MAX_TEXT_BYTES).len();
            let left_out = text.len() - cut;
            text.truncate(cut);
            text.push_str(&format!("… ({left_out} bytes omitted)"));
        }
        Value::Array(items) => items.iter_mut().for_each(truncate_texts),
        Value::Object(map) => map.values_mut().for_each(truncate_texts),
        _ => {}
    }
}
