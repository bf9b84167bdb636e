//! Plain tantivy and plain vector search over the same texts.

use super::*;

/// What a question would cost if it were one plain text search and one plain vector search.
pub(crate) struct Baseline {
    pub(crate) text: PlainText,
    pub(crate) passages: Passages,
    pub(crate) bytes: Int8Scan,
}

impl Baseline {
    pub(crate) fn new(texts: &[String]) -> Baseline {
        progress(format_args!("plain tantivy over {} texts", texts.len()));
        let text = PlainText::new(texts);
        progress(format_args!("embedding"));
        let passages = Passages::of(texts);
        let bytes = Int8Scan::of(&passages);
        Baseline { text, passages, bytes }
    }

    /// Prints every baseline and lokid's ratio to the quickest pair; answers with p50 and p99 of that pair's sums.
    pub(crate) fn measure(&self, daemon: &Daemon, questions: &[Question], lokid: &Latency) -> (f64, f64) {
        progress(format_args!("the same questions to the baselines"));
        let embedder = Embedder::built_in();
        let fillers: HashSet<&str> = FILLERS.split_whitespace().chain(["how", "why", "where", "what"]).collect();
        let spare: Vec<String> = questions
            .iter()
            .map(|question| {
                question.text.split(' ').filter(|word| !fillers.contains(*word)).collect::<Vec<_>>().join(" ")
            })
            .collect();
        let every = |work: &dyn Fn(usize) -> usize| {
            // Once to warm up.
            let _ = work(0);
            let found: Vec<(usize, f64)> =
                undisturbed(daemon, || (0..questions.len()).map(|at| timed(|| work(at))).collect());
            assert!(found.iter().any(|(found, _)| *found > 0), "a baseline finds something");
            found.into_iter().map(|(_, micros)| micros).collect::<Vec<f64>>()
        };
        let print = |name: &str, took: &[f64]| println!("  {name:<28} {}", Latency::of(took.to_vec()));

        let plain = every(&|at| self.text.best(&questions[at].text));
        let without_fillers = every(&|at| self.text.best(&spare[at]));
        print("plain tantivy", &plain);
        print("  without stop words", &without_fillers);
        let vectors: Vec<Vec<f32>> = questions.iter().map(|question| embedder.embed(&question.text)).collect();
        print("embedding the question", &every(&|at| embedder.embed(&questions[at].text).len()));
        let scan = every(&|at| self.bytes.best(&vectors[at]).len());
        print("exact int8 scan", &scan);

        let quicker = |one: Vec<f64>, other: Vec<f64>| {
            if Latency::of(other.clone()).at(0.5) < Latency::of(one.clone()).at(0.5) { other } else { one }
        };
        let text = quicker(plain, without_fillers);
        let sum = Latency::of(text.iter().zip(&scan).map(|(text, vector)| text + vector).collect());
        println!("  {:<28} {sum}", "sum of the quickest two");
        println!(
            "  lokid against the sum    p50 {:.2} x, p99 {:.2} x",
            lokid.at(0.5) / sum.at(0.5),
            lokid.at(0.99) / sum.at(0.99)
        );
        (sum.at(0.5), sum.at(0.99))
    }
}

pub(crate) struct PlainText {
    pub(crate) searcher: Searcher,
    pub(crate) field: Field,
    pub(crate) words: TextAnalyzer,
}

impl PlainText {
    pub(crate) fn new(texts: &[String]) -> PlainText {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default().set_index_option(IndexRecordOption::WithFreqs);
        let field = schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
        let index = Index::create_in_ram(schema.build());
        let mut writer: IndexWriter = index.writer_with_num_threads(1, 256_000_000).unwrap();
        for text in texts {
            let mut document = TantivyDocument::default();
            document.add_text(field, text);
            writer.add_document(document).unwrap();
        }
        writer.commit().unwrap();
        writer.wait_merging_threads().unwrap();
        let words = index.tokenizers().get("default").unwrap();
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into().unwrap();
        PlainText { searcher: reader.searcher(), field, words }
    }

    pub(crate) fn best(&self, question: &str) -> usize {
        let mut clauses: Vec<(Occur, Box<dyn Query>)> = Vec::new();
        let mut seen = HashSet::new();
        self.words.clone().token_stream(question).process(&mut |token| {
            if seen.insert(token.text.clone()) {
                let term = Term::from_field_text(self.field, &token.text);
                clauses.push((Occur::Should, Box::new(TermQuery::new(term, IndexRecordOption::WithFreqs))));
            }
        });
        let best = TopDocs::with_limit(LOOKED_AT).order_by_score();
        self.searcher.search(&BooleanQuery::new(clauses), &best).unwrap().len()
    }
}

/// Every passage of every memory as a vector, in the order of the memories.
pub(crate) struct Passages {
    pub(crate) dim: usize,
    pub(crate) owners: Vec<u32>,
    pub(crate) values: Vec<f32>,
}

impl Passages {
    pub(crate) fn of(texts: &[String]) -> Passages {
        let embedder = Embedder::built_in();
        let cores = std::thread::available_parallelism().unwrap().get();
        let apiece = texts.len().div_ceil(cores);
        let mut all = Passages { dim: embedder.dim(), owners: Vec::new(), values: Vec::new() };
        let embed = |part: usize, texts: &[String]| {
            let (mut owners, mut values) = (Vec::new(), Vec::new());
            for (at, text) in texts.iter().enumerate() {
                let number = part * apiece + at;
                for passage in passages(&memory(number, text)) {
                    owners.push(number as u32);
                    values.extend(embedder.embed(&passage.text));
                }
            }
            (owners, values)
        };
        let embed = &embed;
        let parts: Vec<(Vec<u32>, Vec<f32>)> = std::thread::scope(|scope| {
            let parts = texts.chunks(apiece).enumerate();
            let threads: Vec<_> = parts.map(|(part, texts)| scope.spawn(move || embed(part, texts))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for (owners, values) in parts {
            all.owners.extend(owners);
            all.values.extend(values);
        }
        all
    }

    pub(crate) fn row(&self, at: usize) -> &[f32] {
        &self.values[at * self.dim..(at + 1) * self.dim]
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks_exact(self.dim)
    }

    /// The best memories among those admitted, each by its best passage, best first.
    pub(crate) fn nearest(&self, question: &[f32], most: usize, admits: impl Fn(u32) -> bool) -> Vec<(u32, f32)> {
        Arch::new().dispatch(ExactScan { passages: self, question, most, admits })
    }
}

/// A loop of its own type, so that all of it is compiled for the processor it runs on.
pub(crate) struct ExactScan<'a, F> {
    pub(crate) passages: &'a Passages,
    pub(crate) question: &'a [f32],
    pub(crate) most: usize,
    pub(crate) admits: F,
}

impl<F: Fn(u32) -> bool> WithSimd for ExactScan<'_, F> {
    type Output = Vec<(u32, f32)>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Vec<(u32, f32)> {
        let mut best = Best::new(self.most);
        let (mut owner, mut closest) = (u32::MAX, f32::MIN);
        for (row, found) in self.passages.rows().zip(&self.passages.owners) {
            if *found != owner {
                if owner != u32::MAX {
                    best.offer(owner, closest);
                }
                (owner, closest) = (u32::MAX, f32::MIN);
                if (self.admits)(*found) {
                    owner = *found;
                }
            }
            if *found == owner {
                closest = closest.max(dot(simd, row, self.question));
            }
        }
        if owner != u32::MAX {
            best.offer(owner, closest);
        }
        best.0
    }
}

pub(crate) fn memory(number: usize, text: &str) -> Memory {
    Memory::new(MemoryId::new(&format!("mem-{number}")).unwrap(), Kind::Note, text, Timestamp::from_micros(FIRST_DAY))
}

/// The highest few, best first.
pub(crate) struct Best(pub(crate) Vec<(u32, f32)>, pub(crate) usize);

impl Best {
    pub(crate) fn new(most: usize) -> Best {
        Best(Vec::with_capacity(most + 1), most)
    }

    #[inline(always)]
    pub(crate) fn offer(&mut self, who: u32, score: f32) {
        if self.0.len() == self.1 && self.0.last().is_some_and(|last| last.1 >= score) {
            return;
        }
        let place = self.0.partition_point(|known| known.1 >= score);
        self.0.insert(place, (who, score));
        self.0.truncate(self.1);
    }
}

/// Both as long as a multiple of what the processor takes at once.
#[inline(always)]
pub(crate) fn dot<S: Simd>(simd: S, one: &[f32], other: &[f32]) -> f32 {
    let (one, other) = (S::as_simd_f32s(one).0, S::as_simd_f32s(other).0);
    let mut sums = [simd.splat_f32s(0.0); 4];
    for (one, other) in one.chunks(4).zip(other.chunks(4)) {
        for ((sum, one), other) in sums.iter_mut().zip(one).zip(other) {
            *sum = simd.mul_add_f32s(*one, *other, *sum);
        }
    }
    let [a, b, c, d] = sums;
    simd.reduce_sum_f32s(simd.add_f32s(simd.add_f32s(a, b), simd.add_f32s(c, d)))
}

pub(crate) struct Dot<'a>(pub(crate) &'a [f32], pub(crate) &'a [f32]);

impl WithSimd for Dot<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f32 {
        dot(simd, self.0, self.1)
    }
}

pub(crate) fn likeness(one: &[f32], other: &[f32]) -> f32 {
    Arch::new().dispatch(Dot(one, other))
}

pub(crate) struct Int8Scan {
    pub(crate) dim: usize,
    pub(crate) values: Vec<i8>,
    pub(crate) scales: Vec<f32>,
}

impl Int8Scan {
    pub(crate) fn of(passages: &Passages) -> Int8Scan {
        let mut scan = Int8Scan { dim: passages.dim, values: Vec::new(), scales: Vec::new() };
        for row in passages.rows() {
            let Row { values, scale, .. } = Row::of(row, false);
            scan.values.extend(values);
            scan.scales.push(scale);
        }
        scan
    }

    pub(crate) fn best(&self, question: &[f32]) -> Vec<(u32, f32)> {
        let question: Vec<i16> = question.iter().map(|value| (value * 8_191.0).round() as i16).collect();
        Arch::new().dispatch(Int8Loop { scan: self, question: &question })
    }
}

pub(crate) struct Int8Loop<'a> {
    pub(crate) scan: &'a Int8Scan,
    pub(crate) question: &'a [i16],
}

impl NullaryFnOnce for Int8Loop<'_> {
    type Output = Vec<(u32, f32)>;

    #[inline(always)]
    fn call(self) -> Vec<(u32, f32)> {
        let mut best = Best::new(LOOKED_AT);
        for (at, (row, scale)) in self.scan.values.chunks_exact(self.scan.dim).zip(&self.scan.scales).enumerate() {
            let mut sum = 0;
            for (one, other) in row.iter().zip(self.question) {
                sum += i32::from(*one) * i32::from(*other);
            }
            best.offer(at as u32, sum as f32 * scale);
        }
        best.0
    }
}

/// lokid's own vectors of these passages.
pub(crate) fn own_vectors(texts: &[String], passages: &Passages) -> Meanings {
    progress(format_args!("{} passages into lokid's vectors", passages.owners.len()));
    let embedder = Embedder::built_in();
    let model = Model { id: embedder.id().into(), dim: embedder.dim() };
    let (mut indexer, _) = Indexer::open(None, &model, Vec::new()).unwrap();
    let mut next = 0;
    for number in 0..texts.len() {
        let first = next;
        while passages.owners.get(next).is_some_and(|owner| *owner == number as u32) {
            next += 1;
        }
        let rows: Vec<Row> = (first..next).map(|row| Row::of(passages.row(row), false)).collect();
        // Only the vectors matter here: without words the rest of the index stays small.
        indexer.put(&Arc::new(memory(number, "")), &rows).unwrap();
        if number % 16_384 == 16_383 {
            indexer.commit().unwrap();
        }
    }
    indexer.commit().unwrap();
    let meanings = indexer.view().meanings;
    assert_eq!(meanings.passages(), passages.owners.len());
    meanings
}

/// How many of the ten nearest memories lokid's own vectors find, beside an exact scan of the unrounded ones.
pub(crate) fn vector_recall(daemon: &Daemon, texts: &[String], passages: &Passages, questions: &[Question]) {
    let embedder = Embedder::built_in();
    let meanings = own_vectors(texts, passages);
    println!("\nnearest 10 of {} passages, {} questions", passages.owners.len(), questions.len());
    println!(
        "  {:<12} {:>10} {:>12} {:>12} {:>14}",
        "admitted", "recall@10", "lokid p50", "lokid p99", "exact f32 p50"
    );
    let vectors = questions.iter().map(|question| embedder.embed(&question.text));
    let asked: Vec<(Vec<f32>, VectorQuestion)> =
        vectors.filter_map(|vector| VectorQuestion::of(&vector).map(|question| (vector, question))).collect();
    for one_in in [1_u32, 3, 20, 1_000] {
        let admits = |number: u32| number.wrapping_mul(2_654_435_761).rotate_right(12).is_multiple_of(one_in);
        // First all of one, then all of the other: neither finds its caches emptied by the other.
        let found: Vec<_> = undisturbed(daemon, || {
            asked.iter().map(|(_, question)| timed(|| meanings.nearest(question, 10, admits))).collect()
        });
        let truth: Vec<_> = undisturbed(daemon, || {
            asked.iter().map(|(vector, _)| timed(|| passages.nearest(vector, 10, admits))).collect()
        });
        let mut recall = Vec::new();
        for (((vector, _), (found, _)), (truth, _)) in asked.iter().zip(&found).zip(&truth) {
            let Some(least) = truth.last().map(|last| last.1 - 1e-6) else { continue };
            let closest = |number: u32| {
                let first = passages.owners.partition_point(|owner| *owner < number);
                let own = (first..passages.owners.len()).take_while(|row| passages.owners[*row] == number);
                own.map(|row| likeness(passages.row(row), vector)).fold(f32::MIN, f32::max)
            };
            let right = found.iter().take(10).filter(|(number, _)| closest(*number) >= least).count();
            recall.push(right as f64 / truth.len() as f64);
        }
        let ours = Latency::of(found.iter().map(|(_, micros)| *micros).collect());
        let exact = Latency::of(truth.iter().map(|(_, micros)| *micros).collect());
        println!(
            "  {:<12} {:>10.4} {:>9.3} ms {:>9.3} ms {:>11.3} ms",
            format!("1 in {one_in}"),
            recall.iter().sum::<f64>() / recall.len().max(1) as f64,
            ours.at(0.5) / 1e3,
            ours.at(0.99) / 1e3,
            exact.at(0.5) / 1e3,
        );
    }
}
