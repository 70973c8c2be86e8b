//! `desktop-notify`: a notification on the desktop of the person.
//!
//! What is shown comes from agents and projects, so no notifier ever gets it as part of a script:
//! it is an argument, escaped where the notifier reads markup, or a list of numbers.

use becket_runner::HookOutput;

use crate::detached::{self, Program};
use crate::hook::{Job, Trouble, Work};
use crate::notify::note::{Detail, Note, is_news};
use crate::options::{Options, Read};
use crate::programs;
use crate::registry::OptionDoc;

pub(crate) const OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "details",
        holds: "true or false",
        default: "true",
        about: "Whether commands and the agent's last words are shown.",
    },
    OptionDoc {
        name: "urgency",
        holds: "text",
        default: "\"normal\"",
        about: "`low`, `normal` or `critical`, where the desktop knows a difference.",
    },
];

pub(crate) struct Desktop {
    detail: Detail,
    urgency: &'static str,
}

impl Desktop {
    pub(crate) fn read(options: &Options<'_>) -> Read<Self> {
        let urgencies = [
            ("low", "low"),
            ("normal", "normal"),
            ("critical", "critical"),
        ];
        Ok(Self {
            detail: Detail::from(options.flag("details")?.unwrap_or(true)),
            urgency: options.word("urgency", &urgencies)?.unwrap_or("normal"),
        })
    }
}

impl Work for Desktop {
    fn work(&self, job: &Job) -> Result<HookOutput, Trouble> {
        if !is_news(job) {
            return Ok(HookOutput::allow());
        }
        let note = Note::of(job, self.detail);
        let shown = Shown {
            title: harmless(&format!("{}: {}", note.project, note.headline)),
            body: harmless(&note.lines().join("\n")),
            urgency: self.urgency,
        };
        let notifier = NOTIFIERS.iter().find_map(|notifier| {
            let program = programs::find(job, notifier.name)?;
            let args = (notifier.args)(&shown)
                .into_iter()
                .map(Into::into)
                .collect();
            Some(Program {
                file: program,
                args,
            })
        });
        // No desktop, nothing to show it on.
        if let Some(notifier) = notifier {
            detached::start(job, &notifier)?;
        }
        Ok(HookOutput::allow())
    }
}

/// Notifiers take a first `-` for an option, whatever stands before it, and some a first `[` or `\`.
fn harmless(text: &str) -> String {
    match text.chars().next() {
        Some(first) if !first.is_alphanumeric() => format!(" {text}"),
        Some(_) => text.to_owned(),
        None => " ".to_owned(),
    }
}

struct Shown {
    title: String,
    body: String,
    urgency: &'static str,
}

struct Notifier {
    name: &'static str,
    args: fn(&Shown) -> Vec<String>,
}

const NOTIFIERS: &[Notifier] = &[
    Notifier {
        name: "notify-send",
        args: |shown| {
            vec![
                "--app-name=Becket".into(),
                format!("--urgency={}", shown.urgency),
                "--".into(),
                shown.title.clone(),
                markup(&shown.body),
            ]
        },
    },
    Notifier {
        name: "terminal-notifier",
        args: |shown| {
            let words = [
                "-title",
                &shown.title,
                "-message",
                &shown.body,
                "-group",
                "becket",
            ];
            words.map(str::to_owned).to_vec()
        },
    },
    Notifier {
        name: "osascript",
        args: |shown| {
            let script = [
                "-e",
                "on run argv",
                "-e",
                "display notification (item 2 of argv) with title (item 1 of argv)",
                "-e",
                "end run",
                &shown.title,
                &shown.body,
            ];
            script.map(str::to_owned).to_vec()
        },
    },
    Notifier {
        name: "powershell.exe",
        args: |shown| {
            let script = TOAST
                .replace("TITLE", &numbers(&shown.title))
                .replace("BODY", &numbers(&shown.body));
            let words = ["-NoProfile", "-NonInteractive", "-Command", &script];
            words.map(str::to_owned).to_vec()
        },
    },
];

/// `TITLE` and `BODY` are lists of bytes.
const TOAST: &str = "$t=[Text.Encoding]::UTF8.GetString([byte[]](TITLE)); \
$b=[Text.Encoding]::UTF8.GetString([byte[]](BODY)); \
$null=[Windows.UI.Notifications.ToastNotificationManager,Windows.UI.Notifications,ContentType=WindowsRuntime]; \
$x=[Windows.UI.Notifications.ToastNotificationManager]::GetTemplateContent(1); \
$n=$x.GetElementsByTagName('text'); \
$null=$n.Item(0).AppendChild($x.CreateTextNode($t)); \
$null=$n.Item(1).AppendChild($x.CreateTextNode($b)); \
[Windows.UI.Notifications.ToastNotificationManager]::CreateToastNotifier('Becket').Show([Windows.UI.Notifications.ToastNotification]::new($x))";

fn numbers(text: &str) -> String {
    let bytes: Vec<String> = text.bytes().map(|byte| byte.to_string()).collect();
    bytes.join(",")
}

/// Notification servers read a little HTML in the body.
fn markup(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
