//! What the goal, the error, the branch and a name bring to mind. Asking costs more than everything else together, so
//! two questions have to do: the first stands alone, the others share the second.

use std::sync::Arc;

use super::error;
use super::evidence::Evidence;
use super::person;
use super::pool::Pool;
use super::words;
use lokid_model::Memory;
use lokid_retrieve::query;
use lokid_retrieve::recall::{self, Request};

const ANSWERS: usize = 24;
/// Relevance from which on an answer is a good one.
const GOOD: f64 = 0.25;
const MOST_SUBJECTS: usize = 3;
/// Every further word costs, and tells less.
const LONGEST_TOPIC: usize = 200;
/// An answer that shares no word with a part of the question was hardly found for that part.
const UNSAID: f64 = 0.6;

struct Topic {
    evidence: Evidence,
    text: String,
}

pub(super) fn look(pool: &mut Pool<'_>) {
    let topics = topics(pool);
    let Some((first, rest)) = topics.split_first() else { return };
    ask(pool, std::slice::from_ref(first));
    if !rest.is_empty() {
        ask(pool, rest);
    }
}

/// Most pressing first.
fn topics(pool: &Pool<'_>) -> Vec<Topic> {
    let clues = pool.clues;
    let error = clues.errors.iter().map(|error| words::asked_error(&error.text)).find(|text| !text.is_empty());
    let goal = clues.goal.as_deref().map(|goal| query::beginning(goal.trim()).to_owned());
    let branch = clues.branch.as_ref().filter(|branch| !words::is_common_branch(&branch.name)).map(|branch| {
        let mut text = words::branch_words(&branch.name);
        for subject in branch.subjects.iter().take(MOST_SUBJECTS) {
            text.push(' ');
            text.push_str(subject);
        }
        words::head(text.trim(), LONGEST_TOPIC).to_owned()
    });
    let author = clues.author.as_ref().and_then(person::question);
    let named = [
        (Evidence::LikeError, error),
        (Evidence::Goal, goal),
        (Evidence::BranchTopic, branch),
        (Evidence::AuthorTaste, author),
    ];
    let told = named.into_iter().filter_map(|(evidence, text)| Some(Topic { evidence, text: text? }));
    told.filter(|topic| !topic.text.is_empty()).collect()
}

fn ask(pool: &mut Pool<'_>, topics: &[Topic]) {
    let question = topics.iter().map(|topic| topic.text.as_str()).collect::<Vec<_>>().join("\n");
    let sources = recall::Sources {
        snapshot: pool.sources.snapshot,
        view: pool.sources.view,
        vector: Some((pool.sources.vector_of)(query::beginning(&question))),
        usage: pool.sources.usage,
        weights: pool.sources.weights,
    };
    let request = Request {
        query: question,
        k: ANSWERS,
        task_type: pool.activity,
        phase: None,
        action: None,
        // What is at home in the file at hand is found without asking.
        files: Vec::new(),
        filter: pool.filter.clone(),
        min_score: None,
    };
    for hit in recall::recall(&sources, &request).hits {
        let relevance = hit.parts.relevance(pool.sources.weights);
        let strength = hit.parts.fit * (relevance / GOOD).min(1.0);
        for (topic, share) in shares(topics, &hit.memory) {
            answer(pool, topic, &hit.memory, strength * share);
        }
    }
}

/// Which of the topics an answer is for: the one whose words it holds most of.
fn shares<'t>(topics: &'t [Topic], memory: &Memory) -> Vec<(&'t Topic, f64)> {
    if let [only] = topics {
        return vec![(only, 1.0)];
    }
    let told = format!("{}\n{}", memory.title, words::head(&memory.text, 2048)).to_lowercase();
    let held = |topic: &Topic| {
        let text = topic.text.to_lowercase();
        let long = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() > 3);
        let (mut all, mut held) = (0, 0);
        for word in long {
            all += 1;
            held += usize::from(told.contains(word));
        }
        held as f64 / f64::from(all.max(1))
    };
    let by_topic: Vec<(&Topic, f64)> = topics.iter().map(|topic| (topic, held(topic))).collect();
    let best = by_topic.iter().map(|(_, held)| *held).fold(0.0, f64::max);
    if best == 0.0 {
        return by_topic.into_iter().take(1).map(|(topic, _)| (topic, UNSAID)).collect();
    }
    by_topic.into_iter().filter(|(_, held)| *held == best).take(1).map(|(topic, _)| (topic, 1.0)).collect()
}

fn answer(pool: &mut Pool<'_>, topic: &Topic, memory: &Arc<Memory>, strength: f64) {
    match topic.evidence {
        Evidence::LikeError if error::is_same(memory, &topic.text) => error::add_same(pool, memory),
        Evidence::LikeError => {
            let strength = strength * error::helpfulness(memory);
            pool.add(memory, Evidence::LikeError, strength, || error::why_alike(memory));
        }
        Evidence::AuthorTaste => {
            let Some(author) = &pool.clues.author else { return };
            if person::is_named(memory, &author.name) {
                pool.add(memory, Evidence::AuthorVoice, strength, || format!("about {}", author.name));
            }
            person::tastes(pool, memory, author);
        }
        Evidence::BranchTopic => {
            let name = pool.clues.branch.as_ref().map(|branch| words::quote(&branch.name, 40)).unwrap_or_default();
            pool.add(memory, Evidence::BranchTopic, strength, || format!("about what {name} is about"));
        }
        _ => pool.add(memory, Evidence::Goal, strength, || "about the goal".to_owned()),
    }
}
