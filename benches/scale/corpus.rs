//! Memories and questions, made up and always the same.

use super::*;

pub(crate) const VERBS: &str = "accept access adapt add adjust align allocate allow append assert assign attach await batch \
    bind block borrow boot bounce branch break broadcast buffer build bundle cache call cancel capture cascade cast \
    catch chain change check checkpoint claim clean clear click clone close collapse collect compare compile \
    complete compress compute configure confirm connect consume convert copy correct count crash create decode \
    decorate delay delegate delete deploy deprecate derive detach detect dispatch display divide download drain \
    drift duplicate echo edit elect emit enable encode encrypt enforce escape evaluate evict exclude execute exhaust \
    expand expect expire expose extend extract fail fetch filter finish fix flash flatten flush fold follow force \
    format forward generate group guard handle happen harden hydrate ignore import include indent infer inherit \
    inject inline insert inspect install invalidate invoke isolate iterate join keep label launch leak lint listen \
    load locate lock match measure merge migrate mock monitor mount move mutate nest normalize notify observe open \
    order overflow override pack parse pass patch pause pipe poison poll post prefetch print probe process promote \
    prune publish pull push quote raise reach rebase receive reclaim record redirect reduce refactor reject release \
    reload remove rename render repair repeat replace replay request rescue reset resolve restart restore resume \
    retry return reuse revert review revoke rewrite rotate route sample sanitize save scale schedule search seed \
    select serialize serve shard share shift sign simulate sleep slice sort spawn split stage start stash store \
    stream stub subscribe suspend sync test throttle throw tick toggle touch trace track transform traverse trigger \
    truncate tune unlock unwind update upgrade upload use validate verify visit wait walk warm warn watch wrap write \
    yield";

pub(crate) const NOUNS: &str = "account adapter address agent alarm alert alias allocation anchor annotation api argument array \
    artifact assertion asset atom attribute audit author backend backlog backoff backup balance band barrier base \
    baseline benchmark bit body boundary bound box breakpoint bridge browser budget bug bus button byte callback \
    canary canvas capacity card case catalog cause cell certificate change channel chapter character charset \
    checksum child chunk circuit class clause client clock closure cloud cluster code codec collection collector \
    color column command comment commit compiler component computer concern condition config conflict connection \
    console constant constraint container content context contract controller cookie copy core coroutine correction \
    cost counter coverage credential cron cursor cycle daemon dashboard data database dataset date deadline deadlock \
    debugger decision declaration default defect delta dependency deployment depth descriptor design desktop detail \
    device dialog diagram dictionary diff digest dimension direction directory disk distance document domain driver \
    dump edge editor effect element email encoding endpoint engine entity entry enum environment epoch error escape \
    event exception exit experiment export expression extension factor factory failure fallback fault feature feed \
    field figure file finding fingerprint firewall fixture flag float flow folder font footer fork form fragment \
    frame framework front frontend function future gap garbage gate gateway generator global goal grammar graph grid \
    guide handler hash head header heap hint history hook host hotfix hour icon identifier image index inode input \
    instance instruction integer interface interpreter interval inventory issue item iterator job journal kernel key \
    keyboard keyword lambda language latency layer layout leader lease ledger lexer library license lifetime limit \
    line linker link list literal loader locale location log loop machine macro mailbox manager manifest map mask \
    matrix memory menu message metadata method metric middleware migration minute mirror mode model module moment \
    mutex name namespace network node notebook notification null number object offset operand operation operator \
    option orchestrator origin outage output owner package page pair panel panic parameter parent parser partition \
    password path pattern payload peer performance permission person phase pipeline pixel plan platform plugin point \
    pointer policy pool port position predicate prefix pressure preview primary priority problem procedure producer \
    product profile program project promise prompt property protocol provider proxy query question queue quota race \
    range rate ratio reader reason receipt recipe recursion reference region register registry regression relation \
    replica report repository request resource response result revision role root router row rule runner runtime \
    sandbox scanner scenario scheduler schema scope score screen script secret section segment selector semaphore \
    sender sensor sentence sequence series server service session setting shadow shape shell signal signature size \
    skeleton slot snapshot snippet socket software solution source space span spec speed spike stack standard state \
    statement station status step stop storage story strategy string structure style subject subnet suffix suite \
    summary surface switch symbol symptom syntax system table tag target task team template tenant term terminal \
    text theme thread threshold timeout timer timestamp token tool topic total trait transaction transition tree \
    trend trial tuple type union unit user utility validation value variable variant vector vendor version view \
    volume vulnerability wallet warning watermark webhook weight widget width window wire word worker workflow \
    workspace zone";

/// What holds sentences together; left out by everyone who searches words.
pub(crate) const FILLERS: &str = "the a of to in is and for it that on with as are this be not by from was we when but at if so \
    an has which does into no or then than there its have do will can";

pub(crate) const ASKING: &str = "how why where which what does fix find error use change";

pub(crate) const INVENTED_WORDS: usize = 20_000;
pub(crate) const TOPICS: usize = 300;
pub(crate) const TOPIC_WORDS: usize = 120;
pub(crate) const TAGS: usize = 200;
/// 2024-01-01, and two years on.
pub(crate) const FIRST_DAY: i64 = 1_704_067_200_000_000;
pub(crate) const TWO_YEARS: u64 = 2 * 365 * 86_400;

/// The same numbers in the same order, everywhere.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        dice.next();
        dice
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mixed = self.0 ^ (self.0 >> 29);
        mixed.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 24
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    pub(crate) fn between(&mut self, first: usize, last: usize) -> usize {
        first + self.below(last - first + 1)
    }

    pub(crate) fn word<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

/// The n-th of many is n times rarer than the first.
pub(crate) struct Zipf(pub(crate) Vec<f64>);

impl Zipf {
    pub(crate) fn new(count: usize) -> Zipf {
        let mut sum = 0.0;
        Zipf(
            (1..=count)
                .map(|rank| {
                    sum += 1.0 / rank as f64;
                    sum
                })
                .collect(),
        )
    }

    pub(crate) fn throw(&self, dice: &mut Dice) -> usize {
        let at = dice.below(1 << 30) as f64 / f64::from(1 << 30) * self.0.last().unwrap();
        self.0.partition_point(|sum| *sum <= at).min(self.0.len() - 1)
    }
}

pub(crate) struct World {
    /// The real ones first.
    pub(crate) words: Vec<String>,
    pub(crate) fillers: Vec<&'static str>,
    pub(crate) topics: Vec<Vec<usize>>,
    pub(crate) word_ranks: Zipf,
    pub(crate) topic_ranks: Zipf,
}

pub(crate) struct Corpus {
    pub(crate) texts: Vec<String>,
    /// The same as records, a line each.
    pub(crate) lines: String,
}

pub(crate) struct Question {
    pub(crate) text: String,
    pub(crate) body: String,
    pub(crate) filtered: bool,
}

impl World {
    pub(crate) fn new() -> World {
        let mut dice = Dice::new(1);
        let mut words: Vec<String> = Vec::new();
        let mut known: HashSet<String> = HashSet::new();
        let inflected =
            |word: &str, ending: &str| match word.strip_suffix('e').filter(|_| ending.starts_with(['e', 'i'])) {
                Some(stem) => format!("{stem}{ending}"),
                None => format!("{word}{ending}"),
            };
        let verbs =
            VERBS.split_whitespace().flat_map(|word| ["", "s", "ing", "ed", "er"].map(|end| inflected(word, end)));
        let nouns = NOUNS.split_whitespace().flat_map(|word| ["", "s"].map(|end| inflected(word, end)));
        let mut real: Vec<String> = verbs.chain(nouns).filter(|word| known.insert(word.clone())).collect();
        for at in (1..real.len()).rev() {
            real.swap(at, dice.below(at + 1));
        }
        words.append(&mut real);
        let real = words.len();
        while words.len() < real + INVENTED_WORDS {
            let word = invented(&mut dice);
            if known.insert(word.clone()) {
                words.push(word);
            }
        }
        let topics = (0..TOPICS)
            .map(|_| {
                let word = |at: usize, dice: &mut Dice| {
                    if at % 5 < 2 { dice.below(real) } else { real + dice.below(INVENTED_WORDS) }
                };
                (0..TOPIC_WORDS).map(|at| word(at, &mut dice)).collect()
            })
            .collect();
        let (word_ranks, topic_ranks) = (Zipf::new(words.len()), Zipf::new(TOPIC_WORDS));
        World { words, fillers: FILLERS.split_whitespace().collect(), topics, word_ranks, topic_ranks }
    }

    /// `count` memories, the first with the number `first`: each depends on its number alone.
    pub(crate) fn corpus(&self, first: usize, count: usize) -> Corpus {
        let mut corpus = Corpus { texts: Vec::with_capacity(count), lines: String::new() };
        for number in first..first + count {
            let mut dice = Dice::new(1_000 + number as u64);
            let topic = dice.below(TOPICS);
            let length = if number % 50 == 49 { dice.between(400, 800) } else { dice.between(15, 60) };
            let text = self.text(topic, length, &mut dice);
            let at = FIRST_DAY + dice.below(TWO_YEARS as usize) as i64 * 1_000_000;
            let tags = [format!("topic-{}", topic % TAGS), format!("topic-{}", dice.below(TAGS))];
            let files: Vec<String> = (0..dice.below(3)).map(|_| self.path(topic, &mut dice)).collect();
            let record = json!({
                "id": format!("mem-{number}"), "kind": "note", "text": text, "tags": tags, "files": files,
                "timestamp": Timestamp::from_micros(at).record_style(),
            });
            corpus.lines.push_str(&record.to_string());
            corpus.lines.push('\n');
            corpus.texts.push(text);
        }
        corpus
    }

    pub(crate) fn text(&self, topic: usize, length: usize, dice: &mut Dice) -> String {
        let mut text = String::with_capacity(length * 7);
        let mut left_in_sentence = 0;
        for _ in 0..length {
            let starts = left_in_sentence == 0;
            if starts {
                left_in_sentence = dice.between(6, 16);
                if !text.is_empty() {
                    text.push_str(". ");
                }
            } else {
                text.push(' ');
            }
            left_in_sentence -= 1;
            let word = self.expression(topic, dice);
            match word.chars().next().filter(|letter| starts && letter.is_ascii_lowercase()) {
                Some(letter) if word.bytes().all(|letter| letter.is_ascii_lowercase()) => {
                    text.push(letter.to_ascii_uppercase());
                    text.push_str(&word[1..]);
                }
                _ => text.push_str(&word),
            }
        }
        text.push('.');
        text
    }

    pub(crate) fn expression(&self, topic: usize, dice: &mut Dice) -> String {
        match dice.below(100) {
            0..24 => dice.word(&self.fillers).to_owned(),
            24..70 => self.topic_word(topic, dice).to_owned(),
            70..90 => self.any_word(dice).to_owned(),
            90..92 => format!("{}_{}", self.topic_word(topic, dice), self.topic_word(topic, dice)),
            92..94 => format!("{}{}", self.topic_word(topic, dice), capital(self.topic_word(topic, dice))),
            94..96 => self.path(topic, dice),
            96 => format!("E{:04}", dice.below(800)),
            97 => format!("TS{}", 2_000 + dice.below(900)),
            98 => format!("ERR_{}", self.topic_word(topic, dice).to_ascii_uppercase()),
            _ => format!("{}.{}.{}", dice.below(5), dice.below(30), dice.below(10)),
        }
    }

    pub(crate) fn topic_word(&self, topic: usize, dice: &mut Dice) -> &str {
        &self.words[self.topics[topic][self.topic_ranks.throw(dice)]]
    }

    pub(crate) fn any_word(&self, dice: &mut Dice) -> &str {
        &self.words[self.word_ranks.throw(dice)]
    }

    pub(crate) fn path(&self, topic: usize, dice: &mut Dice) -> String {
        let ending = dice.word(&["rs", "ts", "py", "go", "toml"]);
        format!("src/{}/{}.{ending}", self.topic_word(topic, dice), self.topic_word(topic, dice))
    }

    /// Three to ten words: some of one memory, and some that are not about it.
    pub(crate) fn questions(&self, texts: &[String], count: usize) -> Vec<Question> {
        let mut dice = Dice::new(2);
        let asking: Vec<&str> = ASKING.split_whitespace().collect();
        let mut seen = HashSet::new();
        let mut questions = Vec::with_capacity(count);
        for _ in 0..20 * count {
            if questions.len() == count {
                break;
            }
            let known: Vec<&str> =
                texts[dice.below(texts.len())].split_whitespace().map(|word| word.trim_end_matches('.')).collect();
            let mut words: Vec<&str> = Vec::new();
            for _ in 0..dice.between(1, 2) {
                words.push(if dice.below(2) == 0 { dice.word(&asking) } else { self.any_word(&mut dice) });
            }
            for _ in 0..dice.between(2, 8) {
                words.push(dice.word(&known));
            }
            let text = words.join(" ");
            if seen.insert(text.clone()) {
                questions.push(Question::new(text, questions.len(), &mut dice));
            }
        }
        assert_eq!(questions.len(), count, "enough distinct questions");
        questions
    }
}

impl Question {
    pub(crate) fn new(text: String, number: usize, dice: &mut Dice) -> Question {
        let mut body = json!({"query": text, "k": WANTED, "counted": false});
        let (by_kind, by_time) = (number % 10 == 3, number % 20 == 7);
        if by_kind {
            body["kinds"] = json!(["note", "decision"]);
        }
        if by_time {
            let at = FIRST_DAY + dice.below(TWO_YEARS as usize) as i64 * 1_000_000;
            body["as_of"] = json!(Timestamp::from_micros(at).record_style());
        }
        Question { text, body: body.to_string(), filtered: by_kind || by_time }
    }
}

/// Can be said aloud, means nothing.
pub(crate) fn invented(dice: &mut Dice) -> String {
    const ONSETS: [&str; 24] = [
        "b", "br", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "j", "k", "kl", "l", "m", "n", "p", "pl", "r", "s",
        "st", "t", "v", "z",
    ];
    const VOWELS: [&str; 8] = ["a", "e", "i", "o", "u", "ai", "ou", "ea"];
    const CODAS: [&str; 10] = ["", "", "n", "r", "l", "s", "t", "k", "m", "x"];
    let syllables = dice.between(2, 3);
    (0..syllables).map(|_| [dice.word(&ONSETS), dice.word(&VOWELS), dice.word(&CODAS)].concat()).collect()
}

pub(crate) fn capital(word: &str) -> String {
    word[..1].to_ascii_uppercase() + &word[1..]
}
