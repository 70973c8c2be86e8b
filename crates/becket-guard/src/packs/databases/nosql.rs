//! The MongoDB shell and the Redis client.

use super::super::args::{Args, FlagStyle};
use super::super::tool::{CommandContext, ProgramCall};
use super::clients::{input, is_disposable};
use crate::rule::Rule;
use crate::rules;

const MONGO_VALUES: &str =
    "-u --username -p --password --host --port --authenticationDatabase --eval -f --file --tls";

/// `mongosh --eval` and its standard input.
pub(super) fn mongo(context: &CommandContext<'_>, call: ProgramCall<'_>) -> Option<&'static Rule> {
    let args = Args::read(call.args, MONGO_VALUES, FlagStyle::Gnu);
    let texts = args.values("eval").map(str::to_owned).chain(input(context));
    let rule = texts.into_iter().find_map(|text| judge_javascript(&text))?;
    let disposable = args.texts().any(is_disposable);
    Some(if disposable {
        &rules::DATABASES_TEST_DATA
    } else {
        rule
    })
}

fn judge_javascript(text: &str) -> Option<&'static Rule> {
    let code = without_strings(text);
    let calls = |names: &[&str]| names.iter().any(|name| code.contains(name));
    if calls(&[
        ".dropDatabase(",
        "[dropDatabase](",
        ".drop(",
        "[drop](",
        ".deleteMany({})",
        ".deleteMany({},",
        ".deleteMany()",
        ".remove({})",
        ".remove({},",
        ".remove()",
        "dropDatabase:1",
        ".dropAllUsersFromDatabase(",
        "drop:",
    ]) {
        return Some(&rules::DATABASES_COLLECTION);
    }
    if calls(&[".updateMany({},", ".update({},"]) {
        return Some(&rules::DATABASES_COLLECTION);
    }
    if calls(&[
        ".shutdownServer(",
        "shutdown:1",
        ".fsyncLock(",
        ".setProfilingLevel(",
    ]) {
        return Some(&rules::DATABASES_SERVER);
    }
    calls(&[".dropIndex(", ".dropIndexes(", ".dropUser(", ".dropRole("])
        .then_some(&rules::DATABASES_DROP_OBJECT)
}

/// JavaScript without whitespace, comments and strings; strings that name a member (`db["drop"]`) stay.
fn without_strings(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' | '\'' | '`' => {
                let member = code.ends_with('[');
                while let Some(inner) = characters.next() {
                    match inner {
                        '\\' => drop(characters.next()),
                        _ if inner == character => break,
                        _ if member => code.push(inner),
                        _ => {}
                    }
                }
                if !member {
                    code.push('"');
                }
            }
            '/' if characters.peek() == Some(&'/') => {
                for skipped in characters.by_ref() {
                    if skipped == '\n' {
                        break;
                    }
                }
            }
            character if character.is_whitespace() => {}
            character => code.push(character),
        }
    }
    code
}

const REDIS_VALUES: &str = "-h -p -s -a -u -n -r -i -d -D -c? --user --pass --askpass --sni --cacert --cert --key --pattern --eval --count --type -x? -X";

/// `redis-cli` and its standard input.
pub(super) fn redis(context: &CommandContext<'_>, call: ProgramCall<'_>) -> Option<&'static Rule> {
    let args = Args::read(call.args, REDIS_VALUES, FlagStyle::Gnu);
    let words: Vec<&str> = args.texts().collect();
    // No shell splits a single quoted argument, but people write commands that way.
    let given = match words.as_slice() {
        [one] => judge_redis(&one.split_whitespace().collect::<Vec<_>>(), context),
        words => judge_redis(words, context),
    };
    given.or_else(|| {
        let text = input(context)?;
        text.lines()
            .find_map(|line| judge_redis(&line.split_whitespace().collect::<Vec<_>>(), context))
    })
}

fn judge_redis(words: &[&str], context: &CommandContext<'_>) -> Option<&'static Rule> {
    let verb = words.first()?.to_ascii_uppercase();
    let second = words
        .get(1)
        .map(|word| word.to_ascii_uppercase())
        .unwrap_or_default();
    let third = words
        .get(2)
        .map(|word| word.to_ascii_lowercase())
        .unwrap_or_default();
    match (verb.as_str(), second.as_str()) {
        ("FLUSHALL" | "FLUSHDB", _) => Some(&rules::DATABASES_CACHE_FLUSH),
        ("CONFIG", "SET") if matches!(third.as_str(), "dir" | "dbfilename") => {
            Some(&rules::DATABASES_CACHE_WRITES)
        }
        ("MODULE", "LOAD") | ("SLAVEOF" | "REPLICAOF", _) => Some(&rules::DATABASES_CACHE_WRITES),
        ("CONFIG", "SET" | "REWRITE")
        | ("SHUTDOWN", _)
        | ("ACL", "SETUSER" | "DELUSER" | "LOAD")
        | ("SCRIPT" | "FUNCTION", "FLUSH")
        | ("CLUSTER", "RESET" | "FORGET" | "FLUSHSLOTS")
        | ("DEBUG", "SEGFAULT" | "SLEEP" | "RESTART") => Some(&rules::DATABASES_CACHE_SERVER),
        ("DEL" | "UNLINK", _) if context.command.more_operands => {
            Some(&rules::DATABASES_CACHE_KEYS)
        }
        ("EVAL" | "FCALL", _) => {
            let script = words.join(" ").to_ascii_lowercase();
            let flushes = ["flushall", "flushdb"]
                .iter()
                .any(|word| script.contains(word));
            if flushes {
                return Some(&rules::DATABASES_CACHE_FLUSH);
            }
            (script.contains("'del'") || script.contains("\"del\""))
                .then_some(&rules::DATABASES_CACHE_KEYS)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn javascript_strings_are_ignored() {
        for text in [
            "db.dropDatabase()",
            "db . users . drop ( )",
            "db['dropDatabase']()",
            "db.users.deleteMany({ })",
            "db.users.deleteMany({}, {w: 1})",
            "db.users.remove({})",
            "db.getSiblingDB(\"x\").dropDatabase()",
            "db.runCommand({dropDatabase: 1})",
        ] {
            assert_eq!(
                judge_javascript(text).map(|rule| rule.id),
                Some("databases.collection"),
                "{text}"
            );
        }
        for text in [
            "db.users.find({})",
            "print(\"db.dropDatabase()\")",
            "// db.dropDatabase()\ndb.users.countDocuments({})",
            "db.users.deleteMany({age: 3})",
            "db.users.deleteOne({_id: 1})",
            "db.users.updateMany({a: 1}, {$set: {b: 2}})",
            "show dbs",
        ] {
            assert_eq!(judge_javascript(text).map(|rule| rule.id), None, "{text}");
        }
    }
}
