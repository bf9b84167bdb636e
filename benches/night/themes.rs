//! What a made-up team works on: forty themes, each with its goals in several words, its files, its command and the
//! error everybody runs into there.

pub(crate) struct Theme {
    pub(crate) area: &'static str,
    /// One thing, in several words.
    pub(crate) things: Vec<&'static str>,
    pub(crate) files: Vec<&'static str>,
    pub(crate) command: &'static str,
    pub(crate) error: &'static str,
    pub(crate) message: &'static str,
    pub(crate) resolution: &'static str,
}

/// Area; thing; files; command; error; message; resolution.
const TOLD: &str = "\
auth; login session, sign-in session, user session; src/auth/session.rs, src/auth/token.rs, src/auth/mod.rs; cargo test -p auth; TimeoutError; session store did not answer within {n} ms; raise the pool size and reuse the connection
auth; password reset mail, reset link, forgotten-password mail; src/auth/reset.rs, src/mail/reset.rs; cargo test -p auth reset; ExpiredToken; reset token {n} has expired; compare expiry in UTC
auth; refresh token rotation, rotating refresh tokens, token renewal; src/auth/refresh.rs, src/auth/token.rs; cargo test -p auth refresh; ReuseDetected; refresh token {n} was used twice; revoke the whole family of tokens
billing; invoice rounding, rounding on invoices, invoice totals; src/billing/invoice.rs, src/billing/money.rs; cargo test -p billing; AssertionError; expected {n}.00 but got {n}.01; keep amounts in cents as integers
billing; card refunds, refunds to cards, refunding a card; src/billing/refund.rs, src/billing/ledger.rs; cargo test -p billing refund; DuplicateEntry; refund {n} is already booked; send an idempotency key
billing; subscription renewal, renewing subscriptions, renewal of plans; src/billing/renew.rs, src/jobs/renew.rs; cargo test -p billing renew; ClockSkew; period {n} ends before it begins; take the period from the plan and not from the clock
search; search ranking, order of search results, relevance of hits; src/search/rank.rs, src/search/score.rs; cargo test -p search; IndexOutOfBounds; index {n} is out of bounds of the postings; check the length of the posting list first
search; index rebuild, rebuilding the index, reindexing; src/search/build.rs, src/search/segment.rs; cargo test -p search build; LockBusy; segment {n} is locked by another writer; let one writer own the index
search; query parser, parsing of queries, search syntax; src/search/query.rs, src/search/lexer.rs; cargo test -p search query; ParseError; unexpected quote at column {n}; treat an unbalanced quote as a letter
api; pagination of lists, paging through lists, list cursors; src/api/page.rs, src/api/cursor.rs; npm test -- page; TypeError; cursor {n} is undefined; return null as the last cursor
api; rate limiting, request throttling, limits on requests; src/api/limit.ts, src/api/middleware.ts; npm test -- limit; TooManyRequests; bucket {n} is empty; key the bucket by account and not by address
api; error responses, shape of errors, problem documents; src/api/errors.ts, src/api/problem.ts; npm test -- errors; SchemaError; response {n} does not match problem.json; send the content type with it
api; upload of attachments, attachment uploads, file uploads; src/api/upload.ts, src/storage/blob.ts; npm test -- upload; PayloadTooLarge; body of {n} bytes exceeds the limit; stream the body to the store in parts
web; dark mode, dark theme, colours at night; web/theme.ts, web/style.css; npm run test:web; HydrationError; server rendered class theme-{n} differs; read the theme from the cookie before rendering
web; checkout form, form at the checkout, checkout page; web/checkout.tsx, web/form.tsx; npm run test:web -- checkout; ValidationError; field {n} is required; validate on blur and on submit
web; image gallery, gallery of pictures, picture carousel; web/gallery.tsx, web/image.tsx; npm run test:web -- gallery; LayoutShift; element {n} moved after load; reserve the height of each image
web; keyboard navigation, moving focus by keyboard, tab order; web/focus.ts, web/menu.tsx; npm run test:a11y; AxeViolation; element {n} has no accessible name; label every control
mobile; offline sync, syncing offline changes, offline queue; app/sync.kt, app/queue.kt; ./gradlew test --tests Sync; ConflictError; row {n} changed on both sides; let the later edit win per field
mobile; push notifications, notifications on phones, push messages; app/push.kt, app/channel.kt; ./gradlew test --tests Push; TokenMissing; device {n} has no token; register again after each update
mobile; app start, cold start of the app, launch time; app/start.kt, app/splash.kt; ./gradlew benchmark; AnrError; main thread blocked for {n} ms; load the settings in the background
data; nightly export, export of every night, exports; jobs/export.py, jobs/writer.py; pytest jobs/test_export.py; MemoryError; cannot allocate {n} bytes; write the rows in chunks
data; schema migration, migrations of tables, migrating the schema; migrations/env.py, migrations/run.py; pytest migrations; LockTimeout; lock on table orders_{n} not granted; add the column first and backfill later
data; import of csv files, reading csv, csv ingestion; jobs/csv.py, jobs/clean.py; pytest jobs/test_csv.py; UnicodeDecodeError; byte 0xe9 in position {n}; read as utf-8 with a fallback to latin-1
data; deduplication of customers, merging customer records, duplicate customers; jobs/dedupe.py, jobs/match.py; pytest jobs/test_dedupe.py; RecursionError; depth {n} exceeded; walk the groups with a stack
ops; container image, docker image, image build; Dockerfile, deploy/build.sh; docker build .; BuildError; layer {n} could not be cached; copy the lock file before the sources
ops; rollout of releases, rolling release, deployment rollout; deploy/rollout.yaml, deploy/probe.yaml; kubectl rollout status; ProbeFailed; pod web-{n} is not ready; wait for the migrations in the readiness probe
ops; alert on latency, latency alarm, slow request alerts; deploy/alerts.yaml, deploy/slo.yaml; promtool test rules; FlappingAlert; alert fired {n} times in an hour; alert on the burn rate over two windows
ops; backup of the database, database backups, nightly dump; deploy/backup.sh, deploy/restore.sh; bash deploy/test_restore.sh; ChecksumError; dump {n} is shorter than its header says; verify the dump before the old one goes
ci; flaky integration test, unstable integration tests, test that fails now and then; tests/it/main.rs, tests/it/lab.rs; cargo test --test it; TimedOut; waited {n} ms for the port; wait for the event instead of sleeping
ci; cache of dependencies, dependency cache, caching crates; .ci/cache.yml, .ci/build.yml; cargo build --locked; CacheMiss; key {n} was not found; hash the lock file into the key
ci; release signing, signing of artifacts, signatures of releases; .ci/sign.sh, .ci/release.yml; bash .ci/sign.sh --check; BadSignature; artifact {n} is not signed by us; sign after stripping the binary
infra; message queue consumer, queue consumer, consuming messages; src/queue/consumer.go, src/queue/ack.go; go test ./queue/...; Deadlock; goroutine {n} waits for itself; acknowledge outside the lock
infra; configuration reload, reloading settings, live configuration; src/config/reload.go, src/config/watch.go; go test ./config/...; RaceDetected; read of field {n} races with write; swap the whole configuration at once
infra; connection pool, pooling of connections, database pool; src/db/pool.go, src/db/conn.go; go test ./db/...; PoolExhausted; all {n} connections are in use; return the connection in a deferred call
infra; graceful shutdown, clean shutdown, stopping without loss; src/server/stop.go, src/server/main.go; go test ./server/...; ContextCanceled; request {n} was cut off; drain the listener before closing the store
infra; feature flags, toggles for features, feature switches; src/flags/eval.go, src/flags/store.go; go test ./flags/...; StaleFlag; flag {n} has no owner; delete a flag when its rollout ends
reports; monthly report, report of the month, monthly figures; reports/monthly.py, reports/chart.py; pytest reports; DivisionByZero; account {n} has no visits; show a dash when there is no base
reports; pdf rendering, rendering to pdf, printed reports; reports/pdf.py, reports/font.py; pytest reports/test_pdf.py; FontMissing; glyph {n} is not in the font; embed the fallback font
i18n; translation of messages, translated strings, message catalogues; i18n/messages.ts, i18n/plural.ts; npm test -- i18n; MissingPlural; key items_{n} has no plural; generate the plural forms from the catalogue
i18n; dates in local time, local dates, time zones of users; i18n/date.ts, i18n/zone.ts; npm test -- date; OffByOne; day {n} shown as the day before; format with the zone of the user";

pub(crate) fn themes() -> Vec<Theme> {
    let list = |text: &'static str| text.split(',').map(str::trim).collect::<Vec<_>>();
    let theme = |line: &'static str| {
        let parts: Vec<&'static str> = line.split(';').map(str::trim).collect();
        let [area, things, files, command, error, message, resolution] = parts[..] else {
            panic!("seven parts: {line}")
        };
        Theme { area, things: list(things), files: list(files), command, error, message, resolution }
    };
    TOLD.lines().map(theme).collect()
}
