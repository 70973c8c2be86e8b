//! `auto-format`: changed files in the project's own format.
//!
//! A formatter is the project's when the project has its configuration. Those that read standard
//! input get the file there and nothing but the file: they cannot touch another one, and the file is
//! written here, in one go, only if it has not changed meanwhile.
//!
//! **What counts as code of the project**: a formatter that lies in the project (`node_modules`, a
//! virtual environment), one whose configuration is or loads code (Prettier, ESLint, RuboCop,
//! PHP-CS-Fixer, Mix), and any command with a relative path. Such code runs only where
//! [`ProjectTools`] says so. Other formatters run anywhere, but in a project that may not run code
//! they are started outside it, so that no version manager follows a file in it to a program of its
//! choice.

mod edition;
mod file;
mod project;
mod tools;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use becket_guard::redact::redact_text;
use becket_runner::HookOutput;
use becket_runner::process::{self, Ending};
use serde_json::Value;

use crate::hook::{Job, Trouble, Work};
use crate::options::{self, Options, ProjectTools, Read};
use crate::places::{self, ProjectFile};
use crate::registry::OptionDoc;
use crate::{programs, told, words};
use file::OpenFile;
use project::Found;
use tools::{Mode, TOOLS, Tool};

pub(crate) const OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "formatters",
        holds: "table",
        default: "",
        about: "What formats the files of a glob: the name of a formatter, a command as a list (`{file}` is the file; without it the file comes last), or `none`. The first glob that fits counts.",
    },
    OptionDoc {
        name: "skip",
        holds: "list of texts",
        default: "[]",
        about: "Globs of files to leave alone, relative to the project.",
    },
    OptionDoc {
        name: "project_tools",
        holds: "true, false or \"trusted\"",
        default: "\"trusted\"",
        about: "Where formatters that are code of the project may run: everywhere, nowhere, or in projects that you have trusted.",
    },
];

/// Other people's code, and git's own.
const NEVER: [&str; 3] = ["node_modules", ".git", "vendor"];

pub(crate) struct Format {
    chosen: Vec<(String, Chosen)>,
    skip: Vec<String>,
    tools: ProjectTools,
}

/// What somebody wants for a glob.
enum Chosen {
    Tool(&'static Tool),
    Command(Vec<String>),
    Nothing,
}

impl Format {
    pub(crate) fn read(options: &Options<'_>) -> Read<Self> {
        let mut chosen = Vec::new();
        match options.get("formatters") {
            None => {}
            Some(Value::Object(globs)) => {
                for (glob, value) in globs {
                    let what = read_chosen(value)
                        .map_err(|why| options.wrong(&format!("formatters.{glob:?}"), &why))?;
                    chosen.push((glob.clone(), what));
                }
            }
            Some(_) => {
                return Err(options.wrong("formatters", "expected a table of globs and formatters"));
            }
        }
        Ok(Self {
            chosen,
            skip: options.texts("skip")?.unwrap_or_default(),
            tools: ProjectTools::read(options)?,
        })
    }
}

fn read_chosen(value: &Value) -> Result<Chosen, String> {
    if value == "none" {
        return Ok(Chosen::Nothing);
    }
    if let Value::String(name) = value {
        let tool = TOOLS.iter().find(|tool| tool.name == name);
        return tool.map(Chosen::Tool).ok_or_else(|| {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            format!(
                "no formatter is called `{name}`; there are {}, `none`, or a command as a list",
                known.join(", ")
            )
        });
    }
    match options::texts(value) {
        Some(words) if words.first().is_some_and(|program| !program.is_empty()) => {
            Ok(Chosen::Command(words))
        }
        _ => Err("expected the name of a formatter, a command as a list, or `none`".to_owned()),
    }
}

/// What became of a file.
enum Done {
    Reformatted(&'static str),
    Unchanged,
    /// The formatter is code that may not run here.
    Forbidden(String),
    Failed(String),
}

impl Work for Format {
    fn work(&self, job: &Job) -> Result<HookOutput, Trouble> {
        let mut changed = Vec::new();
        let mut forbidden = None;
        let mut failed = Vec::new();
        for file in places::changed(job) {
            match self.format(job, &file)? {
                Done::Reformatted(by) => changed.push(format!(
                    "`{}` was reformatted by {by}; read it again before editing it.",
                    file.shown()
                )),
                Done::Unchanged => {}
                Done::Forbidden(tool) => forbidden = Some(tool),
                Done::Failed(why) => failed.push(why),
            }
        }
        if changed.is_empty() && !failed.is_empty() {
            return Err(failed.join("; ").into());
        }
        let mut output = HookOutput::allow();
        if !changed.is_empty() {
            output = output.context(changed.join("\n"));
        }
        if let Some(tool) = forbidden.filter(|tool| told::first_time(job, tool)) {
            output = output.system_message(format!(
                "auto-format: {tool} is code of this project and does not run before you trust the project (`becket trust`) or set `project_tools = true`"
            ));
        }
        Ok(output)
    }
}

impl Format {
    fn format(&self, job: &Job, file: &ProjectFile) -> Result<Done, Trouble> {
        let relative = file.relative();
        let text = relative.to_string_lossy();
        let fits = |glob: &str| {
            fast_glob::glob_match(glob, &*text)
                // `*.md` means any such file, wherever it lies.
                || (!glob.contains('/') && relative.file_name().is_some_and(|name| {
                    fast_glob::glob_match(glob, &*name.to_string_lossy())
                }))
        };
        let never =
            |part: std::path::Component<'_>| NEVER.iter().any(|dir| part.as_os_str() == *dir);
        if relative.components().any(never) || self.skip.iter().any(|glob| fits(glob)) {
            return Ok(Done::Unchanged);
        }
        // A link may lead out of the project, and what it leads to has another name anyway.
        let Some(mut open) = OpenFile::open(&file.path) else {
            return Ok(Done::Unchanged);
        };
        match self.chosen.iter().find(|(glob, _)| fits(glob)) {
            Some((_, Chosen::Nothing)) => Ok(Done::Unchanged),
            Some((_, Chosen::Command(words))) => self.run_command(job, file, &mut open, words),
            Some((_, Chosen::Tool(tool))) => match project::locate(job, tool, file) {
                Some(found) => self.run_tool(job, file, &mut open, &found),
                None => Ok(Done::Failed(format!("{} is not installed", tool.name))),
            },
            None => match project::detect(job, file) {
                Some(found) => self.run_tool(job, file, &mut open, &found),
                None => Ok(Done::Unchanged),
            },
        }
    }

    fn run_tool(
        &self,
        job: &Job,
        file: &ProjectFile,
        open: &mut OpenFile,
        found: &Found,
    ) -> Result<Done, Trouble> {
        let tool = found.tool;
        let may = job.may_run_project_code(self.tools);
        if !may && (tool.runs_code || programs::is_inside(&found.program, &file.root)) {
            return Ok(Done::Forbidden(tool.name.to_owned()));
        }
        let mut command = process::Command::exec(&found.program, (tool.args)(found, &file.path));
        command.cwd = Some(if may {
            found.dir.clone()
        } else {
            PathBuf::from("/")
        });
        if tool.mode == Mode::Stdin {
            command.stdin.clone_from(&open.text);
        }
        let finished = job.run(command)?;
        let done = matches!(finished.ending, Ending::Exited(code) if tool.fine.contains(&code));
        if !done {
            return Ok(failed(tool.name, file, &finished));
        }
        match tool.mode {
            Mode::InPlace => Ok(changed(tool.name, open)),
            Mode::Stdin if finished.stdout.dropped > 0 => Ok(Done::Unchanged),
            Mode::Stdin => write(tool.name, file, open, &finished.stdout.bytes),
        }
    }

    fn run_command(
        &self,
        job: &Job,
        file: &ProjectFile,
        open: &mut OpenFile,
        words: &[String],
    ) -> Result<Done, Trouble> {
        let [program, args @ ..] = words else {
            return Ok(Done::Unchanged);
        };
        let shown = || words::one_line(program, 60);
        let file_name = program.contains('/').then(|| file.root.join(program));
        let Some(found) = file_name.or_else(|| programs::find(job, program)) else {
            return Ok(Done::Failed(format!("{} is not installed", shown())));
        };
        let may = job.may_run_project_code(self.tools);
        if !may && programs::is_inside(&found, &file.root) {
            return Ok(Done::Forbidden(shown()));
        }
        let mut args: Vec<OsString> = args.iter().map(|arg| place(arg, &file.path)).collect();
        if !words.iter().any(|word| word.contains("{file}")) {
            args.push(file.path.clone().into());
        }
        let mut command = process::Command::exec(&found, args);
        command.cwd = Some(if may { file.root.clone() } else { "/".into() });
        let finished = job.run(command)?;
        if !matches!(finished.ending, Ending::Exited(0)) {
            return Ok(failed(&shown(), file, &finished));
        }
        Ok(changed("your formatter", open))
    }
}

/// The file in an argument. It is absolute, so that no name is taken for an option.
fn place(arg: &str, file: &Path) -> OsString {
    let mut out = OsString::new();
    for (at, part) in arg.split("{file}").enumerate() {
        if at > 0 {
            out.push(file);
        }
        out.push(part);
    }
    out
}

fn changed(by: &'static str, open: &mut OpenFile) -> Done {
    if open.changed_since() {
        Done::Reformatted(by)
    } else {
        Done::Unchanged
    }
}

fn write(
    by: &'static str,
    file: &ProjectFile,
    open: &mut OpenFile,
    text: &[u8],
) -> Result<Done, Trouble> {
    let blank = |text: &[u8]| text.iter().all(u8::is_ascii_whitespace);
    if text == open.text {
        return Ok(Done::Unchanged);
    }
    // A formatter that fails quietly must not empty a file.
    if blank(text) && !blank(&open.text) {
        return Ok(Done::Failed(format!(
            "{by} gave nothing back for `{}`",
            file.shown()
        )));
    }
    match open.replace(text) {
        Ok(true) => Ok(Done::Reformatted(by)),
        Ok(false) => Ok(Done::Unchanged),
        Err(error) => Err(format!("cannot write `{}`: {error}", file.shown()).into()),
    }
}

fn failed(by: &str, file: &ProjectFile, finished: &process::Finished) -> Done {
    let said = match &finished.ending {
        Ending::NotStarted(error) => error.to_string(),
        _ => {
            let said = format!("{}\n{}", finished.stderr.text(), finished.stdout.text());
            let line = said.lines().find(|line| !line.trim().is_empty());
            redact_text(line.unwrap_or("no reason given").trim()).into_owned()
        }
    };
    let said = words::one_line(&said, 200);
    Done::Failed(format!("{by} could not format `{}`: {said}", file.shown()))
}
