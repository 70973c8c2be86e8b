//! Evaluates statements: imports, assignments, and language-specific forms.

use super::eval::{CodeEvaluator, CodeValue, add, module_name};
use super::token::CodeToken;
use super::{CodeAction, ScriptLanguage};
use crate::analyze::programs;
use crate::command::UNKNOWN;

impl CodeEvaluator<'_> {
    pub(super) fn statement(&mut self) {
        if self.imports() || self.assignment() || self.python_loop() {
            return;
        }
        if self.language == ScriptLanguage::Awk && self.awk() {
            return;
        }
        if self.language == ScriptLanguage::Tcl && self.tcl() {
            return;
        }
        if self.language == ScriptLanguage::AppleScript && self.name() == Some("do") {
            self.apple_script();
            return;
        }
        self.last = match self.expression() {
            CodeValue::Text(text) => Some(text),
            _ => None,
        };
    }

    /// `import os as o`, `from os import system as s`, `const { exec } = require("child_process")`.
    fn imports(&mut self) -> bool {
        match (self.language, self.name()) {
            (ScriptLanguage::Python, Some("import")) => {
                self.at += 1;
                while let Some(module) = self.dotted() {
                    let alias = self.alias().unwrap_or_else(|| module.clone());
                    self.set(alias, CodeValue::Name(module));
                    if !self.eat(',') {
                        break;
                    }
                }
                true
            }
            (ScriptLanguage::Python, Some("from")) => {
                self.at += 1;
                let module = self.dotted().unwrap_or_default();
                self.at += usize::from(self.name() == Some("import"));
                self.eat('(');
                if self.eat('*') {
                    for name in exported(&module) {
                        self.set(
                            (*name).to_owned(),
                            CodeValue::Name(format!("{module}.{name}")),
                        );
                    }
                }
                while let Some(name) = self.name() {
                    self.at += 1;
                    let alias = self.alias().unwrap_or_else(|| name.to_owned());
                    self.set(alias, CodeValue::Name(format!("{module}.{name}")));
                    if !self.eat(',') {
                        break;
                    }
                }
                true
            }
            (ScriptLanguage::JavaScript, Some("const" | "let" | "var" | "import")) => {
                self.destructuring()
            }
            _ => false,
        }
    }

    /// `for x in y`: binds `x` to the elements of `y`.
    fn python_loop(&mut self) -> bool {
        if self.language != ScriptLanguage::Python || self.name() != Some("for") {
            return false;
        }
        self.bind_loop();
        true
    }

    /// Parses `for x in y` and binds `x` to all elements of `y`.
    pub(super) fn bind_loop(&mut self) {
        self.at += 1;
        let mut names = Vec::new();
        while let Some(name) = self.name().filter(|name| *name != "in") {
            names.push(name.to_owned());
            self.at += 1;
            self.eat(',');
        }
        if self.name() != Some("in") {
            return;
        }
        self.at += 1;
        let value = match self.expression() {
            CodeValue::List(mut values) if values.len() == 1 => values.remove(0),
            CodeValue::List(values) => CodeValue::Each(values),
            value => value,
        };
        for name in names {
            self.set(name, value.clone());
        }
    }

    fn dotted(&mut self) -> Option<String> {
        let mut name = self.name()?.to_owned();
        self.at += 1;
        while self.sign('.') {
            self.at += 1;
            if let Some(part) = self.name() {
                name.push('.');
                name.push_str(part);
                self.at += 1;
            }
        }
        Some(name)
    }

    fn alias(&mut self) -> Option<String> {
        if self.name() != Some("as") {
            return None;
        }
        self.at += 1;
        let alias = self.name()?.to_owned();
        self.at += 1;
        Some(alias)
    }

    /// `const {a, b: c} = require("m")`, `import {a as b} from "m"`, `import m from "m"`.
    fn destructuring(&mut self) -> bool {
        let start = self.at;
        self.at += 1;
        let mut names: Vec<(String, String)> = Vec::new();
        let mut whole = None;
        if self.eat('{') {
            while let Some(name) = self.name() {
                self.at += 1;
                let renamed = self.alias().or_else(|| {
                    self.eat(':')
                        .then(|| self.name().map(str::to_owned))
                        .flatten()
                        .inspect(|_| self.at += 1)
                });
                names.push((name.to_owned(), renamed.unwrap_or_else(|| name.to_owned())));
                if !self.eat(',') {
                    break;
                }
            }
            self.eat('}');
        } else {
            if self.eat('*') {
                self.at += usize::from(self.name() == Some("as"));
            }
            whole = self.name().map(str::to_owned);
            self.at += usize::from(whole.is_some());
        }
        let from = self.name() == Some("from");
        if !from && (names.is_empty() || !self.sign('=')) {
            self.at = start + 1;
            return self.assignment();
        }
        self.at += 1;
        let module = match self.expression() {
            CodeValue::Text(module) if from => module_name(&module),
            CodeValue::Name(module) => module,
            _ => return true,
        };
        if let Some(name) = whole {
            self.set(name, CodeValue::Name(module.clone()));
        }
        for (name, alias) in names {
            self.set(alias, CodeValue::Name(format!("{module}.{name}")));
        }
        true
    }

    /// `x = …`, `x += …`
    fn assignment(&mut self) -> bool {
        let mut start = self.at;
        while let Some(CodeToken::Name(name)) = self.tokens.get(start) {
            if !matches!(
                name.as_str(),
                "my" | "our" | "local" | "const" | "let" | "var" | "set"
            ) {
                break;
            }
            start += 1;
        }
        let Some(CodeToken::Name(name)) = self.tokens.get(start) else {
            return false;
        };
        let sign = |ahead: usize, sign: char| {
            self.tokens.get(start + ahead) == Some(&CodeToken::Sign(sign))
        };
        let append = (sign(1, '+') || sign(1, '.')) && sign(2, '=');
        let plain = sign(1, '=') && !sign(2, '=') && !sign(2, '~') && !sign(2, '>');
        if !append && !plain {
            return false;
        }
        self.at = start + 2 + usize::from(append);
        let mut value = self.expression();
        if append {
            let old = self.variable(name).cloned().unwrap_or(CodeValue::Unknown);
            value = add(&old, &value);
        }
        self.set(name.clone(), value);
        true
    }

    /// awk's `print | "cmd"`, `"cmd" | getline`, `print > "file"`.
    fn awk(&mut self) -> bool {
        match self.peek() {
            Some(CodeToken::Sign('|')) => {
                self.at += 1;
                self.eat('&');
                if let Some(CodeToken::Text(pieces)) = self.peek() {
                    let command = self.resolve(pieces);
                    self.at += 1;
                    let fed = self
                        .last
                        .take()
                        .unwrap_or_else(|| UNKNOWN.to_string())
                        .replace('\'', "'\\''");
                    if fed.trim_matches(UNKNOWN).is_empty() && programs::is_shell(command.trim()) {
                        self.act(CodeAction::RunUnknown);
                    } else {
                        self.act(CodeAction::Shell(format!("echo '{fed}' | {command}")));
                    }
                }
                true
            }
            Some(CodeToken::Text(pieces))
                if self.sign_at(1, '|')
                    && matches!(self.tokens.get(self.at + 2), Some(CodeToken::Name(name)) if name == "getline") =>
            {
                let text = self.resolve(pieces);
                self.at += 3;
                self.act(CodeAction::Shell(text));
                true
            }
            Some(CodeToken::Sign('>')) => {
                self.at += 1;
                let append = self.eat('>');
                if let Some(CodeToken::Text(pieces)) = self.peek() {
                    let path = self.resolve(pieces);
                    self.at += 1;
                    self.act(CodeAction::Write { path, append });
                }
                true
            }
            _ => false,
        }
    }

    /// Tcl's `exec word word …`.
    fn tcl(&mut self) -> bool {
        if self.name() != Some("exec") {
            return false;
        }
        self.at += 1;
        let mut line = String::new();
        while let Some(token) = self.peek() {
            match token {
                CodeToken::Line | CodeToken::Sign(';' | ']' | '}') => break,
                CodeToken::Name(text) | CodeToken::Number(text) => {
                    let glued = line.ends_with(['-', '/', '.', '$', '~', '_']);
                    if !glued && !line.is_empty() {
                        line.push(' ');
                    }
                    line.push_str(text);
                }
                CodeToken::Text(pieces) => {
                    line.push(' ');
                    line.push_str(&self.resolve(pieces));
                }
                CodeToken::Sign(sign) => {
                    if matches!(sign, '-' | '/' | '~') && !line.ends_with(['-', '/']) {
                        line.push(' ');
                    }
                    line.push(*sign);
                }
                _ => {}
            }
            self.at += 1;
        }
        self.act(CodeAction::Shell(line));
        true
    }

    /// `do shell script "…"`
    fn apple_script(&mut self) {
        self.at += 1;
        let shell = self.name() == Some("shell")
            && matches!(self.tokens.get(self.at + 1), Some(CodeToken::Name(name)) if name == "script");
        if !shell {
            return;
        }
        self.at += 2;
        let text = self.expression().text();
        self.act(CodeAction::Shell(text));
    }
}

/// The relevant names that `from module import *` imports.
fn exported(module: &str) -> &'static [&'static str] {
    match module {
        "os" => &[
            "system",
            "popen",
            "remove",
            "unlink",
            "rmdir",
            "removedirs",
            "rename",
            "execvp",
            "execv",
        ],
        "subprocess" => &[
            "run",
            "call",
            "check_call",
            "check_output",
            "Popen",
            "getoutput",
            "getstatusoutput",
        ],
        "shutil" => &["rmtree", "move", "copy", "copyfile", "copytree"],
        _ => &[],
    }
}
