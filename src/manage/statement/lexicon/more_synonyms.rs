//! More words for the same thing: products, people, time and the small words of rules.

pub(super) const MORE_SYNONYMS: &str = "
concurrent, parallel, simultaneous, at the same time
sequential, serial, one after another, one at a time
transaction, unit of work
backup, back up, dump, snapshot
restore, recover, recovery
replicate, sync, mirror, copy, replication
import, load, ingest, ingestion
export, dump, extract
parse, decode, read, parsing
serialise, serialize, encode, marshal, wire format
compile, build, compilation
bundle, package, pack
install, set up, setup
uninstall, remove
configure, set, set up, tune
enable, activate, turn on, switch on
disable, deactivate, turn off, switch off
feature flag, flag, toggle, feature toggle, switch
experiment, a b test
script, tool
command, cli command
cli, command line, terminal
shell, bash, terminal
editor, ide
line, row
column, character, char
width, line length, columns
indent, indentation, indented
whitespace, blank
comment, remark, annotation
docstring, doc comment
type hint, annotation, type annotation, type hints, typing
readme, landing page
changelog, release notes, change log
guide, tutorial, how to, manual
diagram, chart
version, release
major, breaking
deprecated, obsolete, phased out, on its way out, superseded
legacy, old, outdated
new, fresh, recent
stale, outdated, expired
broken, failing, red
green, passing, successful
fail, break, crash, go wrong
pass, succeed, work, go through
leak, escape
crash, panic, abort, die
hang, freeze, stall, block
oom, out of memory
memory leak, leak
root cause, cause, reason, culprit, caused by, come from
workaround, mitigation
vendor, supplier, third party, external provider
third party, external
internal, in house
public, external
region, data centre, datacenter, data center
cdn, edge
proxy, gateway
load balancer, lb, elb, alb
ingress, entry point
dns, name resolution
vpn, tunnel
firewall, security group
bastion, jump host
ssh, remote shell
tls, ssl, https, encrypted
plaintext, unencrypted, cleartext
port, tcp port
socket, connection
dsn, connection string, database url, database connection
url, uri, address, link, location
domain, hostname
bucket, object store
blob, binary
file, document
path, location
root, top level
monorepo, single repository, one repository
submodule, subproject
workspace, project
project, repo
legal, legal department, lawyers
security team, security
finance, accounting
qa, testers, quality assurance
sre, operations, ops, reliability
support, help desk, customer service
designer, design team
manager, boss
contractor, freelancer
intern, junior
meeting, call
standup, daily
retro, retrospective
sprint, iteration
estimate, guess
priority, urgency
money, currency, amount, price
invoice, bill
payment, charge
refund, repayment
subscription, plan
discount, coupon, voucher, rebate
tax, vat
order, purchase
cart, basket
checkout, payment page
shop, store, storefront
product, item, article
stock, inventory
price, cost
free, gratis
bestseller, top selling item, best selling
recommend, suggest, recommendation
search, lookup, find
filter, narrow
sort, order
rank, score
page size, items per page
pagination, paging, paginate
upload, submit
download, fetch
attach, add, append
compress, zip, gzip
extract, unzip
rename, call differently
copy, duplicate, clone
move, relocate, transfer
split, divide, break up
join, combine, merge
wrap, enclose
nest, embed
inherit, extend, subclass, derive
implement, realise, realize
override, overwrite
inject, pass in
mutable, changeable
immutable, frozen, unchangeable, read only, constant
unsafe, dangerous
safe, secure
lazy, on demand
eager, upfront
sync, synchronous
async, asynchronous, in the background
manual, by hand, manually
automatic, by itself, automatically, automated, kick in
explicit, spelled out
implicit, hidden
strict, rigorous
verbose, wordy, long winded, long
brief, short, concise, terse
explain, explanation, describe
answer, reply, response
ask, request, inquire
wait, hold off, pause
notify, inform, tell, let know
report, announce
document, write down, describe
decide, determine
agree, consent
clearance, permission, approval, consent
exempt, excluded, excepted, waived
quarantine, isolate
spot, notice, detect, discover, find
monitor, watch, observe
measure, benchmark, profile
dominate, burn most, take most
restrict, limit, constrain
throttle, rate limit, rate limiting, limit
reject, refuse, decline, turn away
block, prevent, stop
redact, scrub, mask, anonymise, anonymize, strip
pii, personal data, customer data
gdpr, privacy
audit, trail
compliance, regulation
licence, license, licensing
copyright, header
open source, oss
proprietary, closed source
fork, copy
contribute, contribution
author, writer, creator
reviewer, approver
browser, web browser
phone, mobile, smartphone
desktop, pc
tablet, ipad
theme, colour scheme, color scheme
dark mode, dark theme
light mode, light theme
font, typeface
icon, symbol
locale, language
timezone, time zone
utc, gmt
weekday, working day, business day
weekend, saturday and sunday
holiday, vacation
midnight, end of day
noon, midday
tuple, pair
hook, callback
middleware, interceptor
handler, controller
router, routing
entity, model
migration, schema change
seed, initial data
orm, object relational mapper
view, projection
stored procedure, database function
trigger, database trigger
constraint, check
nullable, optional, may be null
sequence, counter
snapshot, point in time
consumer group, group
offset, position
partition, shard
dead letter queue, dlq, dead letter
idempotent, safe to repeat
consistent, in sync
healthcheck, health check, liveness probe, readiness probe
probe, check
autoscale, scale automatically, hpa
scale, grow
replicas, instances, copies
sidecar, companion container
helm chart, chart
manifest, descriptor
secret manager, vault
policy, rule
role, permission group
service account, machine user, bot user
keep, stick to, stay with
limit, restrict, cap
exceed, go over, surpass, go beyond, longer than, more than
within, inside, under, in less than
roughly, about, approximately, around, circa
exactly, precisely
at least, minimum, or more
at most, up to, maximum, or fewer, or less
per, for each, for every
via, through, by way of, using, by means of
without, lacking, minus, free of
except, apart from, other than, excluding, save for, besides, but for
instead of, rather than, in place of, in lieu of
unless, except when, if not
whenever, each time, every time
until, up to, till
while, as long as
along with, together with, as well as
external, foreign
unknown, unrecognised, unrecognized
silently, quietly
reserve, allocate
dimension, size
column, field
customer, client
permission, right, access
cover, include, span
wheel, python package
crate, rust package
gem, ruby package
jar, java archive
";
