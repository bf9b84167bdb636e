//! The derived indexes against the plainest way of doing the same, and through restarts, damage and updates.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lokid_index::meaning::Model;
use lokid_index::roster::Filter;
use lokid_index::search::{Indexer, View};
use lokid_index::text::view::Wanted;
use lokid_index::vector::{Question, Row};
use lokid_model::{Kind, Memory, MemoryId, Namespace, Tier, Timestamp};

const DIM: usize = 64;

fn model() -> Model {
    Model { id: "test".into(), dim: DIM }
}

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    fn vector(&mut self, centre: &[f32]) -> Vec<f32> {
        let noisy: Vec<f32> = centre.iter().map(|value| value + self.roll(2001) as f32 / 1000.0 - 1.0).collect();
        let length = noisy.iter().map(|value| value * value).sum::<f32>().sqrt();
        noisy.iter().map(|value| value / length).collect()
    }
}

fn memory(at: usize, text: &str) -> Arc<Memory> {
    let mut memory =
        Memory::new(MemoryId::new(&format!("n-{at:05}")).unwrap(), Kind::Note, text, Timestamp::from_micros(1));
    if at % 1000 == 7 {
        memory.tier = Tier::Mandate;
    }
    Arc::new(memory)
}

/// Few words are rare and many are common, as in any language.
fn sentence(dice: &mut Dice) -> String {
    let word = |dice: &mut Dice| {
        let reach = [4, 40, 400, 4000][dice.roll(4)];
        format!("w{}", dice.roll(reach))
    };
    (0..8 + dice.roll(8)).map(|_| word(dice)).collect::<Vec<_>>().join(" ")
}

fn filter() -> Filter {
    Filter::new(Namespace::default(), Timestamp::from_micros(10))
}

fn wanted(words: &str) -> Vec<Wanted> {
    words.split(' ').map(|word| Wanted { word: word.to_owned(), share: 1.0 }).collect()
}

fn best_ids(view: &View, words: &str, most: usize) -> Vec<(String, String)> {
    let scores = view.score(&wanted(words), most, &filter()).unwrap();
    let best = view.best(&scores, most, &filter());
    best.iter().map(|number| (view.roster.key(*number).id.to_string(), format!("{:.5}", scores.of(*number)))).collect()
}

#[test]
fn common_words_are_skipped_without_changing_who_is_best() {
    let mut dice = Dice(7);
    let (mut indexer, missing) = Indexer::open(None, &model(), Vec::new()).unwrap();
    assert!(missing.is_empty());
    let texts: Vec<String> = (0..6000).map(|_| sentence(&mut dice)).collect();
    for (at, text) in texts.iter().enumerate() {
        indexer.put(&memory(at, text), &[]).unwrap();
        if at % 1500 == 0 {
            indexer.commit().unwrap();
        }
    }
    let view = indexer.view();
    for _ in 0..20 {
        let words: BTreeSet<String> = sentence(&mut dice).split(' ').map(str::to_owned).collect();
        let words = words.into_iter().collect::<Vec<_>>().join(" ");
        // Asked for everyone, nobody can be passed over.
        let everyone = best_ids(&view, &words, texts.len());
        assert_eq!(best_ids(&view, &words, 10), everyone[..10], "{words}");
    }
}

#[test]
fn the_nearest_are_found_among_many_and_filters_cost_none_of_them() {
    let mut dice = Dice(3);
    let flat = [0.0; DIM];
    let centres: Vec<Vec<f32>> =
        (0..40).map(|_| dice.vector(&flat).iter().map(|value| value * 6.0).collect()).collect();
    let (mut indexer, _) = Indexer::open(None, &model(), Vec::new()).unwrap();
    let mut vectors = Vec::new();
    for at in 0..20_000 {
        let vector = dice.vector(&centres[at % centres.len()]);
        indexer.put(&memory(at, &format!("w{at}")), &[Row::of(&vector, false)]).unwrap();
        vectors.push(vector);
    }
    let view = indexer.view();
    let mandates = Filter { tiers: vec![Tier::Mandate], ..filter() };
    for (filter, admitted) in [(filter(), 1), (mandates, 1000)] {
        let (mut hits, mut all) = (0, 0);
        for turn in 0..20 {
            let asked = dice.vector(&centres[turn * 2]);
            let mut exact: Vec<(f32, usize)> = (0..vectors.len())
                .filter(|at| admitted == 1 || at % admitted == 7)
                .map(|at| (vectors[at].iter().zip(&asked).map(|(a, b)| a * b).sum(), at))
                .collect();
            exact.sort_by(|a, b| b.0.total_cmp(&a.0));
            let best: BTreeSet<String> = exact[..10].iter().map(|(_, at)| format!("n-{at:05}")).collect();
            let found = view.nearest(&Question::of(&asked).unwrap(), 10, &filter);
            hits +=
                found.iter().take(10).filter(|(number, _)| best.contains(view.roster.key(*number).id.as_str())).count();
            all += 10;
        }
        assert!(hits * 100 >= all * 95, "{hits} of {all}, one in {admitted} admitted");
    }
}

fn open(folder: &Path, memories: &[Arc<Memory>]) -> (Indexer, usize) {
    let (indexer, missing) = Indexer::open(Some(folder), &model(), memories.to_vec()).unwrap();
    let count = missing.len();
    (indexer, count)
}

/// Killed after the words were kept and before the vectors were, and again before any was made anew.
#[test]
fn what_is_still_to_be_embedded_is_so_however_often_it_is_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let memories: Vec<Arc<Memory>> = (0..30).map(|at| memory(at, &format!("word{at}"))).collect();
    let (mut indexer, _) = open(folder.path(), &memories);
    let rows = |at: usize| [Row::of(&Dice(at as u64).vector(&[0.0; DIM]), false)];
    for (at, memory) in memories.iter().enumerate() {
        indexer.put(memory, &rows(at)).unwrap();
    }
    indexer.commit().unwrap();
    drop(indexer);
    let is_vectors = |path: &Path| path.file_name().unwrap().to_string_lossy().starts_with("vectors-");
    let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
    let vectors: Vec<PathBuf> = files.filter(|path| is_vectors(path)).collect();
    assert_eq!(vectors.len(), 1);
    std::fs::remove_file(&vectors[0]).unwrap();
    for _ in 0..3 {
        let (mut indexer, missing) = open(folder.path(), &memories);
        assert_eq!(missing, 30);
        // What is purged meanwhile has the rest written again.
        indexer.scrub().unwrap();
    }
    let (mut indexer, _) = open(folder.path(), &memories);
    for (at, memory) in memories.iter().enumerate() {
        assert!(indexer.wants(memory));
        indexer.put(memory, &rows(at)).unwrap();
    }
    indexer.commit().unwrap();
    drop(indexer);
    let (indexer, missing) = open(folder.path(), &memories);
    assert_eq!((missing, indexer.view().meanings.passages()), (0, 30));
}

#[test]
fn a_restart_finds_what_was_committed_and_takes_in_only_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(1);
    let memories: Vec<Arc<Memory>> = (0..300).map(|at| memory(at, &sentence(&mut dice))).collect();
    let rows = |at: usize| [Row::of(&Dice(at as u64).vector(&[0.0; DIM]), false)];
    let question = Question::of(&Dice(5).vector(&[0.0; DIM])).unwrap();
    let look = |view: &View| (best_ids(view, "w1 w20 w300", 20), view.nearest(&question, 20, &filter()).len());

    let (mut indexer, missing) = open(folder.path(), &memories);
    assert_eq!(missing, 300);
    for (at, memory) in memories.iter().enumerate().take(200) {
        indexer.put(memory, &rows(at)).unwrap();
    }
    indexer.commit().unwrap();
    for (at, memory) in memories.iter().enumerate().skip(200) {
        indexer.put(memory, &rows(at)).unwrap();
    }
    let before = look(&indexer.view());
    drop(indexer);

    let (mut indexer, missing) = open(folder.path(), &memories);
    assert_eq!(missing, 100, "what was not committed is missing, and nothing else");
    for (at, memory) in memories.iter().enumerate().skip(200) {
        assert!(indexer.wants(memory));
        indexer.put(memory, &rows(at)).unwrap();
    }
    assert_eq!(look(&indexer.view()), before);
    indexer.commit().unwrap();
    indexer.rest().unwrap();
    drop(indexer);

    let (indexer, missing) = open(folder.path(), &memories[..250]);
    assert_eq!((missing, indexer.len()), (0, 250), "those that are gone from the store go from the index");
    drop(indexer);
    let (indexer, missing) = open(folder.path(), &memories);
    assert_eq!((missing, indexer.len()), (50, 250));
    drop(indexer);

    for file in std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()) {
        if file.extension().is_some_and(|extension| extension == "bin") {
            let bytes = std::fs::read(&file).unwrap();
            std::fs::write(&file, &bytes[..bytes.len() / 2]).unwrap();
        }
    }
    let (indexer, missing) = open(folder.path(), &memories);
    assert!((51..300).contains(&missing), "half a file is half the vectors: {missing}");
    assert_eq!(indexer.len(), 250, "the words are all there");
}

#[test]
fn updates_and_removals_leave_no_trace_in_scores_and_their_numbers_are_given_back() {
    let mut dice = Dice(11);
    let texts: Vec<String> = (0..200).map(|_| sentence(&mut dice)).collect();
    let fill = |churn: usize| {
        let (mut indexer, _) = Indexer::open(None, &model(), Vec::new()).unwrap();
        let row = [Row::of(&Dice(2).vector(&[0.0; DIM]), false)];
        for turn in 0..churn {
            for at in 0..texts.len() {
                indexer.put(&memory(at, &format!("other words {turn}")), &row).unwrap();
            }
            indexer.commit().unwrap();
        }
        for (at, text) in texts.iter().enumerate() {
            indexer.put(&memory(at, text), &row).unwrap();
        }
        indexer.put(&memory(999, "w1 w2 w3"), &row).unwrap();
        indexer.take(&memory(999, "").key()).unwrap();
        indexer.commit().unwrap();
        indexer.view()
    };
    let (plain, churned) = (fill(0), fill(60));
    assert_eq!(best_ids(&plain, "w1 w2 w33", 50), best_ids(&churned, "w1 w2 w33", 50));
    assert!(churned.roster.len() < 9000, "{}", churned.roster.len());
    assert!(best_ids(&churned, "other", 5).is_empty());
}

#[test]
fn another_model_takes_over_when_everyone_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let memories: Vec<Arc<Memory>> = (0..20).map(|at| memory(at, &format!("w{at}"))).collect();
    let (mut indexer, _) = open(folder.path(), &memories);
    for memory in &memories {
        indexer.put(memory, &[Row::of(&Dice(1).vector(&[0.0; DIM]), false)]).unwrap();
    }
    indexer.commit().unwrap();
    let wider = Model { id: "wider".into(), dim: 96 };
    let mut replacement = indexer.begin(&wider);
    for memory in &memories[..15] {
        replacement.put(memory, vec![Row::of(&[0.5; 96], false)]);
    }
    replacement.save().unwrap();
    assert_eq!(indexer.missing_in(&replacement).len(), 5);
    drop(replacement);
    let mut replacement = indexer.begin(&wider);
    assert_eq!(indexer.missing_in(&replacement).len(), 5, "what was embedded before a restart is not embedded again");
    for memory in &memories[15..] {
        assert!(replacement.wants(memory));
        replacement.put(memory, vec![Row::of(&[0.5; 96], false)]);
    }
    indexer.replace(replacement).unwrap();
    assert_eq!(indexer.model(), &wider);
    assert_eq!(indexer.view().nearest(&Question::of(&[0.5; 96]).unwrap(), 5, &filter()).len(), 20, "all tie");
    drop(indexer);
    let (indexer, missing) = Indexer::open(Some(folder.path()), &wider, memories).unwrap();
    assert_eq!((missing.len(), indexer.len()), (0, 20));
}

#[test]
fn what_is_purged_is_gone_from_the_files_too() {
    let folder = tempfile::tempdir().unwrap();
    let (mut indexer, _) = open(folder.path(), &[]);
    let secret = memory(1, "hunter2topsecretword stays here");
    indexer.put(&secret, &[]).unwrap();
    indexer.put(&memory(2, "plain"), &[]).unwrap();
    indexer.commit().unwrap();
    // The dictionary of words keeps those of deleted documents until their segment is written anew.
    let holds = || {
        let index = tantivy::Index::open_in_dir(folder.path().join("text")).unwrap();
        let body = index.schema().get_field("body").unwrap();
        let searcher = index.reader().unwrap().searcher();
        let term = tantivy::Term::from_field_text(body, "hunter2topsecretword");
        searcher.doc_freq(&term).unwrap() > 0
    };
    assert!(holds());
    indexer.take(&secret.key()).unwrap();
    indexer.scrub().unwrap();
    assert!(!holds());
    assert_eq!(best_ids(&indexer.view(), "plain", 5).len(), 1);
}
