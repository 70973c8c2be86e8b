//! `auto-format`: format changed files with the project's formatter.
//!
//! A project uses a formatter if it contains the formatter's configuration. A formatter that reads stdin gets only the
//! content of one file, so it cannot touch other files. The result is written here, and only if the file has not changed
//! in the meantime.
//!
//! **Project code** is a formatter inside the project (`node_modules`, a virtual environment), a formatter whose
//! configuration is or loads code (Prettier, ESLint, RuboCop, PHP-CS-Fixer, Mix), and a command with a relative path. It
//! runs only if [`ProjectTools`] allows it. Other formatters always run. In a project whose code may not run, they run
//! outside the project directory, so that no version manager picks a program from a file of the project.

mod edition;
mod file;
mod formatters;
mod project;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use becket_guard::redact::redact_text;
use becket_runner::HookOutput;
use becket_runner::process::{self, Ending};
use serde_json::Value;

use crate::hook::{BlockingHook, HookFailure, HookJob};
use crate::options::{self, OptionResult, Options, ProjectTools};
use crate::project_files::{self, ProjectFile};
use crate::registry::OptionDoc;
use crate::{display_text, once_per_session, programs};
use file::OpenFile;
use formatters::{FORMATTERS, Formatter, FormatterMode};
use project::LocatedFormatter;

pub(crate) const OPTIONS: &[OptionDoc] = &[
    OptionDoc {
        name: "formatters",
        value_type: "table",
        default: "",
        about: "The formatter for a glob: a formatter name, a command as a list (`{file}` is the file; without it the file is the last argument), or `none`. The first matching glob counts.",
    },
    OptionDoc {
        name: "skip",
        value_type: "list of texts",
        default: "[]",
        about: "Globs of files to skip, relative to the project.",
    },
    OptionDoc {
        name: "project_tools",
        value_type: "true, false or \"trusted\"",
        default: "\"trusted\"",
        about: "Where formatters that are project code may run: everywhere (`true`), nowhere (`false`), or in projects that you trust.",
    },
];

/// Third-party code and git's own files.
const SKIPPED_DIRECTORIES: [&str; 3] = ["node_modules", ".git", "vendor"];

pub(crate) struct AutoFormat {
    choices: Vec<(String, FormatterChoice)>,
    skip: Vec<String>,
    tools: ProjectTools,
}

/// The formatter that the user configured for a glob.
enum FormatterChoice {
    Tool(&'static Formatter),
    Command(Vec<String>),
    Nothing,
}

impl AutoFormat {
    pub(crate) fn read(options: &Options<'_>) -> OptionResult<Self> {
        let mut chosen = Vec::new();
        match options.get("formatters") {
            None => {}
            Some(Value::Object(globs)) => {
                for (glob, value) in globs {
                    let what = parse_choice(value)
                        .map_err(|why| options.error(&format!("formatters.{glob:?}"), &why))?;
                    chosen.push((glob.clone(), what));
                }
            }
            Some(_) => {
                return Err(options.error("formatters", "expected a table of globs and formatters"));
            }
        }
        Ok(Self {
            choices: chosen,
            skip: options.texts("skip")?.unwrap_or_default(),
            tools: ProjectTools::read(options)?,
        })
    }
}

fn parse_choice(value: &Value) -> Result<FormatterChoice, String> {
    if value == "none" {
        return Ok(FormatterChoice::Nothing);
    }
    if let Value::String(name) = value {
        let tool = FORMATTERS.iter().find(|tool| tool.name == name);
        return tool.map(FormatterChoice::Tool).ok_or_else(|| {
            let known: Vec<&str> = FORMATTERS.iter().map(|tool| tool.name).collect();
            format!(
                "unknown formatter `{name}`; use one of {}, `none`, or a command as a list",
                known.join(", ")
            )
        });
    }
    match options::texts(value) {
        Some(words) if words.first().is_some_and(|program| !program.is_empty()) => {
            Ok(FormatterChoice::Command(words))
        }
        _ => Err("expected the name of a formatter, a command as a list, or `none`".to_owned()),
    }
}

/// The result for one file.
enum FormatOutcome {
    Reformatted(&'static str),
    Unchanged,
    /// The formatter is project code that may not run here.
    Forbidden(String),
    Failed(String),
}

impl BlockingHook for AutoFormat {
    fn run(&self, job: &HookJob) -> Result<HookOutput, HookFailure> {
        let mut changed = Vec::new();
        let mut forbidden = None;
        let mut failed = Vec::new();
        for file in project_files::changed_files(job) {
            match self.format(job, &file)? {
                FormatOutcome::Reformatted(by) => changed.push(format!(
                    "`{}` was reformatted by {by}; read it again before editing it.",
                    file.display_path()
                )),
                FormatOutcome::Unchanged => {}
                FormatOutcome::Forbidden(tool) => forbidden = Some(tool),
                FormatOutcome::Failed(why) => failed.push(why),
            }
        }
        if changed.is_empty() && !failed.is_empty() {
            return Err(failed.join("; ").into());
        }
        let mut output = HookOutput::allow();
        if !changed.is_empty() {
            output = output.context(changed.join("\n"));
        }
        if let Some(tool) =
            forbidden.filter(|tool| once_per_session::is_first_in_session(job, tool))
        {
            output = output.system_message(format!(
                "auto-format: {tool} is code of this project and does not run in an untrusted project; run `becket trust` or set `project_tools = true`"
            ));
        }
        Ok(output)
    }
}

impl AutoFormat {
    fn format(&self, job: &HookJob, file: &ProjectFile) -> Result<FormatOutcome, HookFailure> {
        let relative = file.relative();
        let text = relative.to_string_lossy();
        let fits = |glob: &str| {
            fast_glob::glob_match(glob, &*text)
                // `*.md` matches in every directory.
                || (!glob.contains('/') && relative.file_name().is_some_and(|name| {
                    fast_glob::glob_match(glob, &*name.to_string_lossy())
                }))
        };
        let never = |part: std::path::Component<'_>| {
            SKIPPED_DIRECTORIES
                .iter()
                .any(|dir| part.as_os_str() == *dir)
        };
        if relative.components().any(never) || self.skip.iter().any(|glob| fits(glob)) {
            return Ok(FormatOutcome::Unchanged);
        }
        // A link may lead out of the project.
        let Some(mut open) = OpenFile::open(&file.path) else {
            return Ok(FormatOutcome::Unchanged);
        };
        match self.choices.iter().find(|(glob, _)| fits(glob)) {
            Some((_, FormatterChoice::Nothing)) => Ok(FormatOutcome::Unchanged),
            Some((_, FormatterChoice::Command(words))) => {
                self.run_command(job, file, &mut open, words)
            }
            Some((_, FormatterChoice::Tool(tool))) => match project::locate(job, tool, file) {
                Some(found) => self.run_tool(job, file, &mut open, &found),
                None => Ok(FormatOutcome::Failed(format!(
                    "{} is not installed",
                    tool.name
                ))),
            },
            None => match project::detect(job, file) {
                Some(found) => self.run_tool(job, file, &mut open, &found),
                None => Ok(FormatOutcome::Unchanged),
            },
        }
    }

    fn run_tool(
        &self,
        job: &HookJob,
        file: &ProjectFile,
        open: &mut OpenFile,
        found: &LocatedFormatter,
    ) -> Result<FormatOutcome, HookFailure> {
        let tool = found.tool;
        let may = job.may_run_project_code(self.tools);
        if !may && (tool.runs_code || programs::is_inside(&found.program, &file.root)) {
            return Ok(FormatOutcome::Forbidden(tool.name.to_owned()));
        }
        let mut command = process::Command::exec(&found.program, (tool.args)(found, &file.path));
        command.cwd = Some(if may {
            found.dir.clone()
        } else {
            PathBuf::from("/")
        });
        if tool.mode == FormatterMode::Stdin {
            command.stdin.clone_from(&open.text);
        }
        let finished = job.run(command)?;
        let done =
            matches!(finished.ending, Ending::Exited(code) if tool.success_codes.contains(&code));
        if !done {
            return Ok(failed(tool.name, file, &finished));
        }
        match tool.mode {
            FormatterMode::InPlace => Ok(changed(tool.name, open)),
            FormatterMode::Stdin if finished.stdout.dropped > 0 => Ok(FormatOutcome::Unchanged),
            FormatterMode::Stdin => write(tool.name, file, open, &finished.stdout.bytes),
        }
    }

    fn run_command(
        &self,
        job: &HookJob,
        file: &ProjectFile,
        open: &mut OpenFile,
        words: &[String],
    ) -> Result<FormatOutcome, HookFailure> {
        let [program, args @ ..] = words else {
            return Ok(FormatOutcome::Unchanged);
        };
        let shown = || display_text::one_line(program, 60);
        let file_name = program.contains('/').then(|| file.root.join(program));
        let Some(found) = file_name.or_else(|| programs::find(job, program)) else {
            return Ok(FormatOutcome::Failed(format!(
                "{} is not installed",
                shown()
            )));
        };
        let may = job.may_run_project_code(self.tools);
        if !may && programs::is_inside(&found, &file.root) {
            return Ok(FormatOutcome::Forbidden(shown()));
        }
        let mut args: Vec<OsString> = args
            .iter()
            .map(|arg| substitute_file(arg, &file.path))
            .collect();
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

/// Replaces `{file}` in an argument. The path is absolute, so it cannot become an option.
fn substitute_file(arg: &str, file: &Path) -> OsString {
    let mut out = OsString::new();
    for (at, part) in arg.split("{file}").enumerate() {
        if at > 0 {
            out.push(file);
        }
        out.push(part);
    }
    out
}

fn changed(by: &'static str, open: &mut OpenFile) -> FormatOutcome {
    if open.has_changed() {
        FormatOutcome::Reformatted(by)
    } else {
        FormatOutcome::Unchanged
    }
}

fn write(
    by: &'static str,
    file: &ProjectFile,
    open: &mut OpenFile,
    text: &[u8],
) -> Result<FormatOutcome, HookFailure> {
    let blank = |text: &[u8]| text.iter().all(u8::is_ascii_whitespace);
    if text == open.text {
        return Ok(FormatOutcome::Unchanged);
    }
    // A formatter that fails silently must not empty a file.
    if blank(text) && !blank(&open.text) {
        return Ok(FormatOutcome::Failed(format!(
            "{by} returned an empty result for `{}`",
            file.display_path()
        )));
    }
    match open.replace(text) {
        Ok(true) => Ok(FormatOutcome::Reformatted(by)),
        Ok(false) => Ok(FormatOutcome::Unchanged),
        Err(error) => Err(format!("cannot write `{}`: {error}", file.display_path()).into()),
    }
}

fn failed(by: &str, file: &ProjectFile, finished: &process::Finished) -> FormatOutcome {
    let reason = match &finished.ending {
        Ending::NotStarted(error) => error.to_string(),
        _ => {
            let reason = format!("{}\n{}", finished.stderr.text(), finished.stdout.text());
            let line = reason.lines().find(|line| !line.trim().is_empty());
            redact_text(line.unwrap_or("no reason given").trim()).into_owned()
        }
    };
    let reason = display_text::one_line(&reason, 200);
    FormatOutcome::Failed(format!(
        "{by} could not format `{}`: {reason}",
        file.display_path()
    ))
}
