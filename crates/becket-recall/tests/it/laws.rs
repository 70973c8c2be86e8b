//! Properties that hold for any text in any language.

use becket_recall::code::{Language, chunk};
use becket_recall::embed::{BuiltinModel, Embedder};
use proptest::prelude::*;

/// The start of a file in each language, with special cases for its scanner.
const BEGINNINGS: &[(&str, &str)] = &[
    (
        "a.py",
        "@d\ndef f(a):\n    '''Doc {x} \"\"\"\n    '''\n    return f\"{a!r:>{3}}\"\n\nclass A:\n\tdef g(self): pass\n",
    ),
    (
        "a.ts",
        "export const f = async <T,>(a: T) => { return `x${a}`; };\nenum E { A }\n@d class B<T> { #p = /[/]\\//g; }\n",
    ),
    (
        "a.tsx",
        "export function App() {\n  return <div a={1}>text &amp; <b/>{/* c */}</div>;\n}\n",
    ),
    (
        "a.js",
        "/** Doc. */\nfunction* f() { yield `a${`b`}` }\n<!-- html\nlet a = b\n/re/g\n",
    ),
    (
        "a.go",
        "package a\n\n// Doc.\nfunc (p *P[T]) F() int {\n\treturn len(`raw`)\n}\ntype T struct{ X int `json:\"x\"` }\n",
    ),
    (
        "a.rs",
        "/// Doc.\n#[cfg(x)]\nimpl<'a> A<'a> { fn f(&self) -> &'a str { r##\"a\"#b\"## } }\nmacro_rules! m { ($a:tt) => {}; }\n",
    ),
    (
        "a.rb",
        "# Doc.\nclass A < B\n  def c(x) = <<~EOS + %w[a b] * 2\n    text #{x}\n  EOS\nend\n__END__\n",
    ),
    (
        "a.java",
        "/** Doc. */\npublic class A<T> { @X int b() { return \"\"\"\n  text \"\"\".length(); } }\n",
    ),
    (
        "a.kt",
        "// Doc.\nfun <T> f(a: Int): String {\n  return \"\"\"$a ${b}\"\"\"\n}\nclass A { val x by lazy { 1 } }\n",
    ),
    (
        "a.c",
        "#include <a.h>\n#define F(x) \\\n  x\n/* Doc. */\nstatic int *f(int a)\n{\n  return 0;\n}\n",
    ),
    (
        "a.cpp",
        "template <class T> struct A : B { auto f() const -> T { return R\"x(raw)x\"; } };\n",
    ),
    (
        "a.sh",
        "# Doc.\nf() {\n  cat <<-'EOF' | sed \"s/$a/${b:-c}/\"\n\ttext\n\tEOF\n  case $1 in a) ;; esac\n}\n",
    ),
    (
        "a.yaml",
        "jobs: &a\n  b: |\n    text\n  c: [1, {d: e}]\n  <<: *a\n---\n? x\n: 'y'\n",
    ),
    (
        "a.json",
        "{\n\"a\": [1, 2.5e3, null, \"\\u00e9\"],\n\"b\": {\"c\": true}\n}\n",
    ),
    (
        "a.md",
        "---\na: b\n---\n# One\n\ntext *a* <b>\n\n## Two\n\n```rust\nfn f() {}\n```\n> 1. a\n>    - b\n\n| a | b |\n|---|---|\n| 1 | 2 |\n",
    ),
    (
        "a.sql",
        "-- Doc.\nCREATE TABLE a (\n  id INT PRIMARY KEY\n);\nSELECT $$x$$ FROM a WHERE b = 'c''d';\n",
    ),
    (
        "a.cs",
        "/// Doc.\nclass A { int B => 1; string C() => $@\"a{B:x}\"\"b\"; }\n#if X\n#endif\n",
    ),
    (
        "a.php",
        "<p><?php\n// Doc.\nfunction f($a) {\n  return <<<EOT\n  $a {$a['b']}\n  EOT;\n}\n?>\n",
    ),
    (
        "a.swift",
        "/// Doc.\nfunc f(a: Int) -> String {\n  return #\"raw \\#(a)\"# + \"\"\"\n  x\n  \"\"\"\n}\n",
    ),
    (
        "a.scala",
        "object A {\n  def b(x: Int): String = s\"$x ${x + 1}\"\n  given C with\n    def d = 1\n}\n",
    ),
    ("a.txt", "one\n\ntwo\n"),
];

/// A mutation of a text.
#[derive(Debug, Clone)]
enum Harm {
    Remove(usize, usize),
    Repeat(usize, usize, usize),
    Insert(usize, String),
}

fn harm() -> impl Strategy<Value = Harm> {
    let bits = prop::sample::select(vec![
        "\"", "'", "`", "\\", "\n", "\t", "{", "}", "(", ")", "<", ">", "#", "$", "/*", "*/",
        "\"\"\"", "```", "<<", "\0", "\u{feff}", "é", "🦀", "\r", "---", "end", "EOF", "  ",
    ]);
    prop_oneof![
        (any::<usize>(), 1..20_usize).prop_map(|(at, length)| Harm::Remove(at, length)),
        (any::<usize>(), 1..30_usize, 1..40_usize)
            .prop_map(|(at, length, times)| Harm::Repeat(at, length, times)),
        (any::<usize>(), bits).prop_map(|(at, bit)| Harm::Insert(at, bit.to_owned())),
        (any::<usize>(), ".{0,8}").prop_map(|(at, any)| Harm::Insert(at, any)),
    ]
}

fn harmed(text: &str, all: &[Harm]) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    for one in all {
        let place = |at: usize| at % (chars.len() + 1);
        match one {
            Harm::Remove(at, length) => {
                let at = place(*at);
                chars.drain(at..(at + length).min(chars.len()));
            }
            Harm::Repeat(at, length, times) => {
                let at = place(*at);
                let part = chars[at..(at + length).min(chars.len())].repeat(*times);
                chars.splice(at..at, part);
            }
            Harm::Insert(at, text) => {
                let at = place(*at);
                chars.splice(at..at, text.chars());
            }
        }
    }
    chars.into_iter().collect()
}

proptest! {
    #[test]
    fn any_text_is_chunked_in_order_without_loss(
        (path, text) in prop::sample::select(BEGINNINGS),
        harms in prop::collection::vec(harm(), 0..12),
    ) {
        let text = harmed(text, &harms);
        let lines = text.lines().count();
        let mut covered = vec![false; lines + 1];
        let mut before = 0;
        for one in chunk(Language::of(path, &text), &text) {
            prop_assert!(one.start >= 1 && one.start <= one.end && one.end as usize <= lines);
            prop_assert!(one.start >= before, "in order");
            prop_assert!(one.text.len() <= 4096 && !one.text.is_empty());
            before = one.start;
            covered[one.start as usize..=one.end as usize].fill(true);
        }
        for (at, line) in text.lines().enumerate() {
            let says = line.chars().any(char::is_alphanumeric) && line.trim() != "end";
            prop_assert!(!says || covered[at + 1], "line {} of {text:?}", at + 1);
        }
    }

    #[test]
    fn any_text_can_be_embedded(text in ".{0,200}") {
        let vectors = BuiltinModel.embed(&[&text]).unwrap();
        prop_assert_eq!(vectors[0].len(), BuiltinModel.dimensions());
        prop_assert!(vectors[0].iter().all(|x| x.is_finite()));
    }
}

/// Scanners of grammars keep open brackets in a buffer; this overflows it.
#[test]
fn deep_nesting_does_not_crash_a_grammar() {
    let openings = [
        "{", "(", "[", "<", "\"", "'", "`${", "f'{", "$\"{", "\"#{", "\"${", "s\"${", "#\"\\#(",
        "<<<A\n", "<<A\n", "<<~A ", "? ", "- ", "> ", "1. ", "* ", "`", "```\n", "<a>", "<a ",
        "/*", "$(", "${", "R\"x(", "r#\"", "\"\"\"", "if x:\n", "case a\n", "%w[", "|", "@", "$$",
        "é",
    ];
    let mut deeper = String::new();
    for depth in 0..400 {
        deeper.push_str(&" ".repeat(depth));
        deeper.push_str("a: b = case {\n");
    }
    for (path, beginning) in BEGINNINGS {
        let language = Language::of(path, beginning);
        chunk(language, &deeper);
        for opening in openings {
            let text = format!("{beginning}\n{}\n{beginning}", opening.repeat(1030));
            assert!(!chunk(language, &text).is_empty());
        }
    }
}
