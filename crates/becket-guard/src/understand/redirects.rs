//! Redirections: which files are read and written, and what standard input becomes.

use super::scope::{Scope, Value};
use super::{Output, Walker, Written};
use crate::command::{Redirect, RedirectKind, Stdin, UNKNOWN, Word};
use crate::shell::ast::{Operator, Redirection};

/// Files are not gathered beyond this.
const MAX_FILE: usize = 1 << 18;

/// What the redirections of a command come to.
#[derive(Default)]
pub(super) struct Redirected {
    pub(super) files: Vec<Redirect>,
    /// What standard input becomes.
    pub(super) input: Option<(Stdin, Vec<usize>)>,
    /// The file it is read from.
    pub(super) input_file: Option<Word>,
    /// Where standard output goes: the file, and whether it is appended to.
    pub(super) output: Option<(String, bool)>,
}

impl Redirected {
    pub(super) fn apply_input(&self, scope: &mut Scope) {
        if let Some((stdin, sources)) = &self.input {
            scope.stdin = stdin.clone();
            scope.sources.clone_from(sources);
            scope.input_file.clone_from(&self.input_file);
        }
    }
}

impl Walker<'_> {
    pub(super) fn redirects(&mut self, redirects: &[Redirection], scope: &mut Scope) -> Redirected {
        let mut all = Redirected::default();
        for redirect in redirects {
            self.redirect(redirect, scope, &mut all);
        }
        all
    }

    fn redirect(&mut self, redirect: &Redirection, scope: &mut Scope, all: &mut Redirected) {
        match redirect.operator {
            Operator::HereDocument => {
                let body = redirect.body.as_ref().and_then(|body| body.get());
                if let Some(body) = body {
                    let value = self.quoted_value(&body.parts, body.span, scope);
                    set_text(all, value);
                }
            }
            Operator::HereString => {
                let word = self.one_word(&redirect.target, scope);
                let value = Value::new(word.text + "\n", word.from);
                set_text(all, value);
            }
            operator => self.redirect_file(operator, redirect, scope, all),
        }
    }

    fn redirect_file(
        &mut self,
        operator: Operator,
        redirect: &Redirection,
        scope: &mut Scope,
        all: &mut Redirected,
    ) {
        let target = self.one_word(&redirect.target, scope);
        let copies = matches!(operator, Operator::CopyInput | Operator::CopyOutput);
        let digits = target.text.trim_end_matches('-');
        if copies && digits.bytes().all(|byte| byte.is_ascii_digit()) {
            // `2>&1`, `>&2`, `<&-`
            let away = operator == Operator::CopyOutput
                && matches!(redirect.descriptor.as_deref(), None | Some("1"));
            if away && target.text != "1" {
                all.output = Some(("/dev/stderr".to_owned(), true));
            }
            return;
        }
        let kind = match operator {
            Operator::Read | Operator::CopyInput => RedirectKind::Read,
            Operator::Append | Operator::AppendBoth => RedirectKind::Append,
            Operator::ReadWrite => RedirectKind::ReadWrite,
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
                    self.written(path, Output::unknown(Vec::new()));
                }
            }
            _ if !standard => {}
            RedirectKind::Read | RedirectKind::ReadWrite => {
                all.input = Some(self.contents(&path));
                // The file is opened here, whoever reads it.
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

    /// What reading a file gives, when it was written before.
    fn contents(&self, path: &str) -> (Stdin, Vec<usize>) {
        match self.files.iter().find(|(known, _)| known == path) {
            Some((_, Written::Text(value))) => {
                (Stdin::Text(value.text.clone()), value.from.clone())
            }
            Some((_, Written::By(from))) => match from.last() {
                Some(index) => (Stdin::Pipe(*index), from.clone()),
                None => (Stdin::Inherited, Vec::new()),
            },
            Some((_, Written::CopyOf(_))) | None => (Stdin::Inherited, Vec::new()),
        }
    }

    /// Puts output where the redirections say; what is left is what a reader would see.
    pub(super) fn store(
        &mut self,
        redirected: &Redirected,
        output: Output,
        scope: &Scope,
    ) -> Output {
        let Some((path, append)) = &redirected.output else {
            return output;
        };
        let special = path.starts_with("/dev/")
            || path.contains(UNKNOWN)
            || scope.cwd.is_none() && !path.starts_with('/');
        if !special {
            self.write_file(path.clone(), output, *append);
        }
        Output::nothing()
    }

    /// Remembers what a file now holds.
    pub(super) fn write_file(&mut self, path: String, mut output: Output, append: bool) {
        if append {
            let before = self.files.iter().position(|(known, _)| *known == path);
            if let Some(at) = before {
                let mut whole = match self.files.swap_remove(at).1 {
                    Written::Text(value) => Output {
                        text: Some(value.text),
                        from: value.from,
                    },
                    Written::By(from) => Output::unknown(from),
                    Written::CopyOf(_) => Output::unknown(Vec::new()),
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

fn set_text(all: &mut Redirected, value: Value) {
    all.input = Some((Stdin::Text(value.text), value.from));
    all.input_file = None;
}
