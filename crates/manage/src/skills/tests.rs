//! What becomes of ways that lead to a good end, over one night and over many.

use proptest::prelude::*;

use super::super::errors::lab::{Lab, edit, episode, id, is_steady, met, ran};
use super::*;
use lokid_model::{Source, Status, Timestamp};

const STEPS: [&str; 3] = ["cargo test", "cargo build", "git push"];

fn found(name: &str, steps: &[&str], sources: &[&str]) -> Found {
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    Found { name: name.into(), steps: texts(steps), support: 9, sources: texts(sources) }
}

fn release() -> Vec<Found> {
    vec![found("release", &STEPS, &[])]
}

fn skills(found: &[Found]) -> impl Fn(&Scene<'_>) -> Vec<Proposal> {
    move |scene| plan(scene, found, &Limits::default())
}

fn after(memories: impl IntoIterator<Item = Memory>, found: &[Found]) -> Lab {
    after_nights(30, memories, found)
}

fn after_nights(nights: usize, memories: impl IntoIterator<Item = Memory>, found: &[Found]) -> Lab {
    let mut lab = Lab::new(memories);
    is_steady(&lab, nights, skills(found));
    lab.night(skills(found));
    lab
}

fn released(name: &str, day: i64, outcome: Outcome) -> Memory {
    let memory = ran(episode(name, day, outcome), "cd app && cargo test --all", "");
    ran(ran(ran(memory, "ls", ""), "cargo build --release", ""), &format!("git push origin v{day}"), "")
}

fn three() -> [Memory; 3] {
    [("ep-1", 1), ("ep-2", 2), ("ep-3", 3)].map(|(name, day)| released(name, day, Outcome::Success))
}

fn only(lab: &Lab) -> (&Memory, &Skill) {
    let [memory] = lab.of(Kind::Skill).try_into().unwrap();
    let Body::Skill(skill) = &memory.body else { panic!("{memory:?}") };
    (memory, skill)
}

fn written(name: &str, steps: &[&str], source: Source) -> Memory {
    let steps = steps.iter().map(|step| (*step).to_owned()).collect();
    let skill = Skill { name: name.into(), steps, ..Skill::default() };
    let mut memory = Memory::new(id("skill-by-hand"), Kind::Skill, "by hand", Timestamp::default());
    (memory.source, memory.body) = (source, Body::Skill(Box::new(skill)));
    memory
}

#[test]
fn what_was_done_three_times_with_a_good_end_is_a_skill() {
    let episodes = three().map(|memory| {
        edit(memory, |episode| {
            episode.files_modified = vec!["Cargo.toml".into(), "src/lib.rs".into()];
            episode.artifacts = vec!["target/release/app".into()];
            episode.goal = "release the app".into();
        })
    });
    let lab = after(episodes, &release());
    let (memory, skill) = only(&lab);
    assert_eq!(memory.id.as_str(), "skill-release");
    assert_eq!(skill.description, "cargo test → cargo build → git push. Done for “release the app”.");
    assert_eq!(
        skill.prerequisites,
        [
            "`cargo` can be run",
            "`git` can be run",
            "input: what follows `git push origin`, such as `v1`",
            "`Cargo.toml` is in place",
        ]
    );
    let last = "Run `git push`, such as `git push origin v1`";
    assert_eq!(skill.steps, ["Run `cargo test --all`", "Run `cargo build --release`", last]);
    let ends = ["`cargo test --all` passes", "`git push` ends without an error", "`target/release/app` is there"];
    assert_eq!(skill.exit_criteria, ends);
    assert_eq!(memory.sources, ["ep-3", "ep-2", "ep-1"]);
    assert_eq!((memory.confidence, memory.actor.as_deref()), (0.86, Some("lokid")));
    assert_eq!(lab.links.len(), 3);
}

#[test]
fn twice_is_not_enough_and_a_way_that_often_fails_is_no_skill() {
    assert!(after(three().into_iter().take(2), &release()).of(Kind::Skill).is_empty());
    let failed = [released("ep-8", 8, Outcome::Failure), released("ep-9", 9, Outcome::Partial)];
    assert!(after(three().into_iter().chain(failed), &release()).of(Kind::Skill).is_empty());
    let mut rare = release();
    rare[0].support = 2;
    assert!(after(three(), &rare).of(Kind::Skill).is_empty());
}

#[test]
fn errors_between_the_steps_are_told_with_what_helped() {
    let [one, two, three] = three().map(|memory| {
        let error = "linker `cc` was not found at 7";
        let late = ran(memory, "docker push app", "no basic auth credentials here");
        let late = edit(late, |episode| {
            episode.action_log[0].error = error.into();
            let again = episode.action_log[0].clone();
            episode.action_log.insert(1, lokid_model::Action { error: String::new(), ..again });
        });
        met(late, "LinkError", error, "apt install gcc")
    });
    let three = met(three, "", "no basic auth credentials here", "docker login");
    let lab = after([one, two, three], &release());
    let errors = &only(&lab).1.common_errors;
    assert_eq!(errors.len(), 1, "what came behind the last step is another matter: {errors:?}");
    assert_eq!(
        (errors[0].error.as_str(), errors[0].fix.as_str()),
        ("linker `cc` was not found at 7", "apt install gcc")
    );
}

#[test]
fn a_skill_of_a_person_is_left_alone_and_none_is_made_beside_it() {
    for source in [Source::User, Source::Agent] {
        let same_name = written("Release", &["ask Ann"], source);
        let lab = after(three().into_iter().chain([same_name.clone()]), &release());
        assert_eq!(only(&lab).0, &same_name);
        let same_steps = written("Ship", &["Test: `cargo test`", "`cargo build -r`", "git push"], source);
        let lab = after(three().into_iter().chain([same_steps.clone()]), &release());
        assert_eq!(only(&lab).0, &same_steps);
    }
}

#[test]
fn more_of_the_same_changes_evidence_and_not_a_word() {
    let mut lab = after(three(), &release());
    let before = only(&lab).0.clone();
    for day in 4..80 {
        let memory = ran(released(&format!("ep-{day:02}"), day, Outcome::Success), "cargo fmt", "");
        lab.put(edit(memory, |episode| episode.action_log[0].target = "cargo test --all --locked".into()));
        lab.night(skills(&release()));
    }
    let (memory, _) = only(&lab);
    assert_eq!((&memory.text, &memory.body, &memory.title), (&before.text, &before.body, &before.title));
    assert!(memory.confidence > before.confidence);
    assert_eq!(memory.sources.len(), 50);
    assert_eq!(lab.links.len(), 20);
    let before = memory.clone();
    lab.put(released("ep-99", 99, Outcome::Failure));
    let renamed = [Found { name: "push to origin".into(), ..release().remove(0) }];
    lab.night(skills(&renamed));
    let (memory, skill) = only(&lab);
    assert_eq!(skill.name, "release", "another name for the same steps is no other skill");
    assert!(memory.confidence < before.confidence, "a counter-example is heard");
}

#[test]
fn a_skill_whose_steps_really_changed_is_rewritten_under_its_name() {
    let mut lab = after(three(), &release());
    for day in 4..9 {
        lab.put(ran(released(&format!("ep-{day}"), day, Outcome::Success), "docker push app", ""));
    }
    let longer = [found("docker", &["cargo test", "cargo build", "git push", "docker push"], &[])];
    lab.night(skills(&longer));
    let (memory, skill) = only(&lab);
    assert_eq!((skill.name.as_str(), skill.steps.len()), ("release", 4));
    assert!(memory.text.contains("4. Run `docker push app`"), "{}", memory.text);
}

#[test]
fn a_skill_that_somebody_edited_stays_as_they_left_it() {
    let mut lab = after(three(), &release());
    let mut edited = only(&lab).0.clone();
    if let Body::Skill(skill) = &mut edited.body {
        skill.steps.push("Tell Ann".into());
    }
    edited.text = lokid_model::render::text_of(&edited.body);
    lab.put(edited.clone());
    lab.put(released("ep-4", 4, Outcome::Success));
    lab.night(skills(&release()));
    assert_eq!(only(&lab).0, &edited);
}

#[test]
fn two_ways_with_one_name_are_two_skills_and_variants_of_one_way_are_one() {
    let other = |name, day| ran(ran(episode(name, day, Outcome::Success), "docker build .", ""), "docker push x", "");
    let all = || three().into_iter().chain([other("ep-4", 4), other("ep-5", 5), other("ep-6", 6)]);
    let both = [release().remove(0), found("release", &["docker build", "docker push"], &[])];
    let lab = after(all(), &both);
    let names: Vec<&str> = lab.of(Kind::Skill).iter().map(|memory| memory.title.as_str()).collect();
    assert_eq!(names, ["docker build then docker push", "release"]);
    let variant = [release().remove(0), found("other", &["cargo test", "cargo build"], &[])];
    assert_eq!(after(all(), &variant).of(Kind::Skill).len(), 2, "a clearly shorter way is another");
    let twin = [release().remove(0), found("other", &STEPS, &[])];
    assert_eq!(after(all(), &twin).of(Kind::Skill).len(), 1);
}

#[test]
fn scopes_never_mix_and_hearsay_stays_hearsay() {
    let mut episodes = three();
    episodes[0].scope = Scope::UserPrivate;
    assert!(after(episodes, &release()).of(Kind::Skill).is_empty());
    let private = three().map(|memory| Memory { scope: Scope::UserPrivate, ..memory });
    let lab = after(private, &release());
    assert_eq!(only(&lab).0.scope, Scope::UserPrivate);
    let heard = three().map(|memory| Memory { source: Source::Log, ..memory });
    assert_eq!(only(&after(heard, &release())).0.source, Source::Log);
    let untold = three().map(|memory| Memory { status: Status::Unverified, ..memory });
    assert!(after(untold, &release()).of(Kind::Skill).is_empty());
}

#[test]
fn episodes_that_are_said_to_show_it_count_even_if_their_words_differ() {
    let plain = ["ep-1", "ep-2", "ep-3"].map(|name| episode(name, 1, Outcome::Success));
    let lab = after(plain, &[found("release", &STEPS, &["ep-1", "ep-2", "ep-3", "ep-3", "gone"])]);
    assert_eq!(only(&lab).1.steps[0], "Run `cargo test`");
}

fn a_command() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("cargo test --all".to_owned()),
        Just("cargo build && git push".to_owned()),
        Just("docker build .".to_owned()),
        Just("git push origin".to_owned()),
        "\\PC{0,20}",
    ]
}

prop_compose! {
    fn an_episode()(
        n in 0..10_u32, day in -20..20_i64, end in 0..4_usize, marks in (0..8_usize, any::<bool>()),
        actions in prop::collection::vec((a_command(), prop_oneof![Just(String::new()), "\\PC{0,12}"]), 0..6),
    ) -> Memory {
        let mut memory = episode(&format!("ep-{n}"), day, Outcome::Success);
        memory.outcome = Outcome::ALL.get(end / 2).copied();
        memory.restricted = marks.0 == 0;
        memory.scope = if marks.1 { Scope::UserPrivate } else { Scope::ProjectShared };
        actions.into_iter().fold(memory, |memory, (command, error)| ran(memory, &command, &error))
    }
}

fn a_step() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["cargo test", "cargo build", "git push", "docker build", ""])
}

prop_compose! {
    fn a_find()(
        name in prop_oneof![Just("release".to_owned()), "\\PC{0,12}"],
        steps in prop::collection::vec(a_step(), 0..5),
        sources in prop::collection::vec("ep-[0-9]", 0..5), support in 0..9_usize,
    ) -> Found {
        Found { name, steps: steps.into_iter().map(str::to_owned).collect(), support, sources }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]
    #[test]
    fn any_memory_comes_to_rest_after_one_night(
        episodes in prop::collection::vec(an_episode(), 0..24), finds in prop::collection::vec(a_find(), 0..5),
        by_hand in prop::option::of(a_find()),
    ) {
        let by_hand = by_hand.map(|find| {
            written(&find.name, &find.steps.iter().map(String::as_str).collect::<Vec<_>>(), Source::User)
        });
        let lab = after_nights(3, episodes.into_iter().chain(by_hand.clone()), &finds);
        if let Some(by_hand) = by_hand {
            prop_assert_eq!(lab.memories[&by_hand.id].as_ref(), &by_hand);
        }
        let mut reversed = finds.clone();
        reversed.reverse();
        prop_assert_eq!(lab.look(skills(&reversed)), Vec::new());
    }
}
