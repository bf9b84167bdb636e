//! One form for every inflection of an English word, and a stem for what is derived from it. Knows spelling, not meaning.

use super::lexicon::Lexicon;

#[rustfmt::skip]
const IRREGULAR: &[(&str, &str)] = &[
    ("is", "be"), ("are", "be"), ("was", "be"), ("were", "be"), ("been", "be"), ("being", "be"), ("am", "be"),
    ("has", "have"), ("had", "have"), ("having", "have"), ("does", "do"), ("did", "do"), ("done", "do"), ("doing", "do"),
    ("goes", "go"), ("went", "go"), ("gone", "go"), ("got", "get"), ("gotten", "get"), ("gets", "get"), ("kept", "keep"),
    ("held", "hold"), ("sent", "send"), ("built", "build"), ("made", "make"), ("ran", "run"), ("wrote", "write"),
    ("written", "write"), ("took", "take"), ("taken", "take"), ("came", "come"), ("left", "leave"), ("lost", "lose"),
    ("found", "find"), ("gave", "give"), ("given", "give"), ("chose", "choose"), ("chosen", "choose"), ("sat", "sit"),
    ("stood", "stand"), ("bought", "buy"), ("brought", "bring"), ("thought", "think"), ("told", "tell"), ("said", "say"),
    ("saw", "see"), ("seen", "see"), ("shown", "show"), ("began", "begin"), ("begun", "begin"), ("broke", "break"),
    ("broken", "break"), ("froze", "freeze"), ("frozen", "freeze"), ("threw", "throw"), ("thrown", "throw"),
    ("drew", "draw"), ("drawn", "draw"), ("grew", "grow"), ("grown", "grow"), ("knew", "know"), ("known", "know"),
    ("led", "lead"), ("met", "meet"), ("paid", "pay"), ("spent", "spend"), ("spoke", "speak"), ("spoken", "speak"),
    ("stuck", "stick"), ("sold", "sell"), ("wound", "wind"), ("hidden", "hide"), ("hid", "hide"), ("forbade", "forbid"),
    ("forbidden", "forbid"), ("bound", "bind"), ("fell", "fall"), ("fallen", "fall"), ("laid", "lay"), ("lain", "lie"),
    ("dealt", "deal"), ("meant", "mean"), ("fed", "feed"), ("rebuilt", "rebuild"), ("overwritten", "overwrite"),
    ("rewritten", "rewrite"), ("overridden", "override"), ("people", "person"), ("children", "child"), ("men", "man"),
    ("women", "woman"), ("indices", "index"), ("indexes", "index"), ("matrices", "matrix"), ("vertices", "vertex"),
    ("schemata", "schema"), ("criteria", "criterion"), ("data", "data"), ("media", "media"), ("lives", "live"),
    ("leaves", "leave"), ("halves", "half"), ("caches", "cache"), ("cached", "cache"), ("caching", "cache"),
    ("an", "a"), ("cannot", "cannot"), ("this", "this"), ("its", "its"), ("less", "less"), ("always", "always"),
    ("alias", "alias"), ("aliases", "alias"), ("canvas", "canvas"), ("status", "status"), ("statuses", "status"),
    ("redis", "redis"), ("kubernetes", "kubernetes"), ("aws", "aws"), ("https", "https"), ("css", "css"), ("dns", "dns"),
    ("tls", "tls"), ("sms", "sms"), ("sass", "sass"), ("postgres", "postgres"), ("jenkins", "jenkins"), ("ios", "ios"),
    ("macos", "macos"), ("news", "news"), ("various", "various"), ("previous", "previous"), ("continuous", "continuous"),
    ("anonymous", "anonymous"), ("asynchronous", "asynchronous"), ("synchronous", "synchronous"), ("bus", "bus"),
    ("during", "during"), ("string", "string"), ("strings", "string"), ("thing", "thing"), ("nothing", "nothing"),
    ("everything", "everything"), ("something", "something"), ("anything", "anything"), ("bring", "bring"),
    ("spring", "spring"), ("ring", "ring"), ("king", "king"), ("need", "need"), ("needs", "need"), ("needed", "need"),
    ("speed", "speed"), ("seed", "seed"), ("feed", "feed"), ("embed", "embed"), ("shared", "shared"), ("red", "red"),
    ("hundred", "hundred"), ("indeed", "indeed"), ("exceed", "exceed"), ("proceed", "proceed"), ("succeed", "succeed"),
    ("used", "use"), ("using", "use"), ("uses", "use"), ("setting", "setting"), ("settings", "setting"),
    ("logging", "logging"), ("testing", "testing"), ("staging", "staging"), ("streaming", "streaming"),
    ("tracing", "tracing"), ("billing", "billing"), ("pricing", "pricing"), ("meeting", "meeting"), ("string", "string"),
    ("tied", "tie"), ("dies", "die"), ("died", "die"), ("lies", "lie"), ("dying", "die"), ("lying", "lie"),
    ("lgtms", "lgtm"), ("envs", "env"), ("prs", "pr"), ("apis", "api"), ("ids", "id"), ("better", "better"),
];

/// The doubled consonant of `dropped`, but not that of `called`, `passed`.
const NOT_DOUBLED: &[u8] = b"lsz";

pub(super) fn lemma(word: &str, lexicon: &Lexicon) -> String {
    if let Some(found) = lexicon.irregular(word) {
        return found.to_owned();
    }
    let word = one_spelling(word);
    if !word.is_ascii() || word.len() < 4 {
        return word;
    }
    let known = |candidate: &str| lexicon.knows(candidate);
    if let Some(stem) = word.strip_suffix("ies").or_else(|| word.strip_suffix("ied")).filter(|stem| stem.len() > 1) {
        return format!("{stem}y");
    }
    if let Some(stem) = word.strip_suffix("ing").filter(|stem| has_vowel(stem)) {
        return if known(&word) && !known(stem) && !known(&format!("{stem}e")) {
            word
        } else {
            unsuffixed(stem, known)
        };
    }
    if let Some(stem) = word.strip_suffix("ed").filter(|stem| has_vowel(stem)) {
        return if known(&word) && !known(stem) && !known(&format!("{stem}e")) {
            word
        } else {
            unsuffixed(stem, known)
        };
    }
    if let Some(singular) = word.strip_suffix('s').filter(|singular| known(singular) && !singular.ends_with('s')) {
        return singular.to_owned();
    }
    if known(&word) {
        return word;
    }
    if let Some(stem) = word.strip_suffix("ly").filter(|stem| known(stem)) {
        return stem.to_owned();
    }
    if let Some(stem) = word.strip_suffix("es") {
        if ["ch", "sh", "x", "ss", "zz"].iter().any(|end| stem.ends_with(end)) {
            return stem.to_owned();
        }
        return format!("{stem}e");
    }
    match word.strip_suffix('s') {
        Some(stem) if !["s", "u", "i"].iter().any(|end| stem.ends_with(end)) => stem.to_owned(),
        _ => word,
    }
}

fn has_vowel(stem: &str) -> bool {
    stem.len() > 1 && stem.bytes().any(|byte| b"aeiouy".contains(&byte))
}

fn unsuffixed(stem: &str, known: impl Fn(&str) -> bool) -> String {
    let with_e = format!("{stem}e");
    if known(&with_e) && !known(stem) {
        return with_e;
    }
    if known(stem) {
        return stem.to_owned();
    }
    let bytes = stem.as_bytes();
    let (last, before) = (bytes[bytes.len() - 1], bytes[bytes.len() - 2]);
    if last == before && !b"aeiou".contains(&last) {
        let single = &stem[..stem.len() - 1];
        return if NOT_DOUBLED.contains(&last) && !known(single) { stem.to_owned() } else { single.to_owned() };
    }
    let silent =
        ["at", "iz", "ut", "ur", "ag", "rc", "nc", "dg", "v", "bl", "pl", "tl", "dl", "gl", "cl", "rs", "ns", "uir"];
    if silent.iter().any(|end| stem.ends_with(end)) || (last == b'c' && before != b'i') {
        with_e
    } else {
        stem.to_owned()
    }
}

/// American spelling, as most identifiers have it.
fn one_spelling(word: &str) -> String {
    let mut spelled = word.to_owned();
    for (british, american) in
        [("isation", "ization"), ("ising", "izing"), ("ised", "ized"), ("ise", "ize"), ("ises", "izes")]
    {
        let exempt = [
            "raise",
            "rise",
            "wise",
            "precise",
            "promise",
            "exercise",
            "noise",
            "expertise",
            "otherwise",
            "advise",
            "revise",
            "supervise",
            "enterprise",
            "concise",
            "surprise",
            "premise",
            "likewise",
            "comprise",
            "arise",
        ];
        if let Some(stem) = spelled.strip_suffix(british)
            && stem.len() > 2
            && !exempt.iter().any(|word| word.trim_end_matches("ise").ends_with(stem) && word.len() == stem.len() + 3)
        {
            spelled = format!("{stem}{american}");
            break;
        }
    }
    for (british, american) in [
        ("behaviour", "behavior"),
        ("colour", "color"),
        ("favour", "favor"),
        ("centre", "center"),
        ("catalogue", "catalog"),
        ("licence", "license"),
        ("grey", "gray"),
        ("honour", "honor"),
        ("labell", "label"),
        ("cancell", "cancel"),
        ("modell", "model"),
        ("defence", "defense"),
        ("analyse", "analyze"),
        ("fulfil ", "fulfill "),
    ] {
        if let Some(rest) = spelled.strip_prefix(british) {
            spelled = format!("{american}{rest}");
        }
    }
    spelled
}

/// What `validate`, `validation` and `validator` share.
pub(super) fn stem(lemma: &str) -> &str {
    const SUFFIXES: &[&str] = &[
        "izations", "ization", "isation", "izer", "ations", "ation", "ators", "ator", "itions", "ition", "ments",
        "ment", "ness", "ities", "ity", "ances", "ance", "ences", "ence", "able", "ible", "ically", "ally", "ions",
        "ion", "ings", "ing", "ably", "ers", "er", "ors", "or", "ize", "ate", "ive", "als", "al", "ly", "ed", "es",
        "ary", "ory", "ful", "ic", "y", "e", "s",
    ];
    if !lemma.is_ascii() {
        return lemma;
    }
    let found = SUFFIXES.iter().find_map(|suffix| lemma.strip_suffix(suffix).filter(|stem| stem.len() >= 4));
    found.map_or(lemma, |stem| stem.strip_suffix(['e', 'i']).filter(|short| short.len() >= 4).unwrap_or(stem))
}

pub(super) fn irregular() -> &'static [(&'static str, &'static str)] {
    IRREGULAR
}
