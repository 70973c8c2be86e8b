//! A process that is killed while it indexes.

use std::fs;
use std::path::Path;

use becket_recall::code::index;
use becket_recall::embed::{BuiltinModel, EmbedError, Embedder};
use becket_recall::search::QuantisedVector;
use becket_store::{CorpusKind, Options, StoreWriter};
use becket_testkit::{KilledTest, kill_after, may_continue, write_file};

use crate::indexing::{pieces, run};

const DATABASE: &str = "BECKET_TEST_DATABASE";
const PROJECT: &str = "BECKET_TEST_PROJECT";

/// The built-in model, which asks before each commit whether to continue. It counts as remote, so that its vectors are
/// batched.
struct Asking;

impl Embedder for Asking {
    fn id(&self) -> &str {
        BuiltinModel.id()
    }

    fn dimensions(&self) -> usize {
        BuiltinModel.dimensions()
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        BuiltinModel.embed(texts)
    }

    fn embed_quantised(&self, texts: &[&str]) -> Result<Vec<QuantisedVector>, EmbedError> {
        may_continue();
        BuiltinModel.embed_quantised(texts)
    }
}

#[test]
#[ignore = "the other half of a test: it is started to be killed"]
fn victim() {
    let path = std::env::var(DATABASE).expect("a database");
    let root = std::env::var(PROJECT).expect("a project");
    let mut writer = StoreWriter::open(path, Options::default()).expect("a store");
    index(&mut writer, Path::new(&root), &Asking, |_| may_continue()).expect("indexed");
}

fn text(number: usize) -> String {
    format!(
        "# File {number}.\n\ndef first_{number}():\n    pass\n\n\ndef second_{number}():\n    pass\n"
    )
}

/// New, changed, moved and deleted files, in more than two commits.
fn change(root: &Path) {
    for number in 0..40 {
        write_file(root, format!("{number}.py"), text(number + 1000));
    }
    for number in 40..80 {
        let (from, to) = (format!("{number}.py"), format!("moved_{number}.py"));
        fs::rename(root.join(from), root.join(to)).unwrap();
    }
    for number in 80..120 {
        fs::remove_file(root.join(format!("{number}.py"))).unwrap();
    }
    for number in 200..440 {
        write_file(root, format!("{number}.py"), text(number));
    }
}

#[test]
fn crash_while_indexing_is_repaired_by_the_next_run() {
    let root = tempfile::tempdir().unwrap();
    let dir = tempfile::tempdir().unwrap();
    for number in 0..120 {
        write_file(root.path(), format!("{number}.py"), text(number));
    }
    let before = dir.path().join("before.db");
    let mut writer = StoreWriter::open(&before, Options::default()).unwrap();
    run(&mut writer, root.path());
    drop(writer);
    change(root.path());
    let mut fresh = StoreWriter::in_memory().unwrap();
    run(&mut fresh, root.path());
    let expected = pieces(&fresh, root.path(), BuiltinModel.id());

    let mut steps = 0;
    loop {
        let path = dir.path().join(format!("{steps}.db"));
        fs::copy(&before, &path).unwrap();
        let env = [(DATABASE, path.as_path()), (PROJECT, root.path())];
        let ended = kill_after(steps, "crashing::victim", env);
        let mut writer = StoreWriter::open(&path, Options::default()).unwrap();
        run(&mut writer, root.path());
        assert!(
            pieces(&writer, root.path(), BuiltinModel.id()) == expected,
            "killed at {steps}"
        );
        let owed = writer
            .reader()
            .count_unembedded(CorpusKind::Code, BuiltinModel.id());
        assert_eq!(owed.unwrap(), 0, "killed at {steps}");
        let again = run(&mut writer, root.path());
        assert_eq!((again.changed, again.moved, again.removed), (0, 0, 0));
        if ended == KilledTest::Finished {
            assert!(steps > 6, "there are more steps than {steps}");
            return;
        }
        steps += 1;
    }
}
