//! The mirror from outside: which flags are refused together, and that off means off.

use crate::home::{Home, Told};

/// Each flag with the one it needs, and its key in the file.
const FLAGS: [(&str, Option<usize>, &str); 6] = [
    ("LOKI_MANAGED_AGENTS", None, "agents"),
    ("LOKI_MANAGED_MEMORY", Some(0), "memory"),
    ("LOKI_MANAGED_MEMORY_HYDRATE", Some(1), "hydrate"),
    ("LOKI_EXPERIMENTAL_MANAGED_AGENTS", Some(0), "experimental"),
    ("LOKI_EXPERIMENTAL_MANAGED_REVIEW", Some(3), "review"),
    ("LOKI_EXPERIMENTAL_MANAGED_COUNCIL", Some(3), "council"),
];

/// One of every sort: the daemon, commands that ask it, commands without it, and those that bear a broken file.
const COMMANDS: [&[&str]; 12] = [
    &["run"],
    &["run", "--oneshot"],
    &["mcp"],
    &["status"],
    &["recall", "anything"],
    &["remember", "anything"],
    &["list"],
    &["socket"],
    &["doctor"],
    &["config"],
    &["config", "--check"],
    &["completions", "bash"],
];

fn with(home: &Home, arguments: &[&str], variables: &[(&str, &str)]) -> Told {
    let mut command = home.command(arguments);
    for (name, value) in variables {
        command.env(name, value);
    }
    Told::new(arguments, command.output().unwrap())
}

fn names_both(told: &Told, child: usize) {
    let (child, parent, _) = FLAGS[child];
    let parent = FLAGS[parent.unwrap()].0;
    let lines: Vec<&str> = told.err.lines().filter(|line| line.contains(child)).collect();
    assert!(lines.len() == 1 && lines[0].contains(parent) && told.out.is_empty(), "{told:#?}");
}

/// Everything that `child` needs but its parent, so that the pair alone is wrong.
fn needs(child: usize) -> Vec<usize> {
    let mut above = Vec::new();
    let mut next = FLAGS[FLAGS[child].1.unwrap()].1;
    while let Some(at) = next {
        above.push(at);
        next = FLAGS[at].1;
    }
    above
}

#[test]
fn a_flag_without_the_one_it_needs_is_refused_by_every_command() {
    let home = Home::new();
    let mut refused = 0;
    for child in (0..FLAGS.len()).filter(|child| FLAGS[*child].1.is_some()) {
        let mut on = vec![(FLAGS[child].0, "true")];
        on.extend(needs(child).into_iter().map(|at| (FLAGS[at].0, "true")));
        for command in COMMANDS {
            names_both(&with(&home, command, &on).exited(2), child);
            refused += 1;
        }
        // An agent would take 2 for a veto: hooks stay silent, whatever is wrong.
        let hook = with(&home, &["hook", "session-start"], &on).succeeded();
        assert_eq!((hook.out.as_str(), hook.err.as_str()), ("", ""), "{hook:#?}");
    }
    assert_eq!(refused, 5 * COMMANDS.len(), "every pair, by every sort of command");
    println!("{refused} refusals by the environment");
}

#[test]
fn of_all_combinations_exactly_those_with_an_orphan_are_refused() {
    let home = Home::new();
    let (mut refused, mut accepted) = (0, 0);
    for combination in 0_usize..1 << FLAGS.len() {
        let is_on = |at: usize| combination & (1 << at) != 0;
        let on: Vec<_> = (0..FLAGS.len()).filter(|at| is_on(*at)).map(|at| (FLAGS[at].0, "1")).collect();
        let orphan = (0..FLAGS.len()).find(|at| is_on(*at) && FLAGS[*at].1.is_some_and(|parent| !is_on(parent)));
        let told = with(&home, &["config", "--check"], &on);
        match orphan {
            Some(child) => {
                names_both(&told.exited(2), child);
                refused += 1;
            }
            None => {
                told.succeeded();
                accepted += 1;
            }
        }
    }
    // Below the first flag: three ways for the memory, five for the experiments; and everything off.
    assert_eq!((refused, accepted), (64 - 16, 3 * 5 + 1));
    println!("{refused} of 64 combinations refused");
}

#[test]
fn a_file_is_held_to_the_same_rule_and_the_environment_can_mend_or_break_it() {
    let home = Home::new();
    for child in (0..FLAGS.len()).filter(|child| FLAGS[*child].1.is_some()) {
        let keys: Vec<usize> = needs(child).into_iter().chain([child]).collect();
        let text: String = keys.iter().map(|at| format!("{} = true\n", FLAGS[*at].2)).collect();
        home.configure(&format!("[managed]\n{text}"));
        for command in [&["status"][..], &["run"], &["doctor"]] {
            names_both(&home.run(command).exited(2), child);
        }
        let parent = FLAGS[FLAGS[child].1.unwrap()].0;
        with(&home, &["config", "--check"], &[(parent, "true")]).succeeded();
        names_both(&with(&home, &["config", "--check"], &[(parent, "false")]).exited(2), child);
    }
    home.configure("");
    with(&home, &["status"], &[("LOKI_MANAGED_MEMORY", "maybe")]).exited(2).says("LOKI_MANAGED_MEMORY");
}

#[test]
fn a_shared_store_that_could_be_written_is_refused() {
    let home = Home::new();
    home.configure("[managed]\norg_store = \"memstore_a\"\norg_store_access = \"read_write\"\n");
    home.run(&["run"]).exited(2).says("managed.org_store_access");
    home.configure("[managed]\norg_store = \"memstore_a\"\nuser_store = \"memstore_a\"\n");
    home.run(&["run"]).exited(2).says("managed.user_store and managed.org_store");
    home.configure("[managed]\nbase_url = \"http://api.example\"\n");
    home.run(&["run"]).exited(2).says("managed.base_url");
}
