//! Says in a few words what speaks most for a file.

use super::evidence::{Feature, FileEvidence};
use super::weights::Weights;
use super::words;

/// What can be said.
#[derive(Clone, Copy, PartialEq)]
enum FileReason {
    Together,
    Name,
    Imported,
    Importer,
    Alike,
    Session,
    Mine,
    Lately,
    Partners,
    Around,
    Folder,
    Words,
}

/// Where equally much speaks for two, the first is said.
const REASONS: [(FileReason, &[Feature]); 12] = [
    (
        FileReason::Together,
        &[
            Feature::Together,
            Feature::TogetherLately,
            Feature::TogetherNow,
            Feature::TogetherByAuthor,
            Feature::Chance,
            Feature::ChanceEver,
            Feature::ChanceBack,
            Feature::ChanceSmall,
            Feature::NewBack,
            Feature::Bond,
            Feature::LastTogether,
            Feature::Run,
            Feature::NewRun,
            Feature::Foremost,
            Feature::ForemostRun,
            Feature::RankTogether,
            Feature::RankBack,
        ],
    ),
    (FileReason::Name, &[Feature::Namesake, Feature::NewNamesake, Feature::AroundNames]),
    (FileReason::Imported, &[Feature::Imported]),
    (FileReason::Importer, &[Feature::Importer]),
    (FileReason::Alike, &[Feature::Alike, Feature::ForemostAlike]),
    (FileReason::Session, &[Feature::Session]),
    (FileReason::Partners, &[Feature::TwoSteps]),
    (FileReason::Around, &[Feature::AroundFolder, Feature::NewAround, Feature::ForemostAround, Feature::RankAround]),
    (FileReason::Mine, &[Feature::Mine, Feature::MineNow, Feature::MineShare, Feature::RankMine, Feature::NewMine]),
    (FileReason::Lately, &[Feature::Fresh, Feature::Recent, Feature::NewRecent, Feature::Heat, Feature::NewHeat]),
    (FileReason::Folder, &[Feature::SameFolder, Feature::Near, Feature::NewFolder, Feature::NewNear]),
    (FileReason::Words, &[Feature::Words, Feature::NameWords, Feature::NewWords, Feature::SameName]),
];

pub(super) fn tell(evidence: &FileEvidence<'_>, weights: &Weights, opened: &str, now: i64) -> String {
    let mut chosen = (0.0, None);
    for (reason, features) in REASONS {
        let weight: f64 = features.iter().map(|feature| weights.of(*feature) * evidence.get(*feature)).sum();
        if weight > chosen.0 && reason.holds(evidence) {
            chosen = (weight, Some(reason));
        }
    }
    match chosen.1 {
        Some(reason) => reason.say(evidence, opened, now),
        // What is plain to see, even if it says little.
        None => {
            let plain = [FileReason::Together, FileReason::Name, FileReason::Folder]
                .into_iter()
                .find(|reason| reason.holds(evidence));
            plain.map_or_else(|| "part of the same work".to_owned(), |reason| reason.say(evidence, opened, now))
        }
    }
}

impl FileReason {
    /// Is there what would be said?
    fn holds(self, evidence: &FileEvidence<'_>) -> bool {
        match self {
            FileReason::Together => evidence.times > 0,
            FileReason::Name => evidence.get(Feature::Namesake) > 0.0,
            FileReason::Folder => evidence.get(Feature::SameFolder) > 0.0,
            _ => true,
        }
    }

    fn say(self, evidence: &FileEvidence<'_>, opened: &str, now: i64) -> String {
        let plain = match self {
            FileReason::Together => return together(evidence.times, now.saturating_sub(evidence.last)),
            FileReason::Name => match (words::is_test(opened), words::is_test(evidence.path)) {
                (false, true) => "its test",
                (true, false) => "what it tests",
                _ => "bears the same name",
            },
            FileReason::Imported => "imported by it",
            FileReason::Importer => "imports it",
            FileReason::Alike => "speaks of the same things",
            FileReason::Session => "goes with what was open before",
            FileReason::Mine => "worked on lately by you",
            FileReason::Lately => "worked on lately",
            FileReason::Partners => "changes with what changes with it",
            FileReason::Around => "changes with its neighbours",
            FileReason::Folder => "same folder",
            FileReason::Words => "a similar name",
        };
        plain.to_owned()
    }
}

fn together(times: u32, seconds: i64) -> String {
    let ago = ago(seconds);
    match times {
        1 => format!("changed together once, {ago}"),
        2 => format!("changed together twice, last {ago}"),
        _ => format!("changed together {times} times, last {ago}"),
    }
}

fn ago(seconds: i64) -> String {
    let days = seconds.max(0) / 86_400;
    match days {
        0 => "today".to_owned(),
        1 => "yesterday".to_owned(),
        2..=60 => format!("{days} days ago"),
        61..=730 => format!("{} months ago", days / 30),
        _ => format!("{} years ago", days / 365),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(features: &[(Feature, f64)], times: u32, expect: &str) {
        let mut evidence = FileEvidence::new("tests/parser_test.rs", None);
        features.iter().for_each(|(feature, value)| evidence.set(*feature, *value));
        (evidence.times, evidence.last) = (times, 1_000_000);
        let told = tell(&evidence, &Weights::default(), "src/parser.rs", 1_000_000 + 3 * 86_400);
        assert_eq!(told, expect);
    }

    #[test]
    fn the_strongest_evidence_is_told() {
        check(&[(Feature::Foremost, 1.0), (Feature::Words, 0.1)], 7, "changed together 7 times, last 3 days ago");
        check(&[(Feature::Foremost, 1.0)], 1, "changed together once, 3 days ago");
        check(&[(Feature::Namesake, 1.0)], 0, "its test");
        check(&[(Feature::Imported, 1.0)], 0, "imported by it");
        check(&[(Feature::Importer, 1.0)], 0, "imports it");
        check(&[(Feature::Mine, 1.0)], 0, "worked on lately by you");
        check(&[(Feature::Heat, 1.0)], 0, "worked on lately");
        check(&[(Feature::ForemostAlike, 1.0)], 0, "speaks of the same things");
        check(&[(Feature::SameFolder, 1.0), (Feature::NewNear, 1.0)], 0, "same folder");
        check(&[], 0, "part of the same work");
    }

    #[test]
    fn what_is_long_ago_is_told_roughly() {
        for (seconds, expect) in
            [(-5, "today"), (90_000, "yesterday"), (100 * 86_400, "3 months ago"), (i64::MAX, "292471208677 years ago")]
        {
            assert_eq!(ago(seconds), expect);
        }
    }
}
