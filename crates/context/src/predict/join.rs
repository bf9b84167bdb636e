//! What an opened file and a goal in words foretell together.

use std::collections::BTreeMap;

use super::PredictedFile;

/// The logarithm of the odds is so much of what the file says and so much of what the goal says. Fitted like the
/// weights of the goal, on the commits of more than one file: the first was opened, the rest was to be found.
const BY_FILE: f64 = 0.39;
const BY_GOAL: f64 = 0.89;
const BIAS: f64 = 1.55;
/// Where both are sure they are too sure, by so much: they heard the same.
const TOO_SURE: f64 = 0.2;
/// As likely is what one of them does not name.
const UNNAMED: f64 = 0.005;
/// So many of each are worth joining.
pub const LOOKED_AT: usize = 60;

/// Likeliest first, each with the reason of the one that is surer of it.
pub fn join(by_file: Vec<PredictedFile>, by_goal: Vec<PredictedFile>, k: usize) -> Vec<PredictedFile> {
    let mut both: BTreeMap<String, [Option<PredictedFile>; 2]> = BTreeMap::new();
    for (at, list) in [by_file, by_goal].into_iter().enumerate() {
        for found in list {
            let place = both.entry(found.path.clone()).or_default();
            place[at] = Some(found);
        }
    }
    let score = |found: &Option<PredictedFile>| found.as_ref().map_or(UNNAMED, |found| found.score);
    let mut joined: Vec<PredictedFile> = both
        .into_iter()
        .filter_map(|(path, [file, goal])| {
            let (by_file, by_goal) = (score(&file), score(&goal));
            let surer = if by_goal > by_file { goal.or(file) } else { file.or(goal) };
            Some(PredictedFile { path, score: together(by_file, by_goal), why: surer?.why })
        })
        .collect();
    joined.sort_by(|one, other| other.score.total_cmp(&one.score).then_with(|| one.path.cmp(&other.path)));
    joined.truncate(k);
    joined
}

fn together(by_file: f64, by_goal: f64) -> f64 {
    let odds = BIAS + BY_FILE * log_odds(by_file) + BY_GOAL * log_odds(by_goal);
    let chance = 1.0 / (1.0 + (-odds).exp());
    chance * (1.0 - TOO_SURE * chance)
}

fn log_odds(chance: f64) -> f64 {
    let chance = chance.clamp(UNNAMED, 1.0 - UNNAMED);
    (chance / (1.0 - chance)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, score: f64, why: &str) -> PredictedFile {
        PredictedFile { path: path.to_owned(), score, why: why.to_owned() }
    }

    #[test]
    fn what_both_name_comes_first_and_the_surer_one_tells_why() {
        let by_file = vec![found("a", 0.5, "file"), found("b", 0.4, "file")];
        let by_goal = vec![found("c", 0.5, "goal"), found("b", 0.45, "goal")];
        let joined = join(by_file, by_goal, 2);
        assert_eq!((joined[0].path.as_str(), joined[0].why.as_str()), ("b", "goal"));
        assert_eq!(joined.len(), 2);
        assert!(joined[0].score > joined[1].score && joined[1].score > 0.0);
    }

    #[test]
    fn certainty_stays_a_chance() {
        let joined = join(vec![found("a", 1.0, "file")], vec![found("a", 1.0, "goal"), found("b", 0.0, "goal")], 9);
        assert!(joined.iter().all(|found| found.score > 0.0 && found.score < 1.0), "{joined:?}");
        assert_eq!(join(Vec::new(), Vec::new(), 9), []);
    }
}
