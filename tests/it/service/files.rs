//! The files a service consists of, read by those who will read them: systemd's own checker and a real parser of
//! property lists. Where one of these is not installed, the test says so and looks no further.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::home::{Home, Told};

const PROGRAM: &str = env!("CARGO_BIN_EXE_lokid");
/// What a path may hold, all of it at once; no file can have more.
const ODD: &str = "zoë & 100% $HOME \"q\" 'a' \\x20 <b> ;#";
/// As odd as the name of a program may be for systemd to look for it itself.
const LESS_ODD: &str = "zoë & 100% $HOME <b> ;#";

fn repository(inside: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(inside)
}

fn is_installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok_and(|told| told.status.success());
    if !found {
        println!("skipped: {program} is not installed, so its opinion is not known");
    }
    found
}

/// What systemd has to say about units. Unknown settings are only remarks to it: here they count.
fn verify(units: &[PathBuf]) -> String {
    let lab = tempfile::tempdir().unwrap();
    let mut command = Command::new("systemd-analyze");
    command.args(["--user", "--man=no", "verify"]).args(units);
    command.env("XDG_RUNTIME_DIR", lab.path()).env("HOME", lab.path());
    let told = command.output().unwrap();
    let said = String::from_utf8(told.stderr).unwrap();
    // The manager's own units are not the subject, nor is what this machine lacks to run any.
    let ours = |line: &&str| line.contains("lokid");
    let said: Vec<&str> = said.lines().filter(ours).collect();
    said.join("\n")
}

fn units(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    found.retain(|path| path.is_file());
    found.sort();
    found
}

#[test]
fn the_units_in_the_repository_are_good() {
    if !is_installed("systemd-analyze") {
        return;
    }
    let lab = tempfile::tempdir().unwrap();
    for unit in units(&repository("systemd")) {
        // The program has to be there to be good.
        let text = std::fs::read_to_string(&unit).unwrap().replace("/usr/local/bin/lokid", PROGRAM);
        std::fs::write(lab.path().join(unit.file_name().unwrap()), text).unwrap();
    }
    let units = units(lab.path());
    assert_eq!(units.len(), 4);
    assert_eq!(verify(&units), "");
    // The same look notices what is wrong.
    let text = std::fs::read_to_string(&units[3]).unwrap();
    std::fs::write(&units[3], text.replace("[Install]", "Lsten=/x\n[Install]")).unwrap();
    assert!(verify(&units).contains("Lsten"), "{}", units[3].display());
}

/// A home with everything in its name, and a lokid of its own in it.
fn odd_home(name: &str) -> (Home, PathBuf) {
    let home = Home::new();
    let folder = home.path(name);
    std::fs::create_dir_all(folder.join("bin")).unwrap();
    let program = folder.join("bin/lokid");
    if std::fs::hard_link(PROGRAM, &program).is_err() {
        std::fs::copy(PROGRAM, &program).unwrap();
    }
    crate::repo::new(&folder.join("app"), "first");
    (home, program)
}

fn run(program: &Path, arguments: &[&str]) -> Told {
    let folder = program.parent().and_then(Path::parent).unwrap();
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder.join("app")).env_clear().env("HOME", folder);
    command.env("PATH", std::env::var_os("PATH").unwrap()).env("XDG_STATE_HOME", folder.join("state"));
    command.env("LOKID_SOCKET", folder.join("s.sock"));
    Told::new(arguments, command.output().unwrap())
}

#[test]
fn systemd_understands_the_units_of_an_odd_home() {
    for name in [ODD, LESS_ODD] {
        let (home, program) = odd_home(name);
        run(&program, &["service", "install", "--yes"]).succeeded().says("enable --now lokid.socket lokid.service");
        run(&program, &["service", "install", "--yes", "--timer"]).succeeded().says("lokid-night@");
        let units = units(&home.path(name).join(".config/systemd/user"));
        assert_eq!(units.len(), 4);
        if !is_installed("systemd-analyze") {
            return;
        }
        assert_eq!(verify(&units), "");
        if name == LESS_ODD {
            // It looks for the very program: without it, it says which one it misses.
            std::fs::remove_file(&program).unwrap();
            let said = verify(&units);
            assert!(said.contains(&format!("{name}/bin/lokid")), "{said}");
        }
    }
}

#[test]
fn systemd_names_a_project_as_we_do() {
    if !is_installed("systemd-escape") {
        return;
    }
    let (home, program) = odd_home(ODD);
    let told = run(&program, &["service", "install", "--yes", "--timer", "--json"]).succeeded().json();
    let project = home.path(ODD).join("app");
    let mut command = Command::new("systemd-escape");
    command.args(["--path", "--template=lokid-night@.timer"]).arg(project);
    let said = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert_eq!(told["names"][0].as_str(), Some(said.trim()));
}

/// A property list as JSON, read by a parser that is not ours.
fn parsed(text: &str) -> Value {
    let lab = tempfile::tempdir().unwrap();
    std::fs::write(lab.path().join("x.plist"), text).unwrap();
    let script = "import json,plistlib;print(json.dumps(plistlib.load(open('x.plist','rb'))))";
    let told = Command::new("python3").args(["-c", script]).current_dir(lab.path()).output().unwrap();
    assert!(told.status.success(), "{}\n{text}", String::from_utf8_lossy(&told.stderr));
    serde_json::from_slice(&told.stdout).unwrap()
}

/// Is it an agent as launchd takes one? Kinds of keys are held by a test beside the generator.
#[track_caller]
fn check_agent(agent: &Value, program: &str) {
    let words: Vec<&str> =
        agent["ProgramArguments"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(words[0], program);
    assert!(words.contains(&"run") && words.contains(&"--quiet"), "{words:?}");
    for path in [&agent["WorkingDirectory"], &agent["StandardErrorPath"], &agent["StandardOutPath"]] {
        assert!(path.as_str().is_some_and(|path| path.starts_with('/')), "{path}");
    }
    assert_eq!((agent["ProcessType"].as_str(), agent["Umask"].as_u64()), (Some("Background"), Some(0o077)));
    let folders = agent["EnvironmentVariables"]["PATH"].as_str().unwrap();
    assert!(folders.split(':').all(|folder| folder.starts_with('/')), "{folders}");
}

#[test]
fn the_agents_in_the_repository_are_good() {
    if !is_installed("python3") {
        return;
    }
    for name in ["dev.lokid.daemon", "dev.lokid.night"] {
        let text = std::fs::read_to_string(repository(&format!("launchd/{name}.plist"))).unwrap();
        let agent = parsed(&text);
        check_agent(&agent, "/usr/local/bin/lokid");
        assert!(agent["Label"].as_str().unwrap().starts_with(name));
    }
    let daemon = parsed(&std::fs::read_to_string(repository("launchd/dev.lokid.daemon.plist")).unwrap());
    assert_eq!(daemon["KeepAlive"]["SuccessfulExit"].as_bool(), Some(false));
    assert_eq!(daemon["RunAtLoad"].as_bool(), Some(true));
}

#[test]
fn an_agent_of_an_odd_home_holds_its_paths_as_they_are() {
    if !is_installed("python3") {
        return;
    }
    let (home, program) = odd_home(ODD);
    let folder = home.path(ODD);
    let told = run(&program, &["service", "install", "--print", "launchd"]).succeeded();
    let agent = parsed(&told.out);
    check_agent(&agent, program.to_str().unwrap());
    assert_eq!(agent["WorkingDirectory"].as_str(), folder.to_str());
    assert_eq!(agent["EnvironmentVariables"]["XDG_STATE_HOME"].as_str(), folder.join("state").to_str());
    let words: Vec<&str> =
        agent["ProgramArguments"].as_array().unwrap().iter().map(|word| word.as_str().unwrap()).collect();
    assert_eq!(words[1..3], ["--socket", folder.join("s.sock").to_str().unwrap()]);
    let told = run(&program, &["service", "install", "--print", "launchd", "--timer"]).succeeded();
    let night = parsed(&told.out);
    let last = night["ProgramArguments"].as_array().unwrap().last().unwrap().as_str();
    assert_eq!(last, folder.join("app").to_str());
    assert_eq!(night["StartCalendarInterval"]["Hour"].as_u64(), Some(3));
}
