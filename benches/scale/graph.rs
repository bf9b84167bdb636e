//! The nearest memories by lokid's own vectors and by a graph over the same rows in eight bits a dimension: time, recall
//! beside an exact scan, resident memory, time to build. Without a daemon.

use super::*;
use hnsw_rs::prelude::{Distance, FilterT, Hnsw};

/// Links a row, and how many rows are looked at while it is put in: what its authors recommend.
const LINKS: usize = 16;
const LOOKED_AT_FOR_ONE: usize = 200;
const PUT_AT_ONCE: usize = 5_000;
const BREADTHS: [usize; 3] = [64, 128, 256];
/// One memory in so many; with few admitted the graph is walked through almost whole, which takes a third of a second.
const ADMITTED: [u32; 2] = [1, 20];

pub(crate) fn run(world: &World, sizes: &[usize]) {
    for size in sizes {
        let corpus = world.corpus(0, *size);
        let questions = world.questions(&corpus.texts, COMPARED);
        progress(format_args!("embedding {size} memories"));
        let passages = Passages::of(&corpus.texts);
        println!("\n=== {size} memories, {} passages, {} questions", passages.owners.len(), questions.len());
        let before = resident_mb();
        let (meanings, own_built) = timed(|| own_vectors(&corpus.texts, &passages));
        let own_mb = resident_mb() - before;
        let before = resident_mb();
        let (graph, built) = timed(|| RowGraph::of(&passages));
        let graph_mb = resident_mb() - before;
        println!("  {:<14} {:>8} {:>10} {:>10} {:>11}", "", "build", "resident", "", "");
        println!("  {:<14} {:>6.0} s {own_mb:>7.0} MB", "lokid", own_built / 1e6);
        println!("  {:<14} {:>6.0} s {graph_mb:>7.0} MB", "hnsw", built / 1e6);
        println!("  {:<14} {:>10} {:>10} {:>12} {:>12}", "", "admitted", "recall@10", "p50", "p99");
        let embedder = Embedder::built_in();
        let asked: Vec<Vec<f32>> = questions.iter().map(|question| embedder.embed(&question.text)).collect();
        for one_in in ADMITTED {
            compare(&passages, &meanings, &graph, &asked, one_in);
        }
    }
}

fn compare(passages: &Passages, meanings: &Meanings, graph: &RowGraph, asked: &[Vec<f32>], one_in: u32) {
    let admits = move |number: u32| number.wrapping_mul(2_654_435_761).rotate_right(12).is_multiple_of(one_in);
    let truth: Vec<Vec<(u32, f32)>> = asked.iter().map(|vector| passages.nearest(vector, 10, admits)).collect();
    let tell = |name: &str, work: &dyn Fn(&Vec<f32>) -> Vec<u32>| {
        work(&asked[0]);
        let found: Vec<(Vec<u32>, f64)> = asked.iter().map(|vector| timed(|| work(vector))).collect();
        let mut recall = Vec::new();
        for ((found, _), truth) in found.iter().zip(&truth).filter(|(_, truth)| !truth.is_empty()) {
            let right = truth.iter().filter(|(number, _)| found.contains(number)).count();
            recall.push(right as f64 / truth.len() as f64);
        }
        let recall = recall.iter().sum::<f64>() / recall.len().max(1) as f64;
        let took = Latency::of(found.into_iter().map(|(_, micros)| micros).collect());
        let (p50, p99) = (took.at(0.5) / 1e3, took.at(0.99) / 1e3);
        println!("  {name:<14} {:>10} {recall:>10.4} {p50:>9.3} ms {p99:>9.3} ms", format!("1 in {one_in}"));
    };
    tell("lokid", &|vector| {
        let Some(question) = VectorQuestion::of(vector) else { return Vec::new() };
        meanings.nearest(&question, 10, admits).into_iter().map(|(number, _)| number).collect()
    });
    for breadth in BREADTHS {
        tell(&format!("hnsw, ef {breadth}"), &|vector| graph.nearest(passages, vector, breadth, admits));
    }
}

/// The dot product of two rows in eight bits, turned into a distance.
#[derive(Clone, Copy)]
struct EightBits(Arch);

struct EightBitDot<'a>(&'a [i8], &'a [i8]);

impl NullaryFnOnce for EightBitDot<'_> {
    type Output = i32;

    #[inline(always)]
    fn call(self) -> i32 {
        self.0.iter().zip(self.1).map(|(one, other)| i32::from(*one) * i32::from(*other)).sum()
    }
}

impl Distance<i8> for EightBits {
    fn eval(&self, one: &[i8], other: &[i8]) -> f32 {
        // Rows are unit vectors times `SCALE`, so this is never below nothing but for rounding.
        (2.0 * SCALE * SCALE - self.0.dispatch(EightBitDot(one, other)) as f32).max(0.0)
    }
}

/// One scale for all rows; few components of a unit vector of this length are cut off.
const SCALE: f32 = 254.0;

fn eight_bits(vector: &[f32]) -> Vec<i8> {
    vector.iter().map(|value| (value * SCALE).round().clamp(-127.0, 127.0) as i8).collect()
}

struct RowGraph(Hnsw<'static, i8, EightBits>);

struct Admitted<'a, F>(&'a Passages, F);

impl<F: Fn(u32) -> bool> FilterT for Admitted<'_, F> {
    fn hnsw_filter(&self, row: &usize) -> bool {
        (self.1)(self.0.owners[*row])
    }
}

impl RowGraph {
    fn of(passages: &Passages) -> RowGraph {
        let rows: Vec<Vec<i8>> = passages.rows().map(eight_bits).collect();
        let graph = Hnsw::new(LINKS, rows.len(), 16, LOOKED_AT_FOR_ONE, EightBits(Arch::new()));
        let numbered: Vec<(&[i8], usize)> = rows.iter().map(Vec::as_slice).zip(0..).collect();
        let started = Instant::now();
        for (part, some) in numbered.chunks(PUT_AT_ONCE).enumerate() {
            graph.parallel_insert_slice(&some.to_vec());
            let done = part * PUT_AT_ONCE + some.len();
            progress(format_args!("hnsw: {done} of {} after {:.0} s", rows.len(), started.elapsed().as_secs_f64()));
        }
        RowGraph(graph)
    }

    /// Found in the graph and put in order by the unrounded rows.
    fn nearest(&self, passages: &Passages, question: &[f32], breadth: usize, admits: impl Fn(u32) -> bool) -> Vec<u32> {
        let filter = Admitted(passages, &admits);
        let found = self.0.search_filter(&eight_bits(question), breadth, breadth, Some(&filter));
        let mut best: Vec<(f32, u32)> = found
            .iter()
            .map(|found| (likeness(passages.row(found.d_id), question), passages.owners[found.d_id]))
            .collect();
        best.sort_by(|one, other| other.0.total_cmp(&one.0));
        let mut numbers: Vec<u32> = Vec::with_capacity(10);
        for (_, number) in best {
            if !numbers.contains(&number) && numbers.len() < 10 {
                numbers.push(number);
            }
        }
        numbers
    }
}

fn resident_mb() -> f64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages: f64 = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok()).unwrap_or(f64::NAN);
    pages * 4096.0 / 1e6
}
