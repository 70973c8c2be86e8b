//! Finds living members of a process group whose leader has exited.
//!
//! The result only decides whether the rest of the group gets time to exit: the group is killed in any case before
//! its leader is reaped. If it is unknown, the answer is "none": remaining processes lose their grace period, but
//! no ordinary run becomes slower.

use rustix::process::Pid;

/// Whether a process other than the exited, unreaped `leader` is alive in its group.
///
/// `kill(-group, 0)` cannot tell here: the unreaped leader still counts as a member.
#[cfg(target_os = "linux")]
pub(super) fn any_alive(leader: Pid) -> bool {
    any_alive_among(candidates(leader), leader)
}

/// See above. This kernel ignores exited processes when it looks for members to signal.
#[cfg(target_vendor = "apple")]
pub(super) fn any_alive(leader: Pid) -> bool {
    rustix::process::test_kill_process_group(leader).is_ok()
}

/// See above. Here it is unknown.
#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
pub(super) fn any_alive(_leader: Pid) -> bool {
    false
}

#[cfg(target_os = "linux")]
fn any_alive_among(ids: impl Iterator<Item = i32>, leader: Pid) -> bool {
    let leader = leader.as_raw_nonzero().get();
    let mut others = ids.filter(|id| *id != leader);
    others.any(|id| is_living_member(id, leader))
}

/// Above this number of ids, listing all processes is cheaper than testing each id.
#[cfg(target_os = "linux")]
const WIDEST_RANGE: i32 = 64;

/// The ids that a descendant of `leader` can have. Ids are assigned in ascending order, so these are usually the
/// few between the leader and the newest process; after a wrap-around it may be any.
#[cfg(target_os = "linux")]
fn candidates(leader: Pid) -> Box<dyn Iterator<Item = i32>> {
    let first = leader.as_raw_nonzero().get();
    match newest_id() {
        Some(last) if last < first => Box::new(all_ids()),
        Some(last) if last - first <= WIDEST_RANGE => Box::new(first..=last),
        Some(_) => Box::new(all_ids().filter(move |id| *id > first)),
        None => Box::new(std::iter::empty()),
    }
}

/// The last assigned id, which is the last word of `/proc/loadavg`.
#[cfg(target_os = "linux")]
fn newest_id() -> Option<i32> {
    let mut buffer = [0; 128];
    let text = read_start("/proc/loadavg", &mut buffer)?;
    let text = std::str::from_utf8(text).ok()?;
    text.split_ascii_whitespace().last()?.parse().ok()
}

#[cfg(target_os = "linux")]
fn all_ids() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Whether process `id` belongs to `group` and runs. A zombie does not count: its parent is another process, often
/// an `init` that may never reap it in a container.
///
/// `getpgid` would be cheaper, but returns 0 for kernel threads, which `Pid` cannot represent.
#[cfg(target_os = "linux")]
fn is_living_member(id: i32, group: i32) -> bool {
    let mut buffer = [0; 512];
    let stat = read_start(&format!("/proc/{id}/stat"), &mut buffer);
    stat.and_then(state_and_group)
        .is_some_and(|(state, own)| own == group && !matches!(state, b'Z' | b'X'))
}

/// Parses `id (name) state parent group …`, where the name may contain anything.
#[cfg(target_os = "linux")]
fn state_and_group(stat: &[u8]) -> Option<(u8, i32)> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(stat.get(name_end + 1..)?).ok()?;
    let mut fields = rest.split_ascii_whitespace();
    let state = fields.next()?.bytes().next()?;
    let group = fields.nth(1)?.parse().ok()?;
    Some((state, group))
}

/// Reads the beginning of a file with one system call. The relevant part fits into the buffer.
#[cfg(target_os = "linux")]
fn read_start<'a>(path: &str, buffer: &'a mut [u8]) -> Option<&'a [u8]> {
    use std::io::Read as _;
    let count = std::fs::File::open(path).ok()?.read(buffer).ok()?;
    buffer.get(..count)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::process::CommandExt as _;
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use rustix::process::{Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    use super::*;

    /// Starts a group and waits for the exit of its leader, without reaping it.
    fn exited_leader(line: &str) -> (Child, Pid) {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", line]).process_group(0);
        // Processes that a failing test leaves behind must not hold the test's own output open.
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("a shell starts");
        let leader = Pid::from_child(&child);
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        waitid(WaitId::Pid(leader), options).expect("it is our child");
        (child, leader)
    }

    #[test]
    fn a_group_of_an_exited_leader_alone_is_empty() {
        let (mut child, leader) = exited_leader("exit 0");
        assert!(!any_alive(leader));
        assert!(!any_alive_among(all_ids(), leader));
        child.wait().expect("reapable");
    }

    #[test]
    fn a_background_process_is_found_until_it_is_killed() {
        let (mut child, leader) = exited_leader("sleep 600 & exit 0");
        assert!(any_alive(leader));
        assert!(any_alive_among(all_ids(), leader), "not among all");
        kill_process_group(leader, Signal::KILL).expect("a process is left");
        let started = Instant::now();
        while any_alive(leader) {
            assert!(started.elapsed() < Duration::from_secs(20), "survived");
            std::thread::sleep(Duration::from_millis(5));
        }
        child.wait().expect("reapable");
    }

    #[test]
    fn the_newest_id_is_that_of_a_living_system() {
        assert!(newest_id().is_some_and(|id| id > 0));
        assert!(all_ids().any(|id| id.unsigned_abs() == std::process::id()));
    }

    #[test]
    fn a_name_full_of_brackets_does_not_hide_state_and_group() {
        let check = |stat: &[u8], expected| assert_eq!(state_and_group(stat), expected);
        check(b"7 (sh) S 1 42 42 0", Some((b'S', 42)));
        check(b"7 (a) Z 9 9) (b) R 1 43 42 0", Some((b'R', 43)));
        check(b"2 (kthreadd) S 0 0 0 0", Some((b'S', 0)));
        check(b"7 (\xff\xfe) Z 1 44 42", Some((b'Z', 44)));
        check(b"7 (sh) S 1", None);
        check(b"", None);
    }
}
