//! One pass over a text: where a keyword stands, the rule it belongs to looks closer. Owns the list of keywords.

use std::ops::Range;

use aho_corasick::BuildError;

use super::keywords::Keywords;
use super::tokens::{self, Marked, Token};
use super::{
    Rank, Span, addresses, assign, blocks, headers, is_rule_name, keys, personal, private, said, shapes, tables,
};

#[derive(Clone)]
pub(super) struct Scanner {
    keywords: Keywords,
    looks: Vec<Look>,
}

/// What a pass has found.
pub(super) struct Scan<'s> {
    pub(super) spans: Vec<Span<'s>>,
    /// What was put there in place of secrets, in order.
    pub(super) done: Vec<Range<usize>>,
}

/// What to look for where a keyword stands.
#[derive(Clone, Copy)]
pub(super) enum Look {
    Token(&'static Token),
    Marked(&'static Marked),
    Name,
    Address,
    Jwt,
    Sendgrid,
    /// How many parts of the path may stay.
    Webhook(&'static str, usize),
    AzureClient,
    Identified,
    SeedPhrase,
    Jwk,
    Kubernetes,
    KeyBegins,
    KeyEnds,
    Putty,
    Scheme,
    Authorization,
    Cookie,
    Command,
    GoDsn,
    Email,
    Private,
    Redacted,
}

const WORDS: &[(&str, Look)] = &[
    ("[redacted:", Look::Redacted),
    (private::REPLACEMENT, Look::Redacted),
    ("<private", Look::Private),
    ("</private", Look::Private),
    ("-----BEGIN ", Look::KeyBegins),
    ("-----END ", Look::KeyEnds),
    ("Private-Lines:", Look::Putty),
    ("eyJ", Look::Jwt),
    ("SG.", Look::Sendgrid),
    ("Q~", Look::AzureClient),
    ("identified", Look::Identified),
    ("mnemonic", Look::SeedPhrase),
    ("seed", Look::SeedPhrase),
    ("recovery phrase", Look::SeedPhrase),
    ("backup phrase", Look::SeedPhrase),
    ("secret phrase", Look::SeedPhrase),
    ("\"kty\"", Look::Jwk),
    ("kind:", Look::Kubernetes),
    ("\"kind\"", Look::Kubernetes),
    ("hooks.slack.com/services/", Look::Webhook("slack-webhook", 0)),
    ("hooks.slack.com/triggers/", Look::Webhook("slack-webhook", 0)),
    ("hooks.slack.com/workflows/", Look::Webhook("slack-webhook", 0)),
    ("discord.com/api/webhooks/", Look::Webhook("discord-webhook", 1)),
    ("discordapp.com/api/webhooks/", Look::Webhook("discord-webhook", 1)),
    ("/webhook/", Look::Webhook("webhook", 0)),
    ("/webhooks/", Look::Webhook("webhook", 0)),
    ("hooks.zapier.com/hooks/catch/", Look::Webhook("zapier-webhook", 0)),
    ("outlook.office.com/webhook/", Look::Webhook("teams-webhook", 0)),
    ("webhook.office.com/webhookb2/", Look::Webhook("teams-webhook", 0)),
    ("://", Look::Address),
    ("@tcp(", Look::GoDsn),
    ("@unix(", Look::GoDsn),
    ("bearer", Look::Scheme),
    ("basic", Look::Scheme),
    ("authorization", Look::Authorization),
    ("cookie", Look::Cookie),
    ("@", Look::Email),
];

/// Every keyword, and beside it what to look for where it stands.
pub(super) fn words() -> (Vec<&'static str>, Vec<Look>) {
    let fixed = WORDS.iter().copied();
    let tokens =
        tokens::TOKENS.iter().flat_map(|token| token.begin.iter().map(move |begin| (*begin, Look::Token(token))));
    let marked = tokens::MARKED.iter().map(|kind| (kind.mark, Look::Marked(kind)));
    let names = keys::KEYWORDS.iter().chain(keys::FOREIGN).chain(keys::VENDORS).map(|word| (*word, Look::Name));
    let commands = headers::commands().map(|name| (name, Look::Command));
    fixed.chain(tokens).chain(marked).chain(names).chain(commands).unzip()
}

impl Scanner {
    /// `brief` costs less to build and more to use: for a process that reads one text and ends.
    pub(super) fn new(brief: bool) -> Result<Scanner, BuildError> {
        let (words, looks) = words();
        Ok(Scanner { keywords: Keywords::new(words, brief)?, looks })
    }

    pub(super) fn scan<'s>(&self, text: &str) -> Scan<'s> {
        let mut spans = Vec::new();
        let mut done: Vec<Range<usize>> = Vec::new();
        let mut tags = Vec::new();
        // What lies inside a stretch that was read already is not read again: this keeps long values linear.
        let (mut assigned, mut token, mut jwt, mut cookie) = (0, 0, 0, 0);
        let (mut credential, mut hook, mut dashes, mut jwk, mut manifest) = (0, 0, 0, 0, 0);
        let mut table = 0..0;
        for hit in self.keywords.hits(text) {
            let (start, end) = (hit.start, hit.end);
            // What an earlier round put there is no secret, whatever the name of its rule.
            if done.last().is_some_and(|earlier| start < earlier.end) {
                continue;
            }
            match self.looks[hit.word] {
                Look::Redacted => done.extend(replacement(text, start, end)),
                Look::Private => tags.push(start),
                Look::Name if start >= assigned => {
                    let end = if text.as_bytes()[end - 1] == b'=' { end - 1 } else { end };
                    tables::column(text, start, end, &mut table, &mut spans);
                    if let Some(span) = assign::read(text, start, end) {
                        assigned = span.end;
                        spans.push(span);
                    }
                }
                Look::Token(kind) if start >= token => {
                    if let Some(end) = tokens::read(kind, text, start, end) {
                        token = end;
                        spans.push(Span::new(start, end, kind.rule, Rank::Token));
                    }
                }
                Look::Marked(kind) => {
                    let found = tokens::around(kind, text, start, end);
                    spans.extend(found.map(|(start, end)| Span::new(start, end, kind.rule, Rank::Token)));
                }
                Look::Jwt if start >= jwt => match shapes::jwt(text, start) {
                    Ok(span) => {
                        jwt = span.end;
                        spans.push(span);
                    }
                    Err(next) => jwt = next,
                },
                Look::Cookie if start >= cookie => cookie = headers::cookies(text, end, &mut spans),
                Look::Name | Look::Token(_) | Look::Jwt | Look::Cookie => {}
                Look::Scheme => spans.extend(headers::scheme(text, start, end, &mut credential)),
                Look::Authorization => spans.extend(headers::authorization(text, end, &mut credential)),
                Look::Webhook(rule, keep) => spans.extend(shapes::webhook(text, end, (rule, keep), &mut hook)),
                Look::KeyBegins => {
                    spans.extend(blocks::begun(text, start));
                    dashes = end;
                }
                Look::KeyEnds => spans.extend(blocks::ended(text, start, std::mem::replace(&mut dashes, end))),
                Look::Jwk if start >= jwk => jwk = blocks::web_key(text, start, jwk, &mut spans),
                Look::Kubernetes if start >= manifest => {
                    manifest = blocks::kubernetes(text, (start, end), manifest, &mut spans)
                }
                Look::Jwk | Look::Kubernetes => {}
                Look::Identified => spans.extend(assign::identified(text, end)),
                Look::SeedPhrase => spans.extend(said::seed_phrase(text, end)),
                Look::Command => headers::command_line(text, start, &mut spans),
                look => spans.extend(closer(look, text, start)),
            }
        }
        shapes::long_words(text, &mut spans);
        personal::numbers(text, &mut spans);
        let beside = spans.iter().filter(|span| span.rule == "aws-access-key");
        let beside: Vec<Span<'_>> = beside.filter_map(|id| shapes::aws_secret_beside(text, id.end)).collect();
        spans.extend(beside);
        let hidden = private::blocks(text, tags.into_iter());
        spans.extend(hidden.into_iter().map(|block| Span::new(block.start, block.end, "private", Rank::Private)));
        Scan { spans, done }
    }
}

fn closer(look: Look, text: &str, start: usize) -> Option<Span<'static>> {
    match look {
        Look::Address => addresses::url_password(text, start),
        Look::Sendgrid => shapes::sendgrid(text, start),
        Look::AzureClient => shapes::azure_client(text, start),
        Look::Putty => blocks::putty(text, start),
        Look::GoDsn => addresses::go_dsn(text, start),
        Look::Email => personal::email(text, start),
        _ => None,
    }
}

/// `[redacted:<rule>]` or `[private]`, whole.
fn replacement(text: &str, start: usize, end: usize) -> Option<Range<usize>> {
    if text.as_bytes()[end - 1] == b']' {
        return Some(start..end);
    }
    let rest = super::chars::window(text, end, 80);
    let name = &rest[..rest.find(']')?];
    is_rule_name(name).then_some(start..end + name.len() + 1)
}
