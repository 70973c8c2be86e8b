//! Generated settings files: any structure, laid out tidily, in one line, or strangely.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use becket_agents::claude::install::EVENTS;

/// Where an agent keeps its hooks, and how they are grouped.
#[derive(Debug, Clone, Copy)]
pub(super) struct Habit {
    pub(super) container: &'static [&'static str],
    pub(super) form: Form,
    pub(super) events: &'static [&'static str],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Nested,
    Flat,
    /// The key of the event.
    List(&'static str),
}

/// A JSON value whose scalars are already JSON text.
#[derive(Debug, Clone)]
enum Tree {
    Scalar(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

/// How white space, comments and trailing commas are chosen.
#[derive(Debug, Clone)]
enum Layout {
    Minified,
    Tidy {
        newline: &'static str,
        unit: &'static str,
        trailing_commas: bool,
    },
    /// Each gap takes the next filler from this list.
    Wild(Vec<u8>),
}

const FILLINGS: &[&str] = &[
    "",
    "",
    "",
    " ",
    "\n",
    "\r\n",
    "\t",
    "\r",
    "\n\n",
    "  \n  ",
    " \r\n\t",
    "/* c */",
    " /* a\nb */ ",
    "// c\n",
    "// ü ]},\r\n",
    "\n// c\r",
    "/**/",
    "\u{a0}",
    "\u{b}",
];

/// A settings file of Claude Code without any entry of ours.
pub(super) fn settings() -> impl Strategy<Value = String> {
    settings_of(Habit {
        container: &["hooks"],
        form: Form::Nested,
        events: EVENTS,
    })
}

/// A settings file of an agent with this layout, without any entry of ours.
pub(super) fn settings_of(habit: Habit) -> impl Strategy<Value = String> {
    let root = (
        vec(member(), 0..4),
        proptest::option::of(hooks(habit)),
        0..4_usize,
    );
    let root = root.prop_map(move |(mut members, hooks, at)| {
        if let Some(hooks) = hooks {
            let mut keys = habit.container.iter().rev();
            let Some(innermost) = keys.next_back() else {
                return hooks;
            };
            let hooks = keys.fold(hooks, |tree, key| {
                Tree::Object(vec![((*key).to_owned(), tree)])
            });
            members.insert(at.min(members.len()), ((*innermost).to_owned(), hooks));
        }
        Tree::Object(members)
    });
    let bom = select(&["", "", "", "\u{feff}"][..]);
    (bom, proptest::option::weighted(0.9, root), layout())
        .prop_map(|(bom, root, layout)| format!("{bom}{}", Printer::print(root.as_ref(), layout)))
}

fn layout() -> impl Strategy<Value = Layout> {
    let tidy = (
        select(&["\n", "\r\n"][..]),
        select(&["  ", "    ", "\t", ""][..]),
        any::<bool>(),
    );
    prop_oneof![
        1 => Just(Layout::Minified),
        2 => tidy.prop_map(|(newline, unit, trailing_commas)| Layout::Tidy { newline, unit, trailing_commas }),
        4 => vec(any::<u8>(), 1..40).prop_map(Layout::Wild),
    ]
}

fn member() -> impl Strategy<Value = (String, Tree)> {
    let key = select(
        &[
            "model",
            "env",
            "permissions",
            "statusLine",
            "ключ",
            "a\\\"b",
            "hooksy",
        ][..],
    );
    (key.prop_map(str::to_owned), tree())
}

fn tree() -> impl Strategy<Value = Tree> {
    let scalar = select(
        &[
            "null",
            "true",
            "-1.5e3",
            "\"\"",
            "\"// no\"",
            "\"/* ,}\"",
            "\"日本\\n\"",
        ][..],
    );
    let leaf = scalar.prop_map(|text| Tree::Scalar(text.to_owned()));
    leaf.prop_recursive(3, 12, 3, |inner| {
        let key = select(&["x", "hooks", "Stop"][..]).prop_map(str::to_owned);
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Tree::Array),
            vec((key, inner), 0..3).prop_map(Tree::Object),
        ]
    })
}

fn hooks(habit: Habit) -> BoxedStrategy<Tree> {
    if let Form::List(key) = habit.form {
        let named = (select(habit.events), handler()).prop_map(move |(event, mut handler)| {
            if let Tree::Object(members) = &mut handler {
                members.insert(0, (key.to_owned(), Tree::Scalar(format!("\"{event}\""))));
            }
            handler
        });
        return vec(prop_oneof![4 => named, 1 => tree()], 0..5)
            .prop_map(Tree::Array)
            .boxed();
    }
    let unit = match habit.form {
        Form::Nested => prop_oneof![4 => group(), 1 => tree()].boxed(),
        _ => prop_oneof![4 => handler(), 1 => tree()].boxed(),
    };
    let known = (select(habit.events), vec(unit, 0..3));
    let known = known.prop_map(|(event, groups)| (event.to_owned(), Tree::Array(groups)));
    let other = (
        select(&["pretooluse", "FileChanged", "Nonsense"][..]),
        tree(),
    );
    let other = other.prop_map(|(key, tree)| (key.to_owned(), tree));
    vec(prop_oneof![3 => known, 1 => other], 0..5)
        .prop_map(Tree::Object)
        .boxed()
}

fn handler() -> impl Strategy<Value = Tree> {
    let command = select(
        &[
            "./check.sh",
            "becket hook Stop --agent another",
            "echo becket hook Stop --agent claude",
        ][..],
    );
    command.prop_map(|command| {
        Tree::Object(vec![
            ("type".to_owned(), Tree::Scalar("\"command\"".to_owned())),
            ("command".to_owned(), Tree::Scalar(format!("\"{command}\""))),
        ])
    })
}

fn group() -> impl Strategy<Value = Tree> {
    vec(handler(), 0..3).prop_map(|handlers| {
        Tree::Object(vec![
            ("matcher".to_owned(), Tree::Scalar("\"Bash\"".to_owned())),
            ("hooks".to_owned(), Tree::Array(handlers)),
        ])
    })
}

struct Printer {
    layout: Layout,
    gaps: usize,
    out: String,
}

impl Printer {
    fn print(root: Option<&Tree>, layout: Layout) -> String {
        let mut printer = Self {
            layout,
            gaps: 0,
            out: String::new(),
        };
        printer.gap();
        if let Some(root) = root {
            printer.tree(root, 0);
        }
        printer.gap();
        if let Layout::Tidy { newline, .. } = printer.layout {
            printer.out.push_str(newline);
        }
        printer.out
    }

    fn tree(&mut self, tree: &Tree, depth: usize) {
        match tree {
            Tree::Scalar(text) => self.out.push_str(text),
            Tree::Array(elements) => self.list(['[', ']'], elements, depth, Self::tree),
            Tree::Object(members) => {
                self.list(['{', '}'], members, depth, |printer, member, depth| {
                    let (key, value) = member;
                    printer.out.extend(["\"", key, "\""]);
                    printer.gap();
                    printer.out.push(':');
                    if matches!(printer.layout, Layout::Tidy { .. }) {
                        printer.out.push(' ');
                    }
                    printer.gap();
                    printer.tree(value, depth);
                });
            }
        }
    }

    fn list<T>(
        &mut self,
        [open, close]: [char; 2],
        children: &[T],
        depth: usize,
        child: impl Fn(&mut Self, &T, usize),
    ) {
        self.out.push(open);
        for (index, item) in children.iter().enumerate() {
            self.line(depth + 1);
            self.gap();
            child(self, item, depth + 1);
            self.gap();
            if index + 1 < children.len() || self.trailing_comma() {
                self.out.push(',');
            }
        }
        self.gap();
        if !children.is_empty() {
            self.line(depth);
        }
        self.out.push(close);
    }

    fn line(&mut self, depth: usize) {
        if let Layout::Tidy { newline, unit, .. } = self.layout {
            self.out.push_str(newline);
            self.out.push_str(&unit.repeat(depth));
        }
    }

    fn gap(&mut self) {
        if let Layout::Wild(choices) = &self.layout {
            let choice = usize::from(choices[self.gaps % choices.len()]);
            self.out.push_str(FILLINGS[choice % FILLINGS.len()]);
            self.gaps += 1;
        }
    }

    fn trailing_comma(&mut self) -> bool {
        match &self.layout {
            Layout::Minified => false,
            Layout::Tidy {
                trailing_commas, ..
            } => *trailing_commas,
            Layout::Wild(choices) => choices[self.gaps % choices.len()] >= 128,
        }
    }
}
