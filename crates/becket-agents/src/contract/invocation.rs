//! One hook about to run for one event, and the values that several dialects need.

use becket_model::{Dialect, Event, EventData, EventKind, HookSpec};
use serde_json::{Map, Value, json};

use super::EventMetadata;
use crate::names;

/// The inputs of the contract before the hook runs.
#[derive(Clone, Copy)]
pub(super) struct HookInvocation<'a> {
    pub(super) hook: &'a HookSpec,
    pub(super) event: &'a Event,
    pub(super) metadata: &'a EventMetadata<'a>,
}

impl<'a> HookInvocation<'a> {
    /// The event in canonical keys, with the tool input as rewritten so far.
    pub(super) fn canonical(&self) -> Map<String, Value> {
        let mut out = match self.event.to_json() {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        if let Some(active) = self.stop_hook_active() {
            out.insert("stop_hook_active".into(), json!(active));
        }
        out
    }

    /// Whether a stop hook has already kept the agent working; `None` at other events.
    pub(super) fn stop_hook_active(&self) -> Option<bool> {
        match &self.event.data {
            EventData::Stop { active, .. } | EventData::SubagentStop { active, .. } => {
                Some(*active)
            }
            _ => None,
        }
    }

    /// The agent's working directory, else the project's root.
    pub(super) fn cwd(&self) -> Option<&'a str> {
        self.event.cwd.as_deref().or(self.metadata.project_dir)
    }

    /// The project's root, else the agent's working directory.
    pub(super) fn project_dir(&self) -> Option<&'a str> {
        self.metadata.project_dir.or(self.event.cwd.as_deref())
    }

    /// The event's name as this dialect spells it. A hook never sees another dialect's spelling.
    pub(super) fn event_name(&self, dialect: Dialect) -> String {
        names::spell(dialect, &self.event.kind())
    }

    /// The event's name from the hook's definition, if its dialect has several names for the event.
    pub(super) fn native_event(&self) -> String {
        match &self.hook.native_event {
            Some(name) => name.clone(),
            None => self.event_name(self.hook.dialect),
        }
    }

    /// The payload of the hook's own agent, completed with missing keys. The keys in `current` are updated.
    pub(super) fn over_native(
        &self,
        built: Map<String, Value>,
        current: &[&str],
    ) -> Map<String, Value> {
        if self.event.agent.as_str() != self.hook.dialect.name() {
            return built;
        }
        let holds_now = |key: &str| current.contains(&key) || key == "stop_hook_active";
        let mut out = self.event.raw.clone();
        out.retain(|key, _| !holds_now(key) || built.contains_key(key));
        for (key, value) in built {
            if holds_now(&key) {
                out.insert(key, value);
            } else {
                out.entry(key).or_insert(value);
            }
        }
        out
    }

    /// Fields of the event that the dialect has no shape for, under canonical keys.
    pub(super) fn unmapped_fields(&self) -> Map<String, Value> {
        const ENVELOPE: [&str; 12] = [
            "schema_version",
            "event",
            "hook_event_name",
            "agent",
            "native_event",
            "session_id",
            "cwd",
            "transcript_path",
            "tool_name",
            "tool_input",
            "tool_use_id",
            "native_tool_name",
        ];
        let mut out = self.canonical();
        out.retain(|key, _| !ENVELOPE.contains(&key.as_str()));
        out
    }

    /// A key of the agent's own payload, if it has the type that the dialect promises.
    pub(super) fn raw(&self, key: &str, has_type: fn(&Value) -> bool) -> Value {
        let found = self.event.raw.get(key).filter(|value| has_type(value));
        found.cloned().unwrap_or(Value::Null)
    }
}

/// The category of the requested permission.
pub(super) fn permission_type(invocation: &HookInvocation<'_>) -> Value {
    if invocation.event.kind() != EventKind::PermissionRequest {
        return Value::Null;
    }
    match invocation.raw("permission_type", Value::is_string) {
        // The only type that Autohand itself ever sends.
        Value::Null => json!("tool_approval"),
        own => own,
    }
}

/// Strings as they are, everything else as JSON, null as `None`.
pub(super) fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

/// Milliseconds since 1970 of an RFC 3339 time; `None` for anything else.
pub(super) fn epoch_ms(timestamp: &str) -> Option<i64> {
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = timestamp.get(from..to)?;
        let plain = digits.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| digits.parse().ok()).flatten()
    };
    let mark = |at: usize, any: &[u8]| -> Option<()> {
        any.contains(timestamp.as_bytes().get(at)?).then_some(())
    };
    mark(4, b"-").and(mark(7, b"-"))?;
    mark(10, b"Tt ").and(mark(13, b":")).and(mark(16, b":"))?;
    let days = days_from_civil(number(0, 4)?, number(5, 7)?, number(8, 10)?)?;
    let seconds = number(11, 13)? * 3600 + number(14, 16)? * 60 + number(17, 19)?;

    let rest = timestamp.get(19..)?;
    let fraction = rest.strip_prefix('.').map_or("", |digits| {
        let end = digits.find(|c: char| !c.is_ascii_digit());
        &digits[..end.unwrap_or(digits.len())]
    });
    let zone = &rest[fraction.len() + usize::from(rest.starts_with('.'))..];
    let millis: i64 = format!("{fraction:0<3}").get(..3)?.parse().ok()?;
    Some((days * 86_400 + seconds - zone_seconds(zone)?) * 1000 + millis)
}

fn zone_seconds(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, clock) = match zone.split_at_checked(1)? {
        ("+", clock) => (1, clock),
        ("-", clock) => (-1, clock),
        _ => return None,
    };
    let (hours, minutes) = clock.split_once(':')?;
    let hours: u8 = hours.parse().ok()?;
    let minutes: u8 = minutes.parse().ok()?;
    Some(sign * (i64::from(hours) * 3600 + i64::from(minutes) * 60))
}

/// Days since 1970-01-01 in the Gregorian calendar. Years start in March, so the leap day is the last day
/// of a year.
fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn epoch_ms_parses_rfc_3339_only() {
        for (text, expected) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("2026-08-23T10:11:12.345Z", Some(1_787_479_872_345)),
            ("2026-08-23T12:11:12.345+02:00", Some(1_787_479_872_345)),
            ("2024-02-29T23:59:59.9-00:30", Some(1_709_252_999_900)),
            ("1969-12-31T23:59:59Z", Some(-1000)),
            ("2026-08-23T10:11:12", None),
            ("2026-13-01T00:00:00Z", None),
            ("yesterday", None),
            ("2026-08-23T10:11:1é", None),
            ("", None),
        ] {
            assert_eq!(epoch_ms(text), expected, "{text}");
        }
    }
}
