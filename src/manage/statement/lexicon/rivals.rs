//! Things of one kind of which a sentence names one: where two sentences name different ones in the same place, they
//! disagree. A line a kind: `name: member, alias | member | …`. Product names and terms at large, not those of any
//! one project; a word may stand in several kinds.

/// What is chosen: naming another is another answer.
pub(super) const CHOICES: &str = "
JavaScript package manager: npm, package lock, npm ci | yarn, yarn lock | pnpm | bun | cnpm
Python package manager: pip, requirements txt, pip tools, pip compile | poetry | pipenv, pipfile | uv | conda, mamba | pdm | hatch | rye | setuptools
Python build backend: setuptools | hatchling, hatch | flit | poetry core | maturin | meson python | pdm backend
Rust tool: rustup | nix
system package manager: apt, apt get, deb | yum, dnf, rpm | apk | pacman | homebrew, brew | snap | flatpak | nix | chocolatey, choco | scoop | winget
JVM build: maven, mvn, pom xml | gradle, gradlew | sbt | ant | bazel | leiningen | mill
build tool: make, makefile, gnu make | cmake | meson | bazel | ninja | just, justfile | taskfile, go task | scons | buck, buck2 | pants | nx | turborepo, turbo | lerna | rake | mage | earthly | xtask | nix
bundler: webpack | vite | rollup | esbuild | parcel | turbopack | rspack | snowpack | tsup | swc | browserify | metro | babel
JavaScript test runner: jest | vitest | mocha | jasmine | ava | karma | tape | node test, node's test runner, node test runner | bun test | qunit
Python test runner: pytest | unittest | nose, nose2 | doctest | trial
Java test framework: junit, junit 5, junit 4 | testng | spock | kotest
Ruby test framework: rspec | minitest
PHP test framework: phpunit | pest
.NET test framework: xunit | nunit | mstest
C++ test framework: googletest, gtest | catch2 | doctest | boost test
Rust test runner: cargo test | nextest, cargo nextest
end-to-end test tool: playwright | cypress | selenium, webdriver | puppeteer | testcafe | webdriverio | nightwatch | detox | appium | maestro
mocking library: mockito | mockk | easymock | sinon | moq | nsubstitute | wiremock | msw | nock | responses | httpretty | vcr
load test tool: k6 | jmeter | gatling | locust | artillery | wrk | vegeta | ab
relational database: postgres, postgresql, pg, psql | mysql | mariadb | sqlite | oracle | sql server, mssql | cockroachdb, cockroach | tidb | yugabyte, yugabytedb | aurora | duckdb | h2 | db2 | spanner
database: postgres, postgresql, pg | mysql | mariadb | sqlite | mongodb, mongo | cassandra | dynamodb | redis | couchdb | couchbase | firestore | cosmos db, cosmosdb | neo4j | scylla, scylladb | clickhouse | bigquery | snowflake | redshift | duckdb | elasticsearch | rocksdb | leveldb | etcd | influxdb | timescaledb, timescale | hbase | arangodb | fauna | surrealdb | supabase | sled | lmdb
cache: redis | memcached, memcache | valkey | hazelcast | varnish | caffeine | dragonfly | ehcache | guava cache | in process cache, in memory cache, lru cache
message broker: kafka | rabbitmq | nats, jetstream | sqs | pulsar | activemq | redis streams, redis stream | pubsub, pub sub, google pubsub | kinesis | zeromq | mqtt, mosquitto | event hubs | service bus | nsq | redpanda | sns | eventbridge | celery
job runner: celery | rq | sidekiq | resque | bullmq, bull | temporal | airflow | dagster | prefect | luigi | argo workflows, argo | cron, cron job, crontab, cronjob | quartz | hangfire | step functions | systemd timer | dramatiq | huey | delayed job | good job | oban
CI system: github actions, actions, gha, github workflows | gitlab ci, gitlab pipelines | jenkins, jenkinsfile | circleci, circle ci | travis, travis ci | buildkite | drone, drone ci | teamcity | azure pipelines, azure devops | bitbucket pipelines | woodpecker | concourse | tekton | appveyor | semaphore | bamboo | cirrus ci | codebuild | forgejo actions | dagger
deploy tool: argo cd, argocd | flux, fluxcd | spinnaker | helm | kustomize | capistrano | ansible | octopus | skaffold | kubectl apply | jsonnet | tanka
infrastructure as code: terraform | pulumi | opentofu, tofu | cloudformation | cdk, aws cdk | bicep | ansible | chef | puppet | salt, saltstack | crossplane | arm templates
cloud: aws, amazon web services, amazon | gcp, google cloud | azure | digitalocean | hetzner | linode | ovh | fly, fly io | heroku | vercel | netlify | cloudflare | render | railway | oracle cloud | scaleway | on prem, on premise, bare metal, own data centre
orchestrator: kubernetes, k8s, eks, gke, aks, k3s | nomad | ecs, fargate | docker swarm, swarm | docker compose, compose, docker-compose | mesos | systemd | lambda | cloud run | openshift
container engine: docker | podman | containerd | nerdctl | lxc | rancher | buildah | kaniko | colima
base image: alpine | debian, slim, bookworm, bullseye | ubuntu | distroless | scratch | ubi, red hat | wolfi, chainguard | fedora | centos | amazon linux
ingress: nginx | traefik | haproxy | envoy | istio | linkerd | caddy | apache, httpd | kong | contour | ambassador | alb
web server: nginx | apache, httpd | caddy | iis | lighttpd | openresty
WSGI server: gunicorn | uvicorn | uwsgi | hypercorn | waitress | daphne | granian
frontend framework: react | vue | angular | svelte, sveltekit | solid, solidjs | preact | ember | lit | htmx | alpine js | qwik | backbone | jquery | vanilla js
meta framework: next, next js, nextjs | nuxt | remix | gatsby | astro | sveltekit | eleventy
CSS approach: tailwind | bootstrap | css modules | styled components, css in js, emotion | sass, scss | less | vanilla css, plain css | bulma | material ui, mui | chakra | linaria
state library: redux, redux toolkit | zustand | mobx | recoil | jotai | pinia | vuex | context api, react context | xstate | ngrx | bloc | riverpod
data fetching: react query, tanstack query, usequery | swr | apollo | urql | rtk query | relay | axios | fetch | useeffect
HTTP client: axios | fetch, native fetch | got | ky | superagent | requests | httpx | aiohttp | urllib3, urllib | reqwest | hyper | ureq | okhttp | retrofit | resttemplate | webclient | curl | isahc | feign
Python web framework: django | flask | fastapi | tornado | pyramid | starlette | sanic | bottle | falcon | litestar
Node framework: express | fastify | koa | nestjs, nest | hapi | hono
Rust web framework: axum | actix, actix web | rocket | warp | poem | tide
Java framework: spring, spring boot | quarkus | micronaut | dropwizard | jakarta ee, java ee | vertx | play
Go router: gin | echo | chi | fiber | gorilla, mux | net http, standard library
PHP framework: laravel | symfony | codeigniter | yii
Ruby framework: rails | sinatra | hanami
mobile framework: react native | flutter | ionic | xamarin | swiftui | jetpack compose | cordova | capacitor | expo | native | kotlin multiplatform | uikit
desktop framework: electron | tauri | qt | gtk | wpf | winforms | javafx | avalonia | swing
ORM: sqlalchemy | django orm | peewee | tortoise | prisma | typeorm | sequelize | drizzle | knex | mikroorm | hibernate, jpa | jooq | mybatis | jdbc | diesel | sqlx | seaorm, sea orm | gorm | ent | sqlc | active record, activerecord | entity framework, ef core | dapper | raw sql, plain sql, hand written sql | rusqlite
migration tool: flyway | liquibase | alembic | django migrations | knex migrations | goose | golang migrate | dbmate | sqitch | atlas | prisma migrate | sqlx migrate | refinery | active record migrations
API style: rest, restful | graphql | grpc | soap | json rpc | trpc | websocket, websockets | thrift | sse, server sent events | long polling, polling | webhooks
wire format: json | protobuf, protocol buffers, proto | messagepack, msgpack | avro | xml | yaml | cbor | thrift | bson | flatbuffers | capnproto, cap'n proto | csv | ndjson, json lines, jsonl | parquet | toml | bincode | pickle | form encoded | html | plain text | arrow | orc | protobufs
config format: yaml, yml | toml | json | ini | hcl | env, dotenv | xml | jsonc, json5 | ron | properties | cue | dhall | nix | ts, typescript | hocon
formatter or linter: prettier | eslint | biome | standard | dprint | rome | tslint | oxlint
Python formatter or linter: black | ruff | flake8 | pylint | yapf | isort | autopep8 | pycodestyle | bandit
type checker: mypy | pyright | pyre | pytype | flow | typescript, tsc | ty
Go linter: golangci lint, golangci | staticcheck | revive | golint
Ruby linter: rubocop | standardrb
Java formatter: google java format | spotless | checkstyle | palantir
Rust lint tool: clippy | rustfmt
shell linter: shellcheck | shfmt
commit hook tool: husky | pre commit | lefthook | overcommit
logging library: log4j, log4j2 | logback, slf4j | winston | pino | bunyan | loguru | structlog | logrus | zap | zerolog | slog | tracing | env_logger | log crate | serilog | nlog | klog | glog | stdlib logging
log level: trace | debug | info, informational | warn, warning | error | fatal, critical | off
log store: elasticsearch, elk | loki | splunk | cloudwatch | graylog | datadog | papertrail | sumo logic | logtail | victorialogs
metrics system: prometheus | statsd, graphite | datadog | cloudwatch | influxdb, telegraf | new relic | dynatrace | victoriametrics | opentelemetry, otel | mimir | zabbix | nagios
tracing system: jaeger | zipkin | tempo | honeycomb | x ray | opentelemetry, otel | datadog apm | lightstep
dashboard: grafana | kibana | datadog | metabase | superset | looker | tableau | power bi
error tracker: sentry | rollbar | bugsnag | airbrake | honeybadger | raygun | glitchtip | crashlytics
paging tool: pagerduty | opsgenie | victorops | grafana oncall | betterstack
feature flag service: launchdarkly | unleash | flagsmith | split | configcat | optimizely | growthbook | statsig
secret store: vault, hashicorp vault | aws secrets manager, secrets manager | parameter store, ssm | sops | sealed secrets | 1password, onepassword | doppler | azure key vault, key vault | env file, dotenv | bitwarden | git crypt | kms | gcp secret manager, google secret manager, secret manager | infisical | keychain
identity provider: auth0 | okta | keycloak | cognito | firebase auth | azure ad, entra, active directory | ldap | clerk | ory | supertokens | google sso | ping | onelogin | dex | authentik
auth method: jwt, jwts, json web token | session cookie, cookie, cookies, server side session, opaque session | basic auth, basic authentication | api key, api keys | oauth, oauth2 | mtls, client certificate | saml | password | bearer token | hmac | oidc, openid connect | magic link | passkey, passkeys, webauthn | ssh key | opaque token
second factor: totp, authenticator app | sms | hardware key, yubikey, webauthn, passkey | email code | push notification
hash: md5 | sha1, sha 1 | sha256, sha 256 | sha512, sha 512 | blake2, blake2b | blake3 | crc32 | xxhash | murmur, murmurhash | fnv | siphash | sha3
password hash: bcrypt | argon2, argon2id | scrypt | pbkdf2 | md5 | sha256
cipher: aes, aes gcm, aes 256 | chacha20, chacha20 poly1305 | des, 3des | rc4 | rsa | ed25519 | ecdsa | age | gpg, pgp | fernet | x25519
key type: rsa | ed25519 | ecdsa | dsa
compression: gzip, gz | zstd, zstandard | brotli | lz4 | snappy | bzip2 | xz, lzma | deflate | zip | none
licence: mit | apache, apache 2 0, apache license, apache 2 | gpl, gplv3, gplv2, gpl 3 | agpl, agplv3 | bsd, bsd 3 clause | mpl, mpl 2 0 | lgpl | isc | unlicense | proprietary, commercial | cc0 | busl, bsl, business source | sspl | epl | elastic license
merge strategy: squash, squash merge, squash and merge, squashed | rebase, rebased, rebase and merge | merge commit, merge commits, no ff | fast forward, ff only | cherry pick
branching model: trunk based, trunk based development, trunk | gitflow, git flow, develop branch | github flow | release branch, release branches | feature branches, feature branch
default branch: main | master | develop, dev branch | trunk
version scheme: semver, semantic versioning | calver, calendar versioning | date based | sequential numbers | git sha, commit hash
commit style: conventional commits | gitmoji | free form, freeform | jira key, ticket id
version control: git | mercurial, hg | svn, subversion | perforce | jujutsu, jj
code host: github | gitlab | bitbucket | gitea | forgejo | gerrit | sourcehut | azure repos | codeberg
artifact registry: docker hub, dockerhub | ecr | ghcr, github container registry | gcr, artifact registry | harbor | quay | artifactory | nexus | gitlab registry | npmjs | verdaccio | github packages | pypi | crates io | maven central | cloudsmith
issue tracker: jira | linear | github issues | gitlab issues | trello | asana | bugzilla | youtrack | shortcut | notion | clickup | redmine | phabricator | azure boards
chat: slack | teams, microsoft teams | discord | mattermost | zulip | irc | matrix | google chat | rocket chat | telegram
wiki: confluence | notion | google docs | github wiki | mkdocs | docusaurus | sphinx | gitbook | readme | sharepoint | mdbook | vitepress | jekyll | hugo | read the docs | backstage | asciidoc | outline | coda
doc markup: markdown, md | restructuredtext, rst | asciidoc, adoc | org mode, org | latex | html | docx, word
docstring style: google style, google | numpy style, numpydoc | sphinx style, restructuredtext | epytext
diagram tool: mermaid | plantuml | drawio, draw io | graphviz | excalidraw | lucidchart | visio | structurizr
design tool: figma | sketch | adobe xd | zeplin | penpot
API description: openapi, swagger | raml | asyncapi | graphql schema, sdl | protobuf | json schema | smithy | typespec | wsdl | api blueprint
editor: vscode, vs code, visual studio code | vim | neovim, nvim | emacs | intellij, idea | pycharm | sublime | zed | cursor | helix | nano | webstorm | goland | rider | eclipse | xcode | android studio
shell: bash | zsh | fish | sh, posix sh | powershell, pwsh | nushell | cmd
terminal multiplexer: tmux | screen | zellij
programming language: rust | go, golang | python | java | kotlin | typescript, ts | javascript, js | ruby | php | swift | c | c++, cpp | c#, csharp | scala | elixir | erlang | haskell | clojure | dart | perl | lua | zig | r | julia | ocaml | f# | objective c | bash, shell | groovy | nim | sql | cobol | fortran
JavaScript runtime: node, node js, nodejs | deno | bun
JVM distribution: temurin, adoptium | corretto | openjdk | graalvm | zulu
allocator: jemalloc | mimalloc | tcmalloc | system allocator, malloc | snmalloc
linker: mold | lld | gold | ld, bfd
compiler: gcc | clang, llvm | msvc | icc | rustc | javac | ecj | tcc
async runtime: tokio | async std | smol | glommio | rayon | monoio | gevent | trio | asyncio | twisted | embassy | libuv
serialiser: serde | rkyv | jackson | gson | moshi | pydantic | marshmallow | attrs | dataclasses, dataclass | bincode | kotlinx serialization | newtonsoft | system text json | orjson | simd json
error library: anyhow | thiserror | eyre, color eyre | snafu | failure
argument parser: clap | argparse | click | typer | structopt | cobra | yargs | commander | picocli | docopt | fire
validation library: zod | yup | joi | ajv | pydantic | class validator | valibot | io ts | cerberus
date library: moment, moment js | dayjs | date fns | luxon | temporal | chrono | time crate, time | jiff | joda, joda time | java time | arrow | pendulum | datetime
dependency injection: dagger | hilt | guice | koin | spring | constructor injection, constructor | field injection, autowired fields, autowired | setter injection | service locator | wire | fx
template engine: jinja, jinja2 | handlebars | mustache | ejs | thymeleaf | freemarker | pug | liquid | tera | askama | erb | haml | go templates | velocity | jsp | twig | blade
search engine: elasticsearch, elastic | opensearch | solr | meilisearch | algolia | typesense | tantivy | sphinx | lucene | postgres full text, tsvector | quickwit | vespa
vector store: pgvector | pinecone | qdrant | weaviate | milvus | faiss | chroma | hnsw | lancedb
object storage: s3 | gcs, google cloud storage | azure blob, blob storage | minio | ceph | backblaze, b2 | r2, cloudflare r2 | nfs, network share | local disk, local filesystem, disk | efs | ebs | ftp, sftp
CDN: cloudfront | cloudflare | fastly | akamai | bunny | cloud cdn
mail service: ses | sendgrid | mailgun | postmark | mailchimp | resend | smtp, own smtp | sparkpost | brevo | mandrill
payment provider: stripe | adyen | braintree | paypal | square | mollie | worldpay | klarna | checkout com | razorpay
SMS provider: twilio | vonage, nexmo | sns | messagebird | plivo | sinch
analytics: google analytics | plausible | matomo | mixpanel | amplitude | segment | posthog | heap | fathom | snowplow | rudderstack
data warehouse: snowflake | bigquery | redshift | databricks | clickhouse | synapse | athena | postgres | duckdb | hive | druid | trino, presto
data tool: pandas | polars | spark, pyspark | dask | dbt | numpy | ray | flink | beam | duckdb | fivetran | airbyte | kafka connect | debezium | singer | nifi
table format: iceberg | delta, delta lake | hudi
ML framework: pytorch, torch | tensorflow, tf | jax | scikit learn, sklearn | keras | xgboost | lightgbm | onnx | candle | catboost
experiment tracker: mlflow | weights and biases, wandb | neptune | comet | tensorboard | clearml
notebook: jupyter | colab | databricks notebooks | marimo | zeppelin
game engine: unity | unreal | godot | bevy
proxy: envoy | nginx | haproxy | squid | traefik
service mesh: istio | linkerd | consul connect | cilium | kuma
service discovery: consul | etcd | zookeeper | eureka | kubernetes dns
consensus: raft | paxos | zab | gossip
VPN: wireguard | openvpn | tailscale | ipsec | zerotier | cisco anyconnect
dns provider: route 53, route53 | cloudflare | ns1 | dnsimple | namecheap | godaddy
certificate source: let's encrypt, letsencrypt, cert manager | acm | digicert | self signed | internal ca, private ca
dependency bot: dependabot | renovate | snyk | greenkeeper | pyup | manual updates, by hand
security scanner: snyk | trivy | grype | clair | dependency check | bandit | semgrep | codeql | sonarqube, sonar | zap | checkmarx | veracode | cargo audit | cargo deny | npm audit
code coverage tool: codecov | coveralls | jacoco | istanbul, nyc | coverage py | tarpaulin | llvm cov | sonarqube | cobertura | gcov, lcov
case style: camelcase, camel case, camelCase, lower camel case | snake_case, snake case, snakecase | kebab case, kebab, dashes, hyphens | pascalcase, pascal case, upper camel case | screaming snake case, upper snake case, constant case, uppercase, upper case | lowercase, lower case | title case | sentence case | dot notation
quote style: single quotes, single quote | double quotes, double quote | backticks
indentation: tabs, tab | two spaces, 2 spaces, two space | four spaces, 4 spaces, four space | eight spaces, 8 spaces
line ending: lf, unix line endings | crlf, windows line endings | cr
character encoding: utf 8, utf8 | utf 16, utf16 | latin 1, latin1, iso 8859 1 | ascii | windows 1252, cp1252 | utf8mb4 | utf 32
delimiter: comma, commas | semicolon, semicolons | tab, tabs | pipe, pipes | space, spaces | colon | newline
date format: iso 8601, iso8601 | unix timestamp, epoch, epoch seconds, unix time, epoch milliseconds | rfc 3339, rfc3339 | rfc 2822 | locale format
time zone: utc, gmt, zulu | local time, local, local timezone | cet, cest, berlin, europe berlin | est, edt, eastern | pst, pdt, pacific | ist | jst | london, bst | central time, cst
currency type: decimal, bigdecimal, numeric | float, floating point, double | integer cents, cents, minor units, integer | string, strings
column type: jsonb | json | text | varchar | integer, int | bigint | uuid | timestamptz, timestamp with time zone | timestamp, timestamp without time zone | boolean, bool | numeric, decimal | float, double | enum | bytea, blob | date | smallint | lookup table | serial | array | char
id type: uuid, uuids, uuid v4, uuidv4, guid | uuidv7, uuid v7 | ulid, ulids | auto increment, autoincrement, serial, sequential integers, integer, integers, bigint, sequence | snowflake, snowflake ids | nanoid, nano id | ksuid | natural key, natural keys | hash, slug | random string
collection: list, array, vec | set | map, dict, hashmap, dictionary | tuple | queue | stack | btreemap
isolation level: read committed | repeatable read | serializable | snapshot isolation, snapshot | read uncommitted
lock kind: mutex | rwlock, read write lock | spinlock | semaphore | advisory lock | row lock | optimistic locking | file lock
delivery guarantee: at least once | at most once | exactly once
cache policy: lru | lfu | fifo | random | ttl | arc | write through | write back, write behind | cache aside | no cache, no store
balancing: round robin | least connections | random | consistent hashing | sticky sessions | ip hash
retry policy: exponential backoff, exponential, exponentially | linear backoff, linear | fixed delay, constant delay, fixed interval | immediate retry | no retry, never retried
deployment strategy: blue green | canary | rolling, rolling update | recreate | big bang, all at once | in place | a b | shadow
pagination: cursor, cursor based, keyset | offset, offset based, limit offset | page number, page numbers, page based | link header
rendering: server side rendering, ssr, server rendered, on the server, rendered on the server | client side rendering, csr, in the browser, client rendered, single page app, spa | static generation, ssg, prerendered, statically generated, static | islands
paradigm: object oriented, classes, class components, class | functional, functions, function components, hooks | procedural
error style: exception, exceptions, throw | error code, error codes, status code | result type, result, either | panic | null, none, nil | optional
test kind for a role: mocks, mock | fakes, fake, in memory fake | stubs | real database, testcontainers, real instance | snapshot | recorded fixtures, fixtures, cassettes
test place: beside the source, next to the code, colocated, inline | separate directory, tests folder, top level tests
visibility: public | private | protected | internal | package private, crate
HTTP method: get | post | put | patch | delete | head | options
HTTP version: http 1 1, http1, http 1 | http 2, http2 | http 3, http3, quic
transport: tcp | udp | quic | unix socket, unix domain socket, socket | pipe, stdin, stdio | http | websocket | shared memory | serial port
protocol version: tls 1 2 | tls 1 3 | tls 1 0 | tls 1 1 | ssl
severity: low | medium, moderate | high | critical, severe
priority: p0 | p1 | p2 | p3 | p4
size: small | medium | large | xlarge
weekday: monday, mondays, mon | tuesday, tuesdays, tue | wednesday, wednesdays, wed | thursday, thursdays, thu | friday, fridays, fri | saturday, saturdays, sat | sunday, sundays, sun | weekend, weekends
month: january, jan | february, feb | march | april, apr | june | july | august, aug | september, sept | october, oct | november, nov | december, dec
time of day: morning, mornings | noon, midday | afternoon, afternoons | evening, evenings | night, nightly, overnight, at night | midnight
occasion: every commit, each commit, per commit, every push, each push, on push | on demand, when needed, ad hoc | continuously, constantly | every release, each release, per release, at release | every pull request, per pr, on each pr
release train: stable | beta | nightly | alpha | canary | lts, long term support | edge | release candidate, rc | latest
toolchain: stable | beta | nightly
department: legal | security, security team | finance | marketing | support | sales | design | platform, platform team | sre | qa | infra, infrastructure team, ops, operations | data team, data platform | hr, people team | product | backend team | frontend team, web team | mobile team | devops
language of text: english | german | french | spanish | italian | japanese | chinese | portuguese | dutch | korean
spelling: british english, british | american english, american, us english
person's role for a duty: author | reviewer | maintainer | owner | on call | release manager | tech lead, team lead | manager, engineering manager | product owner | cto
allocation: stack | heap
endianness: little endian | big endian
floating width: float32, f32, 32 bit | float64, f64, 64 bit | int8 | bfloat16, bf16 | float16, fp16 | 16 bit | 8 bit
architecture: amd64, x86_64, x86 64, x64, intel | arm64, aarch64, arm | riscv | x86, i386, 32 bit | wasm, webassembly
module system: esm, es modules, esmodules, es module | commonjs, cjs, require | amd | umd
export style: default export, default exports | named export, named exports
React style: class component, class components | function component, function components, hooks
loop style: for loop | iterator | recursion | list comprehension | map and filter
string style: f strings, f string, fstring | format, str format | percent formatting | template literals | concatenation
comparison style: equality, double equals | strict equality, triple equals
screen: mobile | tablet | desktop
storage place: local storage, localstorage | session storage, sessionstorage | indexeddb | cookie, cookies | memory, in memory | disk, on disk | database, the database | environment variable, environment variables, env var, env vars, env | config file, config files, configuration file | keychain, keyring | url, query string | code, source code, in code | header
place in time: startup, boot, start up | shutdown | runtime | build time, compile time | install time | deploy time | request time, query time, read time, on read | index time, write time, insert time, on write | commit time | release time | login | logout | blur | submit, on submit | keystroke, typing, on change
person: alice | anna, ann, anne | ben, benjamin | carla | carlos | chen | chloe | chris | clara | dan, daniel | dana | david, dave | diego | elena | elif | emil | emily | emma | eric, erik | eva | fatima | felix | finn | francesca | frank | george | greta | hanna, hannah | hiro | hugo | ines | ingrid | ivan | jack | james | jan | jana | jane | javier | jonas | joe, joseph | john | julia | julian | karim | kate, katie | katja | kim | lars | laura | lea | lena | leo | linda | lisa | lucas, luca, lukas | lucy | luis | maria | marco | marie | mark, marc, markus | marta, martha | martin | matt, matthew | max | maya | mei | mia | michael, mike | miguel | mina | mohammed, mohamed | nadia | nina | nora | olga | oliver | omar | oscar, oskar | paul | pedro | peter, petra | priya | raj | ravi | robert, bob, rob | rosa | ryan | sam, samuel, samantha | sandra | sara, sarah | sean | simon | sofia, sophie | stefan, steve, steven | sven | tariq | thomas, tom | tim | tina | tomas | viktor, victor | wei | will, william | yuki | yusuf | zoe | ahmed | aisha | akira | amir | andre, andrea, andreas | bjorn | boris | ana | dmitri | fiona | gita | goran | helena | henry | igor | isabel | jose | juan | kai | kenji | klaus | mateo | milan | monika | nico | noah | pablo | patrick | pierre | rachel | rita | sergei | tanja | theo | uwe | vera | wanda | yara
colour: red | green | blue | yellow | orange | black | white | grey, gray | purple | amber
direction: left | right | top | bottom
side: client, client side, browser | server, server side, backend | edge, cdn | gateway, api gateway | proxy, load balancer | application, app, middleware | database, db
font: serif | sans serif, sans | monospace
unit system: metric | imperial
licence of agent: ask first, ask before | go ahead, without asking
answer style: short, brief, concise | long, detailed, verbose
";

/// What a sentence holds for: naming another is another subject, and both may hold.
pub(super) const SCOPES: &str = "
environment: production, prod, live | staging, stage, stg, preprod, pre production | development, dev, local, locally, localhost, dev machine, laptop | test, testing, test environment | ci, pipeline, build server | qa | sandbox, preview, demo, playground | uat, acceptance | canary | dr, disaster recovery | integration | perf, load test environment
platform: linux | windows | macos, mac, os x, osx, darwin | ios, iphone | android | freebsd, bsd | web | wasm, wasi, browser | embedded | tvos
distribution: alpine | debian | ubuntu | fedora | arch | rhel, red hat | centos | nixos | suse
browser: chrome, chromium | firefox | safari, webkit | edge | ie11, ie, internet explorer | opera
build profile: debug, debug build | release, release build | profile, profiling | bench | optimised build
tier: frontend, front end, fe, web app, web, ui, webapp | backend, back end, be, server, api | mobile, mobile app, app | cli, command line | desktop, desktop app | worker, workers, background worker | sdk, library | admin, admin console, admin panel, back office | docs site, docs, documentation | gateway | infra, infrastructure | database | firmware | website, marketing site | dashboard
plan: free, free plan, free tier, hobby, starter | pro, professional, premium, plus | enterprise, business | team | trial | paid, paid tier
audience: public, external, third party, customer facing, partner | internal, in house, first party, private, employee | anonymous, guest, visitor, logged out, unauthenticated | authenticated, logged in, signed in | admin, administrator | customer, user, end user | staff, employee, operator | contractor, freelancer | bot, service account | developer, engineer | reviewer | on call | intern
code kind: library, library code, library crate | test, test code, tests, spec | script, scripts, tooling, tool | example, examples, sample | generated, generated code | production code, application code, prod code, app code | benchmark, bench | migration, migrations | macro | config | prototype, spike | legacy | vendored, third party code | template | notebook | public api | binary, main | fixture
test kind: unit, unit test | integration, integration test | end to end, e2e | smoke | load, performance test | contract | snapshot | property, property based | regression | acceptance | manual test | fuzz | mutation | visual
direction of traffic: read, reads, get, query | write, writes, post, update, mutation
request: request | response, reply
HTTP verb: get | post | put | patch | delete | head | options
node: primary, leader, master | replica, follower, secondary, standby | witness, observer
message role: producer, publisher, sender | consumer, subscriber, receiver, listener
region: eu, europe, eu west, eu central, frankfurt, ireland, eu west 1, eu central 1 | us, usa, us east, us west, america, virginia, us east 1, us west 2 | asia, apac, singapore, tokyo, ap southeast, ap northeast 1 | uk, london | china | australia, sydney | canada | brazil, sao paulo | india, mumbai | switzerland, swiss | germany | france | japan
token kind: access, access token | refresh, refresh token | id token | csrf | api token | session | reset | invite, invitation | verification
time limit kind: connect, connection | read | write | idle | request | statement, query | lock | session | handshake | keepalive | shutdown | startup | global, overall, total
statistic: average, mean, avg | median, p50 | p90 | p95 | p99 | max, maximum, peak | min, minimum | total, sum | p75 | p999 | stddev
resource: cpu, processor | memory, ram, heap | disk, storage | network, bandwidth | gpu | threads | file descriptors
limit kind: size | count, number | rate | duration, length | depth | width
version: v1, version 1, version one, 1 x | v2, version 2, version two, 2 x | v3, version 3, 3 x | v4, version 4, 4 x | v5, version 5 | v0, version 0
document: readme | changelog | runbook | adr, design doc | wiki | tutorial, guide, how to | reference, api reference | comment | docstring, doc comment | release notes
branch kind: main, master, trunk | release, release branch | feature, feature branch | hotfix, hotfixes, hotfix branch | develop | long lived
change kind: bugfix, bug fix, fix | feature | refactor, refactoring | hotfix, emergency fix, security patch | documentation change, docs only, typo fix, typo | dependency update, version bump | schema change, migration | breaking change | config change
release kind: major, major version | minor, minor version | patch, patch version | prerelease
job kind: batch, batch job | streaming, stream | cron, scheduled | interactive | nightly | one off
language scope: rust | go, golang | python | java | kotlin | typescript, ts | javascript, js | ruby | php | swift | c++, cpp | sql | bash, shell | css, scss | html | yaml | terraform, hcl | markdown | scala | elixir | dart | c#, csharp | proto, protobuf | dockerfile
data kind: text, string | number, numeric | date, timestamp | binary, blob | image, photo, picture | video | audio | metadata | log | event | metric | trace | invoice | order | payment | customer data, personal data, pii | session | secret, credential | configuration | cache | index | backup | report | email, mail | document | attachment | avatar | thumbnail
backup kind: full | incremental | differential | snapshot
log kind: access log, access logs | audit log, audit logs, audit | application log, app log, application logs | error log, error logs | debug log | security log
name of what: table, tables | column, columns | index, indexes | view, views | function, functions, method, methods | class, classes, type, types, struct | variable, variables, local | constant, constants | file, files, file name | directory, folder, directories | module, package, crate | branch, branches | tag, tags | endpoint, route, path, url, urls | parameter, argument | field, fields, property | key, keys, json key | event, events, topic | test, tests | component, components | environment variable, env var | enum, enum value | interface, trait | macro | commit, commit message | label | header | bucket | queue | flag | service | secret | migration
screen kind: mobile | tablet | desktop | kiosk | tv
cluster kind: development cluster | staging cluster | production cluster
era: morning | afternoon | evening | night
day kind: weekday, weekdays, business day | weekend, weekends | holiday, holidays
";
