//! The agents of launchd, as text. It listens for nobody: the daemon binds its socket itself, and is kept alive.

use super::escape::xml;
use super::facts::Facts;

pub(super) const DAEMON: &str = "dev.lokid.daemon";

/// Every key that is written here, with what its value is: nothing else may stand in such a file.
#[cfg(test)]
pub(super) const KEYS: [(&str, &str); 15] = [
    ("Label", "string"),
    ("ProgramArguments", "array"),
    ("EnvironmentVariables", "dict"),
    ("WorkingDirectory", "string"),
    ("RunAtLoad", "true"),
    ("KeepAlive", "dict"),
    ("ThrottleInterval", "integer"),
    ("ExitTimeOut", "integer"),
    ("ProcessType", "string"),
    ("Nice", "integer"),
    ("Umask", "integer"),
    ("SoftResourceLimits", "dict"),
    ("StandardOutPath", "string"),
    ("StandardErrorPath", "string"),
    ("StartCalendarInterval", "dict"),
];

pub(super) fn daemon(facts: &Facts) -> String {
    let mut words = vec![facts.program.clone()];
    words.extend(facts.options.iter().cloned());
    if let Some(socket) = facts.socket.as_ref().filter(|_| facts.socket_typed) {
        words.extend(["--socket".to_owned(), socket.clone()]);
    }
    words.extend(["run", "--no-project", "--quiet"].map(str::to_owned));
    let mut plist = Plist::new(DAEMON, &words, facts);
    plist.line("<key>RunAtLoad</key>\n<true/>");
    // It was told to end when it ends well.
    plist.line("<key>KeepAlive</key>\n<dict>\n\t<key>SuccessfulExit</key>\n\t<false/>\n</dict>");
    plist.integer("ThrottleInterval", 10);
    plist.integer("ExitTimeOut", 30);
    plist.line("<key>SoftResourceLimits</key>\n<dict>\n\t<key>NumberOfFiles</key>\n\t<integer>8192</integer>\n</dict>");
    plist.finish(facts, "lokid")
}

/// At half past three in the morning, or when the machine wakes.
pub(super) fn night(facts: &Facts, project: &str) -> String {
    let mut words = vec![facts.program.clone()];
    words.extend(facts.options.iter().cloned());
    words.extend(["run", "--oneshot", "--consolidate", "--quiet"].map(str::to_owned));
    words.push(project.to_owned());
    let mut plist = Plist::new(&night_label(project), &words, facts);
    plist.line(
        "<key>StartCalendarInterval</key>\n<dict>\n\t<key>Hour</key>\n\t<integer>3</integer>\n\t<key>Minute</key>\n\t\
         <integer>30</integer>\n</dict>",
    );
    plist.finish(facts, "lokid-night")
}

/// A name of its own for each project, short and without anything to escape.
pub(super) fn night_label(project: &str) -> String {
    let name = project.rsplit('/').next().unwrap_or_default();
    let plain = |letter: char| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' };
    let name: String = name.chars().map(plain).take(40).collect();
    format!("dev.lokid.night.{name}.{}", &blake3::hash(project.as_bytes()).to_hex()[..8])
}

struct Plist(String);

impl Plist {
    fn new(label: &str, words: &[String], facts: &Facts) -> Plist {
        let mut plist = Plist(String::new());
        plist.0.push_str(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- Written by `lokid service install` -->\n\
             <!DOCTYPE plist PUBLIC \"-//Apple//DTD PLIST 1.0//EN\" \"http://www.apple.com/DTDs/PropertyList-1.0.dtd\">\n\
             <plist version=\"1.0\">\n<dict>\n",
        );
        plist.string("Label", label);
        let words: String = words.iter().map(|word| format!("\n\t<string>{}</string>", xml(word))).collect();
        plist.line(&format!("<key>ProgramArguments</key>\n<array>{words}\n</array>"));
        let path = [("PATH", facts.path.clone())];
        let variables = path.iter().chain(&facts.variables);
        let variables: String = variables
            .map(|(name, value)| format!("\n\t<key>{name}</key>\n\t<string>{}</string>", xml(value)))
            .collect();
        plist.line(&format!("<key>EnvironmentVariables</key>\n<dict>{variables}\n</dict>"));
        plist.string("WorkingDirectory", &facts.home);
        plist
    }

    fn finish(mut self, facts: &Facts, log: &str) -> String {
        self.string("ProcessType", "Background");
        self.integer("Nice", 5);
        // 077, which launchd wants in tens.
        self.integer("Umask", 63);
        self.string("StandardOutPath", "/dev/null");
        self.string("StandardErrorPath", &format!("{}/Library/Logs/{log}.log", facts.home));
        self.0.push_str("</dict>\n</plist>\n");
        self.0
    }

    fn string(&mut self, key: &str, value: &str) {
        self.line(&format!("<key>{key}</key>\n<string>{}</string>", xml(value)));
    }

    fn integer(&mut self, key: &str, value: u32) {
        self.line(&format!("<key>{key}</key>\n<integer>{value}</integer>"));
    }

    fn line(&mut self, lines: &str) {
        for line in lines.lines() {
            self.0.push('\t');
            self.0.push_str(line);
            self.0.push('\n');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_in_the_repository_are_what_a_plain_home_gets() {
        let facts = Facts::plain("/Users/ada");
        let project = "/Users/ada/code/app";
        for (name, text) in [("dev.lokid.daemon", daemon(&facts)), ("dev.lokid.night", night(&facts, project))] {
            super::super::same_as_in_the_repository(&format!("launchd/{name}.plist"), &text);
        }
    }

    #[test]
    fn only_known_keys_are_written_each_once_and_with_its_kind_of_value() {
        let facts = Facts::plain("/Users/zoë & <co>");
        for text in [daemon(&facts), night(&facts, "/Users/zoë & <co>/app")] {
            let lines: Vec<&str> = text.lines().collect();
            let mut seen = Vec::new();
            for (at, line) in lines.iter().enumerate() {
                // Keys of the outermost dictionary stand one tab in.
                let Some(key) = line.strip_prefix("\t<key>").and_then(|rest| rest.strip_suffix("</key>")) else {
                    continue;
                };
                let known = KEYS.iter().find(|(name, _)| *name == key);
                let (_, kind) = known.unwrap_or_else(|| panic!("{key} is no key of launchd"));
                assert!(lines[at + 1].starts_with(&format!("\t<{kind}")), "{key}: {}", lines[at + 1]);
                assert!(!seen.contains(&key), "{key} twice");
                seen.push(key);
            }
            assert!(seen.contains(&"Label") && seen.contains(&"ProgramArguments"));
            assert!(text.contains("/Users/zoë &amp; &lt;co&gt;") && !text.contains("& <co>"), "{text}");
        }
    }

    #[test]
    fn a_socket_that_was_typed_is_told_and_one_of_the_configuration_is_read_there() {
        let at = |socket_typed| Facts { socket: Some("/s.sock".into()), socket_typed, ..Facts::plain("/Users/ada") };
        assert!(daemon(&at(true)).contains("<string>--socket</string>"));
        assert!(!daemon(&at(false)).contains("--socket"));
    }

    #[test]
    fn each_project_has_a_label_of_its_own() {
        assert_ne!(night_label("/a/app"), night_label("/b/app"));
        assert!(night_label("/a/My App ü").starts_with("dev.lokid.night.my-app--."));
    }
}
