//! Whole files as Loki Mode and agents write them, and what is made of them.

use super::*;
use lokid_model::{Body, Kind, Outcome, SignalKind, Source, Tier, Timestamp};

/// As Loki Mode's own writer leaves it after an iteration.
fn written_by_loki(updated: &str, phase: &str, blockers: &str, decisions: &str) -> String {
    format!(
        "# Session Continuity\n\nUpdated: {updated}\n\n## Current State\n\n- Iteration: 3\n- Phase: {phase}\n\
         - RARV Step: ACT\n- Provider: claude\n- Elapsed: 12m\n\n## Last Completed Task\n\n\
         - Last commit: feat: add the login form\n- Files changed: src/login.ts, src/app.ts\n  (+3 more)\n\n\
         ## Active Blockers\n\n{blockers}\n\n## Next Up\n\n- Write the contract tests\n- Deploy to staging\n\n\
         ## Key Decisions This Session\n\n{decisions}\n"
    )
}

/// As an agent keeps it by the template.
const BY_AN_AGENT: &str = "\u{feff}# Loki Mode Working Memory\r\nLast Updated: 2026-01-05T10:00:00Z\r\n\
    Current Phase: development\r\nCurrent Iteration: 4\r\n\r\n\
    ## 🎯 Active Goal\r\nMove the session store to Redis\r\nwithout logging anybody out.\r\n\r\n\
    ## Just Completed\r\n- Wrote the Redis adapter in src/session/redis.ts:40 with reconnects\r\n- Reviewed PR\r\n\r\n\
    ## Next Actions (Priority Order)\r\n1. Migrate the old sessions\r\n2. [ ] Remove the memory store\r\n3. [x] Add the config key\r\n\r\n\
    ## Active Blockers\r\n- Staging has no Redis yet\r\n- ~~No credentials~~\r\n\r\n\
    ## Key Decisions This Session\r\n| Decision | Rationale | Date |\r\n|---|---|---|\r\n\
    | Keep sessions for 14 days | the old limit | 2026-01-05 |\r\n\r\n\
    <!-- agents: keep this short -->\r\n\
    ## Mistakes & Learnings (Self-Updating)\r\n\
    **CRITICAL:** When errors occur, agents MUST update this section.\r\n\r\n\
    ### Pattern: Error -> Learning -> Prevention\r\n- **What Failed:** [Specific error that occurred]\r\n\
    - **Why It Failed:** [Root cause analysis]\r\n\r\n\
    ### Example:\r\n- **What Failed:** TypeScript compilation error\r\n\r\n\
    ### Redis closes idle sockets\r\n- **What Failed:** first request after lunch got ECONNRESET\r\n\
    - **Why It Failed:** the server drops idle sockets after 300 s\r\n- **How to Prevent:** ping every minute\r\n\
    - **Timestamp:** 2026-01-05T09:00:00Z\r\n\r\n\
    ## Relevant Memories (Auto-Retrieved)\r\n- [sem-001] Express handlers need explicit return types\r\n\
    - [ep-2026-01-05-012] Similar endpoint succeeded\r\n- [skill: api-implementation] Standard flow\r\n\r\n\
    ## Mistakes to Avoid\r\n- Don't forget return type annotations\r\n";

fn news(old: &str, new: &str) -> News {
    what_is_new(&read(old), &read(new))
}

#[test]
fn the_page_of_loki_mode_is_read_and_its_placeholders_are_not() {
    let page = written_by_loki("2026-01-05T10:00:00Z", "BUILDING", "- None", "- None recorded yet");
    let found = read(&page);
    assert_eq!(found.phase.as_deref(), Some("BUILDING"));
    assert_eq!(found.commits, ["feat: add the login form"]);
    assert_eq!(found.next_up, ["Write the contract tests", "Deploy to staging"]);
    assert!(found.blockers.is_empty() && found.decisions.is_empty() && found.completed.is_empty());
    assert!(found.names_blockers);
}

#[test]
fn the_page_of_an_agent_is_read_through_marks_and_templates() {
    let found = read(BY_AN_AGENT);
    assert_eq!(found.phase.as_deref(), Some("development"));
    assert_eq!(found.focus.as_deref(), Some("Move the session store to Redis without logging anybody out."));
    assert_eq!(
        found.completed,
        ["Wrote the Redis adapter in src/session/redis.ts:40 with reconnects", "Reviewed PR", "Add the config key"]
    );
    assert_eq!(found.next_up, ["Migrate the old sessions", "Remove the memory store"]);
    assert_eq!(found.blockers, ["Staging has no Redis yet"]);
    assert_eq!(found.resolved, ["No credentials"]);
    assert_eq!(found.decisions[0].text, "Keep sessions for 14 days");
    assert_eq!(found.decisions[0].rationale.as_deref(), Some("the old limit"));
    assert_eq!(found.learnings.len(), 1, "{:?}", found.learnings);
    assert_eq!(found.learnings[0].fix, "ping every minute");
    let ids: Vec<&str> = found.references.iter().map(|reference| reference.id.as_str()).collect();
    assert_eq!(ids, ["sem-001", "ep-2026-01-05-012", "api-implementation"]);
}

#[test]
fn a_new_stamp_or_another_order_is_no_news() {
    let decisions = "- Use JWT for sessions: no state\n- Keep the old API until March";
    let one = written_by_loki("2026-01-05T10:00:00Z", "BUILDING", "- No Redis: waiting for ops", decisions);
    let decisions = "1. **Keep the old API\n   until March** - 2026-01-06\n2. Use JWT for sessions:  no state";
    let other = written_by_loki("2026-01-06T11:00:00Z", "BUILDING", "* No Redis: waiting for ops", decisions);
    let news = news(&one, &other);
    assert!(news.is_empty(), "{news:?}");
    assert_eq!(news.blocked_by, ["No Redis: waiting for ops"]);
}

#[test]
fn a_rewrite_that_drops_the_learnings_unlearns_nothing() {
    let page = written_by_loki("2026-01-05T10:00:00Z", "BUILDING", "- None", "- None recorded yet");
    let with = format!("{page}\n## Mistakes & Learnings\n- Always seed the database before the e2e tests\n");
    let told = news(&page, &with);
    assert_eq!(told.learnings.len(), 1);
    assert_eq!(told.learnings[0].fix, "Always seed the database before the e2e tests");
    assert!(news(&with, &page).is_empty());
}

#[test]
fn a_phase_and_a_blocker_come_and_go() {
    let none = "- None recorded yet";
    let one = written_by_loki("2026-01-05T10:00:00Z", "BUILDING", "- No Redis on staging", none);
    let other = written_by_loki("2026-01-05T11:00:00Z", "VERIFYING", "- None", none);
    let told = news(&one, &other);
    assert_eq!(told.blockers_resolved, ["No Redis on staging"]);
    assert_eq!((told.phase_was.as_deref(), told.phase.as_deref()), (Some("BUILDING"), Some("VERIFYING")));
    assert_eq!(news(&other, &one).blockers_raised, ["No Redis on staging"]);
    let signals = signals(&told, Timestamp::from_micros(7));
    assert_eq!(signals[0].kind, SignalKind::PhaseChange);
    // A page without the section says nothing about blockers.
    assert!(news(&one, "# Notes\n\n## Next Up\n- x y z\n").blockers_resolved.is_empty());
}

#[test]
fn an_item_said_to_be_resolved_is_resolved_once() {
    let old = "# M\n## Active Blockers\n- No Redis on staging\n";
    let new = "# M\n## Active Blockers\n- [x] No Redis on staging\n";
    assert_eq!(news(old, new).blockers_resolved, ["No Redis on staging"]);
    assert!(news(new, new).is_empty());
}

#[test]
fn a_corrected_decision_is_the_same_one_revised() {
    let page = |text: &str| format!("# M\n## Decisions\n- {text}\n- Another matter entirely, of long standing\n");
    let old = page("Keep teh session token in a cookie");
    let told = news(&old, &page("Keep the session token in a cookie"));
    assert_eq!(told.decisions.len(), 1);
    assert_eq!(told.decisions[0].revised.as_ref().unwrap().text, "Keep teh session token in a cookie");
    let pairs = told.revised();
    assert_eq!(pairs[0], ("Keep teh session token in a cookie".into(), "Keep the session token in a cookie".into()));
    // When the old one stays, the new one is another.
    let both = format!("{old}- Keep the session token in a cookie\n");
    assert!(news(&old, &both).decisions[0].revised.is_none());
}

#[test]
fn our_own_decisions_coming_back_through_loki_mode_are_not_learnt() {
    let echoed = "- {'decision': 'Use JWT', 'rationale': 'no state on the server', 'date': '2026-01-05', 'topic_i";
    let page = written_by_loki("2026-01-05T10:00:00Z", "BUILDING", "- None", echoed);
    assert!(read(&page).decisions.is_empty());
    let whole =
        "- Keep the session token in an http-only cookie because local storage is open to every script of the page";
    let cut: String = whole.chars().take(102).collect();
    let one = written_by_loki("2026-01-05T10:00:00Z", "BUILDING", "- None", whole);
    let other = written_by_loki("2026-01-05T10:00:00Z", "BUILDING", "- None", &cut);
    // The reason is cut in the middle of a word; the decision is the one we know.
    assert!(news(&one, &other).decisions.is_empty());
}

#[test]
fn labels_and_lines_appended_at_the_end_count() {
    let text = "# M\n\n**Completed:**\n1. Wired the router\n2. Wrote docs\n\nSome closing words.\n\n**Learnings:**\n\
        - Vite caches the env file -> restart it\n\n## Notes\n- Task t-12 completed (commit: 0a1b2c3d4e)\n";
    let found = read(text);
    assert_eq!(found.completed, ["Wired the router", "Wrote docs", "Task t-12 completed (commit: 0a1b2c3d4e)"]);
    assert_eq!(found.learnings[0].error, "Vite caches the env file");
}

#[test]
fn an_introduction_is_no_item_and_a_point_may_be_a_section() {
    let text = "# M\n## Current State\n- **Phase:** 8 — COMPLETE\n- **Blockers:** No staging host\n- **Next:** Deploy\n\n\
        ## Key Decisions (Iterations 48-56)\n\nContinuing with the storage:\n- Markdown files for all data\n";
    let found = read(text);
    assert_eq!(found.blockers, ["No staging host"]);
    assert_eq!(found.next_up, ["Deploy"]);
    assert_eq!(found.decisions.len(), 1);
    assert!(found.names_blockers && found.focus.is_none());
}

#[test]
fn drafts_are_of_the_right_kind_and_never_above_reference() {
    let news = news("", BY_AN_AGENT);
    let drafts = drafts(&news, Timestamp::from_micros(7));
    let kinds: Vec<Kind> = drafts.iter().map(|draft| draft.kind).collect();
    assert_eq!(kinds, [Kind::Decision, Kind::Learning, Kind::Note, Kind::Episode]);
    for draft in &drafts {
        assert_eq!((draft.tier, draft.source), (Some(Tier::Reference), Some(Source::Agent)));
        assert_eq!(draft.tags[0], "continuity");
    }
    assert_eq!(drafts[0].text, "Keep sessions for 14 days\nrationale: the old limit");
    let Body::Learning(learning) = &drafts[1].body else { panic!("{:?}", drafts[1].body) };
    assert_eq!(learning.cause, "the server drops idle sockets after 300 s");
    assert_eq!(drafts[2].tags, ["continuity", "blocker"]);
    assert_eq!(drafts[3].outcome, Some(Outcome::Success));
    assert_eq!(drafts[3].files, ["src/session/redis.ts"]);
    let later = super::drafts(&news, Timestamp::from_micros(9));
    assert_eq!(later[3].id, drafts[3].id);
    assert_eq!(later[..3], drafts[..3]);
    let signals = signals(&news, Timestamp::from_micros(7));
    let begun = signals.last().filter(|signal| signal.kind == SignalKind::TaskStart);
    assert_eq!((signals.len(), begun.and_then(|signal| signal.goal.clone())), (4, news.focus.clone()));
}

#[test]
fn a_half_written_file_is_looked_at_again() {
    let page = written_by_loki("2026-01-05T10:00:00Z", "BUILDING", "- None", "- None recorded yet");
    let check = |text: &str, previous: Option<&str>, expect: bool| {
        assert_eq!(looks_complete(text, previous), expect, "{text:?}");
    };
    check(&page, None, true);
    check(&page, Some(&page), true);
    check("", Some(&page), false);
    check(" \n", None, false);
    check(&page[..page.len() / 2], Some(&page), false);
    check("# Session Contin", Some(&page), false);
    check("- a stray line\n", Some(&page), false);
    check("# Notes\n\nA page without an end of line", Some("# Notes\n\nNo end of line either"), true);
    check("# Notes\n<!-- to be con", Some("# N"), false);
    check("# Notes\0\0\n", None, false);
}

#[test]
fn a_page_of_ten_megabytes_is_read_in_a_moment() {
    let _ = read(&"[".repeat(10 << 20));
    let _ = read(&"- item -> of <!-- \n".repeat(100_000));
    let _ = read(&"|".repeat(1 << 20));
    let many: String = (0..3_000).map(|at| format!("- decision number {at} is to keep it\n")).collect();
    let page = read(&format!("# M\n## Decisions\n{many}"));
    assert!(page.decisions.len() <= 400);
    assert!(what_is_new(&page, &page).is_empty());
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(text in "(?s).{0,400}") {
        let found = read(&text);
        let _ = (looks_complete(&text, Some("# x\n")), drafts(&what_is_new(&Continuity::default(), &found), Timestamp::from_micros(0)));
        proptest::prop_assert!(what_is_new(&found, &found).is_empty());
    }

    #[test]
    fn no_markdown_makes_the_reader_panic(
        lines in proptest::collection::vec("(#{1,7} |- |\\* |[0-9]{1,3}\\. |\\*\\*|\\| |```|<!--|  - |\\[x\\] |> |===)?(Decisions|Blockers|Learnings|Completed|Why|Fix:|None|sem-1|->|\\[sem-01\\]| |:|\\||é|2026-01-05){0,5}", 0..30)
    ) {
        let text = lines.join("\n");
        let found = read(&text);
        proptest::prop_assert!(what_is_new(&found, &found).is_empty());
        let _ = drafts(&what_is_new(&Continuity::default(), &found), Timestamp::from_micros(0));
    }

    #[test]
    fn re_bulleting_and_re_wrapping_is_never_news(words in proptest::collection::vec("[a-z]{2,9}", 4..12)) {
        let line = words.join(" ");
        let wrapped = words.join("\n  ");
        let old = read(&format!("# M\n## Decisions\n- {line}\n"));
        let new = read(&format!("# M\n### 2. Decisions\n\n7) {wrapped}\n"));
        proptest::prop_assert!(what_is_new(&old, &new).decisions.is_empty());
    }
}
