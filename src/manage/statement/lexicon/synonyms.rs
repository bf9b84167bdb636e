//! Words developers use for the same thing, a line a meaning. Base forms, abbreviations first where there are any.

pub(super) const SYNONYMS: &str = "
db, database, datastore
k8s, kubernetes
repo, repository, repositories
config, configuration, cfg, setting, settings, conf, preference
env, environment, envs
env var, environment variable, env vars
dir, directory, folder, directories
pr, pull request, merge request, mr, change request, prs
ci, pipeline, build server, continuous integration, build pipeline
prod, production, live
dev, development
dev, developer, engineer, programmer
app, application
auth, authentication, login, authenticate, log in, sign in, signin, logon
authz, authorization, authorisation, permission, access right, privilege
mfa, 2fa, second factor, two factor, multi factor, two factor authentication
docs, documentation, doc, document, documents
lib, library
dep, dependency, deps, dependencies
pkg, package
func, function, fn, method, routine, procedure
param, parameter, argument, arg, params, args
var, variable
attr, attribute, property, prop, field, member
msg, message
err, error, failure, fault
exception, error
req, request
resp, response, reply, answer
svc, service
perf, performance
max, maximum, upper limit, upper bound, cap, ceiling, limit
min, minimum, lower limit, lower bound
avg, average, mean
num, number, count, amount
qty, quantity
temp, temporary, tmp
admin, administrator
org, organization, organisation
spec, specification
impl, implementation
ref, reference
info, information
stat, statistic, metric, measurement
util, utility, helper
gen, generate, produce, create, emit, build
regex, regular expression, regexp
ui, user interface, frontend, front end, fe
backend, back end, server side, be
fe, frontend
cert, certificate
cred, credential, credentials, secret, secrets
pw, password, passphrase
tx, transaction, txn
conn, connection
ts, typescript
js, javascript
py, python
pg, postgres, postgresql
gha, github actions
tf, terraform
es, elasticsearch
mq, message queue
queue, broker
ns, namespace
vm, virtual machine
os, operating system
fs, filesystem, file system
cpu, processor, core
mem, memory, ram, heap
dwh, data warehouse, warehouse
bff, backend for frontend
eod, end of day, end of each day
eta, deadline
sla, service level
rpo, data loss
rto, restore time, restored
lgtm, approval, approve, sign off, thumbs up, signoff
poc, prototype, spike
i18n, internationalisation, internationalization, translation, localisation, localization, l10n
a11y, accessibility
o11y, observability, monitoring
ttl, time to live, expiry, lifetime, expire, lifespan, retention, valid for
latency, response time, delay
throughput, rate, requests per second, rps, qps
timeout, time out, time limit, deadline, give up after
retry, retries, attempt, try again, redeliver, repeat, attempts
backoff, wait between
rollback, roll back, revert, undo, back out
rollout, roll out, deploy, deployment, release, ship, go live, deploys, launch
deploy, deployment, deploys
hotfix, emergency fix, urgent fix
patch, fix, bugfix, bug fix, repair, correct, cure, resolve
bug, defect, issue, fault, problem
ticket, issue, story, jira ticket
task, job, work item
upgrade, update, bump, move up
migrate, migration, move, switch, port, convert, transition
remove, delete, drop, erase, get rid of, strip, scrub, purge, take out, eliminate
add, append, introduce, insert
use, utilise, utilize, employ, rely on, adopt, go with, be based on, powered by, work with, done with, make use of, built on, built with, by means of
choose, pick, select, opt for
run, execute, perform, carry out, invoke, launch
call, invoke, trigger, hit
start, begin, launch, boot, kick off, commence
stop, halt, terminate, end, cease, quit
finish, complete, done, conclude
live, reside, sit, located, stored, kept, placed, found, stay, belong, is in, housed, be in
store, keep, save, persist, hold, record, put, retain
write, author, compose
send, deliver, dispatch, transmit, forward, go out, post, mail out
receive, get, obtain, take in, accept
fetch, retrieve, get, load, pull, query
show, display, render, present, appear, see
hide, conceal, mask
check, verify, validate, validation, ensure, confirm, test, make sure
require, need, must have, demand, necessitate, call for, insist
allow, permit, let, accept, fine, ok, okay, tolerate, acceptable
forbid, ban, prohibit, disallow, off limits, bar
avoid, shun, refrain from, steer clear of, stay away from, discourage
prefer, favour, favor, rather, would rather
ignore, skip, disregard, bypass, leave alone, omit
handle, process, deal with, take care of, treat
return, respond, answer, reply, yield, give back, respond with
throw, raise, surface
catch, rescue, trap
name, call, title, label, titled, named
listen, bind, be served, serve
expose, publish, offer, provide
consume, read, subscribe
produce, publish, emit
change, modify, alter, edit, touch, update, mutate, adjust
improve, optimise, optimize, enhance
replace, substitute, swap, supersede, exchange
own, responsible for, in charge of, look after, maintain, owned by, belong to, owner, take care of
maintain, maintenance, upkeep, support
review, code review, approval, inspect
merge, land, integrate, get in
approve, accept, sign off
squash, collapse
branch, feature branch
commit, check in, changeset, revision
push, publish
trunk, main, mainline, main branch, default branch
history, log
tag, release tag
binary, executable, program
artifact, artefact, build output
image, container image, docker image
container, pod
node, machine, host, server, box, instance
cluster, fleet
replica, copy, follower
primary, leader, master
shard, partition
index, indexing
schema, table structure
table, relation
row, record, entry, tuple, item, element, line
column, field
key, identifier, id
pk, primary key
fk, foreign key
enum, enumeration
struct, structure, record
class, type
interface, trait, protocol
module, component, unit
endpoint, route, url, path, api call, handler
api, interface
client, consumer, caller
user, customer, person, visitor, account, client
staff, employee, colleague
tenant, customer, organisation, workspace
team, group, squad, crew
lead, leader, head
everyone, everybody, all, anyone, anybody
nobody, none
page, screen, view
form, dialog
button, control
modal, dialog, popup, overlay
toast, notification, banner
email, mail, e mail
notification, alert, alarm, warning
alert, page, alarm, pager
incident, outage, downtime, disruption
on call, pager, pagerduty rotation, rotation, primary on call
log, logging, logger, log line
print, output, println, stdout
debug, troubleshoot, diagnose
test, spec, check
suite, test suite
flaky, unstable, unreliable, intermittent
mock, fake, stub, test double
fixture, test data, sample data
coverage, line coverage, test coverage
lint, linter, linting, static analysis
format, formatter, formatting
style, convention, guideline
rule, policy, requirement, mandate, regulation
exception, exemption, exclusion, carve out
threshold, limit, cutoff
quota, limit
size, length, dimension
big, large, huge
small, little, tiny
quick, fast, rapid
slow, sluggish
begin, start, open
first, initial, earliest
last, final, latest
before, prior to, ahead of, beforehand, in advance of, until
after, once, following, as soon as, afterwards, subsequently
during, while, throughout
always, every time, in all cases, invariably
never, at no point, under no circumstances, at no time
only, solely, exclusively, just, purely, sole
all, every, each, whole, entire, any
both, two
several, multiple, many, various, a number of, a few
most, majority, mainly, mostly
some, a few, certain, selected
same, identical, equal
different, distinct, separate
own, dedicated, separate, private
shared, common, joint
default, by default, out of the box, unless configured otherwise
mandatory, required, compulsory, obligatory, necessary
optional, voluntary
important, crucial, critical, essential
currently, now, at present, at the moment, today
formerly, previously, in the past, once
because, since, as, due to, owing to
so, therefore, thus, hence
dictionary, map, hash map, dict
list, array, vector, sequence
string, text
integer, int, whole number
boolean, bool, flag
null, nil, none, undefined
float, double, floating point
date, timestamp, datetime, time
uuid, guid
hash, digest, checksum
encrypt, cipher, encryption
sign, signature, signed
token, access token
session, login session
cookie, session cookie
header, http header
payload, body, request body
query, search
param, query parameter
cache, caching, cached
evict, invalidate, flush, expire, purge, clear
buffer, queue
thread, worker
process, worker, daemon
daemon, background service, agent
cron, scheduled job, scheduled task, nightly job
schedule, plan
batch, chunk, bulk
stream, streaming
event, message
topic, channel
subscribe, listen
lock, mutex
";
