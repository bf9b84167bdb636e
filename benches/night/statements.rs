//! Do two statements contradict each other, say the same, go together, or have nothing in common? Precision, recall and
//! F1 of each answer, beside rules anybody would write first.

use lokid_model::Verdict;

use super::*;
use pairs::{Likeness, Pair, Set};

const CLASSES: [Verdict; 4] = [Verdict::Contradicts, Verdict::Duplicate, Verdict::Compatible, Verdict::Unrelated];
const DENIALS: &str = "not no never none nobody nothing without cannot can't don't doesn't didn't won't isn't aren't \
    wasn't mustn't shouldn't stop stopped avoid forbidden disabled neither nor";

pub(crate) fn run(sets: &[Set], verdicts: &mut Verdicts) {
    let likeness = Likeness::new();
    for set in sets {
        println!("\n=== statements: {}, {} pairs", set.name, set.pairs.len());
        println!(
            "  {:<30} {:>5}   {:>17}   {:>17}   {:>17}   {:>17}  {:>9} {:>10}",
            "P / R / F1", "right", "contradicts", "duplicate", "compatible", "unrelated", "c. as d.", "paraphrase"
        );
        let (started, pairs) = (Instant::now(), set.pairs.len());
        let ours = tally("lokid", set, &|pair| likeness.compare(&pair.a, &pair.b).verdict);
        let apiece = started.elapsed().as_secs_f64() * 1e6 / pairs as f64;
        tally("negation and shared words", set, &rules);
        let near = |least: f32| {
            let likeness = &likeness;
            move |pair: &Pair| match likeness.alike(&pair.a, &pair.b) {
                alike if alike >= least => Verdict::Duplicate,
                alike if alike >= 0.3 => Verdict::Compatible,
                _ => Verdict::Unrelated,
            }
        };
        tally("cosine ≥ .92 is the same", set, &near(0.92));
        println!("  {apiece:.0} µs a pair");
        let name = format!("{}: contradictions called duplicate", set.name);
        verdicts.at_most(&name, ours.mistaken as f64, 0.0, "", "");
    }
}

struct Tally {
    /// Contradictions that would pass for the same thing.
    mistaken: usize,
}

fn tally(name: &str, set: &Set, judge: &dyn Fn(&Pair) -> Verdict) -> Tally {
    let found: Vec<(Verdict, Verdict)> = set.pairs.iter().map(|pair| (pair.label, judge(pair))).collect();
    let count = |fits: &dyn Fn(&(Verdict, Verdict)) -> bool| found.iter().filter(|one| fits(one)).count();
    let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    let mut line = format!("  {name:<30} {:>5.2}", share(count(&|(label, told)| label == told), found.len()));
    for class in CLASSES {
        let right = count(&|(label, told)| *label == class && *told == class);
        let precision = share(right, count(&|(_, told)| *told == class));
        let recall = share(right, set.count(class));
        let f1 = 2.0 * precision * recall / (precision + recall).max(1e-9);
        line.push_str(&format!("   {precision:>5.2} {recall:>5.2} {f1:>5.2}"));
    }
    let mistaken = count(&|pair| *pair == (Verdict::Contradicts, Verdict::Duplicate));
    let same = count(&|pair| *pair == (Verdict::Duplicate, Verdict::Duplicate));
    println!("{line}  {mistaken:>9} {:>10.2}", share(same, set.count(Verdict::Duplicate)));
    Tally { mistaken }
}

/// How likely each answer is for every pair that is known, a line each: to choose thresholds, and to look at the worst.
pub(crate) fn shares(sets: &[Set]) {
    let likeness = Likeness::new();
    let tell = |set: &str, label: &str, a: &str, b: &str| {
        let [contradicts, duplicate, compatible, unrelated] = likeness.weigh(&[(a, b)])[0];
        let found = likeness.compare(a, b);
        let values = json!({"set": set, "label": label, "a": a, "b": b, "con": contradicts, "dup": duplicate,
            "com": compatible, "unr": unrelated, "verdict": found.verdict.as_str(), "clear": found.clear,
            "replaces": found.replaces, "cos": likeness.alike(a, b)});
        println!("{values}");
    };
    for set in sets {
        set.pairs.iter().for_each(|pair| tell(&set.name, pair.label.as_str(), &pair.a, &pair.b));
    }
    pairs::neighbours().iter().for_each(|(a, b)| tell("neighbours", "", a, b));
}

/// Whoever denies what the other says contradicts it; whoever uses the same words says the same.
fn rules(pair: &Pair) -> Verdict {
    let denials: HashSet<&str> = DENIALS.split_whitespace().collect();
    let fillers: HashSet<&str> = FILLERS.split_whitespace().collect();
    let words = |text: &str| -> Vec<String> {
        let bare = |word: &str| word.trim_matches(|letter: char| !letter.is_alphanumeric()).to_lowercase();
        text.split_whitespace().map(bare).filter(|word| !word.is_empty()).collect()
    };
    let (a, b) = (words(&pair.a), words(&pair.b));
    let denies = |words: &[String]| words.iter().any(|word| denials.contains(word.as_str()));
    let content = |words: &[String]| -> HashSet<String> {
        let telling = |word: &&String| !fillers.contains(word.as_str()) && !denials.contains(word.as_str());
        words.iter().filter(telling).cloned().collect()
    };
    let (ours, theirs) = (content(&a), content(&b));
    let overlap = ours.intersection(&theirs).count() as f64 / ours.union(&theirs).count().max(1) as f64;
    match overlap {
        _ if overlap >= 0.3 && denies(&a) != denies(&b) => Verdict::Contradicts,
        _ if overlap >= 0.5 => Verdict::Duplicate,
        _ if overlap >= 0.12 => Verdict::Compatible,
        _ => Verdict::Unrelated,
    }
}
