//! `sound-alert`: a sound when the agent has finished or waits for a person.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use becket_model::EventKind;
use becket_runner::HookOutput;
use serde_json::Value;

use crate::detached::{self, Program};
use crate::hook::{Job, Trouble, Work};
use crate::notify::note::is_news;
use crate::options::{Options, Read};
use crate::programs;
use crate::registry::OptionDoc;

pub(crate) const OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "sound",
        holds: "text",
        default: "\"system\"",
        about: "`system` (a sound of the desktop that fits the event), `bell` (the terminal's), `none`, or a sound file: absolute or below `~/`.",
    },
    OptionDoc {
        name: "events",
        holds: "table",
        default: "",
        about: "Other sounds for some events, such as `{ PermissionRequest = \"bell\" }`.",
    },
    OptionDoc {
        name: "volume",
        holds: "number",
        default: "100",
        about: "From 0 to 100, where the player can be told.",
    },
];

/// What to play.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Choice {
    System,
    Bell,
    Nothing,
    File(PathBuf),
}

/// What the event means to the person who hears it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mood {
    Done,
    Attention,
    Failure,
}

impl Mood {
    fn of(event: &EventKind) -> Self {
        match event {
            EventKind::StopFailure | EventKind::SessionError | EventKind::PostToolUseFailure => {
                Self::Failure
            }
            EventKind::Notification | EventKind::PermissionRequest => Self::Attention,
            _ => Self::Done,
        }
    }

    /// The name in the sound theme of free desktops.
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

pub(crate) struct Sound {
    usual: Choice,
    by_event: HashMap<EventKind, Choice>,
    volume: u32,
}

impl Sound {
    pub(crate) fn read(options: &Options<'_>) -> Read<Self> {
        let usual = options.text("sound")?.unwrap_or("system");
        let usual = choice(usual).ok_or_else(|| options.wrong("sound", WANTED))?;
        let mut by_event = HashMap::new();
        match options.get("events") {
            None => {}
            Some(Value::Object(events)) => {
                for (name, sound) in events {
                    let event = EventKind::parse(name);
                    if !event.is_known() {
                        return Err(options.wrong("events", &format!("unknown event `{name}`")));
                    }
                    let sound = sound.as_str().and_then(choice);
                    let wanted = || options.wrong(&format!("events.{name}"), WANTED);
                    by_event.insert(event, sound.ok_or_else(wanted)?);
                }
            }
            Some(_) => return Err(options.wrong("events", "expected a table of events and sounds")),
        }
        let volume = options.number("volume", 0, 100)?.unwrap_or(100);
        Ok(Self {
            usual,
            by_event,
            volume: u32::try_from(volume).unwrap_or(100),
        })
    }

    fn play(&self, job: &Job, file: Option<&Path>) -> Result<(), String> {
        let mood = Mood::of(&job.event.kind());
        let player = PLAYERS.iter().find_map(|player| {
            let program = programs::find(job, player.name)?;
            let args = (player.args)(file, mood, self.volume)?;
            Some(Program {
                file: program,
                args: args.into_iter().map(Into::into).collect(),
            })
        });
        // A machine without a player is a quiet machine, not a broken one.
        player.map_or(Ok(()), |player| detached::start(job, &player))
    }
}

const WANTED: &str = "expected `system`, `bell`, `none` or the path of a sound file";

fn choice(text: &str) -> Option<Choice> {
    match text {
        "system" => Some(Choice::System),
        "bell" => Some(Choice::Bell),
        "none" => Some(Choice::Nothing),
        path if path.starts_with('/') || path.starts_with("~/") => Some(Choice::File(path.into())),
        _ => None,
    }
}

impl Work for Sound {
    fn work(&self, job: &Job) -> Result<HookOutput, Trouble> {
        let chosen = self.by_event.get(&job.event.kind()).unwrap_or(&self.usual);
        match chosen {
            _ if self.volume == 0 || !is_news(job) => {}
            Choice::Nothing => {}
            Choice::Bell => ring(),
            Choice::System => self.play(job, None)?,
            Choice::File(path) => {
                let file = match (path.strip_prefix("~"), job.var("HOME")) {
                    (Ok(below), Some(home)) => Path::new(&home).join(below),
                    _ => path.clone(),
                };
                if !file.is_file() {
                    return Err(format!("there is no sound file `{}`", file.display()).into());
                }
                self.play(job, Some(&file))?;
            }
        }
        Ok(HookOutput::allow())
    }
}

/// The terminal of the agent; one that has none stays quiet.
fn ring() {
    let flags = rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::NONBLOCK;
    let terminal = OpenOptions::new()
        .write(true)
        .custom_flags(flags.bits().cast_signed())
        .open("/dev/tty");
    if let Ok(mut terminal) = terminal {
        let _ = terminal.write_all(b"\x07");
    }
}

/// A program that plays sounds. Its arguments are `None` where it has nothing to play: it cannot read
/// the file, or the system's sounds are not there.
struct Player {
    name: &'static str,
    args: fn(Option<&Path>, Mood, u32) -> Option<Vec<String>>,
}

const PLAYERS: &[Player] = &[
    Player {
        name: "afplay",
        args: |file, mood, volume| {
            let file = file.unwrap_or(Path::new(mood.mac_file()));
            let (volume, file) = (fraction(volume), text(file)?);
            Some(vec!["-t".into(), "15".into(), "-v".into(), volume, file])
        },
    },
    Player {
        name: "paplay",
        args: |file, mood, volume| {
            let file = file.map_or_else(|| theme_file(mood), |file| Some(file.to_owned()))?;
            let volume = volume * 65536 / 100;
            Some(vec![format!("--volume={volume}"), text(&file)?])
        },
    },
    Player {
        name: "pw-play",
        args: |file, mood, volume| {
            let file = file.map_or_else(|| theme_file(mood), |file| Some(file.to_owned()))?;
            Some(vec![format!("--volume={}", fraction(volume)), text(&file)?])
        },
    },
    Player {
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
    Player {
        name: "aplay",
        args: |file, _, _| {
            let plays = |file: &&Path| file.extension().is_some_and(|end| end == "wav");
            Some(vec!["--quiet".into(), text(file.filter(plays)?)?])
        },
    },
    Player {
        name: "speaker-test",
        args: |file, mood, _| {
            let tone = mood.frequency().to_string();
            let words = ["-t", "sine", "-f", &tone, "-l", "1"];
            file.is_none().then(|| words.map(str::to_owned).to_vec())
        },
    },
    Player {
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

fn fraction(volume: u32) -> String {
    format!("{}.{:02}", volume / 100, volume % 100)
}

fn theme_file(mood: Mood) -> Option<PathBuf> {
    let name = format!("{}.oga", mood.theme_name());
    let file = Path::new("/usr/share/sounds/freedesktop/stereo").join(name);
    file.is_file().then_some(file)
}
