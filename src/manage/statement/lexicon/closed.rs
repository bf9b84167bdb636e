//! Closed lists: words without content, negations, duty and permission, time, irregular forms, verbs.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

macro_rules! lists {
    ($($(#[$note:meta])* $name:ident = $words:expr;)*) => {
        $($(#[$note])* #[rustfmt::skip] pub(in crate::manage::statement) const $name: &[&str] = &$words;)*
    };
}

lists! {
    /// Carry no content of their own.
    EMPTY = [
        "a", "an", "the", "this", "that", "these", "those", "it", "its", "it's", "they", "their", "them", "he", "she",
        "his", "her", "him", "we", "us", "our", "ours", "you", "your", "i", "my", "me", "is", "are", "was", "were",
        "be", "been", "being", "am", "do", "does", "did", "doing", "has", "have", "had", "having", "will", "would",
        "shall", "could", "might", "get", "gets", "got", "getting", "of", "to", "in", "on", "at", "for", "by", "with",
        "from", "as", "into", "onto", "and", "or", "but", "nor", "so", "then", "than", "there", "here", "which", "who",
        "whom", "whose", "what", "how", "why", "also", "too", "very", "quite", "just", "even", "still", "please",
        "simply", "really", "such", "one", "ones", "like", "about", "over", "under", "up", "down", "out", "off", "via",
        "through", "per", "if", "when", "while", "because", "since", "though", "although", "however", "yet", "again",
        "etc", "e.g", "i.e", "within", "without", "between", "during", "against", "across", "inside", "both", "either",
        "neither", "not", "no", "never", "must", "should", "may", "can", "cannot", "need", "needs", "ought", "let",
        "else", "otherwise", "ever", "any", "all", "every", "each", "some", "only", "now", "already", "any more",
        "anymore", "where", "whatever", "whenever", "wherever", "until", "unless", "before", "after", "once", "much",
        "more", "most", "less", "least", "same", "other", "others", "another", "go", "goes", "happen", "happens",
        "make", "makes", "made", "thing", "things", "way", "that's", "there's", "themselves", "itself", "keeps",
        "upon", "towards", "toward", "around", "along", "beyond", "above", "below", "due", "thanks", "order", "case",
        "far", "well", "back", "s", "t", "re", "ll", "ve", "d", "m", "always", "everyone", "everybody", "anyone",
        "anybody", "nobody", "none", "nothing", "rather", "instead", "except", "yes", "first", "last", "next",
        "currently", "today", "no longer", "have to", "has to", "want", "wants", "come", "comes",
        "take", "takes", "taken", "put", "set", "give", "given", "gives", "be able", "able", "means", "mean",
    ];
    /// Content, but of the kind that stands in any sentence: a match tells little.
    LIGHT = [
        "use", "user", "run", "work", "need", "file", "code", "system", "project", "time", "new", "old", "data", "type",
        "name", "valu", "servic", "set", "chang", "updat", "creat", "add", "build", "test", "api", "app", "applic",
        "request", "respons", "write", "read", "start", "end", "number", "list", "day", "week", "month", "hour",
        "minut", "second", "year", "team", "server", "client", "page", "call", "return", "check", "keep", "line",
        "repo", "repositori", "databas", "version", "function", "default", "allow", "requir", "support", "handl",
        "contain", "part", "place", "side", "everi", "thing", "make", "happen", "two", "three", "store", "send",
    ];
    NEGATIONS = [
        "not", "never", "no", "none", "nobody", "nothing", "nowhere", "nor", "neither", "cannot", "hardly",
        "rarely", "seldom", "n't", "non", "lack",
    ];
    /// Deny what follows them, and no more.
    LACKS = ["without", "lacking", "lacks", "minus", "sans"];
    /// Forbid what they speak of.
    FORBIDS = [
        "forbid", "forbidden", "ban", "bans", "banned", "prohibit", "prohibited", "prohibits", "disallow", "disallowed",
        "avoid", "avoids", "avoided", "discouraged", "discourage", "refrain", "taboo", "no-go", "block", "blocked",
        "blocks", "reject", "rejected", "rejects", "refuse", "refused", "refuses", "deny", "denied", "denies",
        "stop", "stopped", "stops", "verboten", "impossible", "unsupported", "unacceptable", "barred", "unwanted",
        "prevent", "prevented", "prevents", "dislikes", "dislike", "hates", "free of",
        "decided against", "advise against", "advised against",
        "out of the question", "frowned upon", "frowned", "never mind", "leave alone",
    ];
    /// Deny what was there; where both speak of removing, it is what is done and no denial.
    GONE = ["gave up", "ceased", "abandoned", "dropped", "retired", "removed", "gone", "ditched", "abolished", "scrapped",
        "decommissioned", "discontinued", "absent", "missing", "closed", "phased out", "got rid of"];
    REMOVALS = ["remove", "removes", "removed", "removing", "removal", "delete", "deletes", "deleted", "deleting", "drop",
        "drops", "dropped", "dropping", "purge", "purged", "erase", "erased", "evict", "evicted", "strip", "stripped",
        "gone", "retired", "discard", "discarded", "scrubbed", "wiped", "abandoned", "missing", "closed", "close"];
    PERMITS = [
        "allow", "allowed", "allows", "permit", "permitted", "permits", "fine", "ok", "okay", "may", "can", "accepted",
        "acceptable", "welcome", "free to", "could", "tolerated", "legal", "supported", "possible", "able", "let",
        "lets", "alright", "legitimate", "encouraged", "might", "lifted",
    ];
    DUTIES = [
        "must", "required", "requires", "require", "mandatory", "need", "needs", "needed", "have to", "has to", "shall",
        "compulsory", "obligatory", "necessary", "should", "ought", "always", "essential", "enforced", "enforce",
        "supposed", "expected", "obliged", "had to", "insists", "insist", "demands",
    ];
    /// Leave it open.
    FREES = [
        "optional", "unnecessary", "voluntary", "needless", "superfluous", "waived", "exempt", "exempted", "skip",
        "skipped", "omit", "omitted", "spared", "enough", "optionally", "redundant",
    ];
    EXCEPTIONS = [
        "except", "excepted", "exception", "exceptions", "exempt", "exempted", "exemption", "excluded", "excluding",
        "apart from", "other than", "unless", "waived", "waiver", "aside from", "besides", "save for", "carve-out",
        "exclusion", "excused", "despite", "deviate", "only exception", "but for", "excludes", "spared", "with the exception",
        "does not apply", "doesn't apply", "not covered", "opt out", "barring", "outside of", "notwithstanding",
    ];
    OWN = ["own", "dedicated", "separate", "individual", "per", "separately", "individually", "isolated"];
    SHARED = ["share", "shared", "shares", "common", "same", "single", "one", "central", "joint", "together"];
    ALL = ["all", "every", "each", "everything", "everyone", "everybody", "whole", "entire", "always", "any", "anyone",
        "anybody", "without exception", "everywhere", "entirely", "both", "throughout", "across"];
    SOME = ["some", "few", "several", "certain", "sometimes", "partly", "partially", "occasionally", "most", "mostly",
        "many", "selected", "half", "namely", "usually"];
    NONE = ["none", "nobody", "nothing", "no", "never", "neither", "nowhere", "no one", "zero"];
    ONLY = ["only", "solely", "exclusively", "sole", "nothing but", "alone", "purely", "just", "single", "exactly one",
        "nothing else", "strictly", "nowhere else"];
    ALSO = ["also", "too", "as well", "additionally", "both", "including", "included", "besides", "plus", "further",
        "in addition", "likewise", "moreover", "even", "another"];
    /// The statement speaks of what was.
    PAST = [
        "was", "were", "had", "did", "used to", "formerly", "previously", "until", "ago", "back then", "at first",
        "originally", "initially", "once", "earlier", "last", "yesterday", "incident", "outage", "postmortem",
    ];
    /// It says itself that something changed.
    CHANGES = [
        "no longer", "now", "any more", "anymore", "switched", "migrated", "moved", "replaced", "instead of",
        "instead", "superseded", "deprecated", "in favour", "in favor", "since", "as of", "starting", "from now on",
        "nowadays", "retired", "dropped", "removed", "used to", "has been", "have been", "meanwhile", "recently",
        "changed", "new", "upgraded", "raised", "lowered", "reduced", "increased", "reverted", "renamed", "gone",
        "abandoned", "lifted", "not any longer", "ditched", "phased out", "became", "discontinued", "stopped", "again",
        "longer", "bumped", "swapped", "went back", "decommissioned", "turned off",
    ];
    /// Causes and cures: a story about one thing, told in parts.
    CAUSES = [
        "because", "caused", "cause", "root cause", "due to", "came from", "fixed", "fix", "fixes", "cured", "solved",
        "resolved", "leak", "crashed", "failed", "fails", "broke", "happens", "workaround", "failure", "error", "bug",
        "spiked", "ran out", "outage", "incident", "symptom", "culprit", "reason", "problem", "issue", "after",
        "to avoid", "mitigated", "patched", "hung", "slow",
    ];
    /// Begin the part that only explains.
    REASONS = ["because", "since", "otherwise", "therefore", "hence", "thus", "which", "though", "although", "whereas"];
    CONDITIONS = ["if", "prior to", "when", "whenever", "unless", "until", "while", "once", "provided", "after", "before", "till",
        "where", "wherever", "during", "as soon as", "as long as", "in case", "only if", "given"];
    /// "Not … until": what follows is what is needed.
    UNTIL = ["unless", "prior to", "until", "before", "till", "without", "except"];
    PREPOSITIONS = ["in", "on", "at", "for", "under", "within", "during", "inside", "per", "across", "between", "among",
        "against", "with", "via", "through", "by", "using", "as", "to", "into", "from", "onto", "behind", "beside",
        "of", "over", "towards", "upon", "near", "outside", "off"];
    /// What follows says where it holds.
    PLACES = ["in", "on", "at", "for", "under", "within", "during", "inside", "across", "between", "among", "outside",
        "per", "against", "near", "beside", "of"];
    BE = ["is", "are", "be", "was", "were", "been", "being", "am", "isn't", "aren't", "wasn't", "gets", "get", "got",
        "becomes", "remains", "stays"];
    AUXILIARIES = ["must", "should", "may", "can", "cannot", "will", "would", "shall", "could", "might", "has", "have",
        "had", "do", "does", "did", "need", "needs", "ought"];
    /// Verbs whose object is the choice: "use X for Y".
    USES = ["use", "uses", "used", "using", "prefer", "prefers", "choose", "chose", "chosen", "pick", "picked", "adopt",
        "adopted", "employ", "rely", "favour", "favor", "recommend", "switch", "switched", "migrate", "migrated",
        "standardise", "standardised", "standardize", "moved", "stick"];
    /// Verbs that place something: their first "in X" is the answer, not the scope.
    PLACING = ["live", "lives", "sit", "sits", "reside", "resides", "stored", "store", "stores", "keep", "kept", "keeps",
        "held", "hold", "holds", "put", "goes", "go", "located", "placed", "run", "runs", "running", "listen",
        "listens", "hosted", "deployed", "deploy", "belong", "belongs", "written", "found", "saved", "written",
        "managed", "tracked", "maintained", "documented", "recorded", "published", "happens", "happen", "works",
        "served", "built", "is", "are", "be", "starts", "scheduled", "rotated", "terminates", "falls", "based",
        "hosts", "expires", "expire", "done", "drafted", "defined", "declared", "opened", "land", "lands"];
    /// Verbs a sentence of orders may begin with, or a statement turn on.
    VERBS = [
        "accept", "access", "acquire", "activate", "add", "adjust", "adopt", "aim", "alert", "allow", "analyse", "annotate",
        "append", "apply", "approve", "archive", "ask", "assert", "assign", "attach", "audit", "authenticate", "avoid",
        "back", "backport", "base", "batch", "begin", "belong", "benchmark", "bind", "block", "bootstrap", "branch",
        "break", "bring", "build", "bump", "bundle", "cache", "call", "cancel", "capture", "catch", "change", "charge",
        "check", "choose", "clean", "clear", "clone", "close", "collect", "comment", "commit", "compare", "compile",
        "compress", "compute", "configure", "confirm", "connect", "consider", "consume", "contact", "contain", "contribute",
        "control", "convert", "copy", "cost", "count", "cover", "crash", "create", "cut", "debug", "declare", "decode",
        "default", "define", "delete", "deliver", "depend", "deploy", "describe", "detect", "develop", "disable",
        "discard", "dispatch", "display", "distribute", "document", "download", "drain", "drop", "dump", "edit", "email",
        "emit", "enable", "encode", "encrypt", "end", "enforce", "ensure", "enter", "escalate", "escape", "estimate",
        "evaluate", "evict", "exclude", "execute", "exist", "exit", "expand", "expect", "expire", "explain", "export",
        "expose", "extend", "extract", "fail", "favour", "favor", "fetch", "fill", "filter", "find", "finish", "fire",
        "fix", "flag", "flush", "follow", "forbid", "force", "forget", "fork", "format", "forward", "freeze", "generate",
        "give", "go", "grant", "group", "guard", "guarantee", "handle", "happen", "hash", "hide", "hit", "hold", "host",
        "ignore", "implement", "import", "improve", "include", "increase", "index", "inform", "inherit", "initialise",
        "initialize", "inject", "inline", "insert", "install", "integrate", "introduce", "invalidate", "invoke", "isolate",
        "join", "keep", "kill", "label", "land", "last", "launch", "lead", "leave", "limit", "link", "lint", "list",
        "listen", "live", "load", "lock", "log", "look", "lose", "mail", "maintain", "make", "manage", "mark", "match",
        "measure", "mention", "merge", "migrate", "minimise", "mirror", "mock", "modify", "monitor", "mount", "move",
        "name", "need", "nest", "normalise", "normalize", "note", "notify", "obtain", "offer", "omit", "open", "optimise",
        "optimize", "order", "organise", "override", "own", "pack", "page", "parse", "pass", "patch", "pause", "perform",
        "persist", "pick", "pin", "ping", "place", "plan", "point", "poll", "port", "post", "prefer", "prefix", "prepare",
        "preserve", "press", "prevent", "print", "process", "produce", "profile", "promote", "propagate", "protect",
        "provide", "prune", "publish", "pull", "purge", "push", "put", "query", "queue", "quit", "quote", "raise", "reach",
        "read", "rebase", "rebuild", "receive", "record", "recover", "redeploy", "redirect", "reduce", "refactor", "refer",
        "refresh", "refuse", "register", "reject", "release", "reload", "rely", "remain", "remember", "remove", "rename",
        "render", "renew", "reopen", "repeat", "replace", "replay", "reply", "report", "request", "require", "rerun",
        "reset", "resolve", "respect", "respond", "restart", "restore", "retain", "retry", "return", "reuse", "revert",
        "review", "revoke", "roll", "rollback", "rotate", "round", "route", "run", "sanitise", "sanitize", "save", "scale",
        "scan", "schedule", "scope", "scrub", "seal", "search", "seed", "select", "send", "separate", "serialise",
        "serialize", "serve", "set", "share", "ship", "show", "shut", "sign", "silence", "sit", "skip", "sleep", "sort",
        "specify", "split", "squash", "stage", "start", "stay", "stick", "stop", "store", "stream", "strip", "submit",
        "subscribe", "suffix", "supply", "support", "suppress", "swap", "switch", "sync", "tag", "take", "target", "tell",
        "terminate", "test", "throttle", "throw", "trace", "track", "transfer", "transform", "translate", "treat",
        "trigger", "trim", "truncate", "trust", "try", "tune", "turn", "type", "unify", "update", "upgrade", "upload", "use",
        "validate", "verify", "version", "wait", "want", "warm", "warn", "watch", "wipe", "work", "wrap", "write",
    ];
    /// What `dis-` in front makes another word of, not its denial.
    NOT_DENIED = ["cover", "count", "play", "place", "patch", "pose", "tribut", "cuss", "cours", "card", "miss", "turb",
        "till", "solv", "sert", "cern", "crete"];
    /// Words behind which stands what was not chosen.
    AGAINST = ["instead of", "rather than", "in place of", "in lieu of", "as opposed to", "over", "not", "never", "unlike",
        "and not", "but not", "no longer"];
}

/// Irregular forms, and a few regular ones the stemmer keeps apart.
const IRREGULAR: &str = "sent send,wrote write,written write,kept keep,ran run,built build,made make,held hold,\
    left leave,lost lose,met meet,paid pay,put put,said say,saw see,seen see,shown show,took take,taken take,told tell,\
    thought think,went go,gone go,got get,gave give,given give,found find,chose choose,chosen choose,broke break,\
    broken break,began begin,begun begin,brought bring,bought buy,caught catch,came come,cut cut,did do,done do,\
    drawn draw,driven drive,fell fall,fallen fall,felt feel,forbidden forbid,forgot forget,forgotten forget,\
    frozen freeze,froze freeze,grew grow,grown grow,hid hide,hidden hide,knew know,known know,laid lay,led lead,\
    lain lie,meant mean,overridden override,overrode override,read read,rebuilt rebuild,rewritten rewrite,\
    rewrote rewrite,rose rise,risen rise,sold sell,spent spend,split split,spoken speak,stood stand,stuck stick,\
    taught teach,threw throw,thrown throw,understood understand,won win,withdrawn withdraw,shut shut,bound bind,\
    fed feed,fought fight,hung hang,lit light,slept sleep,spun spin,swept sweep,wound wind,worn wear,tore tear,\
    torn tear,overwritten overwrite,overwrote overwrite,undone undo,indices index,vertices vertex,children child,\
    people person,men man,women woman,data data,criteria criterion,schemas schema,schemata schema,analyses analysis,\
    bases base,is be,are be,was be,were be,has have,had have,does do,doesn do,lives live,living live,lived live,\
    automatically automatic,automated automatic,automation automatic,manually manual,deployment deploy,\
    deployments deploy,deploys deploy,authentication authenticate,authorisation authorize,authorization authorize,\
    configuration configure,configurations configure,validation validate,normalisation normalize,\
    normalization normalize,generation generate,migration migrate,migrations migrate,installation install,\
    compilation compile,encryption encrypt,compression compress,deletion delete,creation create,removal remove,\
    approval approve,approvals approve,storage store,maintenance maintain,translation translate,\
    translations translate,execution execute,serialisation serialize,serialization serialize,replication replicate,\
    formatting format,formatter format,linter lint,linting lint,logger log,logging log,logs log,parser parse,\
    versioning version,indentation indent,retention retain,synchronously synchronous,asynchronously asynchronous,\
    concurrently concurrent,faster fast,fastest fast,slower slow,slowest slow,bigger big,biggest big,larger large,\
    smaller small,longer long,shorter short,higher high,lower lower,later late,earlier early,newer new,newest new,\
    older old,oldest old,easier easy,mon monday,tue tuesday,tues tuesday,wed wednesday,thu thursday,thurs thursday,\
    fri friday,sat saturday,sun sunday,envs env,libs lib,deps dep,docs doc,repos repo,configs config,dirs dir,\
    params param,args arg,vars var,msgs msg,errs err,apps app,dbs db,prs pr,apis api,urls url,ids id,uuids uuid,\
    vms vm,pods pod,certs cert,creds cred,admins admin,specs spec,refs ref,jobs job,flags flag,keys key,\
    owner own,owners own,owned own,owns own,ownership own,reviewer review,reviewers review,approver approve,\
    backups backup,rollouts rollout,rollbacks rollback";

macro_rules! classes {
    ($($name:ident = $bit:expr,)*) => {
        /// The lists a word stands in, looked up at once.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub(in crate::manage::statement) struct Class(u32);

        #[allow(non_upper_case_globals)]
        impl Class {
            $(pub(in crate::manage::statement) const $name: Class = Class(1 << $bit);)*
        }

        const LISTS: &[(&[&str], Class)] = &[$(($name, Class::$name)),*];
    };
}

classes! {
    EMPTY = 0, NEGATIONS = 1, FORBIDS = 2, PERMITS = 3, DUTIES = 4, FREES = 5, EXCEPTIONS = 6, ALL = 7, SOME = 8,
    NONE = 9, ONLY = 10, ALSO = 11, PAST = 12, CHANGES = 13, CAUSES = 14, REASONS = 15, CONDITIONS = 16,
    PREPOSITIONS = 17, PLACES = 18, BE = 19, AUXILIARIES = 20, USES = 21, PLACING = 22, AGAINST = 23, LACKS = 24, UNTIL = 25, OWN = 26, SHARED = 27, GONE = 28, REMOVALS = 29,
}

impl Class {
    pub(in crate::manage::statement) fn has(self, other: Class) -> bool {
        self.0 & other.0 != 0
    }

    /// What is left of its words' classes in a phrase that has a meaning of its own.
    pub(in crate::manage::statement) fn phrase(self) -> Class {
        Class(self.0 & !(Class::EMPTY.0 | Class::NEGATIONS.0 | Class::CONDITIONS.0 | Class::PREPOSITIONS.0))
    }

    /// Without the mark of a word that carries nothing.
    pub(in crate::manage::statement) fn content(self) -> Class {
        Class(self.0 & !Class::EMPTY.0)
    }

    pub(in crate::manage::statement) fn with(self, other: Class) -> Class {
        Class(self.0 | other.0)
    }
}

static CLASSES: LazyLock<HashMap<&'static str, Class>> = LazyLock::new(|| {
    let mut classes: HashMap<&'static str, Class> = HashMap::new();
    for (words, class) in LISTS {
        for word in *words {
            let entry = classes.entry(word).or_default();
            *entry = entry.with(*class);
        }
    }
    classes
});

/// The lists in which a word, or a phrase of two or three words, stands.
pub(in crate::manage::statement) fn class(lower: &str) -> Class {
    CLASSES.get(lower).copied().unwrap_or_default()
}

/// Stems of verbs, and of words that tell little.
static VERB_STEMS: LazyLock<HashSet<String>> = LazyLock::new(|| VERBS.iter().map(|verb| super::stem(verb)).collect());
static VERB_FORMS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| VERBS.iter().copied().collect());
static LIGHT_STEMS: LazyLock<HashSet<&'static str>> = LazyLock::new(|| LIGHT.iter().copied().collect());

pub(in crate::manage::statement) fn is_verb(stem: &str) -> bool {
    VERB_STEMS.contains(stem)
}

pub(in crate::manage::statement) fn is_bare_verb(lower: &str) -> bool {
    VERB_FORMS.contains(lower)
}

pub(in crate::manage::statement) fn is_light(stem: &str) -> bool {
    LIGHT_STEMS.contains(stem)
}

static FORMS: LazyLock<HashMap<&'static str, &'static str>> =
    LazyLock::new(|| IRREGULAR.split(',').filter_map(|pair| pair.trim().split_once(' ')).collect());

pub(super) fn irregular(lower: &str) -> Option<&'static str> {
    FORMS.get(lower).copied()
}
