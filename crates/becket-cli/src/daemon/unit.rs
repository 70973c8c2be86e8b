//! `becket daemon unit`: prints a service file that starts the daemon at login.

use anyhow::{Context, bail};
use becket::env::{EnvVars, Vars};

/// Variables that select Becket's directories. A service manager does not pass them on.
const FORWARDED_VARS: [&str; 3] = [
    EnvVars::BECKET_HOME,
    EnvVars::XDG_CONFIG_HOME,
    EnvVars::XDG_STATE_HOME,
];

/// The contents of a service file: program and environment.
pub(super) struct ServiceFile {
    program: String,
    variables: Vec<(&'static str, String)>,
}

impl ServiceFile {
    /// The service for this program, with the variables set in this environment.
    pub(super) fn find(vars: &impl Vars) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("cannot find the path of this program")?;
        let program = plain_text("the program's path", program.into_os_string())?;
        let set = FORWARDED_VARS
            .iter()
            .filter_map(|name| Some((*name, vars.get(name)?)));
        let variables = set
            .map(|(name, value)| Ok((name, plain_text(name, value)?)))
            .collect::<anyhow::Result<_>>()?;
        Ok(Self { program, variables })
    }

    /// A systemd user unit.
    pub(super) fn systemd(&self) -> String {
        let mut variables = String::new();
        for (name, value) in &self.variables {
            let variable = quote_systemd(&format!("{name}={value}"));
            variables += &format!("Environment={variable}\n");
        }
        // In a command line, `$` starts a variable; in a setting it does not.
        let program = quote_systemd(&self.program).replace('$', "$$");
        format!(
            "\
# Becket's daemon, started at login. To install it:
#   becket daemon unit > ~/.config/systemd/user/becket.service
#   systemctl --user daemon-reload
#   systemctl --user enable --now becket
# Log: becket daemon logs. Start errors: journalctl --user -u becket

[Unit]
Description=Becket daemon (records coding agents)
StartLimitIntervalSec=0

[Service]
ExecStart={program} daemon run --stay --log-file
# The daemon exits when its program is replaced, and at once if an event has already started one.
Restart=always
RestartSec=30
{variables}
[Install]
WantedBy=default.target"
        )
    }

    /// A launchd property list for one user.
    pub(super) fn launchd(&self) -> String {
        let mut variables = String::new();
        for (name, value) in &self.variables {
            let value = escape_xml(value);
            variables += &format!("    <key>{name}</key>\n    <string>{value}</string>\n");
        }
        let environment = match variables.as_str() {
            "" => String::new(),
            variables => {
                format!("  <key>EnvironmentVariables</key>\n  <dict>\n{variables}  </dict>\n")
            }
        };
        let program = escape_xml(&self.program);
        format!(
            "\
<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">
<!-- Becket's daemon, from login on. To install it:
  becket daemon unit (with the option launchd) > ~/Library/LaunchAgents/becket.daemon.plist
  launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/becket.daemon.plist
-->
<plist version=\"1.0\">
<dict>
  <key>Label</key>
  <string>becket.daemon</string>
  <key>ProgramArguments</key>
  <array>
    <string>{program}</string>
    <string>daemon</string>
    <string>run</string>
    <string>--stay</string>
    <string>--log-file</string>
  </array>
{environment}  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
  <key>ThrottleInterval</key>
  <integer>30</integer>
</dict>
</plist>
"
        )
    }
}

/// Checks that a text has no control characters, which a service file cannot hold.
fn plain_text(what: &str, text: std::ffi::OsString) -> anyhow::Result<String> {
    match text.into_string() {
        Ok(text) if !text.chars().any(char::is_control) => Ok(text),
        _ => bail!(
            "{what} cannot be written to a service file: it contains control characters or is not UTF-8"
        ),
    }
}

/// A quoted word, with systemd's special characters escaped.
fn quote_systemd(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('%', "%%");
    format!("\"{escaped}\"")
}

fn escape_xml(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn special_characters_in_paths_are_escaped() {
        let service = ServiceFile {
            program: r#"/opt/a b/50%/$x/"q"\<&>/becketd"#.into(),
            variables: vec![(EnvVars::BECKET_HOME, "/srv/$x 1%&".into())],
        };
        let unit = service.systemd();
        let expected =
            r#"ExecStart="/opt/a b/50%%/$$x/\"q\"\\<&>/becketd" daemon run --stay --log-file"#;
        assert!(unit.contains(expected), "{unit}");
        let expected = r#"Environment="BECKET_HOME=/srv/$x 1%%&""#;
        assert!(unit.contains(expected), "{unit}");
        let list = service.launchd();
        let expected = r#"<string>/opt/a b/50%/$x/"q"\&lt;&amp;&gt;/becketd</string>"#;
        assert!(list.contains(expected), "{list}");
        assert!(list.contains("<string>/srv/$x 1%&amp;</string>"), "{list}");
    }

    #[test]
    fn path_with_a_newline_is_rejected() {
        let error =
            plain_text("the path", "/opt/a\nExecStart=/bin/evil".into()).expect_err("refused");
        assert!(error.to_string().contains("the path"), "{error}");
    }
}
