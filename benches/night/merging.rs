//! Which pairs a night would make one memory of, through the planner itself: none that contradict each other, as many
//! paraphrases as that allows; beside going by the cosine alone.

use lokid_manage::merge::{self, Limits};
use lokid_manage::plan::{Around, Scene};
use lokid_model::{Kind, Memory, MemoryId, Verdict};

use super::*;
use pairs::{Likeness, Pair, Set};

pub(crate) fn run(sets: &[Set], verdicts: &mut Verdicts) {
    let likeness = Likeness::new();
    for set in sets {
        println!("\n=== merging: {}", set.name);
        println!(
            "  {:<34} {:>15} {:>13} {:>13} {:>12}",
            "merged of", "contradictions", "paraphrases", "compatible", "unrelated"
        );
        let any = Limits { fact: -1.0, learnt: -1.0, other: -1.0, ..Limits::default() };
        let ours = tally("lokid's night", set, &|pair| merged(pair, &likeness, &Limits::default()));
        let blind = tally("  its second look alone", set, &|pair| merged(pair, &likeness, &any));
        for least in [0.95, 0.92, 0.9] {
            tally(&format!("cosine ≥ {least}"), set, &|pair| likeness.alike(&pair.a, &pair.b) >= least);
        }
        let name = format!("{}: contradictions merged", set.name);
        verdicts.at_most(&name, ours as f64, 0.0, "", &format!("{blind} by the second look alone"));
    }
}

fn tally(name: &str, set: &Set, merges: &dyn Fn(&Pair) -> bool) -> usize {
    let count = |label: Verdict| {
        let merged = set.pairs.iter().filter(|pair| pair.label == label && merges(pair)).count();
        (merged, format!("{merged} of {}", set.count(label)))
    };
    let (bad, contradictions) = count(Verdict::Contradicts);
    let others = [Verdict::Duplicate, Verdict::Compatible, Verdict::Unrelated].map(|label| count(label).1);
    println!("  {name:<34} {contradictions:>15} {:>13} {:>13} {:>12}", others[0], others[1], others[2]);
    bad
}

/// Two notes that know nothing but each other.
fn merged(pair: &Pair, likeness: &Likeness, limits: &Limits) -> bool {
    let now = Timestamp::from_micros(FIRST_DAY);
    let note = |id: &str, text: &str| Arc::new(Memory::new(MemoryId::new(id).unwrap(), Kind::Note, text, now));
    let two = Two { notes: [note("a", &pair.a), note("b", &pair.b)], cosine: likeness.alike(&pair.a, &pair.b) };
    let scene = Scene { now, memories: &two.notes, links: &[], contradictions: &[], archived: &[], around: &two };
    let compare = |pairs: &[(&str, &str)]| {
        let same = |(a, b): &(&str, &str)| {
            let found = likeness.compare(a, b);
            found.verdict == Verdict::Duplicate && found.clear
        };
        pairs.iter().map(same).collect()
    };
    !merge::plan_within(&scene, &compare, limits).is_empty()
}

struct Two {
    notes: [Arc<Memory>; 2],
    cosine: f32,
}

impl Around for Two {
    fn near(&self, memory: &Memory, most: usize) -> Vec<(Arc<Memory>, f32)> {
        let others = self.notes.iter().filter(|note| note.id != memory.id);
        others.map(|note| (Arc::clone(note), self.cosine)).take(most).collect()
    }

    fn is_free(&self, _: &MemoryId) -> bool {
        true
    }
}
