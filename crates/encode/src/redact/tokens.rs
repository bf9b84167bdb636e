//! Tokens that say themselves what they are: a fixed beginning, an alphabet, a length. A table and its one reader.
//! Must stay data: what needs to look around belongs to its neighbours.

use super::chars::{self, Makeup, begins_word, entropy, share_of_words};

/// How much of a token is looked at to tell it from filler.
const JUDGED: usize = 256;

/// One kind of token.
pub(super) struct Token {
    pub(super) rule: &'static str,
    pub(super) begins: &'static str,
    alphabet: Alphabet,
    /// Fewest bytes behind the beginning.
    least: usize,
}

#[derive(Clone, Copy)]
enum Alphabet {
    Hex,
    /// Capitals and digits, and nothing alphanumeric may follow.
    Capitals,
    Letters,
    /// Letters, digits, `_`, `-`.
    Url,
    /// As before, and dots.
    Dotted,
    Base64,
}

impl Alphabet {
    fn holds(self, byte: u8) -> bool {
        match self {
            Alphabet::Hex => byte.is_ascii_hexdigit(),
            Alphabet::Capitals => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alphabet::Letters => byte.is_ascii_alphanumeric(),
            Alphabet::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Alphabet::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
            Alphabet::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'='),
        }
    }
}

const fn token(rule: &'static str, begins: &'static str, alphabet: Alphabet, least: usize) -> Token {
    Token { rule, begins, alphabet, least }
}

use Alphabet::{Base64, Capitals, Dotted, Hex, Letters, Url};

/// Lengths are a little below what the issuers print today: they have changed before, and cut tokens still tell much.
#[rustfmt::skip]
pub(super) static TOKENS: &[Token] = &[
    token("aws-access-key", "AKIA", Capitals, 16),
    token("aws-access-key", "ASIA", Capitals, 16),
    token("aws-access-key", "ABIA", Capitals, 16),
    token("aws-access-key", "ACCA", Capitals, 16),
    token("github-token", "ghp_", Letters, 24),
    token("github-token", "gho_", Letters, 24),
    token("github-token", "ghu_", Letters, 24),
    token("github-token", "ghs_", Letters, 24),
    token("github-token", "ghr_", Letters, 24),
    token("github-token", "github_pat_", Url, 22),
    token("gitlab-token", "glpat-", Url, 16),
    token("gitlab-token", "gldt-", Url, 16),
    token("gitlab-token", "glrt-", Url, 16),
    token("gitlab-token", "glcbt-", Url, 16),
    token("gitlab-token", "glptt-", Url, 16),
    token("gitlab-token", "glsoat-", Url, 16),
    token("gitlab-token", "gloas-", Url, 16),
    token("slack-token", "xoxb-", Url, 16),
    token("slack-token", "xoxp-", Url, 16),
    token("slack-token", "xoxa-", Url, 16),
    token("slack-token", "xoxr-", Url, 16),
    token("slack-token", "xoxs-", Url, 16),
    token("slack-token", "xoxo-", Url, 16),
    token("slack-token", "xoxc-", Url, 16),
    token("slack-token", "xoxd-", Url, 16),
    token("slack-token", "xoxe-", Url, 16),
    token("slack-token", "xoxe.", Dotted, 16),
    token("slack-token", "xapp-", Url, 16),
    token("stripe-key", "sk_live_", Letters, 16),
    token("stripe-key", "rk_live_", Letters, 16),
    token("stripe-key", "sk_test_", Letters, 16),
    token("stripe-key", "rk_test_", Letters, 16),
    token("stripe-key", "whsec_", Base64, 24),
    token("google-api-key", "AIza", Url, 30),
    token("google-oauth", "ya29.", Dotted, 20),
    token("google-oauth", "GOCSPX-", Url, 20),
    token("google-oauth", "1//0", Url, 32),
    token("anthropic-key", "sk-ant-", Url, 20),
    token("openai-key", "sk-proj-", Url, 20),
    token("openai-key", "sk-svcacct-", Url, 20),
    token("openai-key", "sk-admin-", Url, 20),
    token("openai-key", "sk-", Url, 20),
    token("xai-key", "xai-", Letters, 32),
    token("groq-key", "gsk_", Letters, 32),
    token("perplexity-key", "pplx-", Letters, 32),
    token("nvidia-key", "nvapi-", Url, 32),
    token("replicate-key", "r8_", Letters, 30),
    token("huggingface-token", "hf_", Letters, 26),
    token("huggingface-token", "api_org_", Letters, 26),
    token("npm-token", "npm_", Letters, 30),
    token("pypi-token", "pypi-", Url, 40),
    token("crates-token", "cio", Letters, 32),
    token("rubygems-token", "rubygems_", Hex, 40),
    token("nuget-key", "oy2", Letters, 43),
    token("mailgun-key", "key-", Hex, 32),
    token("brevo-key", "xkeysib-", Url, 40),
    token("digitalocean-token", "dop_v1_", Hex, 40),
    token("digitalocean-token", "doo_v1_", Hex, 40),
    token("digitalocean-token", "dor_v1_", Hex, 40),
    token("shopify-token", "shpat_", Hex, 24),
    token("shopify-token", "shpca_", Hex, 24),
    token("shopify-token", "shppa_", Hex, 24),
    token("shopify-token", "shpss_", Hex, 24),
    token("docker-token", "dckr_pat_", Url, 20),
    token("docker-token", "dckr_oat_", Url, 20),
    token("grafana-token", "glsa_", Url, 32),
    token("grafana-token", "glc_eyJ", Base64, 32),
    token("vault-token", "hvs.", Url, 20),
    token("vault-token", "hvb.", Url, 20),
    token("pulumi-token", "pul-", Hex, 40),
    token("databricks-token", "dapi", Hex, 32),
    token("linear-key", "lin_api_", Letters, 30),
    token("notion-token", "ntn_", Letters, 40),
    token("notion-token", "secret_", Letters, 40),
    token("figma-token", "figd_", Url, 30),
    token("postman-key", "PMAK-", Url, 40),
    token("sentry-token", "sntrys_", Base64, 40),
    token("sentry-token", "sntryu_", Hex, 40),
    token("newrelic-key", "NRAK-", Letters, 24),
    token("planetscale-token", "pscale_tkn_", Dotted, 30),
    token("planetscale-token", "pscale_pw_", Dotted, 30),
    token("supabase-key", "sbp_", Hex, 40),
    token("supabase-key", "sb_secret_", Url, 20),
    token("netlify-token", "nfp_", Letters, 36),
    token("fly-token", "fm2_", Base64, 40),
    token("fly-token", "fo1_", Url, 40),
    token("doppler-token", "dp.st.", Dotted, 40),
    token("doppler-token", "dp.pt.", Dotted, 40),
    token("onepassword-token", "ops_eyJ", Base64, 40),
    token("atlassian-token", "ATATT3", Base64, 60),
    token("atlassian-token", "ATCTT3", Base64, 60),
    token("atlassian-token", "ATBB", Base64, 28),
    token("square-token", "sq0atp-", Url, 20),
    token("square-token", "sq0csp-", Url, 40),
    token("hubspot-token", "pat-na1-", Url, 32),
    token("hubspot-token", "pat-eu1-", Url, 32),
    token("artifactory-key", "AKCp", Letters, 60),
    token("easypost-key", "EZAK", Letters, 54),
    token("age-key", "AGE-SECRET-KEY-1", Capitals, 40),
];

/// The token that begins at `at`, if its beginning is followed by enough that is neither words nor filler.
pub(super) fn read(token: &Token, text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let body = at + token.begins.len();
    if !bytes[at..].starts_with(token.begins.as_bytes()) || !begins_word(bytes, at) {
        return None;
    }
    let run = |from: usize, most: usize| chars::run(bytes, from, most, |byte| token.alphabet.holds(byte));
    let judged = run(body, JUDGED);
    // Judged by its beginning, then followed to its end: what is refused costs little, however long it is.
    if judged < token.least || !is_likely(token, &text[body..body + judged]) {
        return None;
    }
    let mut end = body + judged + if judged == JUDGED { run(body + judged, usize::MAX) } else { 0 };
    // A dot or a dash that ends the sentence is no part of the token.
    while end > body && matches!(bytes[end - 1], b'.' | b'-') {
        end -= 1;
    }
    let length = end - body;
    let ends_inside_word = matches!(token.alphabet, Capitals | Hex)
        && bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let exact = token.rule != "aws-access-key" || length == token.least;
    let exact = exact && (token.rule != "crates-token" || length == token.least);
    (length >= token.least && exact && !ends_inside_word).then_some(end)
}

/// Words are not told by capitals alone: sixteen letters drawn from few vowels often read as one.
fn is_likely(token: &Token, value: &str) -> bool {
    if matches!(token.alphabet, Capitals) { entropy(value) >= 2.5 } else { is_drawn(value) }
}

/// Not `xxxxxxxx`, not `your-key-goes-here`, not the name of a CSS class or a package.
fn is_drawn(body: &str) -> bool {
    let makeup = Makeup::of(body);
    let mixed = makeup.digits > 0 || (makeup.upper > 0 && makeup.lower > 0) || makeup.upper >= 16;
    mixed && entropy(body) >= 2.6 && share_of_words(body) < 97
}
