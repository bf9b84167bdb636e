//! Says in a few words what speaks most for a file.

use super::evidence::{Evidence, Feature};
use super::weights::Weights;
use super::words;

/// What can be said.
#[derive(Clone, Copy, PartialEq)]
enum Reason {
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
const REASONS: [(Reason, &[Feature]); 12] = [
    (
        Reason::Together,
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
    (Reason::Name, &[Feature::Namesake, Feature::NewNamesake, Feature::AroundNames]),
    (Reason::Imported, &[Feature::Imported]),
    (Reason::Importer, &[Feature::Importer]),
    (Reason::Alike, &[Feature::Alike, Feature::ForemostAlike]),
    (Reason::Session, &[Feature::Session]),
    (Reason::Partners, &[Feature::TwoSteps]),
    (Reason::Around, &[Feature::AroundFolder, Feature::NewAround, Feature::ForemostAround, Feature::RankAround]),
    (Reason::Mine, &[Feature::Mine, Feature::MineNow, Feature::MineShare, Feature::RankMine, Feature::NewMine]),
    (Reason::Lately, &[Feature::Fresh, Feature::Recent, Feature::NewRecent, Feature::Heat, Feature::NewHeat]),
    (Reason::Folder, &[Feature::SameFolder, Feature::Near, Feature::NewFolder, Feature::NewNear]),
    (Reason::Words, &[Feature::Words, Feature::NameWords, Feature::NewWords, Feature::SameName]),
];

pub(super) fn tell(evidence: &Evidence<'_>, weights: &Weights, opened: &str, now: i64) -> String {
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
            let plain =
                [Reason::Together, Reason::Name, Reason::Folder].into_iter().find(|reason| reason.holds(evidence));
            plain.map_or_else(|| "part of the same work".to_owned(), |reason| reason.say(evidence, opened, now))
        }
    }
}

impl Reason {
    /// Is there what would be said?
    fn holds(self, evidence: &Evidence<'_>) -> bool {
        match self {
            Reason::Together => evidence.times > 0,
            Reason::Name => evidence.get(Feature::Namesake) > 0.0,
            Reason::Folder => evidence.get(Feature::SameFolder) > 0.0,
            _ => true,
        }
    }

    fn say(self, evidence: &Evidence<'_>, opened: &str, now: i64) -> String {
        let plain = match self {
            Reason::Together => return together(evidence.times, now.saturating_sub(evidence.last)),
            Reason::Name => match (words::is_test(opened), words::is_test(evidence.path)) {
                (false, true) => "its test",
                (true, false) => "what it tests",
                _ => "bears the same name",
            },
            Reason::Imported => "imported by it",
            Reason::Importer => "imports it",
            Reason::Alike => "speaks of the same things",
            Reason::Session => "goes with what was open before",
            Reason::Mine => "worked on lately by you",
            Reason::Lately => "worked on lately",
            Reason::Partners => "changes with what changes with it",
            Reason::Around => "changes with its neighbours",
            Reason::Folder => "same folder",
            Reason::Words => "a similar name",
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
        let mut evidence = Evidence::new("tests/parser_test.rs", None);
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
