//! The closed lists a comparison needs: what carries no meaning, what denies, what is an abbreviation of what.

/// Left out wherever they stand.
pub(super) const EMPTY: &[&str] = &["the", "a", "an", "is", "are", "be", "our", "that", "please", "simply"];

/// "a few" is more than "few".
pub(super) const WITH_ARTICLE: &[&str] = &["few", "little"];

pub(super) const BE: &[&str] = &["is", "are", "be"];

/// Here "are read" and "read" are two things, and only the copula tells.
pub(super) const PARTICIPLE_OR_NOT: &[&str] =
    &["set", "reset", "put", "cut", "read", "run", "hit", "cast", "split", "shut", "let", "spread", "cost", "bound"];

#[rustfmt::skip]
pub(super) const NEGATIONS: &[&str] = &[
    "not", "never", "no", "non", "none", "nobody", "nothing", "nowhere", "nor", "neither", "without", "avoid", "avoids",
    "stop", "stops", "instead", "deprecated", "forbid", "forbids", "forbidden", "prohibit", "prohibited", "ban",
    "banned", "except", "unless", "hardly", "rarely", "seldom", "unlike",
];

/// Only to say why two texts differ: a word that is not the same keeps them apart in any case.
#[rustfmt::skip]
pub(super) const OPPOSITES: &[(&str, &str)] = &[
    ("enable", "disable"), ("enabled", "disabled"), ("enables", "disables"), ("allow", "deny"), ("allowed", "denied"),
    ("allow", "block"), ("allowed", "blocked"), ("always", "sometimes"), ("before", "after"), ("add", "remove"),
    ("sync", "asynchronous"), ("synchronous", "asynchronous"), ("synchronously", "asynchronously"),
    ("increase", "decrease"), ("raise", "lower"), ("true", "false"), ("must", "may"), ("must", "should"),
    ("required", "optional"), ("on", "off"), ("in", "out"), ("first", "last"), ("client", "server"), ("read", "write"),
    ("reads", "writes"), ("local", "remote"), ("production", "staging"), ("production", "development"),
    ("staging", "development"), ("production", "test"), ("linux", "windows"), ("linux", "macos"), ("macos", "windows"),
    ("minimum", "maximum"), ("up", "down"), ("left", "right"), ("public", "private"), ("internal", "external"),
    ("open", "closed"), ("start", "end"), ("more", "less"), ("over", "under"), ("above", "below"), ("old", "new"),
    ("frontend", "backend"), ("primary", "replica"), ("leader", "follower"), ("request", "response"), ("push", "pull"),
    ("encode", "decode"), ("import", "export"), ("upstream", "downstream"), ("mutable", "immutable"), ("all", "some"),
    ("every", "some"), ("manual", "automatic"), ("manually", "automatically"), ("global", "local"), ("to", "from"),
    ("pass", "fail"), ("success", "failure"), ("and", "or"), ("if", "unless"), ("can", "must"), ("is", "was"),
];

/// Abbreviations nobody disputes, and the other spelling of some words. Read in one direction, so the right side is
/// what counts; a plural is looked up by its singular.
#[rustfmt::skip]
const SYNONYMS: &[(&str, &str)] = &[
    ("admin", "administrator"), ("app", "application"), ("arg", "argument"), ("async", "asynchronous"),
    ("be", "backend"), ("behaviour", "behavior"), ("cancelled", "canceled"), ("catalogue", "catalog"),
    ("centre", "center"), ("cfg", "configuration"), ("colour", "color"), ("config", "configuration"),
    ("db", "database"), ("dep", "dependency"), ("dev", "development"), ("devs", "developer"), ("dir", "directory"),
    ("doc", "documentation"), ("env", "environment"), ("fe", "frontend"), ("fn", "function"), ("folder", "directory"),
    ("func", "function"), ("grey", "gray"), ("info", "information"), ("js", "javascript"), ("k8s", "kubernetes"),
    ("lib", "library"), ("licence", "license"), ("max", "maximum"), ("min", "minimum"), ("msg", "message"),
    ("okay", "ok"), ("param", "parameter"), ("perf", "performance"), ("pg", "postgresql"), ("pkg", "package"),
    ("postgres", "postgresql"), ("pr", "pull request"), ("prod", "production"), ("regex", "regular expression"),
    ("repo", "repository"), ("temp", "temporary"), ("ts", "typescript"), ("var", "variable"), ("versus", "vs"),
];

pub(super) fn synonym(lower: &str) -> Option<&'static str> {
    let singular = lower.strip_suffix('s').unwrap_or(lower);
    let find = |word: &str| SYNONYMS.iter().find(|(short, _)| *short == word).map(|(_, long)| *long);
    find(lower).or_else(|| find(singular))
}

/// Names with a capital inside that people also write without.
#[rustfmt::skip]
pub(super) const CAPITALS_INSIDE: &[&str] = &[
    "github", "gitlab", "typescript", "javascript", "postgresql", "mysql", "macos", "graphql", "openapi", "dynamodb",
    "mongodb", "clickhouse", "rabbitmq", "grpc", "oauth", "webassembly", "kubectl", "vscode", "readme",
];

/// These end in `s` and are no plural of what is left without.
pub(super) const NO_PLURALS: &[&str] =
    &["windows", "https", "news", "means", "arms", "goods", "rails", "jenkins", "customs", "glasses", "ours", "theirs"];

/// In front of these stands what something is called, letter by letter: the `users` table is not the `user` table.
#[rustfmt::skip]
pub(super) const CALLED: &[&str] = &[
    "table", "column", "crate", "package", "module", "branch", "queue", "topic", "bucket", "schema", "field", "flag",
    "namespace", "variable", "role", "service",
];
pub(super) const CALLS: &[&str] = &["called", "named", "titled", "labeled", "spelled"];

/// Behind these a verb in `-ing` is the verb: "before pushing", "before you push".
pub(super) const GERUND_AFTER: &[&str] = &["before", "after", "when", "while", "until"];

/// "in CI" and "on CI", "at startup" and "on startup" are one.
pub(super) const PLACES: &[&str] = &["ci", "startup", "boot", "shutdown", "runtime", "production", "staging", "logout"];
pub(super) const AT: &[&str] = &["in", "on", "at"];

/// What begins a phrase that may as well stand at the end: "In CI, use X" and "Use X in CI".
pub(super) const LEADS: &[&str] =
    &["in", "on", "at", "for", "when", "if", "before", "after", "during", "inside", "under", "with", "while", "until"];
/// With one of these in the rest it would not be clear what the phrase belongs to.
pub(super) const CLAUSES: &[&str] = &[
    "and", "or", "but", "then", "before", "after", "when", "if", "unless", "until", "while", "because", "so", "with",
    "only", "just", "even",
];

/// Not any adverb may follow its verb: what is only called by Y is not all that Y calls.
pub(super) const FOCUS: &[&str] =
    &["only", "mainly", "mostly", "solely", "merely", "primarily", "exclusively", "typically", "usually", "chiefly"];

/// What begins a phrase of its own.
pub(super) const PHRASES: [&[&str]; 3] =
    [LEADS, CLAUSES, &["to", "from", "via", "through", "into", "as", "only", "per", "within", "since", "by"]];

pub(super) const NUMBERS: [&str; 12] =
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

/// The one spelling of a unit behind a number. Sizes keep their case: a megabit is no megabyte.
pub(super) fn unit(word: &str) -> Option<&'static str> {
    Some(match word {
        "ms" | "msec" | "millisecond" | "milliseconds" => "ms",
        "s" | "sec" | "secs" | "second" | "seconds" => "s",
        "min" | "mins" | "minute" | "minutes" => "min",
        "h" | "hr" | "hrs" | "hour" | "hours" => "h",
        "day" | "days" => "day",
        "week" | "weeks" => "week",
        "%" | "percent" => "%",
        "kB" | "KB" => "kB",
        "MB" => "MB",
        "GB" => "GB",
        "TB" => "TB",
        "KiB" => "KiB",
        "MiB" => "MiB",
        "GiB" => "GiB",
        _ => return None,
    })
}
