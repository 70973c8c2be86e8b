//! Evaluates redirections: files read and written, and the source of standard input.

use super::scope::{ShellScope, ShellValue};
use super::{Analyzer, CommandOutput, WrittenFile};
use crate::command::{Redirect, RedirectKind, Stdin, UNKNOWN, Word};
use crate::shell::ast::{RedirectOperator, Redirection};

/// Maximum size of tracked file content.
const MAX_FILE: usize = 1 << 18;

/// The combined effect of a command's redirections.
#[derive(Default)]
pub(super) struct AppliedRedirects {
    pub(super) files: Vec<Redirect>,
    /// The new source of standard input.
    pub(super) input: Option<(Stdin, Vec<usize>)>,
    /// The file that standard input is read from.
    pub(super) input_file: Option<Word>,
    /// The file that standard output goes to, and whether it is appended.
    pub(super) output: Option<(String, bool)>,
}

impl AppliedRedirects {
    pub(super) fn apply_input(&self, scope: &mut ShellScope) {
        if let Some((stdin, sources)) = &self.input {
            scope.stdin = stdin.clone();
            scope.sources.clone_from(sources);
            scope.input_file.clone_from(&self.input_file);
        }
    }
}

impl Analyzer<'_> {
    pub(super) fn redirects(
        &mut self,
        redirects: &[Redirection],
        scope: &mut ShellScope,
    ) -> AppliedRedirects {
        let mut all = AppliedRedirects::default();
        for redirect in redirects {
            self.redirect(redirect, scope, &mut all);
        }
        all
    }

    fn redirect(
        &mut self,
        redirect: &Redirection,
        scope: &mut ShellScope,
        all: &mut AppliedRedirects,
    ) {
        match redirect.operator {
            RedirectOperator::HereDocument => {
                let body = redirect.body.as_ref().and_then(|body| body.get());
                if let Some(body) = body {
                    let value = self.quoted_value(&body.parts, body.span, scope);
                    set_text(all, value);
                }
            }
            RedirectOperator::HereString => {
                let word = self.one_word(&redirect.target, scope);
                let value = ShellValue::new(word.text + "\n", word.from);
                set_text(all, value);
            }
            operator => self.redirect_file(operator, redirect, scope, all),
        }
    }

    fn redirect_file(
        &mut self,
        operator: RedirectOperator,
        redirect: &Redirection,
        scope: &mut ShellScope,
        all: &mut AppliedRedirects,
    ) {
        let target = self.one_word(&redirect.target, scope);
        let copies = matches!(
            operator,
            RedirectOperator::CopyInput | RedirectOperator::CopyOutput
        );
        let digits = target.text.trim_end_matches('-');
        if copies && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            // `2>&1`, `>&2`, `<&-`
            let away = operator == RedirectOperator::CopyOutput
                && matches!(redirect.descriptor.as_deref(), None | Some("1"));
            if away && target.text != "1" {
                all.output = Some(("/dev/stderr".to_owned(), true));
            }
            return;
        }
        let kind = match operator {
            RedirectOperator::Read | RedirectOperator::CopyInput => RedirectKind::Read,
            RedirectOperator::Append | RedirectOperator::AppendBoth => RedirectKind::Append,
            RedirectOperator::ReadWrite => RedirectKind::ReadWrite,
            _ => RedirectKind::Truncate,
        };
        let path = Self::absolute(scope, &target.text).unwrap_or_else(|| target.text.clone());
        let standard = match kind {
            RedirectKind::Read | RedirectKind::ReadWrite => {
                matches!(redirect.descriptor.as_deref(), None | Some("0"))
            }
            _ => matches!(redirect.descriptor.as_deref(), None | Some("1")),
        };
        match kind {
            RedirectKind::Truncate | RedirectKind::Append if !standard => {
                if !path.starts_with("/dev/") && !path.contains(UNKNOWN) {
                    self.written(path, CommandOutput::unknown(Vec::new()));
                }
            }
            _ if !standard => {}
            RedirectKind::Read | RedirectKind::ReadWrite => {
                all.input = Some(self.contents(&path));
                // The shell opens the file, even if no command reads it.
                all.input_file = Some(super::options::with_text(&target, &path));
            }
            RedirectKind::Truncate => all.output = Some((path, false)),
            RedirectKind::Append => all.output = Some((path, true)),
        }
        let process = target.text.starts_with("/dev/fd/");
        if !process {
            all.files.push(Redirect { kind, target });
        }
    }

    /// The content of a file, if it was written earlier.
    fn contents(&self, path: &str) -> (Stdin, Vec<usize>) {
        match self.files.iter().find(|(known, _)| known == path) {
            Some((_, WrittenFile::Text(value))) => {
                (Stdin::Text(value.text.clone()), value.from.clone())
            }
            Some((_, WrittenFile::GeneratedBy(from))) => match from.last() {
                Some(index) => (Stdin::Pipe(*index), from.clone()),
                None => (Stdin::Inherited, Vec::new()),
            },
            Some((_, WrittenFile::CopyOf(_))) | None => (Stdin::Inherited, Vec::new()),
        }
    }

    /// Applies output redirections; returns the output that a reader would still see.
    pub(super) fn store(
        &mut self,
        redirected: &AppliedRedirects,
        output: CommandOutput,
        scope: &ShellScope,
    ) -> CommandOutput {
        let Some((path, append)) = &redirected.output else {
            return output;
        };
        let special = path.starts_with("/dev/")
            || path.contains(UNKNOWN)
            || scope.cwd.is_none() && !path.starts_with('/');
        if !special {
            self.write_file(path.clone(), output, *append);
        }
        CommandOutput::nothing()
    }

    /// Records the new content of a file.
    pub(super) fn write_file(&mut self, path: String, mut output: CommandOutput, append: bool) {
        if append {
            let before = self.files.iter().position(|(known, _)| *known == path);
            if let Some(at) = before {
                let mut whole = match self.files.swap_remove(at).1 {
                    WrittenFile::Text(value) => CommandOutput {
                        text: Some(value.text),
                        from: value.from,
                    },
                    WrittenFile::GeneratedBy(from) => CommandOutput::unknown(from),
                    WrittenFile::CopyOf(_) => CommandOutput::unknown(Vec::new()),
                };
                whole.then(output);
                output = whole;
            }
        }
        if output
            .text
            .as_ref()
            .is_some_and(|text| text.len() > MAX_FILE)
        {
            output.text = None;
        }
        self.written(path, output);
    }
}

fn set_text(all: &mut AppliedRedirects, value: ShellValue) {
    all.input = Some((Stdin::Text(value.text), value.from));
    all.input_file = None;
}
