//! What a repository with a real history costs: the first reading, questions meanwhile, and one commit more.

use super::*;

/// As the daemon reads by default (`bootstrap.max_commits`).
const COMMITS: usize = 5_000;
const QUESTIONS: usize = 500;
/// Between two questions, as several busy agents would ask.
const PACE: Duration = Duration::from_millis(5);
const NEW_COMMITS: usize = 5;
/// A new commit is read after 2 s, and what was seen is written down after 5 s.
const AFTER_A_COMMIT: Duration = Duration::from_secs(8);

pub(crate) fn run(verdicts: &mut Verdicts) {
    let Some(repos) = std::env::var_os("LOKID_BENCH_REPOS").filter(|repos| !repos.is_empty()) else {
        println!("\n=== learning from a history: skipped, LOKID_BENCH_REPOS names no checkouts");
        return;
    };
    for checkout in std::env::split_paths(&repos) {
        one_repo(&checkout, verdicts);
    }
}

fn one_repo(checkout: &Path, verdicts: &mut Verdicts) {
    let name = checkout.file_name().unwrap_or_default().to_string_lossy().into_owned();
    println!("\n=== learning from {name}");
    progress(format_args!("copying {name}"));
    let folder = tempfile::tempdir().unwrap();
    let (from, copy) = (checkout.to_str().unwrap(), folder.path().join("repo"));
    let clone = ["clone", "-q", "--no-hardlinks", from, copy.to_str().unwrap()];
    assert!(Command::new("git").args(clone).status().unwrap().success(), "{name} can be cloned");
    let home = Home::new(folder.path());
    let repo = Repo::of(&home);
    repo.introduce();
    let newest = format!("-{COMMITS}");
    let log = ["log", "--name-only", "--no-renames", &newest];
    // Once to warm up, for both.
    repo.run("git", &log);

    let first = undisturbed_start(&home, first_reading);
    let (git_wall, git_cpu) = cost_of(|| repo.run("git", &log));
    println!(
        "  {:<28} {:>8.2} s wall {:>8.2} s processor   peak {:.0} MB; {} commits, {} source files",
        "first reading", first.wall, first.cpu, first.peak_mb, first.commits, first.code_files
    );
    println!("  {:<28} {:>8.2} s wall of it", "  its history", first.history);
    println!("  {:<28} {git_wall:>8.2} s wall {git_cpu:>8.2} s processor", format!("git log -{COMMITS}"));
    verdicts.expect(format!("{name}: {} commits and all else read", first.commits), first.wall, 10.0, "s");

    let questions = questions(&repo);
    std::fs::remove_dir_all(&home.cache).unwrap();
    progress(format_args!("reading it again while asking"));
    wait_for_a_quiet_machine();
    let started = Instant::now();
    let daemon = home.start();
    daemon.wait_for_project();
    let done = || daemon.try_status().is_some_and(|status| has_read_the_past(&status["projects"][0]));
    let ((meanwhile, read_after), others) = with_others(&daemon, || {
        let meanwhile = ask(&home.socket, &questions, usize::MAX, &done);
        (meanwhile, started.elapsed().as_secs_f64())
    });
    daemon.wait_until_ready();
    let found_after = started.elapsed().as_secs_f64();
    daemon.wait_until_quiet();
    let memories = daemon.status()["projects"][0]["past"]["memories"].clone();
    let idle = undisturbed(&daemon, || ask(&home.socket, &questions, QUESTIONS, &|| false));
    println!("  {:<28} {meanwhile}", "questions meanwhile");
    println!("  {:<28} {idle}", "questions afterwards");
    println!(
        "  p99 meanwhile against afterwards {:.2} x; read after {read_after:.2} s, all {memories} memories found after \
         {found_after:.2} s (others took {:.0} % of the processor)",
        meanwhile.at(0.99) / idle.at(0.99),
        others * 100.0
    );
    new_commits(&name, &home, &daemon, verdicts);
    println!("  {:<28} {:>8.0} MB", "resident, rested", memory_mb(&daemon, "VmRSS"));
    daemon.stop();
}

struct FirstReading {
    wall: f64,
    cpu: f64,
    history: f64,
    peak_mb: f64,
    commits: u64,
    code_files: u64,
}

/// The least disturbed of a few first readings, each without a cache.
fn undisturbed_start(home: &Home, measure: impl Fn(&Daemon, Instant) -> FirstReading) -> FirstReading {
    least_disturbed(|| {
        let _ = std::fs::remove_dir_all(&home.cache);
        wait_for_a_quiet_machine();
        let started = Instant::now();
        let daemon = home.start();
        let tried = with_others(&daemon, || measure(&daemon, started));
        daemon.stop();
        tried
    })
}

fn first_reading(daemon: &Daemon, started: Instant) -> FirstReading {
    let mut history = f64::NAN;
    let status = loop {
        let status = daemon.try_status().map(|status| status["projects"][0].clone()).unwrap_or_default();
        if history.is_nan() && status["past"]["commits"].as_u64() > Some(0) {
            history = started.elapsed().as_secs_f64();
        }
        if has_read_the_past(&status) {
            break status;
        }
        assert!(started.elapsed() < PATIENCE, "{status}");
        std::thread::sleep(Duration::from_millis(10));
    };
    let number = |name: &str| status["past"][name].as_u64().unwrap();
    FirstReading {
        wall: started.elapsed().as_secs_f64(),
        cpu: daemon.cpu_ticks() as f64 / 100.0,
        history,
        peak_mb: memory_mb(daemon, "VmHWM"),
        commits: number("commits"),
        code_files: number("code_files"),
    }
}

/// What people did here, asked as questions.
fn questions(repo: &Repo) -> Vec<Question> {
    let subjects = repo.git(&["log", "--no-merges", "--format=%s", &format!("-{QUESTIONS}")]);
    let ask = |subject: &str| json!({"query": subject, "k": 5, "counted": false}).to_string();
    let asked = subjects.lines().filter(|subject| !subject.trim().is_empty());
    asked.map(|subject| Question { body: ask(subject), filtered: false }).collect()
}

/// One question after the other on one connection, in even steps, until there were enough.
fn ask(socket: &Path, questions: &[Question], most: usize, done: &dyn Fn() -> bool) -> Latency {
    let mut connection = Connection::open(socket).unwrap();
    let (mut took, mut looked) = (Vec::new(), Instant::now());
    for question in questions.iter().cycle().take(most) {
        let (answer, micros) = timed(|| connection.ask(question).unwrap());
        assert_eq!(answer.0, 200, "{}", answer.1);
        took.push(micros);
        if looked.elapsed() >= Duration::from_millis(50) {
            if done() {
                break;
            }
            looked = Instant::now();
        }
        std::thread::sleep(PACE);
    }
    Latency::of(took)
}

fn new_commits(name: &str, home: &Home, daemon: &Daemon, verdicts: &mut Verdicts) {
    let repo = Repo::of(home);
    let stream = Stream::open(&home.socket);
    // What the kernel charges to the daemon hardly depends on others, so this is done once.
    let ((noticed, cpu, threads, git), others) = with_others(daemon, || {
        let before = Counted::of(daemon);
        let (mut noticed, git) = (Vec::new(), own_seconds());
        for n in 0..NEW_COMMITS {
            repo.write("docs/measured.md", &format!("# Measured\n\nThe number {n} was measured.\n"));
            repo.git(&["add", "docs/measured.md"]);
            stream.drain();
            repo.git(&["commit", "-qm", &format!("docs: measure the number {n}")]);
            let returned = Instant::now();
            let at = stream.until("a commit", |line| line["kind"] == "git" && line["data"]["op"] == "commit");
            noticed.push(at.saturating_duration_since(returned).as_secs_f64() * 1e6);
            std::thread::sleep(AFTER_A_COMMIT);
        }
        let after = Counted::of(daemon);
        let threads = after.told_by_thread(&before, NEW_COMMITS as f64);
        let git = (own_seconds() - git) / NEW_COMMITS as f64 * 1e3;
        (Latency::of(noticed), after.seconds_since(&before) / NEW_COMMITS as f64 * 1e3, threads, git)
    });
    println!("  {:<28} {noticed}", "commit returned to event");
    println!(
        "  {:<28} {cpu:>8.1} ms processor beside {git:.1} ms of git itself (others took {:.0} % of the processor)",
        "one commit more",
        others * 100.0
    );
    println!("  {:<28} {threads}", "  ms by thread");
    verdicts.expect(format!("{name}: processor for one commit more"), cpu, 20.0, "ms");
}
