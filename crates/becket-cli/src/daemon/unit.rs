//! `becket daemon unit`: a service file, for those who want the daemon there before the first event.

use anyhow::{Context, bail};
use becket::env::{EnvVars, Vars};

/// What decides where the daemon looks; the service manager's environment does not have it.
const PLACES: [&str; 3] = [
    EnvVars::BECKET_HOME,
    EnvVars::XDG_CONFIG_HOME,
    EnvVars::XDG_STATE_HOME,
];

/// What a service is made of.
pub(super) struct Service {
    program: String,
    places: Vec<(&'static str, String)>,
}

impl Service {
    /// The service of this program, with the places that are set here.
    pub(super) fn find(vars: &impl Vars) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("own path unknown")?;
        let program = plain("the program's path", program.into_os_string())?;
        let set = PLACES
            .iter()
            .filter_map(|name| Some((*name, vars.get(name)?)));
        let places = set
            .map(|(name, value)| Ok((name, plain(name, value)?)))
            .collect::<anyhow::Result<_>>()?;
        Ok(Self { program, places })
    }

    /// A unit of systemd's for one user.
    pub(super) fn systemd(&self) -> String {
        let mut places = String::new();
        for (name, value) in &self.places {
            let place = for_systemd(&format!("{name}={value}"));
            places += &format!("Environment={place}\n");
        }
        // In a command, a dollar sign would begin a variable; in a setting it does not.
        let program = for_systemd(&self.program).replace('$', "$$");
        format!(
            "\
# Becket's daemon, from login on. To install it:
#   becket daemon unit > ~/.config/systemd/user/becket.service
#   systemctl --user daemon-reload
#   systemctl --user enable --now becket
# Its log: becket daemon logs; why it could not start: journalctl --user -u becket

[Unit]
Description=Becket, the record of what coding agents do
StartLimitIntervalSec=0

[Service]
ExecStart={program} daemon run --stay --log-file
# It ends when the program is replaced, and at once while one runs that an event has started.
Restart=always
RestartSec=30
{places}
[Install]
WantedBy=default.target
"
        )
    }

    /// A property list of launchd's for one user.
    pub(super) fn launchd(&self) -> String {
        let mut places = String::new();
        for (name, value) in &self.places {
            let value = for_xml(value);
            places += &format!("    <key>{name}</key>\n    <string>{value}</string>\n");
        }
        let environment = match places.as_str() {
            "" => String::new(),
            places => {
                format!("  <key>EnvironmentVariables</key>\n  <dict>\n{places}  </dict>\n")
            }
        };
        let program = for_xml(&self.program);
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

/// Text that a service file can hold.
fn plain(what: &str, text: std::ffi::OsString) -> anyhow::Result<String> {
    match text.into_string() {
        Ok(text) if !text.chars().any(char::is_control) => Ok(text),
        _ => bail!("{what} cannot stand in a service file: it is no plain text"),
    }
}

/// One word in quotes, with what systemd would read as something else taken literally.
fn for_systemd(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('%', "%%");
    format!("\"{escaped}\"")
}

fn for_xml(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_paths_are_taken_literally() {
        let service = Service {
            program: r#"/opt/a b/50%/$x/"q"\<&>/becketd"#.into(),
            places: vec![(EnvVars::BECKET_HOME, "/srv/$x 1%&".into())],
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
    fn a_path_that_would_add_lines_is_refused() {
        let error = plain("the path", "/opt/a\nExecStart=/bin/evil".into()).expect_err("refused");
        assert!(error.to_string().contains("the path"), "{error}");
    }
}
