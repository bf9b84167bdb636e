//! The log of recalls: one line for each question, one for what came of it, one for each change of the shares; and which
//! file a line goes to, which files have to go. Text only: it opens nothing.
//!
//! What was asked is never written, only how long it was and a hash by which the same question is known again.

use serde_json::{Value, json};

use super::{Profile, Shares, Step};
use lokid_config::RecallConfig;
use lokid_model::{Namespace, Outcome, TaskType, Timestamp};

/// No file grows beyond this.
pub const LARGEST_FILE: u64 = 1 << 20;
/// No more files are kept.
pub const MOST_FILES: usize = 14;
/// Names that a line spells out, and how long each may be.
const MOST_NAMES: usize = 50;
const LONGEST_NAME: usize = 128;
const SUFFIX: &str = ".jsonl";

/// A question that was answered.
pub struct Recalled<'a> {
    pub id: &'a str,
    pub session: Option<&'a str>,
    pub namespace: &'a Namespace,
    pub task: TaskType,
    pub profile: Profile,
    pub weights: &'a RecallConfig,
    pub arms: Arms,
    pub k: usize,
    pub query: &'a str,
    /// Without those that must not be named here.
    pub returned: &'a [&'a str],
    /// So many of those there were.
    pub unnamed: usize,
    pub took_us: u64,
}

/// How many of the answers each way of searching speaks for; some are found on several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arms {
    pub text: usize,
    pub meaning: usize,
    pub links: usize,
}

pub fn recall_line(recalled: &Recalled<'_>, at: Timestamp) -> String {
    let RecallConfig { semantic, keyword, recency, usage, .. } = recalled.weights;
    let Arms { text, meaning, links } = recalled.arms;
    let unnamed = recalled.unnamed + recalled.returned.len().saturating_sub(MOST_NAMES);
    line(json!({
        "ts": at.record_style(),
        "id": recalled.id,
        "session": recalled.session.map(clipped),
        "namespace": (!recalled.namespace.is_default()).then_some(recalled.namespace.as_str()),
        "task_type": recalled.task.as_str(),
        "profile": recalled.profile.as_str(),
        "weights": {"semantic": semantic, "keyword": keyword, "recency": recency, "usage": usage},
        "arms": {"text": text, "meaning": meaning, "links": links},
        "k": recalled.k,
        "query": {
            "length": recalled.query.len(),
            "hash": blake3::hash(recalled.query.as_bytes()).to_hex()[..12],
        },
        "returned": names(recalled.returned),
        "unnamed": (unnamed > 0).then_some(unnamed),
        "took_us": recalled.took_us,
    }))
}

/// What came of a recall, when its session was over. `helped` is missing where there was nothing that could have.
pub fn outcome_line(
    recall: &str,
    cited: &[&str],
    helped: Option<bool>,
    outcome: Option<Outcome>,
    at: Timestamp,
) -> String {
    line(json!({
        "ts": at.record_style(),
        "recall": recall,
        "cited": names(cited),
        "helped": helped,
        "outcome": outcome.map(Outcome::as_str),
    }))
}

/// The profiles are used in other shares from now on.
pub fn step_line(step: &Step, at: Timestamp) -> String {
    line(json!({
        "ts": at.record_style(),
        "step": if step.is_rollback { "rolled_back" } else { "shifted" },
        "task_type": step.task.as_str(),
        "from": shares(&step.from),
        "to": shares(&step.to),
        "why": step.why.as_str(),
    }))
}

/// Lines came faster than they could be written.
pub fn lost_line(count: u64, at: Timestamp) -> String {
    line(json!({"ts": at.record_style(), "lost": count}))
}

/// The file that so many more bytes of a day go to, given the files there are and their sizes.
pub fn file_for(day: &str, writer: &str, standing: &[(String, u64)], more: u64) -> String {
    let own = standing.iter().filter_map(|(name, size)| Some((Named::parse(name)?, size)));
    let own = own.filter(|(named, _)| named.day == day && named.writer == writer);
    let newest = own.max_by_key(|(named, _)| named.part).map(|(named, size)| (named.part, *size));
    let part = match newest {
        None => 1,
        Some((part, size)) if size.saturating_add(more) <= LARGEST_FILE => part,
        Some((part, _)) => part.saturating_add(1),
    };
    match part {
        1 => format!("{day}.{writer}{SUFFIX}"),
        part => format!("{day}.{writer}.{part}{SUFFIX}"),
    }
}

/// The files that have to go, oldest first, so that with the one to be written no more than the allowed are left. Files
/// of other names are nobody's business.
pub fn surplus<'a>(standing: &'a [(String, u64)], next: &str) -> Vec<&'a str> {
    let names = standing.iter().map(|(name, _)| name.as_str());
    let mut kept: Vec<(Named<'a>, &str)> =
        names.filter(|name| *name != next).filter_map(|name| Some((Named::parse(name)?, name))).collect();
    kept.sort_unstable();
    let most = MOST_FILES - 1;
    kept.iter().take(kept.len().saturating_sub(most)).map(|(_, name)| *name).collect()
}

/// `2026-11-13.0a1b2c3d.jsonl`, and `2026-11-13.0a1b2c3d.2.jsonl` when that was full.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Named<'a> {
    day: &'a str,
    part: u32,
    writer: &'a str,
}

impl<'a> Named<'a> {
    fn parse(name: &'a str) -> Option<Named<'a>> {
        let (day, rest) = name.strip_suffix(SUFFIX)?.split_once('.')?;
        let (writer, part) = match rest.split_once('.') {
            None => (rest, 1),
            Some((writer, part)) => (writer, part.parse().ok().filter(|part| *part > 1)?),
        };
        let is_day = day.len() == 10 && Timestamp::parse(day).is_some();
        let is_writer = !writer.is_empty() && writer.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (is_day && is_writer).then_some(Named { day, part, writer })
    }
}

/// What there is nothing to say about is left out.
fn line(mut fields: Value) -> String {
    if let Some(fields) = fields.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    format!("{fields}\n")
}

fn names(names: &[&str]) -> Value {
    names.iter().take(MOST_NAMES).map(|name| clipped(name)).collect()
}

fn clipped(name: &str) -> &str {
    &name[..name.floor_char_boundary(LONGEST_NAME)]
}

fn shares(shares: &Shares) -> Value {
    let named = |(profile, share): (&Profile, &f64)| (profile.to_string(), json!((share * 1e4).round() / 1e4));
    Value::Object(Profile::ALL.iter().zip(shares).map(named).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        Timestamp::parse("2026-11-13T04:59:53Z").unwrap()
    }

    fn recalled<'a>(query: &'a str, namespace: &'a Namespace, returned: &'a [&'a str]) -> Recalled<'a> {
        Recalled {
            id: "rc-1",
            session: Some("s-1"),
            namespace,
            task: TaskType::Debugging,
            profile: Profile::Keyword,
            weights: &RecallConfig { semantic: 0.11, keyword: 0.49, ..RecallConfig::DESIGN },
            arms: Arms { text: 2, meaning: 1, links: 0 },
            k: 5,
            query,
            returned,
            unnamed: 1,
            took_us: 812,
        }
    }

    #[test]
    fn a_recall_is_one_line_that_tells_everything_but_the_question() {
        let line = recall_line(&recalled("why does the login crash", &Namespace::default(), &["n-1", "n-2"]), now());
        assert_eq!(
            line,
            concat!(
                r#"{"ts":"2026-11-13T04:59:53Z","id":"rc-1","session":"s-1","task_type":"debugging","#,
                r#""profile":"keyword","weights":{"semantic":0.11,"keyword":0.49,"recency":0.2,"usage":0.2},"#,
                r#""arms":{"text":2,"meaning":1,"links":0},"k":5,"query":{"length":24,"hash":"cc47765299c3"},"#,
                r#""returned":["n-1","n-2"],"unnamed":1,"took_us":812}"#,
                "\n"
            )
        );
    }

    #[test]
    fn no_line_is_broken_or_huge_whatever_is_asked() {
        let (session, id) = ("ü\n\0".repeat(10_000), "x".repeat(100_000));
        let ids = vec![id.as_str(); 1_000];
        let namespace = Namespace::new("web-app").unwrap();
        let mut asked = recalled("a\nb", &namespace, &ids);
        asked.session = Some(&session);
        let line = recall_line(&asked, now());
        assert!(line.len() < 16_384, "{}", line.len());
        assert_eq!(line.matches('\n').count(), 1);
        let read: Value = serde_json::from_str(&line).unwrap();
        assert_eq!((read["namespace"].as_str(), read["unnamed"].as_u64()), (Some("web-app"), Some(951)));
    }

    #[test]
    fn what_came_of_it_names_the_recall() {
        assert_eq!(
            outcome_line("rc-1", &["n-2"], Some(true), Some(Outcome::Success), now()),
            "{\"ts\":\"2026-11-13T04:59:53Z\",\"recall\":\"rc-1\",\"cited\":[\"n-2\"],\"helped\":true,\"outcome\":\"success\"}\n"
        );
        assert_eq!(
            outcome_line("rc-1", &[], None, None, now()),
            "{\"ts\":\"2026-11-13T04:59:53Z\",\"recall\":\"rc-1\",\"cited\":[]}\n"
        );
    }

    fn check(standing: &[(&str, u64)], more: u64, expected: &str) {
        let standing: Vec<(String, u64)> = standing.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
        assert_eq!(file_for("2026-11-13", "0a1b", &standing, more), expected, "{standing:?}");
    }

    #[test]
    fn a_full_file_is_followed_by_another_part() {
        check(&[], 10, "2026-11-13.0a1b.jsonl");
        check(&[("2026-11-12.0a1b.jsonl", LARGEST_FILE), ("2026-11-13.ffff.jsonl", 9)], 10, "2026-11-13.0a1b.jsonl");
        check(&[("2026-11-13.0a1b.jsonl", LARGEST_FILE - 10)], 10, "2026-11-13.0a1b.jsonl");
        check(&[("2026-11-13.0a1b.jsonl", LARGEST_FILE - 9)], 10, "2026-11-13.0a1b.2.jsonl");
        check(&[("2026-11-13.0a1b.10.jsonl", 0), ("2026-11-13.0a1b.9.jsonl", 0)], 1, "2026-11-13.0a1b.10.jsonl");
        check(&[("2026-11-13.0a1b.x.jsonl", 7), ("notes.jsonl", 7)], 1, "2026-11-13.0a1b.jsonl");
    }

    #[test]
    fn the_oldest_files_go_and_what_is_not_ours_stays() {
        let mut standing: Vec<(String, u64)> =
            (1..=20).map(|day| (format!("2026-11-{day:02}.0a1b.jsonl"), 1)).collect();
        standing.extend([("README.md".to_owned(), 1), ("0000.jsonl".to_owned(), 1), (".gitignore".to_owned(), 1)]);
        let gone = surplus(&standing, "2026-11-20.0a1b.jsonl");
        assert_eq!(gone, (1..=6).map(|day| format!("2026-11-{day:02}.0a1b.jsonl")).collect::<Vec<_>>());
        assert_eq!(surplus(&standing, "2026-11-21.0a1b.jsonl").len(), 7);
        assert_eq!(surplus(&standing[..13], "2026-11-21.0a1b.jsonl").len(), 0);
    }
}
