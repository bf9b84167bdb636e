//! Words that deny one another, a line an axis: two sides, each a list of words that mean nearly the same there.
//!
//! General developers' English. Base forms: inflections are found by their stems. Permission and duty (`allow`,
//! `forbid`, `must`) are no axis, `stance` reads them.

pub(super) const OPPOSITES: &str = "
enable, activate, turn on, switch on, on, enabled, active, opt in, opted in | disable, deactivate, turn off, switch off, off, disabled, inactive, opt out, opted out, suppress, suspend
true, yes | false, no
add, insert, append, include, attach, introduce | remove, delete, drop, erase, omit, exclude, strip, detach, leave out, take out, discard, scrub, wipe, purge
create, make, construct, generate, provision | destroy, tear down, delete, deprovision, dismantle
keep, retain, preserve, persist, maintain, leave in place, remain, stay, survive | drop, discard, delete, remove, lose, throw away, purge, evict, prune, clean up, erase, get rid of, overwritten
start, begin, launch, boot, spin up, commence, kick off, open | stop, end, finish, terminate, halt, shut down, kill, cease, quit, close
open | closed, close, shut
increase, raise, grow, bump, rise, scale up, go up, climb, higher, boost, enlarge, extend, widen | decrease, lower, reduce, shrink, fall, scale down, go down, cut, lessen, shorten, narrow, drop
more, greater, larger, bigger, longer | less, fewer, smaller, shorter
fast, quick, rapid, speedy, faster | slow, sluggish, slower
sync, synchronous, synchronously, blocking, inline, in line, in the request | async, asynchronous, asynchronously, non blocking, background, in the background, queued, deferred
serial, sequential, serially, sequentially, one at a time, one after another, single threaded, one by one, in sequence | parallel, concurrent, concurrently, simultaneously, in parallel, multi threaded, at the same time, multithreaded
push | pull
read, reader | write, writer
read only, readonly, immutable, frozen, append only, write once, insert only, unchangeable | writable, read write, mutable, editable, updated in place, update in place, modifiable, mutated, changeable, in place
import | export
encode, serialize, marshal, pack, encrypt, compress, zip | decode, deserialize, unmarshal, unpack, decrypt, decompress, unzip
encrypted, ciphertext, tls, mtls, https, over tls | plaintext, unencrypted, plain text, cleartext, clear text, in the clear, plain http, http
upload, send, publish, emit, produce, dispatch, transmit, post | download, receive, subscribe, consume, fetch
public, publicly, open source, world readable, exposed, anonymous | private, privately, internal, closed source, restricted, confidential, proprietary
public, exported | private, unexported, hidden
internal, in house, inside | external, third party, outside
local, locally, on premise, on prem, on disk | remote, remotely, hosted, cloud
client, client side, browser, in the browser, frontend, on the client | server, server side, backend, on the server
manual, manually, by hand, hand written, handwritten | automatic, automatically, automated, auto, by a bot, automate, generated
static, statically, fixed, hard coded, hardcoded, compile time | dynamic, dynamically, variable, configurable, runtime, at runtime
compile time, build time, ahead of time, at build | run time, runtime, at runtime, just in time, on the fly
eager, eagerly, upfront, up front, immediately, at startup, on startup, preload, instantly, straight away, right away | lazy, lazily, on demand, on first use, later, deferred, at the end, postpone, delay
strict, strictly, strict mode, hard fail | lenient, loose, permissive, relaxed, tolerant, best effort, loosely
required, mandatory, compulsory, obligatory | optional, voluntary
nullable, null, optional | not null, non null, non nullable
single, sole, one, lone | multiple, several, many, various, both, multi
unique, distinct | duplicate, repeated
singular | plural
always, every time, invariably, constantly, in all cases | never, at no time, under no circumstances
often, frequently, usually, mostly, regularly | rarely, seldom, hardly, infrequently, occasionally
all, every, each, everything, everyone, everybody, whole, entire, any | none, nothing, nobody
shared, common, global, globally, centralised, centralized, central, in common | isolated, separate, separated, dedicated, own, per service, local, decentralised, decentralized, of its own, to itself, individual
together, bundled, combined, joint, monorepo, merged, single repository | separate, split, apart, polyrepo, multi repo, separately, own repository
monolith, monolithic | microservice, microservices
before, prior to, ahead of, beforehand, in advance, precede | after, afterwards, following, subsequently, behind, later, post
first, initially, up front, at the start | last, finally, lastly, at the end
earliest, oldest | latest, newest
early, earlier, sooner | late, later
old, legacy, outdated, previous, former, obsolete, deprecated, stale | up to date, new, modern, current, recent, fresh
up, upward | down, downward
above, over, exceed, beyond, more than, greater than | below, under, beneath, less than, fewer than
minimum, min, at least, lower bound, floor | maximum, max, at most, upper bound, ceiling, cap
top, head, beginning, prepend, prefix | bottom, tail, end, append, suffix
prefix, prefixed | suffix, suffixed, postfix
left | right
horizontal, horizontally, scale out | vertical, vertically, scale up
upstream | downstream
inbound, incoming, ingress | outbound, outgoing, egress
ascending, asc | descending, desc
success, succeed, pass, green, work, successful, go through | failure, fail, break, red, error, crash, broken, unsuccessful
accept, approve, admit, acknowledge, ack, confirm | reject, refuse, decline, deny, nack, turn down, dismiss, disapprove
connect, attach, link, join, mount, bind | disconnect, detach, unlink, leave, unmount, unbind
lock, locked, acquire | unlock, unlocked, release
stateful | stateless
online | offline
valid, correct, right, legal | invalid, incorrect, wrong, illegal
safe, secure, harmless | unsafe, insecure, dangerous, harmful, risky
stable, reliable, deterministic, steady, consistent | unstable, flaky, unreliable, nondeterministic, non deterministic, inconsistent, intermittent
sorted, ordered, in order, preserves order | unsorted, unordered, out of order, random, shuffled, arbitrary
signed | unsigned
typed, annotated | untyped, unannotated
case sensitive | case insensitive
uppercase, upper case, capital, capitalised, capitals, upper | lowercase, lower case, lower
linear, rebase, fast forward, squash | merge commit, merge bubble, nonlinear
trust, trusted | distrust, untrusted
wide, broad | narrow
deep | shallow
shallow clone | full clone, full history
full, complete, whole, entire, entirely, fully | partial, incomplete, partially, partly, incremental
empty, blank | full, filled, populated
cold | warm, hot
light, light theme, light mode, bright | dark, dark theme, dark mode
cheap, inexpensive | expensive, costly
simple, easy, trivial | complex, complicated, hard, difficult
small, tiny, short, brief, concise, terse, compact, little | large, big, long, verbose, lengthy, huge, detailed, extensive
quiet, silent, silently, silenced, mute, muted | loud, verbose, noisy, loudly
visible, show, shown, display, displayed, appear, reveal, see, open, access, view | hidden, hide, invisible, conceal, mask, masked, redact
backward compatible, backwards compatible, compatible | breaking, incompatible
idempotent, safe to repeat, safe to retry | duplicate rows, twice creates
transactional, atomic, atomically, in a transaction | nontransactional, non transactional, non atomic
blocking, blocks, mandatory | advisory, non blocking, informational, warning only
cached, cache, memoise, memoize | uncached, bypass the cache, no cache, no store
buffered | unbuffered
bounded, limited, capped, restricted | unbounded, unlimited, limitless, no limit, infinite
finite | infinite, endless
supported, support, maintained | unsupported, unmaintained, dropped, abandoned, end of life, discontinued
deployed, live, shipped, released, in production | undeployed, unreleased, retired, decommissioned, sunset, shut down, switched off, pulled
used, in use, use, rely on, adopt | unused, dead, abandon, retire, phase out, unneeded, obsolete
installed, install | uninstall, uninstalled
register, subscribe, sign up, enroll | unregister, unsubscribe, deregister
known, familiar | unknown, unfamiliar
documented | undocumented
tested, covered | untested, uncovered
reviewed | unreviewed
checked, verified, validated | unchecked, unverified, unvalidated
authenticated, bearer token, login, authentication, credentials | unauthenticated, anonymous, anonymously, without login
escape, escaped, sanitise, sanitized | raw, unescaped, verbatim
pinned, pin, exact version, locked, fixed version, lock | floating, unpinned, caret range, latest, range, loose version, tilde range
tabs, tab | spaces, space
single quotes | double quotes
vendored, vendor, checked in, committed, in git, commit, tracked, versioned | ignored, gitignored, untracked, not committed, git ignored, uncommitted
inherit, inheritance, extend, subclass | composition, compose, delegate, wrap
relative, relative path | absolute, absolute path
implicit, implicitly | explicit, explicitly
positive | negative
even | odd
inclusive, including, included | exclusive, excluding, excluded
forward, forwards | backward, backwards, reverse
producer, publisher, sender | consumer, subscriber, receiver
parent, caller, ancestor | child, callee, descendant
primary, master, leader, main node | replica, secondary, slave, follower, standby, read replica
active active, multi primary, both regions | active passive, single primary, one region, hot standby
strong consistency, strongly consistent | eventual consistency, eventually consistent
at least once | at most once
optimistic, optimistically | pessimistic, pessimistically
soft delete, soft deleted, deleted_at, tombstone | hard delete, physically deleted, hard deleted
fail fast, abort, bail out, throw, raise, crash, propagate | continue, carry on, swallow, ignore, keep going, tolerate, proceed, log and continue
ignore, skip, bypass, disregard, leave alone | handle, process, honour, honor, respect, heed, check, enforce, obey, perform
prefer, favour, favor, like, recommend, encourage, love | avoid, dislike, discourage, hate, shun, disfavour, disfavor, annoy
win, take precedence, override, prevail, last word | lose, yield, overridden
present, exist, available, reachable, provided, there is | absent, missing, unavailable, unreachable, gone, lacking, nonexistent
need, require, demand, depend on, necessitate | independent of, work without, do without
merge, combine, join, unify, consolidate, squash | split, separate, divide, break up
mock, fake, stub, faked, mocked, in memory | real, actual, genuine, live, real database, testcontainers
wrap, box | unwrap, unbox
normal, regular, ordinary, usual | special, exceptional, unusual
temporary, temporarily, short lived, ephemeral, transient, volatile | permanent, permanently, long lived, persistent, durable, forever, for good, indefinitely
overnight, at night | around the clock, day and night
enough, sufficient, suffice | insufficient, too few, too little
mono, monochrome | colour, color
denormalised, denormalized, denormalise | normalised, normalized, normalise
truncate, trim, cut off | pad, extend
freeze, frozen, locked | thaw, unfreeze, resume
pause, suspend | resume, continue
promote, upgrade, escalate | demote, downgrade
expand, unfold, grow | collapse, fold, contract
attached | standalone, detached
nested | flat
wrapper, abstraction | directly, raw, bare
direct, directly, straight | indirect, indirectly, via a proxy, through a proxy, behind a proxy, through a gateway, proxied
foreground | background
interactive, attended | non interactive, unattended, headless, batch
batch, in bulk, bulk, batched, batches | one by one, individually, per item, streaming, stream, real time, realtime, continuous, one at a time
best, good, fine, better, healthy | bad, worst, worse, poor, unhealthy
agree, approve of | disagree, object
remember, retain | forget
gain, win | lose
include, cover, contain, comprise, consist of | exclude, leave out, lack, omit
opaque | transparent
blacklist, denylist, blocklist | whitelist, allowlist
hot path | cold path
nullable columns | required columns
human, person, people, someone, maintainer, developer | bot, machine, robot, script, dependabot, renovate
squashed, squash merge | merge commits, unsquashed
self hosted, on premises, own hardware | managed, saas, hosted, vendor hosted
free, free of charge, gratis | paid, billed, charged
abstract, generic | concrete, specific
inline, inlined | extracted, out of line, separate file
colocated, beside, next to, alongside, co located | top level, separate folder, separate directory, under its own
lead, leading | trail, trailing
rounded up, round up, ceil | rounded down, round down, floor, truncated
half open | closed interval
zero based, zero indexed | one based, one indexed
little endian | big endian
depth first | breadth first
fifo, first in first out, queue | lifo, last in first out, stack
opt in, off by default, disabled by default | opt out, on by default, enabled by default
gzip, compressed, compress | uncompressed, raw
blessed, endorsed, official | unofficial, experimental, unsupported
";
