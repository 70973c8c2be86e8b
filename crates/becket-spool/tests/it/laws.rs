//! Properties that hold wherever a file is truncated, and whatever it contains.

use std::fs;

use becket_spool::{Disposition, Error, Spool};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::{append, drained, patient, small, tail, temp_dir};

fn record() -> impl Strategy<Value = String> {
    vec("[a-zé\\\\\"]{0,40}", 0..4)
        .prop_map(|words| serde_json::to_string(&words).expect("strings serialise"))
}

/// The lines of `content` that are JSON.
fn whole(content: &[u8]) -> Vec<String> {
    let lines = content
        .split(|byte| *byte == b'\n')
        .filter_map(|line| String::from_utf8(line.to_vec()).ok());
    lines
        .filter(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn records_come_out_in_order(records in vec(record(), 0..40), rotate_at in 1_u64..400) {
        let temp_dir = temp_dir();
        let spool = Spool::with_options(temp_dir.path().join("spool"), small(rotate_at, 1000));
        for record in &records {
            append(&spool, record);
        }
        prop_assert_eq!(&tail(&spool, usize::MAX), &records);
        prop_assert_eq!(&drained(&spool), &records);
        prop_assert!(drained(&spool).is_empty());
    }

    #[test]
    fn truncated_file_loses_only_the_truncated_record(
        records in vec(record(), 1..10), cut in any::<prop::sample::Index>(), next in record(),
    ) {
        let temp_dir = temp_dir();
        let spool = Spool::with_options(temp_dir.path().join("spool"), patient());
        for record in &records {
            append(&spool, record);
        }
        let active = temp_dir.path().join("spool/events.jsonl");
        let content = fs::read(&active).expect("readable");
        let kept = &content[..cut.index(content.len() + 1)];
        fs::write(&active, kept).expect("writable");
        append(&spool, &next);
        let mut expected = whole(kept);
        expected.push(next);
        prop_assert_eq!(drained(&spool), expected);
    }

    #[test]
    fn any_file_content_is_readable(junk in vec(any::<u8>(), 0..300), next in record()) {
        let temp_dir = temp_dir();
        let spool = Spool::with_options(temp_dir.path().join("spool"), patient());
        append(&spool, "0");
        fs::write(temp_dir.path().join("spool/events.jsonl"), &junk).expect("writable");
        append(&spool, &next);
        let mut expected = whole(&junk);
        expected.push(next);
        prop_assert_eq!(drained(&spool), expected);
    }

    #[test]
    fn stopping_at_any_record_delivers_the_rest_again(
        records in vec(record(), 1..30), stop in any::<prop::sample::Index>(), rotate_at in 1_u64..200,
    ) {
        let temp_dir = temp_dir();
        let spool = Spool::with_options(temp_dir.path().join("spool"), small(rotate_at, 1000));
        for record in &records {
            append(&spool, record);
        }
        let stop = stop.index(records.len());
        let mut seen = 0;
        let drain = spool.drain(|_| {
            seen += 1;
            Ok::<_, Error>(if seen > stop { Disposition::Keep } else { Disposition::Consumed })
        });
        let consumed = usize::try_from(drain.expect("drained").records).expect("few");
        prop_assert!(consumed <= stop);
        prop_assert_eq!(drained(&spool), &records[consumed..]);
    }
}
