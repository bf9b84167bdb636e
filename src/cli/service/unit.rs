//! The units of systemd, as text. What stands in them beyond paths is the same for everybody; each line says what it is
//! for where that is not plain.

use super::escape::{command, whole, word};
use super::facts::{Facts, Needs};

/// How a file that was written here is known again.
pub(super) const MARK: &str = "# Written by `lokid service install";

pub(super) const SERVICE: &str = "lokid.service";
pub(super) const SOCKET: &str = "lokid.socket";
pub(super) const NIGHT_SERVICE: &str = "lokid-night@.service";
pub(super) const NIGHT_TIMER: &str = "lokid-night@.timer";

pub(super) fn service(facts: &Facts) -> String {
    let mut words = vec![facts.program.clone()];
    words.extend(facts.options.iter().cloned());
    words.extend(["run", "--no-project", "--quiet"].map(str::to_owned));
    format!(
        "\
{MARK}`. Settings of your own go beside it: `systemctl --user edit lokid`.

[Unit]
Description=lokid, a living memory for the people and agents who work in a repository
Documentation=man:lokid(1)
# The socket outlives the daemon: what is asked while there is none waits for the next.
Requires={SOCKET}
After={SOCKET}
StartLimitIntervalSec=10min
StartLimitBurst=5

[Service]
Type=notify
ExecStart={exec}
ExecReload=/bin/kill -HUP $MAINPID
{environment}Restart=on-failure
RestartSec=2
# A sign of life comes twice in this time, as long as every writer takes its turns.
WatchdogSec=120
TimeoutStopSec=30
UMask=0077

# It waits most of the time, and gives way to whoever works.
Nice=5
CPUWeight=50
IOWeight=50
OOMScoreAdjust=200
{memory}# Each project has a handful of threads.
TasksMax=2048
LimitNOFILE=8192
# What it holds in memory is nobody else's business.
LimitCORE=0

{hardening}
[Install]
WantedBy=default.target
Also={SOCKET}
",
        exec = command(&words),
        environment = environment(facts),
        memory = memory(facts),
        hardening = hardening(facts.needs),
    )
}

pub(super) fn socket(facts: &Facts) -> String {
    let listen = listen(facts);
    format!(
        "\
{MARK}`.

[Unit]
Description=The socket of lokid
Documentation=man:lokid(1)

[Socket]
ListenStream={listen}
FileDescriptorName=lokid
SocketMode=0600
DirectoryMode=0700
RemoveOnStop=yes

[Install]
WantedBy=sockets.target
"
    )
}

pub(super) fn night_service(facts: &Facts) -> String {
    let mut words = vec![facts.program.clone()];
    words.extend(facts.options.iter().cloned());
    words.extend(["run", "--oneshot", "--consolidate", "--quiet"].map(str::to_owned));
    let exec = command(&words);
    format!(
        "\
{MARK} --timer`. The instance is a project: lokid-night@home-ada-code-app.

[Unit]
Description=A night of lokid in %f
Documentation=man:lokid-run(1)
ConditionPathIsDirectory=%f
# A daemon has nights of its own.
ConditionPathExists=!{listen}

[Service]
Type=oneshot
# Without variables: a dollar sign in a path is a dollar sign.
ExecStart=:{exec} %f
{environment}TimeoutStartSec=1h
UMask=0077
Nice=10
CPUWeight=20
IOWeight=20
{memory}TasksMax=128
LimitCORE=0

{hardening}",
        memory = memory(facts),
        listen = listen(facts),
        exec = exec.trim_start_matches(':'),
        environment = environment(facts),
        hardening = hardening(facts.needs),
    )
}

pub(super) fn night_timer() -> String {
    format!(
        "\
{MARK} --timer`.

[Unit]
Description=Nights of lokid in %f

[Timer]
OnCalendar=*-*-* 03:30:00
RandomizedDelaySec=30min
# A machine that slept through it does it when it wakes.
Persistent=true

[Install]
WantedBy=timers.target
"
    )
}

/// Where the manager's own runtime directory is, it knows best.
fn listen(facts: &Facts) -> String {
    facts.socket.as_deref().map_or_else(|| "%t/lokid/lokid.sock".to_owned(), whole)
}

fn environment(facts: &Facts) -> String {
    let line = |(name, value): &(&str, String)| format!("Environment={}\n", word(&format!("{name}={value}")));
    facts.variables.iter().map(line).collect()
}

/// Above what the daemon allows itself: `[service] memory_limit` comes first, in kind, and these are for when that fails.
fn memory(facts: &Facts) -> String {
    let megabytes = facts.memory_limit >> 20;
    format!("MemoryHigh={}M\nMemoryMax={}M\n", megabytes + megabytes / 8, megabytes + megabytes / 4)
}

/// Only what a manager without privileges can do: nothing of this needs a namespace.
fn hardening(needs: Needs) -> String {
    let mut text = "\
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
SystemCallArchitectures=native
"
    .to_owned();
    if needs != Needs::Programs {
        text.push_str("MemoryDenyWriteExecute=yes\nSystemCallFilter=@system-service\nSystemCallErrorNumber=EPERM\n");
    }
    match needs {
        Needs::Nothing => text.push_str(
            "# Nothing leaves the machine. A judge in the configuration wants more: install again then.\n\
             RestrictAddressFamilies=AF_UNIX\n",
        ),
        Needs::Network => text.push_str("RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6\n"),
        Needs::Programs => {}
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_odd_home_stands_in_its_units_as_it_is() {
        let mut facts = Facts::plain("/home/zoë & 100% $co");
        facts.program = format!("{}/.cargo/bin/lokid", facts.home);
        facts.socket = Some(format!("{}/s.sock", facts.home));
        facts.variables = vec![("XDG_STATE_HOME", format!("{}/st\"ate\\", facts.home))];
        let service = service(&facts);
        let has = |text: &str, line: &str| assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        has(&service, r#"ExecStart=:"/home/zoë & 100%% $co/.cargo/bin/lokid" run --no-project --quiet"#);
        has(&service, r#"Environment="XDG_STATE_HOME=/home/zoë & 100%% $co/st\"ate\\""#);
        has(&socket(&facts), "ListenStream=/home/zoë & 100%% $co/s.sock");
        let night = night_service(&facts);
        has(&night, r#"ExecStart=:"/home/zoë & 100%% $co/.cargo/bin/lokid" run --oneshot --consolidate --quiet %f"#);
        has(&night, "ConditionPathExists=!/home/zoë & 100%% $co/s.sock");
    }

    #[test]
    fn a_judge_is_given_the_room_it_needs() {
        let with = |needs| service(&Facts { needs, ..Facts::plain("/home/ada") });
        assert!(with(Needs::Nothing).contains("\nRestrictAddressFamilies=AF_UNIX\n"));
        assert!(with(Needs::Network).contains("AF_UNIX AF_INET AF_INET6"));
        let free = with(Needs::Programs);
        assert!(!free.contains("MemoryDenyWriteExecute") && !free.contains("RestrictAddressFamilies"), "{free}");
        assert!(free.contains("NoNewPrivileges=yes"));
    }

    #[test]
    fn the_managers_limits_lie_above_the_daemons_own() {
        let text = service(&Facts { memory_limit: 256 << 20, ..Facts::plain("/home/ada") });
        assert!(text.contains("\nMemoryHigh=288M\nMemoryMax=320M\n"), "{text}");
    }

    #[test]
    fn the_files_in_the_repository_are_what_a_plain_home_gets() {
        let facts = Facts::plain("/home/ada");
        for (name, text) in [
            (SERVICE, service(&facts)),
            (SOCKET, socket(&facts)),
            (NIGHT_SERVICE, night_service(&facts)),
            (NIGHT_TIMER, night_timer()),
        ] {
            super::super::same_as_in_the_repository(&format!("systemd/{name}"), &text);
        }
    }
}
