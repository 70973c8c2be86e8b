//! A process that is killed while it indexes.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

use becket_recall::code::index;
use becket_recall::embed::{Builtin, EmbedError, Embedder};
use becket_recall::search::Quantised;
use becket_store::{Options, Shelf, Writer};

use crate::indexing::{pieces, run, write};

const STEP: &str = "victim: may I?";
const DATABASE: &str = "BECKET_TEST_DATABASE";
const PROJECT: &str = "BECKET_TEST_PROJECT";

/// Asks the parent whether it may live on.
fn may_i() {
    let mut out = std::io::stdout();
    writeln!(out, "{STEP}")
        .and_then(|()| out.flush())
        .expect("a parent");
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer).expect("an answer");
}

/// The built-in model, which asks before each commit whether it may: its vectors are gathered for all files of one.
struct Asking;

impl Embedder for Asking {
    fn id(&self) -> &str {
        Builtin.id()
    }

    fn dimensions(&self) -> usize {
        Builtin.dimensions()
    }

    fn is_far(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Builtin.embed(texts)
    }

    fn embed_quantised(&self, texts: &[&str]) -> Result<Vec<Quantised>, EmbedError> {
        may_i();
        Builtin.embed_quantised(texts)
    }
}

#[test]
#[ignore = "the other half of a test: it is started to be killed"]
fn victim() {
    let path = std::env::var(DATABASE).expect("a database");
    let root = std::env::var(PROJECT).expect("a project");
    let mut writer = Writer::open(path, Options::default()).expect("a store");
    index(&mut writer, Path::new(&root), &Asking, |_| may_i()).expect("indexed");
}

/// Starts the victim and kills it with SIGKILL after so many steps; whether it was still alive then.
fn kill_after(steps: usize, database: &Path, root: &Path) -> bool {
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args([
            "crashing::victim",
            "--exact",
            "--ignored",
            "--nocapture",
            "--test-threads=1",
        ])
        .env(DATABASE, database)
        .env(PROJECT, root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a child");
    let mut answers = child.stdin.take().expect("its input");
    let lines = BufReader::new(child.stdout.take().expect("its output")).lines();
    let questions = lines
        .map_while(Result::ok)
        .filter(|line| line.contains(STEP));
    for (asked, _) in questions.enumerate() {
        if asked == steps {
            child.kill().expect("killed");
            break;
        }
        writeln!(answers, "yes").expect("it listens");
    }
    let ended = child.wait().expect("it ended");
    match (ended.code(), ended.signal()) {
        (Some(0), _) => false,
        (_, Some(9)) => true,
        _ => panic!("it came to another end: {ended:?}"),
    }
}

fn text(number: usize) -> String {
    format!(
        "# File {number}.\n\ndef first_{number}():\n    pass\n\n\ndef second_{number}():\n    pass\n"
    )
}

/// Files that are new, changed, moved and gone, in more than two commits.
fn change(root: &Path) {
    for number in 0..40 {
        write(root, &format!("{number}.py"), &text(number + 1000));
    }
    for number in 40..80 {
        let (from, to) = (format!("{number}.py"), format!("moved_{number}.py"));
        fs::rename(root.join(from), root.join(to)).unwrap();
    }
    for number in 80..120 {
        fs::remove_file(root.join(format!("{number}.py"))).unwrap();
    }
    for number in 200..440 {
        write(root, &format!("{number}.py"), &text(number));
    }
}

#[test]
fn who_is_killed_while_indexing_leaves_what_the_next_run_makes_whole() {
    let root = tempfile::tempdir().unwrap();
    let dir = tempfile::tempdir().unwrap();
    for number in 0..120 {
        write(root.path(), &format!("{number}.py"), &text(number));
    }
    let before = dir.path().join("before.db");
    let mut writer = Writer::open(&before, Options::default()).unwrap();
    run(&mut writer, root.path());
    drop(writer);
    change(root.path());
    let mut fresh = Writer::in_memory().unwrap();
    run(&mut fresh, root.path());
    let expected = pieces(&fresh, root.path(), Builtin.id());

    let mut steps = 0;
    loop {
        let path = dir.path().join(format!("{steps}.db"));
        fs::copy(&before, &path).unwrap();
        let killed = kill_after(steps, &path, root.path());
        let mut writer = Writer::open(&path, Options::default()).unwrap();
        run(&mut writer, root.path());
        assert!(
            pieces(&writer, root.path(), Builtin.id()) == expected,
            "killed at {steps}"
        );
        let owed = writer.reader().count_unembedded(Shelf::Code, Builtin.id());
        assert_eq!(owed.unwrap(), 0, "killed at {steps}");
        let again = run(&mut writer, root.path());
        assert_eq!((again.changed, again.moved, again.removed), (0, 0, 0));
        if !killed {
            assert!(steps > 6, "there are more steps than {steps}");
            return;
        }
        steps += 1;
    }
}
