//! `lokid service` in a home of its own: files come and go, what stood there before comes back, and a manager is asked
//! for what it has to do. That manager is a script that writes down what it was asked, for a test can have no other.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::home::{Home, Told};
use crate::lab::tree;

const UNITS: &str = "config/systemd/user";

/// A manager that can be reached, whose user lingers or not.
struct Desk {
    home: Home,
}

impl Desk {
    fn new() -> Desk {
        let home = Home::new();
        let notes = home.path("asked");
        let script = format!(
            "#!/bin/sh\necho \"${{0##*/}} $*\" >> '{}'\ncase \"$*\" in *Version*) echo Version=252;; \
             *Linger*) cat '{}' 2>/dev/null || echo no;; enable-linger) echo yes > '{1}';; disable-linger) rm '{1}';; \
             *ActiveState*) printf 'ActiveState=active\\nSubState=running\\nUnitFileState=enabled\\n';; esac\n",
            notes.display(),
            home.path("lingers").display(),
        );
        std::fs::create_dir(home.path("bin")).unwrap();
        for program in ["systemctl", "loginctl"] {
            let path = home.path("bin").join(program);
            std::fs::write(&path, &script).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        Desk { home }
    }

    fn run(&self, arguments: &[&str]) -> Told {
        let mut command = self.home.command(arguments);
        let path = format!("{}:{}", self.home.path("bin").display(), std::env::var("PATH").unwrap());
        Told::new(arguments, command.env("PATH", path).output().unwrap())
    }

    /// What was asked since the last time, questions left out.
    fn asked(&self) -> Vec<String> {
        let notes = std::fs::read_to_string(self.home.path("asked")).unwrap_or_default();
        let _ = std::fs::remove_file(self.home.path("asked"));
        notes.lines().filter(|line| !line.contains(" show")).map(str::to_owned).collect()
    }
}

fn write(path: PathBuf, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn nothing_is_written_unasked_and_the_change_is_shown_first() {
    let home = Home::new();
    let told = home.run(&["service", "install"]).exited(2).says("nothing was written").says("--yes");
    assert!(
        told.out.contains("+ Type=notify") && told.out.contains("+ ListenStream=%t/lokid/lokid.sock"),
        "{}",
        told.out
    );
    let told = home.run(&["service", "install", "--print"]).succeeded().says("nothing was written");
    assert!(told.out.contains("[Socket]") && told.out.contains(env!("CARGO_BIN_EXE_lokid")), "{}", told.out);
    home.run(&["service", "install", "--print", "launchd"]).succeeded().says("<plist");
    home.run(&["service", "install", "--print", "upstart"]).exited(2);
    home.run(&["service", "status"]).succeeded().says("not installed");
    assert!(!home.path("config/systemd").exists() && !home.path("state/lokid/service").exists());
}

#[test]
fn without_a_manager_the_files_come_and_the_commands_are_told() {
    let home = Home::new();
    let before = tree(&home.path("config"));
    home.run(&["service", "install", "--yes"])
        .succeeded()
        .says("no service manager of yours can be reached")
        .says("systemctl --user daemon-reload")
        .says("systemctl --user enable --now lokid.socket lokid.service");
    home.run(&["service", "install", "--yes"]).succeeded().says("already installed");
    home.run(&["service", "status"]).succeeded().says("installed").says("cannot be reached");
    // Enabled by hand meanwhile: a link that nobody else would take away.
    let wants = home.path(UNITS).join("default.target.wants");
    std::fs::create_dir(&wants).unwrap();
    symlink(home.path(UNITS).join("lokid.service"), wants.join("lokid.service")).unwrap();
    home.run(&["service", "uninstall", "--yes"]).succeeded().says("taken out");
    assert!(!wants.join("lokid.service").is_symlink());
    assert_eq!(tree(&home.path("config")), before);
    home.run(&["service", "uninstall", "--yes"]).succeeded().says("not installed");
}

#[test]
fn a_manager_is_asked_for_as_much_as_has_changed() {
    let desk = Desk::new();
    desk.run(&["service", "install", "--yes"]).succeeded().says("installed").says("--linger");
    let enable = "systemctl --user enable --now lokid.socket lokid.service";
    assert_eq!(desk.asked(), ["systemctl --user daemon-reload", enable]);
    desk.run(&["service", "install", "--yes"]).succeeded().says("already installed");
    assert_eq!(desk.asked(), [enable]);
    desk.run(&["service", "status"]).succeeded().says("active (running), enabled").says("off");

    // Another configuration file: the daemon is started anew, the socket stays and loses nothing.
    let other = desk.home.path("other.toml");
    write(other.clone(), "");
    desk.run(&["service", "install", "--yes", "--config", other.to_str().unwrap()]).succeeded();
    assert_eq!(desk.asked(), ["systemctl --user daemon-reload", enable, "systemctl --user restart lokid.service"]);
    // Another socket: both have to go first.
    desk.home.configure("[server]\nsocket = \"/tmp/lokid elsewhere.sock\"\n");
    let told = desk.run(&["service", "install", "--yes"]).succeeded();
    assert!(told.out.contains("+ ListenStream=/tmp/lokid elsewhere.sock"), "{}", told.out);
    let stop = "systemctl --user stop lokid.socket lokid.service";
    assert_eq!(desk.asked(), [stop, "systemctl --user daemon-reload", enable]);
    desk.run(&["service", "uninstall", "--yes"]).succeeded();
    let disable = "systemctl --user disable --now lokid.socket lokid.service";
    assert_eq!(desk.asked(), [disable, "systemctl --user daemon-reload"]);
}

#[test]
fn a_judge_in_the_configuration_loosens_the_reins() {
    let home = Home::new();
    home.configure("[judge]\nurl = \"http://127.0.0.1:11434/api/generate\"\n");
    home.run(&["service", "install", "--print"]).succeeded().says("AF_UNIX AF_INET AF_INET6");
}

#[test]
fn the_mirror_loosens_the_reins_only_while_it_is_on() {
    let home = Home::new();
    let print = ["service", "install", "--print"];
    home.configure("[managed]\nagents = true\n");
    home.run(&print).succeeded().says("RestrictAddressFamilies=AF_UNIX\n");
    home.configure("[managed]\nagents = true\nmemory = true\n");
    home.run(&print).succeeded().says("AF_UNIX AF_INET AF_INET6");
    // Flags of the environment go with it; the key never does.
    home.configure("");
    let mut command = home.command(&print);
    command.env("LOKI_MANAGED_AGENTS", "true").env("LOKI_MANAGED_MEMORY", "true").env("ANTHROPIC_API_KEY", "sk-ant-x");
    let told = crate::home::Told::new(&print, command.output().unwrap()).succeeded();
    let told = told.says("AF_UNIX AF_INET AF_INET6").says("LOKI_MANAGED_MEMORY=true");
    assert!(!told.out.contains("sk-ant") && !told.err.contains("sk-ant"), "{told:#?}");
}

#[test]
fn lingering_is_switched_off_only_by_those_who_switched_it_on() {
    let desk = Desk::new();
    desk.run(&["service", "install", "--yes", "--linger"]).succeeded();
    assert_eq!(desk.asked().last().map(String::as_str), Some("loginctl enable-linger"));
    desk.run(&["service", "status"]).succeeded().says("on, by `lokid service install --linger`");
    desk.run(&["service", "uninstall", "--yes"]).succeeded();
    assert_eq!(desk.asked().last().map(String::as_str), Some("loginctl disable-linger"));

    write(desk.home.path("lingers"), "yes\n");
    desk.run(&["service", "install", "--yes", "--linger"]).succeeded();
    desk.run(&["service", "uninstall", "--yes"]).succeeded();
    assert!(desk.asked().iter().all(|line| !line.contains("linger")), "it was on before us");
    assert!(desk.home.path("lingers").exists());
}

#[test]
fn what_stood_there_before_comes_back() {
    let home = Home::new();
    let unit = home.path(UNITS).join("lokid.service");
    let own = "[Service]\nExecStart=/opt/lokid run\n";
    write(unit.clone(), own);
    home.run(&["service", "status"]).succeeded().says("not written by lokid");
    home.run(&["service", "uninstall", "--yes"]).succeeded().says("not installed");
    let told = home.run(&["service", "install", "--yes"]).succeeded();
    assert!(told.out.contains("- ExecStart=/opt/lokid run"), "{}", told.out);
    // Changed by hand since, and installed over that: the first of all still counts.
    let text = std::fs::read_to_string(&unit).unwrap();
    write(unit.clone(), &text.replace("Nice=5", "Nice=9"));
    home.run(&["service", "status"]).succeeded().says("differs");
    home.run(&["service", "install", "--yes"]).succeeded().says("installed");
    home.run(&["service", "uninstall", "--yes"]).succeeded();
    assert_eq!(std::fs::read_to_string(&unit).unwrap(), own);
    assert!(!home.path(UNITS).join("lokid.socket").exists());
}

#[test]
fn without_its_record_a_unit_of_ours_is_still_known() {
    let home = Home::new();
    home.run(&["service", "install", "--yes"]).succeeded();
    std::fs::remove_dir_all(home.path("state/lokid/service")).unwrap();
    home.run(&["service", "uninstall", "--yes"]).succeeded().says("taken out");
    assert!(!home.path(UNITS).join("lokid.service").exists());
}

#[test]
fn nights_are_each_projects_own_and_share_a_template() {
    let desk = Desk::new();
    let other = desk.home.repository("other app");
    let other = other.to_str().unwrap();
    let told: Value = desk.run(&["service", "install", "--timer", "--yes", "--json"]).succeeded().json();
    let first = told["names"][0].as_str().unwrap().to_owned();
    let told = desk.run(&["--project", other, "service", "install", "--timer", "--yes", "--json"]).succeeded().json();
    let second = told["names"][0].as_str().unwrap().to_owned();
    assert!(first.starts_with("lokid-night@") && second.ends_with(r"other\x20app.timer"), "{first} {second}");
    assert_eq!(told["changed"].as_bool(), Some(false), "the template is there already");
    // As the manager would have left it.
    let wants = desk.home.path(UNITS).join("timers.target.wants");
    std::fs::create_dir(&wants).unwrap();
    let template = desk.home.path(UNITS).join("lokid-night@.timer");
    for name in [&first, &second] {
        symlink(&template, wants.join(name)).unwrap();
    }
    desk.run(&["service", "uninstall", "--timer", "--yes"]).succeeded();
    assert!(template.exists(), "another project has nights, too");
    desk.run(&["--project", other, "service", "uninstall", "--timer", "--yes"]).succeeded();
    assert!(!template.exists());
    let outside = desk.home.path("home");
    desk.run(&["--project", outside.to_str().unwrap(), "service", "install", "--timer"])
        .exited(2)
        .says("git repository");
}

#[test]
fn a_manager_that_refuses_is_told_as_a_failure() {
    let desk = Desk::new();
    let script = desk.home.path("bin/systemctl");
    std::fs::write(&script, "#!/bin/sh\ncase \"$*\" in *Version*) echo x;; *enable*) exit 4;; esac\n").unwrap();
    desk.run(&["service", "install", "--yes"]).exited(1).says("ended with exit status: 4").says("enable --now");
}

#[test]
fn a_manual_has_a_page_for_every_command() {
    let home = Home::new();
    home.run(&["man"]).succeeded().says(".TH lokid 1");
    let folder = home.path("man1");
    let told = home.run(&["man", folder.to_str().unwrap(), "--json"]).succeeded().json();
    assert!(told["written"].as_array().unwrap().len() > 40, "{told}");
    let page = std::fs::read_to_string(folder.join("lokid-service-install.1")).unwrap();
    assert!(page.contains("linger"), "{page}");
    // Where `man` is there, it can read them.
    if let Ok(told) = Command::new("man").args(["--warnings", "-l"]).arg(folder.join("lokid-run.1")).output() {
        assert_eq!(String::from_utf8_lossy(&told.stderr), "");
    } else {
        println!("skipped: there is no `man` to read the pages");
    }
}
