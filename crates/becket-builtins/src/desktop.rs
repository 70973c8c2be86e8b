//! `desktop-notify`: show a desktop notification.
//!
//! Titles and texts come from agents and projects. They never become part of a script: a notifier gets them as
//! arguments, escaped if it reads markup, or as a list of bytes.

use becket_runner::HookOutput;

use crate::detached::{self, DetachedProgram};
use crate::hook::{BlockingHook, HookFailure, HookJob};
use crate::notify::notification::{DetailLevel, Notification, should_notify};
use crate::options::{OptionResult, Options};
use crate::programs;
use crate::registry::OptionDoc;

pub(crate) const OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "details",
        value_type: "true or false",
        default: "true",
        about: "Whether to show commands and the agent's last message.",
    },
    OptionDoc {
        name: "urgency",
        value_type: "text",
        default: "\"normal\"",
        about: "`low`, `normal` or `critical`, if the desktop supports it.",
    },
];

pub(crate) struct DesktopNotify {
    detail: DetailLevel,
    urgency: &'static str,
}

impl DesktopNotify {
    pub(crate) fn read(options: &Options<'_>) -> OptionResult<Self> {
        let urgencies = [
            ("low", "low"),
            ("normal", "normal"),
            ("critical", "critical"),
        ];
        Ok(Self {
            detail: DetailLevel::from(options.flag("details")?.unwrap_or(true)),
            urgency: options.choice("urgency", &urgencies)?.unwrap_or("normal"),
        })
    }
}

impl BlockingHook for DesktopNotify {
    fn run(&self, job: &HookJob) -> Result<HookOutput, HookFailure> {
        if !should_notify(job) {
            return Ok(HookOutput::allow());
        }
        let note = Notification::of(job, self.detail);
        let shown = NotificationText {
            title: escape_leading(&format!("{}: {}", note.project, note.headline)),
            body: escape_leading(&note.lines().join("\n")),
            urgency: self.urgency,
        };
        let notifier = NOTIFIERS.iter().find_map(|notifier| {
            let program = programs::find(job, notifier.name)?;
            let args = (notifier.args)(&shown)
                .into_iter()
                .map(Into::into)
                .collect();
            Some(DetachedProgram {
                file: program,
                args,
            })
        });
        // Without a desktop there is nothing to do.
        if let Some(notifier) = notifier {
            detached::start(job, &notifier)?;
        }
        Ok(HookOutput::allow())
    }
}

/// Notifiers treat a leading `-` as an option, even after `--`; some also interpret a leading `[` or `\`.
fn escape_leading(text: &str) -> String {
    match text.chars().next() {
        Some(first) if !first.is_alphanumeric() => format!(" {text}"),
        Some(_) => text.to_owned(),
        None => " ".to_owned(),
    }
}

struct NotificationText {
    title: String,
    body: String,
    urgency: &'static str,
}

struct Notifier {
    name: &'static str,
    args: fn(&NotificationText) -> Vec<String>,
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
                escape_markup(&shown.body),
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
                .replace("TITLE", &byte_list(&shown.title))
                .replace("BODY", &byte_list(&shown.body));
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

fn byte_list(text: &str) -> String {
    let bytes: Vec<String> = text.bytes().map(|byte| byte.to_string()).collect();
    bytes.join(",")
}

/// Notification servers interpret a subset of HTML in the body.
fn escape_markup(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
