//! The closed classes of English a reading needs: function words, what opens a clause, what denies, how much is meant.

/// Never aligned by themselves; some of them are read as cues.
pub(super) const FUNCTION: &str = "
a an the this that these those it its they them their he she his her him we us our you your i my me one ones there here
be have do will would shall should could might must may can cannot mustnot get let
of to in on at for by with from into onto upon about as via through over under within inside outside between among across per
and or but nor so yet if when whenever while where wherever which who whom whose what why how because since although though
until till unless once before after during without against toward towards along around beyond
not no never nolonger none nobody nothing neither nor insteadof infavourof except anymore
also too just even still already only very much quite rather simply please own such same other another else
now then first later afterwards therefore hence thus however otherwise moreover meanwhile
all every each any some both either several many most few more less least enough
atleast atmost onlyif suchas etc that's yes ever anyway again soon always sometimes usually often
up down out off away back apart together well like than up-to everything everybody everyone anybody anyone anything
formerly currently today recently instead movefrom moveto replacedby moveoff default naturally second third
";

pub(super) const AUXILIARY: &[&str] = &[
    "be", "must", "should", "may", "can", "will", "would", "shall", "could", "might", "cannot", "mustnot", "have", "do",
];

/// What can be the verb of a clause; the rest is found by its ending.
pub(super) const VERBS: &str = "
use run live base return need require keep store send build make write take come leave lose find give choose sit stand put set
add remove delete drop create update change move migrate convert replace rename merge rebase squash deploy release publish
ship push pull fetch load read save persist cache log print show display hide render serve host handle process validate check
verify test lint format compile start stop begin end finish open close enable disable allow forbid ban permit prohibit accept
reject refuse deny block avoid prefer recommend support include contain exclude cover depend import export call invoke request
respond answer reply emit fire trigger raise throw catch retry wait poll listen bind connect expire evict invalidate rotate
encrypt sign hash authenticate authorize login logout approve review assign own maintain belong go work fail pass break crash
happen occur cause lead mean define declare specify configure name call mark tag annotate document describe explain generate
parse serialize deserialize encode decode compress sort order filter search index query join split partition shard replicate
backup restore recover schedule plan trigger track monitor alert page escalate notify report measure limit throttle cap
exceed reach hit pay charge bill sell buy order cost count sum round truncate pad wrap inject inherit extend implement
mock stub fake assert expect skip ignore omit discard retain pin bump upgrade downgrade install uninstall ensure guarantee
enforce share separate isolate group combine consume produce subscribe stream batch flush commit roll revert rollback
terminate proxy route forward redirect expose mount copy clone sync synchronize fall gain grow shrink increase decrease reduce
switch adopt decide pick say tell ask want like dislike hate follow precede arrive enter get have do be stay remain hold carry
receive deliver apply execute manage provision rebuild redeploy refresh reset clear purge archive rely suffice last
resolve evaluate compute calculate normalize sanitize escape quarantine freeze close wait hand respect mirror tolerate
deprecate retire prevent protect restrict indent capitalize prefix suffix quote translate localize sample trace
provide supply offer see view look attach detach link talk speak point target back power drive feed fill empty hold
override overwrite trap clip drift crop fuzz tick scale carry shift rotate spell stem trim strip shape sketch draft cut paste type scan probe ping
balance distribute allocate free acquire lock unlock signal spawn fork exec kill reap yield block unblock park wake sleep loop iterate recurse
branch tag cherry-pick stash amend bisect blame vendor bundle minify tree-shake transpile polyfill hydrate mutate dispatch reduce memoize debounce
authenticate impersonate grant revoke deny audit redact mask obfuscate anonymize tokenize seal verify attest certify license
insert upsert select aggregate project denormalize vacuum analyze explain warm prewarm prefetch preload precompute materialize
predict train infer score rank label annotate sample split fit tune evaluate regularize
page wake triage investigate diagnose debug profile benchmark measure monitor observe instrument
invoice refund bill charge settle reconcile credit debit price discount quote bid reserve book ship pack deliver return restock
meet discuss agree disagree vote moderate present attend join host invite announce rotate onboard hire interview promote
translate localize abbreviate capitalize hyphenate indent align justify nest flatten inline extract rename
connect disconnect attach detach mount unmount plug unplug boot reboot flash brick charge drain power
arrive leave depart enter exit appear disappear vanish emerge surface
belong pertain apply relate refer concern regard involve affect influence impact
demand insist advise suggest urge encourage discourage warn caution
look seem sound feel taste smell
bounce suppress throttle drop forward relay route resolve peer advertise announce
speak talk understand know learn teach remember forget recall
treat regard consider deem judge assume presume suppose believe think
win beat outweigh outrank trump precede succeed follow lead trail
save spare waste spend consume burn cost
grow shrink expand contract stretch compress inflate deflate
protect guard shield defend secure harden
contact consult inform brief update remind notify
check inspect examine survey review revise proofread
gather collect harvest scrape crawl index catalog
serve cater supply furnish equip
lead drive steer guide direct command control govern
fall rise climb drop sink float hover
touch press click tap swipe drag drop scroll hover focus blur
round floor ceil clamp cap limit bound
explode implode crash hang freeze stall
differ vary deviate diverge converge match mismatch equal
own possess have hold lack
reuse recycle share pool multiplex
pick choose select elect prefer favor
sit stand lie lean hang
sign countersign approve authorize ratify
bypass exempt waive excuse restart launch boot pause resume abort cancel introduce leverage employ moveoff
";

/// Content words that say little.
pub(super) const COMMON: &str = "
use run need require go make get keep take put set do have come give work happen allow may must should can want let
service project code system app application thing way case part kind sort work stuff lot bit point place time day week month year
new old good bad big small main whole general certain current several different common usual possible
file line team user people person developer data value number name type set list item change update default
add create handle support include provide serve start stop live write read call return send store
test build run deploy release repository version config
";

/// Names of tools that are ordinary words too: names only where they are written as one.
pub(super) const AMBIGUOUS: &str = "
less standard make just log split linear notion vault vector solid render fly fetch got express ping session cookie basic
record tape harness drone prefect click spring flux tracing failure field setter constructor static system relay echo fiber rocket
warp tide poem go rust swift perl c black click helm chef puppet salt shortcut segment page wiki teams fish sh node spark plain
trace debug info warn error low medium high critical draft active archived serial integer strong eventual sync async soft hard
optimistic pessimistic canary rolling recreate cursor offset single double tab space unix epoch may march ember lit rush just nose
ant buck pants hydra consul nomad swarm flask bottle temporal ninja compass atlas goose snowflake aurora oracle scratch system
daily weekly monthly quarterly hourly nightly yearly biweekly red green blue yellow white orange purple dark light rest chi hapi
chroma faiss tempo parcel conda hatch poetry volta mise drizzle ent pony moment luxon standard composition reactor apollo artillery
";

pub(super) const NEGATORS: &[&str] =
    &["not", "no", "never", "nolonger", "none", "nobody", "nothing", "neither", "nor", "cannot", "mustnot"];

/// Deny only what follows them, up to the next pause or preposition.
pub(super) const LOCAL_NEGATORS: &[&str] = &["insteadof", "without", "unlike", "except", "formerly", "downfrom"];

pub(super) const UNIVERSAL: &[&str] = &[
    "all",
    "every",
    "each",
    "always",
    "any",
    "everything",
    "everybody",
    "everyone",
    "both",
    "entire",
    "everywhere",
    "anyone",
    "whole",
    "entirely",
];
pub(super) const NOTHING: &[&str] = &["never", "none", "nobody", "nothing", "no", "neither"];
pub(super) const SOME: &[&str] = &[
    "some",
    "several",
    "few",
    "certain",
    "sometimes",
    "occasionally",
    "namely",
    "various",
    "partly",
    "may",
    "most",
    "usually",
];
pub(super) const ONLY: &[&str] =
    &["only", "solely", "exclusively", "sole", "single", "exactly", "just", "alone", "singlewriter"];
pub(super) const MANY: &[&str] = &[
    "several",
    "multiple",
    "many",
    "both",
    "various",
    "concurrently",
    "shared",
    "together",
    "too",
    "also",
    "followers",
];

/// Who does it or answers for it: there is one at a time.
pub(super) const OWNERSHIP: &[&str] = &[
    "own",
    "owner",
    "responsible",
    "maintain",
    "maintainer",
    "lead",
    "escalate",
    "contact",
    "responsibility",
    "duty",
    "decide",
    "approve",
    "incharge",
    "charge",
    "assign",
    "handle",
    "run",
];

/// One is taken out of a rule.
pub(super) const EXCEPTION: &[&str] = &[
    "except",
    "exempt",
    "exclude",
    "exception",
    "exemption",
    "waive",
    "unless",
    "bar",
    "deviate",
    "exclusion",
    "excuse",
    "unaffected",
    "regardless",
    "elsewhere",
];

pub(super) const CONDITION: &[&str] =
    &["if", "when", "whenever", "unless", "while", "onlyif", "where", "wherever", "until", "till"];
/// Open a clause wherever they stand.
pub(super) const OPENING: &[&str] =
    &["because", "but", "which", "although", "though", "so", "before", "after", "once", "then", "precede"];
pub(super) const REASON: &[&str] =
    &["because", "since", "so", "which", "as", "although", "though", "who", "whose", "thus", "hence"];
pub(super) const SCOPE_PREPOSITION: &[&str] = &[
    "in", "on", "for", "at", "during", "under", "within", "inside", "across", "among", "per", "between", "outside",
    "beside",
];
pub(super) const OTHER_PREPOSITION: &[&str] = &[
    "of",
    "to",
    "by",
    "with",
    "from",
    "into",
    "onto",
    "via",
    "through",
    "as",
    "over",
    "against",
    "about",
    "without",
    "insteadof",
    "than",
];

/// The later statement says itself that it replaces something.
pub(super) const REPLACING: &[&str] = &[
    "nolonger",
    "now",
    "anymore",
    "moveoff",
    "movefrom",
    "moveto",
    "replacedby",
    "infavourof",
    "formerly",
    "switch",
    "migrate",
    "deprecate",
    "retire",
    "replace",
    "supersede",
    "gone",
    "longer",
    "abandon",
    "ditch",
    "drop",
    "instead",
    "decommission",
];

pub(super) const PAST: &[&str] =
    &["yesterday", "ago", "originally", "initially", "formerly", "last", "earlier", "previously", "incident", "outage"];
pub(super) const PLANNED: &[&str] = &[
    "will",
    "plan",
    "schedule",
    "planned",
    "scheduled",
    "next",
    "upcoming",
    "soon",
    "eventually",
    "postpone",
    "roadmap",
];
pub(super) const TROUBLE: &[&str] = &[
    "fail",
    "error",
    "crash",
    "leak",
    "outage",
    "bug",
    "cause",
    "slow",
    "exception",
    "deadlock",
    "mismatch",
    "flaky",
    "break",
    "panic",
    "stall",
    "spike",
    "hang",
    "incident",
    "regression",
    "corrupt",
    "exhaust",
    "oom",
];
pub(super) const CURE: &[&str] = &[
    "fix",
    "cure",
    "solve",
    "resolve",
    "workaround",
    "patch",
    "repair",
    "mitigate",
    "help",
    "bring",
    "prevent",
    "avoid",
    "since",
    "nolonger",
    "add",
    "raise",
];

pub(super) const EARLY_CUE: &[&str] =
    &["first", "start", "begin", "beginning", "initially", "beforehand", "precede", "upfront"];
pub(super) const LATE_CUE: &[&str] =
    &["then", "later", "afterwards", "follow", "last", "finally", "subsequently", "next", "end", "eventually"];
