//! `sound-alert`: play a sound when the agent has finished or waits for the user.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use becket_model::EventKind;
use becket_runner::HookOutput;
use serde_json::Value;

use crate::detached::{self, DetachedProgram};
use crate::hook::{BlockingHook, HookFailure, HookJob};
use crate::notify::notification::should_notify;
use crate::options::{OptionResult, Options};
use crate::programs;
use crate::registry::OptionDoc;

pub(crate) const OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "sound",
        value_type: "text",
        default: "\"system\"",
        about: "`system` (a desktop sound that fits the event), `bell` (the terminal bell), `none`, or a sound file: absolute or below `~/`.",
    },
    OptionDoc {
        name: "events",
        value_type: "table",
        default: "",
        about: "Sounds for single events, such as `{ PermissionRequest = \"bell\" }`.",
    },
    OptionDoc {
        name: "volume",
        value_type: "number",
        default: "100",
        about: "From 0 to 100, if the player supports it.",
    },
];

/// What to play.
#[derive(Debug, Clone, PartialEq, Eq)]
enum SoundChoice {
    System,
    Bell,
    Nothing,
    File(PathBuf),
}

/// What an alert means to the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AlertKind {
    Done,
    Attention,
    Failure,
}

impl AlertKind {
    fn of(event: &EventKind) -> Self {
        match event {
            EventKind::StopFailure | EventKind::SessionError | EventKind::PostToolUseFailure => {
                Self::Failure
            }
            EventKind::Notification | EventKind::PermissionRequest => Self::Attention,
            _ => Self::Done,
        }
    }

    /// The name in the freedesktop sound theme.
    fn theme_name(self) -> &'static str {
        match self {
            Self::Done => "complete",
            Self::Attention => "message",
            Self::Failure => "dialog-error",
        }
    }

    fn mac_file(self) -> &'static str {
        match self {
            Self::Done => "/System/Library/Sounds/Glass.aiff",
            Self::Attention => "/System/Library/Sounds/Ping.aiff",
            Self::Failure => "/System/Library/Sounds/Basso.aiff",
        }
    }

    fn frequency(self) -> u32 {
        match self {
            Self::Done => 800,
            Self::Attention => 1000,
            Self::Failure => 400,
        }
    }
}

pub(crate) struct SoundAlert {
    default_sound: SoundChoice,
    by_event: HashMap<EventKind, SoundChoice>,
    volume: u32,
}

impl SoundAlert {
    pub(crate) fn read(options: &Options<'_>) -> OptionResult<Self> {
        let usual = options.text("sound")?.unwrap_or("system");
        let usual = parse_choice(usual).ok_or_else(|| options.error("sound", EXPECTED_SOUND))?;
        let mut by_event = HashMap::new();
        match options.get("events") {
            None => {}
            Some(Value::Object(events)) => {
                for (name, sound) in events {
                    let event = EventKind::parse(name);
                    if !event.is_known() {
                        return Err(options.error("events", &format!("unknown event `{name}`")));
                    }
                    let sound = sound.as_str().and_then(parse_choice);
                    let wanted = || options.error(&format!("events.{name}"), EXPECTED_SOUND);
                    by_event.insert(event, sound.ok_or_else(wanted)?);
                }
            }
            Some(_) => return Err(options.error("events", "expected a table of events and sounds")),
        }
        let volume = options.number("volume", 0, 100)?.unwrap_or(100);
        Ok(Self {
            default_sound: usual,
            by_event,
            volume: u32::try_from(volume).unwrap_or(100),
        })
    }

    fn play(&self, job: &HookJob, file: Option<&Path>) -> Result<(), String> {
        let mood = AlertKind::of(&job.event.kind());
        let player = PLAYERS.iter().find_map(|player| {
            let program = programs::find(job, player.name)?;
            let args = (player.args)(file, mood, self.volume)?;
            Some(DetachedProgram {
                file: program,
                args: args.into_iter().map(Into::into).collect(),
            })
        });
        // A machine without a player is not an error.
        player.map_or(Ok(()), |player| detached::start(job, &player))
    }
}

const EXPECTED_SOUND: &str = "expected `system`, `bell`, `none` or the path of a sound file";

fn parse_choice(text: &str) -> Option<SoundChoice> {
    match text {
        "system" => Some(SoundChoice::System),
        "bell" => Some(SoundChoice::Bell),
        "none" => Some(SoundChoice::Nothing),
        path if path.starts_with('/') || path.starts_with("~/") => {
            Some(SoundChoice::File(path.into()))
        }
        _ => None,
    }
}

impl BlockingHook for SoundAlert {
    fn run(&self, job: &HookJob) -> Result<HookOutput, HookFailure> {
        let chosen = self
            .by_event
            .get(&job.event.kind())
            .unwrap_or(&self.default_sound);
        match chosen {
            _ if self.volume == 0 || !should_notify(job) => {}
            SoundChoice::Nothing => {}
            SoundChoice::Bell => ring_terminal_bell(),
            SoundChoice::System => self.play(job, None)?,
            SoundChoice::File(path) => {
                let file = match (path.strip_prefix("~"), job.var("HOME")) {
                    (Ok(below), Some(home)) => Path::new(&home).join(below),
                    _ => path.clone(),
                };
                if !file.is_file() {
                    return Err(format!("sound file `{}` not found", file.display()).into());
                }
                self.play(job, Some(&file))?;
            }
        }
        Ok(HookOutput::allow())
    }
}

/// Rings the bell of the agent's terminal, if it has one.
fn ring_terminal_bell() {
    let flags = rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::NONBLOCK;
    let terminal = OpenOptions::new()
        .write(true)
        .custom_flags(flags.bits().cast_signed())
        .open("/dev/tty");
    if let Ok(mut terminal) = terminal {
        let _ = terminal.write_all(b"\x07");
    }
}

/// A program that plays sounds. `args` returns `None` if the program cannot play the file, or if the system sounds are
/// missing.
struct SoundPlayer {
    name: &'static str,
    args: fn(Option<&Path>, AlertKind, u32) -> Option<Vec<String>>,
}

const PLAYERS: &[SoundPlayer] = &[
    SoundPlayer {
        name: "afplay",
        args: |file, mood, volume| {
            let file = file.unwrap_or(Path::new(mood.mac_file()));
            let (volume, file) = (volume_fraction(volume), text(file)?);
            Some(vec!["-t".into(), "15".into(), "-v".into(), volume, file])
        },
    },
    SoundPlayer {
        name: "paplay",
        args: |file, mood, volume| {
            let file = file.map_or_else(|| theme_file(mood), |file| Some(file.to_owned()))?;
            let volume = volume * 65536 / 100;
            Some(vec![format!("--volume={volume}"), text(&file)?])
        },
    },
    SoundPlayer {
        name: "pw-play",
        args: |file, mood, volume| {
            let file = file.map_or_else(|| theme_file(mood), |file| Some(file.to_owned()))?;
            Some(vec![
                format!("--volume={}", volume_fraction(volume)),
                text(&file)?,
            ])
        },
    },
    SoundPlayer {
        name: "canberra-gtk-play",
        args: |file, mood, volume| {
            let decibels = 20.0 * (f64::from(volume) / 100.0).log10();
            let volume = format!("--volume={decibels:.1}");
            Some(match file {
                Some(file) => vec![volume, format!("--file={}", text(file)?)],
                None => vec![volume, format!("--id={}", mood.theme_name())],
            })
        },
    },
    SoundPlayer {
        name: "aplay",
        args: |file, _, _| {
            let plays = |file: &&Path| file.extension().is_some_and(|end| end == "wav");
            Some(vec!["--quiet".into(), text(file.filter(plays)?)?])
        },
    },
    SoundPlayer {
        name: "speaker-test",
        args: |file, mood, _| {
            let tone = mood.frequency().to_string();
            let words = ["-t", "sine", "-f", &tone, "-l", "1"];
            file.is_none().then(|| words.map(str::to_owned).to_vec())
        },
    },
    SoundPlayer {
        name: "powershell.exe",
        args: |file, mood, _| {
            let beep = format!("[console]::beep({}, 300)", mood.frequency());
            let words = ["-NoProfile", "-NonInteractive", "-Command", &beep];
            file.is_none().then(|| words.map(str::to_owned).to_vec())
        },
    },
];

fn text(file: &Path) -> Option<String> {
    file.to_str().map(str::to_owned)
}

fn volume_fraction(volume: u32) -> String {
    format!("{}.{:02}", volume / 100, volume % 100)
}

fn theme_file(mood: AlertKind) -> Option<PathBuf> {
    let name = format!("{}.oga", mood.theme_name());
    let file = Path::new("/usr/share/sounds/freedesktop/stereo").join(name);
    file.is_file().then_some(file)
}
