//! What the name of a field promises: a password, a token, a key, or only something about one (`token_count`).

use super::chars::parts;

/// How much a name says, and so how little its value must prove.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Grade {
    Password,
    /// A password where the next word of a list or of a sentence may stand as well.
    Listed,
    Phrase,
    /// A user and a password, held together by a colon or a slash.
    Pair,
    Secret,
    Token,
    /// Only a long value that looks drawn counts.
    Key,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Promise {
    pub(super) grade: Grade,
    pub(super) rule: &'static str,
}

/// Every name that can promise a secret holds one of these.
pub(super) const KEYWORDS: &[&str] = &[
    "pass",
    "pwd",
    "passwort",
    "kennwort",
    "secret",
    "token",
    "key",
    "auth",
    "credential",
    "creds",
    "pw",
    "jwt",
    "phpsessid",
    "jsessionid",
    "connect.sid",
    "requirepass",
    "psw",
    "pssw",
    "pasw",
    "login",
    "access",
    "private",
    "api",
    "sig=",
    "signature=",
];

/// Words for a password in other languages, and the words and marks that may stand between them and the value.
#[rustfmt::skip]
pub(super) const FOREIGN: &[&str] = &[
    "contraseña", "contrasena", "clave", "mot de passe", "motdepasse", "mdp", "senha", "palavra-passe", "parola", "wachtwoord",
    "lösenord", "losenord", "adgangskode", "passord", "salasana", "hasło", "haslo", "heslo", "jelszó", "jelszo", "geslo", "lozinka",
    "şifre", "sifre", "пароль", "Пароль", "ПАРОЛЬ", "гасло", "парола", "κωδικός", "סיסמה", "סיסמא", "كلمة المرور", "كلمة السر",
    "密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "패스워드", "비번", "암호", "mật khẩu", "kata sandi", "รหัสผ่าน", "पासवर्ड",
];
pub(super) const PARTICLES: &[&str] = &["是", "为", "為", "は", "는", "은", "이", "–", "—", "→", "⇒"];

/// Companies whose name alone, before something drawn, tells a key.
#[rustfmt::skip]
pub(super) const VENDORS: &[&str] = &[
    "adafruit", "adobe", "airtable", "algolia", "alibaba", "artifactory", "asana", "atlassian", "beamer", "bintray", "bitbucket",
    "bittrex", "chartmogul", "cloudflare", "codecov", "cohere", "coinbase", "confluence", "confluent", "contentful", "datadog",
    "deepgram", "discord", "droneci", "dropbox", "etsy", "facebook", "fastly", "finicity", "finnhub", "flickr", "freshbooks", "gitter",
    "gocardless", "heroku", "hubspot", "intercom", "jfrog", "jira", "kraken", "kucoin", "launchdarkly", "linkedin", "looker",
    "mailchimp", "mailgun", "mapbox", "mattermost", "meraki", "messagebird", "netlify", "newrelic", "nytimes", "okta", "openai",
    "pagerduty", "plaid", "rapidapi", "sendbird", "sendgrid", "sentry", "snyk", "sonar", "squarespace", "stripe", "sumologic",
    "telnyx", "travis", "twilio", "twitch", "twitter", "typeform", "yandex", "zendesk", "openweathermap", "weatherstack", "alchemy",
    "infura", "etherscan", "bscscan", "abuseipdb", "adyen", "alphavantage", "amplitude", "appveyor", "assemblyai", "binance",
    "bitfinex", "bitrise", "braintree", "browserstack", "bugsnag", "buildkite", "circleci", "clarifai", "clearbit", "clickup",
    "cloudinary", "cloudsmith", "codacy", "codeclimate", "codemagic", "coinmarketcap", "coveralls", "deepseek", "dockerhub",
    "elevenlabs", "freshdesk", "geocodio", "hetzner", "honeybadger", "imagekit", "ipinfo", "ipstack", "klaviyo", "lambdatest",
    "lastfm", "linode", "loggly", "mailerlite", "mailjet", "mapquest", "mixpanel", "mollie", "newsapi", "nexmo", "omdb",
    "openweather", "opsgenie", "owm", "paypal", "paystack", "pepipost", "pinecone", "pingdom", "plivo", "postmark", "razorpay",
    "roboflow", "rollbar", "runscope", "saucelabs", "scaleway", "scraperapi", "securitytrails", "shodan", "shopify", "sparkpost",
    "spotify", "storyblok", "tmdb", "tomtom", "trello", "uploadcare", "uptimerobot", "urlscan", "vercel", "vimeo", "virustotal",
    "vonage", "vultr", "wandb", "webflow", "zoho",
];

/// Words behind the telling one that make it a property of the secret, not the secret.
#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "name", "names", "id", "ids", "count", "counts", "type", "types", "length", "len", "size", "limit", "limits", "file", "files",
    "path", "paths", "url", "uri", "urls", "endpoint", "expiry", "expires", "expiration", "expired", "ttl", "lifetime", "policy", "field",
    "fields", "label", "hint", "prompt", "placeholder", "regex", "pattern", "index", "kind", "class", "provider", "store",
    "manager", "version", "ref", "arn", "env", "var", "vars", "header", "param", "params", "algorithm", "alg", "min", "max",
    "budget", "usage", "rate", "at", "enabled", "required", "reset", "validator", "validation", "rules", "strength", "map",
    "list", "format", "prefix", "suffix", "column", "input", "form", "page", "route", "scope", "scopes", "helper", "service",
    "hash", "hashes", "digest", "fingerprint", "error", "errors", "message", "status", "state", "used", "total", "budgets",
    "cache", "window", "vault", "mount", "engine", "method", "mode", "flow", "handler", "middleware", "module", "cmd",
    "command", "script", "rotation", "age", "created", "updated", "description", "title", "text", "visible", "check",
    "mapping", "position", "start", "end", "line", "source", "location", "dir", "folder", "bucket", "table", "schema",
    "func", "fn", "function", "oid", "info", "op", "domain", "host", "user", "username", "port", "agent", "issuer", "audience", "callback", "redirect", "code", "words",
];

/// Words behind the telling one that change nothing.
#[rustfmt::skip]
const SAME: &[&str] = &[
    "value", "val", "base", "key", "token", "string", "str", "raw", "plain", "prod", "production", "dev", "development", "staging",
    "stage", "test", "live", "sandbox", "old", "new", "current", "default", "primary", "secondary", "backup", "main", "b64",
    "base64", "hex", "data", "literal", "field",
];

/// Words before `token` and `key` that make them innocent.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "next", "page", "continuation", "cancellation", "cancel", "eos", "bos", "pad", "unk", "stop", "max", "min", "num", "total",
    "first", "last", "prev", "special", "mask", "sep", "cls", "syntax", "unexpected", "public", "pub", "publishable", "cache",
    "primary", "foreign", "partition", "sort", "idempotency", "object", "row", "group", "routing", "lookup", "hot", "short", "design",
    "anon", "site", "registry", "hkey", "host", "known", "translation", "i18n", "message", "locale", "dedup", "dedupe", "per", "state", "query", "json", "map", "hash", "react", "etag", "commit", "socket", "websocket",
];

/// Words before `key` that make it a secret.
#[rustfmt::skip]
const TELLING: &[&str] = &[
    "api", "access", "secret", "private", "auth", "encryption", "encrypt", "signing", "master", "account", "service", "admin",
    "license", "app", "application", "client", "consumer", "webhook", "shared", "storage", "subscription", "deploy", "functions",
    "function", "hmac", "jwt", "session", "cookie", "crypto", "data", "root", "user", "server", "integration", "write", "ingest", "activation", "product", "recovery", "wallet", "wifi",
];

pub(super) fn promise(name: &str) -> Option<Promise> {
    let words: Vec<String> = parts(name).map(str::to_ascii_lowercase).collect();
    let (place, promise) = (0..words.len())
        .rev()
        .find_map(|at| Some((at, telling(&words, at, name)?)))
        .or_else(|| foreign(name, &words))
        .or_else(|| vendor(&words))?;
    let behind = words
        .get(place + 1..)
        .unwrap_or_default()
        .iter()
        .filter(|word| !word.bytes().all(|byte| byte.is_ascii_digit()));
    let (mut same, mut about) = (true, false);
    for word in behind {
        same &= SAME.contains(&word.as_str());
        about |= ABOUT.contains(&word.as_str());
    }
    match (about, same) {
        (true, _) => None,
        (false, true) => Some(promise),
        (false, false) => Some(Promise { grade: weaker(promise.grade), ..promise }),
    }
}

/// In a language that is not written in Latin letters the word may stand anywhere in what was read as the name.
fn foreign(name: &str, words: &[String]) -> Option<(usize, Promise)> {
    let lower = name.to_lowercase();
    let whole = |word: &str| lower == word || words.iter().any(|other| other == word);
    let told =
        FOREIGN.iter().any(|word| if word.is_ascii() { whole(word) } else { name.contains(word) || lower == *word });
    told.then_some((words.len().saturating_sub(1), Promise { grade: Grade::Password, rule: "password" }))
}

fn vendor(words: &[String]) -> Option<(usize, Promise)> {
    let place = words.iter().rposition(|word| VENDORS.contains(&word.as_str()))?;
    Some((place, Promise { grade: Grade::Key, rule: "api-key" }))
}

/// Whether `word key` may be a secret's name in speech.
pub(super) fn makes_key(word: &str) -> bool {
    const SPOKEN: &[&str] = &[
        "the", "a", "an", "this", "that", "each", "by", "of", "no", "with", "for", "and", "or", "same", "new", "as",
        "one", "any",
    ];
    let lower = word.to_ascii_lowercase();
    lower.len() > 1 && !SPOKEN.contains(&lower.as_str()) && !HARMLESS.contains(&lower.as_str())
}

fn weaker(grade: Grade) -> Grade {
    if grade == Grade::Password { Grade::Token } else { Grade::Key }
}

fn telling(words: &[String], at: usize, name: &str) -> Option<Promise> {
    let word = words[at].as_str();
    let before = at.checked_sub(1).map(|at| words[at].as_str());
    let harmless = before.is_some_and(|word| HARMLESS.contains(&word));
    let promise = |grade, rule| Some(Promise { grade, rule });
    let ends = |ends: &[&str]| ends.iter().any(|end| word.ends_with(end));
    // `bypass`, `minipass` and `ProxyPass` are something else.
    #[rustfmt::skip]
    const OWNERS: &[&str] = &[
        "db", "user", "usr", "store", "srcstore", "deststore", "key", "srckey", "destkey", "require", "admin", "root", "mysql", "pg",
        "postgres", "sql", "smtp", "mail", "email", "ftp", "redis", "mongo", "auth", "http", "wifi", "bind", "ldap", "my", "svn", "login",
        "rpc", "imap", "amqp", "mqtt", "ssh",
    ];
    let glued = word.strip_suffix("pass").is_some_and(|owner| OWNERS.contains(&owner));
    if ends(&["password", "passwd", "passwort", "kennwort", "passcode", "pwd"])
        || matches!(
            word,
            "psw" | "pswd" | "pswrd" | "psword" | "psswd" | "psswrd" | "pssword" | "paswd" | "paswrd" | "pasword"
        )
        || glued
    {
        return promise(Grade::Password, "password");
    }
    if ends(&["passphrase"]) || (word == "phrase" && before == Some("pass")) {
        return promise(Grade::Phrase, "password");
    }
    // `t.pass(…)` and `StencilPassOp` pass something; `smtp_pass` and `dbPass` let somebody pass.
    let last = at + 1 == words.len();
    let member = name.len() > 4 && name.as_bytes()[name.len() - 5] == b'.';
    if word == "pass" && !(last || words[at + 1].bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    if word == "word" && before == Some("pass") || word == "pass" && before.is_some() && !member || word == "pw" {
        return promise(Grade::Password, "password");
    }
    if word == "pass" {
        return promise(Grade::Secret, "password");
    }
    if ends(&["apikey", "accesskey", "secretkey", "privatekey", "authkey", "accountkey", "masterkey"]) {
        return promise(Grade::Token, "api-key");
    }
    if ends(&["secret"]) {
        return promise(Grade::Secret, "secret");
    }
    if ends(&["token"])
        || matches!(word, "jwt" | "phpsessid" | "jsessionid")
        || (word == "sid" && before == Some("connect"))
    {
        return if harmless { None } else { promise(Grade::Token, "token") };
    }
    if matches!(word, "credential" | "credentials" | "creds" | "login" | "logins") {
        return promise(Grade::Pair, "secret");
    }
    if matches!(word, "auth" | "authorization") {
        return promise(Grade::Token, "secret");
    }
    if matches!(word, "access" | "private" | "api") && at + 1 == words.len() {
        return promise(Grade::Key, "api-key");
    }
    if matches!(word, "sig" | "signature") {
        return promise(Grade::Key, "signature");
    }
    if word == "key" && !harmless {
        let account = before.is_some_and(|word| matches!(word, "account" | "storage")) || name.contains("AccessKey=");
        let aws = words.iter().any(|word| word == "aws") || (words.len() > 2 && before == Some("access"));
        return match before {
            Some("access") if aws && words.iter().any(|word| word == "secret") => {
                promise(Grade::Token, "aws-secret-key")
            }
            Some("secret") if aws => promise(Grade::Token, "aws-secret-key"),
            Some(_) if account => promise(Grade::Token, "azure-key"),
            Some("secret") => promise(Grade::Secret, "secret"),
            Some(word) if TELLING.contains(&word) => promise(Grade::Token, "api-key"),
            Some(_) => promise(Grade::Key, "api-key"),
            None => None,
        };
    }
    None
}
