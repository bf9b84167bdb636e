//! What watching costs while others work hard in the repository: a build, and searches through all of it.

use super::*;

const MODULES: usize = 150;
const SEARCHES: usize = 20;
/// What a build leaves to be done is done by then.
const AFTERWARDS: Duration = Duration::from_secs(8);

/// Wall and processor seconds of what is done in a repository.
type Work<'a> = &'a dyn Fn(&Repo) -> (f64, f64);

pub(crate) fn run(verdicts: &mut Verdicts) {
    let folder = tempfile::tempdir().unwrap();
    let home = crate_home(&folder.path().join("watched"));
    let alone = crate_home(&folder.path().join("alone"));
    let (repo, unwatched) = (Repo::of(&home), Repo::of(&alone));
    let daemon = home.start();
    daemon.wait_for_project();
    wait_for(&daemon, "the past is read", has_read_the_past);
    let stream = Stream::open(&home.socket);
    daemon.wait_until_quiet();

    println!("\n=== a build of {MODULES} modules, and {SEARCHES} searches");
    let build = |repo: &Repo| {
        let _ = std::fs::remove_dir_all(repo.0.join("target"));
        cost_of(|| {
            repo.run("cargo", &["build", "--offline", "--quiet"]);
            assert!(repo.0.join("target/debug/small").exists(), "the crate builds");
        })
    };
    // Once to warm up; removing what it wrote is no part of it.
    build(&unwatched);
    build(&repo);
    std::thread::sleep(AFTERWARDS);
    let search = |repo: &Repo| {
        cost_of(|| (0..SEARCHES).for_each(|_| repo.run("grep", &["-r", "--exclude-dir=target", "nothing", "."])))
    };
    let works: [(&str, Work<'_>, Option<f64>); 2] = [("cargo build", &build, Some(2.0)), ("searches", &search, None)];
    for (what, work, limit) in works {
        // What the kernel charges to each hardly depends on others, so this is done once.
        let ((alone, watched, daemon_ms, threads), others) = with_others(&daemon, || {
            let alone = work(&unwatched);
            stream.drain();
            let before = Counted::of(&daemon);
            let watched = work(&repo);
            std::thread::sleep(AFTERWARDS);
            let after = Counted::of(&daemon);
            let daemon_ms = (after.seconds_since(&before) * 1e3, after.millis_since(&before));
            (alone, watched, daemon_ms, after.told_by_thread(&before, 1.0))
        });
        let opened = stream.drain().iter().filter(|line| is_signal(line, "file_opened")).count();
        let share = daemon_ms.1.max(daemon_ms.0) / (watched.1 * 1e3) * 100.0;
        println!("  {:<28} {:>8.2} s wall {:>8.2} s processor", format!("{what}, unwatched"), alone.0, alone.1);
        println!("  {:<28} {:>8.2} s wall {:>8.2} s processor", format!("{what}, watched"), watched.0, watched.1);
        println!(
            "  {:<28} {:>8.1} ms processor ({:.0} ms in ticks), {share:.2} %; {opened} openings told   {threads} \
             (others took {:.0} % of the processor)",
            "  lokid meanwhile",
            daemon_ms.1,
            daemon_ms.0,
            others * 100.0
        );
        if let Some(limit) = limit {
            verdicts.expect(format!("{what}: the daemon's share"), share, limit, "%");
        }
        verdicts.expect(format!("{what}: openings told"), opened as f64, 0.0, "");
    }
    daemon.stop();
}

fn crate_home(folder: &Path) -> Home {
    let home = Home::new(folder);
    let repo = Repo::of(&home);
    repo.settle_in();
    repo.write(".gitignore", "target/\n");
    repo.write("Cargo.toml", "[package]\nname = \"small\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n");
    let modules: String = (0..MODULES).map(|n| format!("mod m{n};\n")).collect();
    let calls: String = (0..MODULES).map(|n| format!("    sum += m{n}::f0(sum);\n")).collect();
    let main = format!(
        "#![allow(dead_code)]\n{modules}\nfn main() {{\n    let mut sum = 1u64;\n{calls}    println!(\"{{sum}}\");\n}}\n"
    );
    repo.write("src/main.rs", &main);
    for n in 0..MODULES {
        let body: String =
            (0..40).map(|f| format!("pub fn f{f}(x: u64) -> u64 {{ x.wrapping_mul({f}) + {n} }}\n")).collect();
        repo.write(&format!("src/m{n}.rs"), &body);
    }
    repo.commit("small: a crate of many modules");
    home
}
