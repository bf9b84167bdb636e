//! What holds of every context, whatever the memories, the budget, the shares and the order in which they come.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;

use super::super::*;
use super::{lengths, memory};
use lokid_model::Shorter;
use lokid_model::citation::CLOSE;

fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-e ]{0,12}",
        3 => "([A-Za-z]{1,9}[ ,.\n]{1,2}){1,120}",
        2 => "(?s).{0,200}",
        1 => "[a-z]{0,2000}",
        1 => "[日本語 ]{0,300}",
        1 => "(\n|# x|```|</lokid-memory>|<lokid-memory>|- \\[a\\]: x|\u{200b}| ){0,12}",
    ]
}

fn values() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => (0..4u8).prop_map(f64::from),
        2 => 0.0..1.0f64,
        1 => prop::sample::select(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0]),
    ]
}

fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
    let shorter = (prop::option::of(texts()), prop::option::of(texts()), prop::option::weighted(0.2, texts()));
    let flags = (prop::bool::weighted(0.2), 0..4usize, 0..4usize);
    let one = ("[a-m]{1,2}", texts(), "[a-z ]{0,30}", shorter, values(), flags, "[a-z< ]{0,20}");
    let one = one.prop_map(|(id, text, title, (summary, compressed, index), value, (binding, part, longest), why)| {
        let shorter = Shorter { summary, compressed, index }.into();
        let memory = Arc::new(Memory { title, shorter, ..memory(&id, &text) });
        Candidate { memory, part: Part::ALL[part], value, why, binding, longest: Level::ALL[longest] }
    });
    prop::collection::vec(one, 0..40)
}

fn pointers() -> impl Strategy<Value = Vec<Pointer>> {
    let one = (texts(), "[a-z` ]{0,20}").prop_map(|(text, command)| Pointer { text, command });
    prop::collection::vec(one, 0..6)
}

fn files() -> impl Strategy<Value = Vec<FileLine>> {
    let one = ("[a-z/.]{0,20}", texts()).prop_map(|(path, why)| FileLine::Likely { path, why });
    prop::collection::vec(one, 0..6)
}

fn budgets() -> impl Strategy<Value = usize> {
    prop_oneof![2 => 0..200usize, 2 => 0..2_000usize, 1 => 0..20_000usize]
}

fn shares() -> impl Strategy<Value = Shares> {
    let share = prop_oneof![3 => 0.0..1.0f64, 1 => Just(0.0), 1 => Just(f64::NAN)];
    prop_oneof![Just(Shares::default()), prop::array::uniform4(share).prop_map(Shares)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_context_holds_what_it_promises(
        candidates in candidates(), pointers in pointers(), work in prop::collection::vec(texts(), 0..3), files in files(), budget in budgets(), shares in shares(),
        about in texts(), turn in 0..40usize,
    ) {
        let order = |candidates: Vec<Candidate>| {
            Order { budget, shares, candidates, work: &work, files: &files, pointers: &pointers, about: &about, lengths: &lengths }
        };
        let (assembled, spendable) = put_together(&order(candidates.clone()));
        within_the_budget(&assembled, budget)?;
        within_its_markers(&assembled)?;
        nothing_twice(&assembled, &candidates)?;
        nobody_longer_than_allowed(&assembled, &candidates)?;
        the_lowest_goes_first(&assembled, &order(candidates.clone()), spendable)?;

        let mut turned = candidates;
        let turn = turn.min(turned.len());
        turned.rotate_left(turn);
        prop_assert_eq!(&assemble(&order(turned.clone())), &assembled);
        turned.reverse();
        prop_assert_eq!(&assemble(&order(turned)), &assembled);
    }
}

fn within_the_budget(assembled: &Assembled, budget: usize) -> Result<(), TestCaseError> {
    prop_assert!(assembled.tokens <= budget);
    prop_assert_eq!(assembled.tokens, token::estimate(&assembled.text));
    prop_assert!(assembled.parts.iter().sum::<usize>() <= assembled.tokens);
    Ok(())
}

fn within_its_markers(assembled: &Assembled) -> Result<(), TestCaseError> {
    let text = &assembled.text;
    if text.is_empty() {
        prop_assert!(assembled.items.is_empty());
        return Ok(());
    }
    let folded = text.to_lowercase();
    prop_assert!(text.starts_with("<lokid-memory>\n") && text.ends_with(CLOSE));
    prop_assert_eq!(folded.matches("<lokid-memory").count(), 1);
    prop_assert_eq!(folded.matches(CLOSE).count(), 1);
    let ours = Part::ALL.map(|part| render::heading(part).trim_end());
    let marks: Vec<&str> = text.lines().filter(|line| !line.starts_with("- ") && !line.starts_with("    ")).collect();
    let headings = marks.iter().filter(|line| ours.contains(line)).count();
    let notes = marks.iter().filter(|line| line.starts_with("Noted earlier")).count();
    prop_assert_eq!(marks.len(), headings + notes + 2);
    let items = text.lines().filter(|line| line.starts_with("- decision [")).count();
    prop_assert!(items >= assembled.items.len());
    Ok(())
}

fn nothing_twice(assembled: &Assembled, candidates: &[Candidate]) -> Result<(), TestCaseError> {
    let mut keys = BTreeSet::new();
    let mut words = BTreeSet::new();
    for item in &assembled.items {
        prop_assert!(keys.insert(item.key.clone()));
        let same = |given: &&Candidate| given.memory.key() == item.key;
        let pressing = candidates.iter().filter(same).map(|given| given.part).min();
        prop_assert_eq!(pressing, Some(item.part));
        let said = candidates.iter().filter(same).filter(|given| given.part == item.part);
        let said: BTreeSet<_> = said.map(|given| words_of(&given.memory)).collect();
        if said.len() == 1 {
            prop_assert!(words.is_disjoint(&said));
            words.extend(said);
        }
    }
    prop_assert!(assembled.dropped.iter().all(|dropped| keys.insert(dropped.key.clone())));
    Ok(())
}

fn nobody_longer_than_allowed(assembled: &Assembled, candidates: &[Candidate]) -> Result<(), TestCaseError> {
    for item in &assembled.items {
        let allowed = |given: &Candidate| {
            let longest = if given.part == Part::Index { Level::Index } else { given.longest };
            given.memory.key() == item.key && given.part == item.part && longest <= item.level
        };
        prop_assert!(candidates.iter().any(allowed), "{:?}", item);
    }
    Ok(())
}

/// The two promises about who is left out, computed anew from the costs.
fn the_lowest_goes_first(assembled: &Assembled, order: &Order<'_>, spendable: usize) -> Result<(), TestCaseError> {
    let frame = Frame::new(order.about, order.budget).tokens;
    let heading = |part: Part| token::estimate(render::heading(part));
    let lines = super::super::lines(order);
    let pointed = lines.iter().filter(|line| assembled.text.contains(line.text.as_str()));
    let pointed: usize = pointed.map(|line| line.tokens).sum();
    let open = |part: Part| assembled.parts[part as usize] > 0;
    let headings: usize = Part::ALL.into_iter().filter(|part| open(*part)).map(heading).sum();
    let spent = frame + headings + pointed + assembled.items.iter().map(|item| item.tokens).sum::<usize>();
    prop_assert!(assembled.text.is_empty() || spent <= spendable);
    let left = if assembled.text.is_empty() { spendable.saturating_sub(frame) } else { spendable - spent };

    let shown: BTreeMap<&Key, usize> = assembled.items.iter().map(|item| (&item.key, item.tokens)).collect();
    let dropped: BTreeSet<&Key> = assembled.dropped.iter().map(|dropped| &dropped.key).collect();
    let mut entries = choose::ranked(&order.candidates);
    let shortest: Vec<usize> =
        entries.iter_mut().map(|entry| entry.shortest(order.lengths).map_or(0, |(_, tokens)| tokens)).collect();
    for (rank, entry) in entries.iter().enumerate().filter(|(_, entry)| dropped.contains(&entry.key)) {
        let group = |other: &&entry::ContextEntry<'_>| other.part() == entry.part() && !other.is_binding();
        if entry.is_binding() {
            let better = (0..rank).filter(|other| shown.contains_key(&entries[*other].key));
            let parts: BTreeSet<Part> =
                better.clone().map(|other| entries[other].part()).chain([entry.part()]).collect();
            let least =
                better.map(|other| shortest[other]).sum::<usize>() + parts.into_iter().map(heading).sum::<usize>();
            prop_assert!(frame + least + shortest[rank] > spendable, "{:?}", entry.key);
        } else {
            let worse: usize = entries[rank..].iter().filter(group).filter_map(|other| shown.get(&other.key)).sum();
            let opening = if open(entry.part()) { 0 } else { heading(entry.part()) };
            prop_assert!(left + worse < shortest[rank] + opening, "{:?} {left} {worse} {}", entry.key, shortest[rank]);
        }
    }
    Ok(())
}
