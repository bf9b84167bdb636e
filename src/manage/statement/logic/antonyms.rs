//! Words that cannot hold of the same thing at once, words that deny what stands beside them, and what is a kind of what.

/// `left words / right words`: each on the left excludes each on the right.
pub(super) const ANTONYMS: &str = "
enable activate on / disable deactivate off;
allow permit may can ok okay fine acceptable welcome tolerate accept / forbid prohibit ban disallow block deny reject mustnot refuse outlaw taboo unacceptable bar;
require need must mandatory necessary compulsory obligatory notnull / optional voluntary unnecessary nullable needless superfluous redundant;
require need must mandatory use recommend should encourage / forbid prohibit ban disallow avoid discourage mustnot deprecate;
use keep adopt support / avoid drop remove retire deprecate abandon ban forbid moveoff;
prefer favour favor recommend like love encourage want / avoid discourage dislike hate reject shun;
add include contain keep have insert introduce install create / remove delete drop exclude strip omit lack uninstall evict purge discard;
keep retain preserve store persist save / delete drop discard purge remove lose forget erase evict;
append appendonly immutable / update overwrite mutate modify edit delete;
immutable frozen constant readonly fixed static const / mutable changeable writable modify mutate dynamic variable editable;
readonly / writable write writeonly readwrite;
sync synchronous synchronously blocking inline / async asynchronous asynchronously nonblocking background outbox;
parallel concurrent concurrently simultaneously multithreaded / sequential serial sequentially serially singlethreaded;
single sole one only singlewriter singlethreaded singletenant exclusive / multiple several many both multithreaded multitenant shared various dozens concurrent;
shared share common joint global / own separate dedicated isolated individual private distinct;
public external open anonymous unauthenticated / private internal closed restricted protected authenticated;
encrypted encrypt tls mtls https / plaintext unencrypted plain cleartext http;
automatic automated auto automatically / manual manually hand; before / after;
first initial earliest / last final latest; early / late; begin start open / end finish stop close;
start launch boot / stop halt quit shutdown terminate;
always constantly invariably / never rarely seldom sometimes occasionally; often frequently / rarely seldom never;
all every each everybody everyone everything / none nobody nothing some few; all every / only;
everybody everyone all somebody / nobody none; maximum max atmost most upper / minimum min atleast least lower;
more greater / less fewer; over above exceed / under below; high higher upper / low lower;
increase raise grow expand bump / decrease reduce lower shrink cut; large big huge / small tiny little;
long longer verbose lengthy / short shorter brief concise terse; fast quick / slow; new fresh / old legacy stale;
temporary transient ephemeral volatile / permanent persistent durable; inmemory memory / ondisk disk;
pass succeed work green success / fail break crash red failure; works / broken;
safe secure / unsafe insecure dangerous; valid / invalid expired; stable / unstable flaky beta experimental;
true yes / false no; positive / negative; present exist available / absent missing unavailable;
alive live active / dead inactive retired; active activeactive / passive activepassive;
strict strictly / lenient loose relaxed; static statically / dynamic dynamically; compile compiled / interpreted;
eager eagerly / lazy lazily; push / pull poll; merge mergecommit / rebase squash fastforward; squash / mergecommit;
linear / mergecommit; ascending asc / descending desc; left / right; top / bottom; up / down;
inside within / outside; local locally / remote; local / global; client clientside browser / server serverside;
relative / absolute; explicit explicitly / implicit implicitly; full complete entire / partial partially incomplete;
exact precise / approximate rough; same identical equal / different distinct other; unique / duplicate repeated;
idempotent / duplicate; ordered / unordered; sorted / unsorted; signed / unsigned; nullable / notnull;
known / unknown; uppercase / lowercase; casesensitive / caseinsensitive; dark / light;
hide hidden invisible / show visible display; hard / soft; wide / narrow; deep / shallow; flat / nested;
open / close; lock freeze / unlock thaw unfreeze; cached cache / uncached fresh; compressed / uncompressed;
buffered / unbuffered; bounded limited / unbounded unlimited infinite; limited limit / unlimited;
stateful / stateless; monolith monolithic / microservice; monorepo / multirepo polyrepo;
centralized / distributed decentralized; horizontal horizontally / vertical vertically; online / offline;
wired / wireless; paid / free; accept / reject decline refuse; approve / reject;
opensource / proprietary closedsource; optin / optout; subscribe / unsubscribe; install / uninstall; mount / unmount;
import / export; encode / decode; serialize / deserialize; upload / download; upgrade / downgrade;
commit / rollback revert; connect / disconnect; attach / detach; acquire / release; inherit extend / compose;
composition / inheritance; tab / space; single / double; even / odd; weekday / weekend; day / night;
daily / weekly monthly hourly yearly quarterly; hourly / weekly monthly; weekly / monthly quarterly;
nightly / weekly hourly; realtime streaming stream / batch nightly; ondemand / scheduled; push / poll;
strong strongly / weak weakly eventual eventually; tight tightly / loose loosely; pessimistic / optimistic;
frozen / thawed; mock mocked fake faked stub / real actual; production / staging;
leader primary master / follower replica secondary standby; blocking / nonblocking; mergeable / blocked;
lossless / lossy; pinned pin exact / floating range unpinned latest; vendored vendor / registry;
trunkbased / gitflow; default / optional opt optin; enabled / optout; inplace / copy;
normalize normalized / denormalize denormalized;
finished done complete ready / pending unfinished ongoing incomplete; resolved fixed closed / open unresolved;
supported support / unsupported; maintained / abandoned unmaintained; deprecated / recommended supported;
responsible / irresponsible; succeed / fail; agree / disagree; trust / distrust; like love / dislike hate;
sufficient enough suffice / insufficient; necessary / unnecessary; possible / impossible; able can / unable cannot;
legal / illegal; clean / dirty; empty / full nonempty; blank / filled; zero none no / nonzero any some;
visible / hidden; reachable / unreachable; used / unused; tested / untested; typed / untyped;
authenticated / unauthenticated anonymous; logged / unlogged; reuse / recreate fresh; retry / fail giveup;
continue resume proceed / stop abort pause halt; wait / proceed; tolerate / fail;
ignore skip swallow / handle process raise report; silent silently quiet / loud verbose warn; soft / strict;
host hosted / selfhosted; cloud saas / onprem onpremise selfhosted; managed / selfhosted unmanaged; central / local;
inline / separate external; embed embedded / standalone separate external; bundled / separate;
beside colocated / separate toplevel; generate generated / handwritten manual
";

/// Words that deny what stands beside them in their clause, besides `not` and `no`.
pub(super) const DENYING: &str = "
forbid prohibit ban disallow outlaw mustnot avoid discourage refuse prevent disable deactivate moveoff cease
lack unused obsolete unnecessary unneeded needless redundant superfluous dislike hate impossible unable unavailable unsupported
taboo skip omit bypass block reject deny absent missing dead gone free-of against
";

/// Words that deny only once it is done: what was dropped is no more, what is dropped every night is.
pub(super) const REMOVING: &str = "
remove drop delete eliminate retire decommission abandon deprecate stop quit discontinue withdraw cancel kill ditch scrap uninstall
revoke purge strip kick lift close shut
";

/// What a word is a kind of: `kind: words`.
pub(super) const KINDS: &str = "
database: postgres mysql mariadb sqlite oracle mssql mongodb dynamodb cassandra cockroachdb redis clickhouse bigquery snowflake redshift duckdb;
cache: redis memcached varnish; queue: kafka rabbitmq sqs nats pulsar kinesis pubsub activemq;
browser: chrome firefox safari edge ie11 opera webkit; cloud: aws gcp azure hetzner digitalocean;
language: rust go python java kotlin typescript javascript ruby php scala elixir zig swift;
framework: react vue angular svelte django flask fastapi spring rails laravel express nextjs;
linter: eslint ruff flake8 pylint clippy golangci rubocop biome checkstyle ktlint;
formatter: prettier black rustfmt gofmt ruff biome;
ci: githubactions circleci jenkins gitlabci travisci buildkite drone teamcity;
test: unittest integrationtest e2e smoke; dependency: lodash; environment: production staging development;
os: linux macos windows; token: jwt; test: jest vitest mocha pytest junit; chat: slack teams discord;
credential: password token secret key; person: user customer employee developer;
number: port timeout limit threshold; device: phone laptop tablet; service: backend api server;
client: browser mobile app; file: log readme config; dwh: snowflake bigquery redshift;
store: database cache objectstore; log: access audit; document: readme changelog runbook;
rule: convention policy guideline
";
