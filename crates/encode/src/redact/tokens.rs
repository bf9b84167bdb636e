//! Tokens that say themselves what they are: a fixed beginning or a mark inside, an alphabet, a length. Two tables and
//! their readers. Must stay data: what needs to look around belongs to its neighbours.

use super::chars::{self, Makeup, begins_word, entropy, looks_random, share_of_words};

/// How much of a token is looked at to tell it from filler.
const JUDGED: usize = 256;

/// One kind of token.
pub(super) struct Token {
    pub(super) rule: &'static str,
    pub(super) begin: &'static [&'static str],
    alphabet: Alphabet,
    /// Fewest and most bytes behind the beginning.
    length: (usize, usize),
}

/// A token known by what stands inside it.
pub(super) struct Marked {
    pub(super) rule: &'static str,
    pub(super) mark: &'static str,
    alphabet: Alphabet,
    /// Fewest and most bytes before the mark.
    before: (usize, usize),
    after: (usize, usize),
}

#[derive(Clone, Copy)]
enum Alphabet {
    Hex,
    /// Capitals and digits, and nothing alphanumeric may follow.
    Capitals,
    /// The same in groups held together by dashes.
    Serial,
    Letters,
    /// Letters, digits, `_`, `-`.
    Url,
    /// As before, and dots.
    Dotted,
    Base64,
    /// What the fields of a password hash are made of.
    Crypt,
}

impl Alphabet {
    fn holds(self, byte: u8) -> bool {
        let more: &[u8] = match self {
            Alphabet::Hex => return byte.is_ascii_hexdigit(),
            Alphabet::Capitals => return byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Alphabet::Serial => return byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-',
            Alphabet::Letters => b"",
            Alphabet::Url => b"_-",
            Alphabet::Dotted => b"_-.=",
            Alphabet::Base64 => b"_-+/=",
            Alphabet::Crypt => b"_-+/=.$,%",
        };
        byte.is_ascii_alphanumeric() || more.contains(&byte)
    }
}

const fn token(rule: &'static str, alphabet: Alphabet, least: usize, begin: &'static [&'static str]) -> Token {
    Token { rule, begin, alphabet, length: (least, usize::MAX) }
}

const fn exactly(rule: &'static str, alphabet: Alphabet, length: usize, begin: &'static [&'static str]) -> Token {
    Token { rule, begin, alphabet, length: (length, length) }
}

use Alphabet::{Base64, Capitals, Crypt, Dotted, Hex, Letters, Serial, Url};

/// Lengths are a little below what the issuers print today: they have changed before, and cut tokens still tell much.
#[rustfmt::skip]
pub(super) static TOKENS: &[Token] = &[
    exactly("aws-access-key", Capitals, 16, &["AKIA", "ASIA", "ABIA", "ACCA"]),
    exactly("aws-access-key", Capitals, 17, &["A3T"]),
    token("aws-key", Base64, 28, &["bedrock-api-key-"]),
    token("aws-key", Base64, 90, &["ABSK"]),
    token("aws-key", Url, 26, &["amzn.mws.", "amzn1.oa2-cs.v1."]),
    exactly("aws-key", Letters, 26, &["da2-"]),
    token("github-token", Dotted, 24, &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"]),
    token("gitlab-token", Dotted, 16, &[
        "glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glsoat-", "gloas-", "glft-", "glffct-", "glimt-", "glagent-",
        "glrtr-", "glwt-", "GR1348941",
    ]),
    token("cookie", Letters, 24, &["_gitlab_session="]),
    token("slack-token", Dotted, 12, &[
        "xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xapp-", "xwfp-",
    ]),
    token("stripe-key", Letters, 10, &[
        "sk_live_", "rk_live_", "sk_test_", "rk_test_", "sk_prod_", "rk_prod_", "sk_sbox_", "sk_sandbox_",
    ]),
    token("stripe-key", Base64, 24, &["whsec_"]),
    token("google-api-key", Url, 30, &["AIza"]),
    token("google-api-key", Capitals, 50, &["GOOG1E"]),
    token("google-oauth", Dotted, 20, &["ya29.", "GOCSPX-"]),
    token("google-oauth", Url, 32, &["1//0"]),
    token("anthropic-key", Url, 20, &["sk-ant-"]),
    token("openai-key", Url, 20, &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-"]),
    token("xai-key", Letters, 32, &["xai-"]),
    token("groq-key", Letters, 32, &["gsk_"]),
    token("perplexity-key", Letters, 32, &["pplx-"]),
    token("nvidia-key", Url, 32, &["nvapi-"]),
    token("replicate-key", Letters, 30, &["r8_"]),
    token("llm-key", Url, 26, &["llx-", "tvly-", "tgp_v1_", "csk-", "jina_", "pcsk_", "lsv2_pt_", "lsv2_sk_", "rpa_", "e2b_"]),
    token("huggingface-token", Letters, 26, &["hf_", "api_org_"]),
    token("npm-token", Letters, 30, &["npm_"]),
    token("pypi-token", Url, 40, &["pypi-"]),
    exactly("crates-token", Letters, 32, &["cio"]),
    token("rubygems-token", Hex, 40, &["rubygems_"]),
    token("nuget-key", Letters, 43, &["oy2"]),
    token("clojars-token", Letters, 40, &["CLOJARS_"]),
    token("mailgun-key", Hex, 32, &["key-", "pubkey-"]),
    token("brevo-key", Url, 40, &["xkeysib-", "xsmtpsib-"]),
    token("mailersend-key", Hex, 40, &["mlsn."]),
    token("resend-key", Url, 24, &["re_"]),
    token("digitalocean-token", Hex, 40, &["dop_v1_", "doo_v1_", "dor_v1_"]),
    token("shopify-token", Hex, 24, &["shpat_", "shpca_", "shppa_", "shpss_", "shptka_"]),
    token("shippo-token", Hex, 32, &["shippo_live_", "shippo_test_"]),
    token("docker-token", Url, 20, &["dckr_pat_", "dckr_oat_", "SWMTKN-1-", "SWMKEY-1-"]),
    token("grafana-token", Url, 32, &["glsa_", "glpl_"]),
    token("grafana-token", Base64, 32, &["glc_"]),
    token("grafana-token", Base64, 60, &["eyJrIjoi"]),
    token("vault-token", Url, 20, &["hvs.", "hvb.", "hvr."]),
    token("pulumi-token", Hex, 40, &["pul-"]),
    token("databricks-token", Hex, 32, &["dapi", "dkea", "dose"]),
    token("linear-key", Letters, 30, &["lin_api_", "lin_oauth_"]),
    token("notion-token", Letters, 40, &["ntn_", "secret_"]),
    token("figma-token", Url, 30, &["figd_", "figu_", "figo_", "figoh_"]),
    token("frameio-token", Dotted, 50, &["fio-u-"]),
    token("postman-key", Url, 40, &["PMAK-", "PMAT-"]),
    token("sentry-token", Base64, 40, &["sntrys_", "sntryu_", "sntrya_"]),
    token("newrelic-key", Url, 19, &["NRAK-", "NRII-", "NRIQ-", "NRJS-", "NRBR-", "NRSP-", "NRRA-"]),
    token("planetscale-token", Dotted, 30, &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"]),
    token("supabase-key", Url, 40, &["sbp_"]),
    token("supabase-key", Url, 20, &["sb_secret_"]),
    token("netlify-token", Letters, 36, &["nfp_", "nfc_", "nfo_", "nfu_", "nfb_"]),
    token("fly-token", Base64, 40, &["fm1a_", "fm1r_", "fm2_", "fo1_"]),
    token("vercel-token", Letters, 24, &["vcp_", "vci_", "vca_", "vcr_", "vck_", "vercel_blob_rw_"]),
    token("cloudflare-token", Letters, 40, &["cfat_", "cfut_", "cfk_"]),
    token("cloudflare-token", Url, 100, &["v1.0-"]),
    token("render-token", Letters, 28, &["rnd_"]),
    token("doppler-token", Dotted, 40, &["dp.st.", "dp.pt.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."]),
    token("onepassword-token", Base64, 40, &["ops_eyJ"]),
    token("onepassword-token", Serial, 30, &["A3-"]),
    token("atlassian-token", Crypt, 60, &["ATATT3", "ATCTT3", "ATSTT3"]),
    token("atlassian-token", Base64, 28, &["ATBB", "BBDC-"]),
    token("heroku-token", Url, 30, &["HRKU-"]),
    token("square-token", Url, 20, &["sq0atp-", "sq0csp-", "sq0idp-"]),
    token("square-token", Url, 22, &["EAAA"]),
    token("facebook-token", Letters, 80, &["EAA", "IGQV"]),
    token("hubspot-token", Url, 32, &["pat-na1-", "pat-na2-", "pat-eu1-"]),
    token("artifactory-key", Letters, 60, &["AKCp"]),
    token("artifactory-key", Letters, 50, &["cmVmd"]),
    token("easypost-key", Letters, 50, &["EZAK", "EZTK"]),
    token("age-key", Capitals, 40, &["AGE-SECRET-KEY-1"]),
    exactly("age-key", Capitals, 55, &["SUA", "SAA", "SOA"]),
    token("wallet-key", Letters, 100, &["xprv9", "yprv", "zprv", "tprv8"]),
    token("adobe-secret", Letters, 32, &["p8e-"]),
    token("alibaba-key", Letters, 12, &["LTAI"]),
    token("akamai-token", Url, 32, &["akab-"]),
    token("airtable-token", Dotted, 70, &["pat"]),
    token("harness-token", Dotted, 64, &["pat.", "sat."]),
    token("authress-key", Crypt, 50, &["sc_", "ext_", "scauth_", "authress_"]),
    token("braintree-token", Crypt, 40, &["access_token$production$", "access_token$sandbox$"]),
    token("buildkite-token", Letters, 36, &["bkua_", "bkpt_"]),
    token("circleci-token", Url, 36, &["CCIPAT_", "CCIPRJ_"]),
    exactly("clickhouse-key", Letters, 38, &["4b1d"]),
    token("contentful-token", Url, 40, &["CFPAT-"]),
    token("defined-token", Url, 60, &["dnkey-"]),
    token("dropbox-token", Dotted, 100, &["sl."]),
    token("duffel-token", Dotted, 40, &["duffel_test_", "duffel_live_"]),
    token("dynatrace-token", Dotted, 60, &["dt0c01.", "dt0s01.", "dt0s02.", "dt0s16."]),
    token("lob-key", Hex, 30, &["live_pub_", "test_pub_", "live_", "test_"]),
    token("flutterwave-key", Url, 12, &["FLWSECK_TEST-", "FLWSECK-", "FLWPUBK_TEST-", "FLWPUBK-"]),
    token("infracost-key", Letters, 30, &["ico-"]),
    token("intra42-secret", Hex, 50, &["s-s4t2ud-", "s-s4t2af-"]),
    token("launchdarkly-key", Url, 36, &["sdk-", "api-"]),
    token("mapbox-token", Dotted, 60, &["sk.eyJ", "pk.eyJ"]),
    token("adafruit-key", Letters, 26, &["aio_"]),
    token("dependency-track-key", Letters, 30, &["odt_"]),
    token("fleetbase-key", Letters, 20, &["flb_live_", "flb_test_"]),
    token("voiceflow-key", Dotted, 30, &["VF.DM.", "VF.WS."]),
    token("nightfall-key", Letters, 32, &["NF-", "cosmo_"]),
    token("pagarme-key", Letters, 24, &["ak_live_", "ak_test_"]),
    token("pubnub-key", Url, 36, &["sec-c-", "pub-c-", "sub-c-"]),
    token("teamwork-token", Base64, 40, &["tkn.v1_"]),
    token("mongodb-key", Url, 36, &["mdb_sa_sk_"]),
    exactly("octopus-key", Capitals, 26, &["API-"]),
    token("openshift-token", Url, 40, &["sha256~"]),
    token("plaid-token", Url, 36, &["access-sandbox-", "access-development-", "access-production-"]),
    token("posthog-key", Url, 36, &["phc_", "phs_", "phr_", "pha_", "phx_"]),
    token("prefect-token", Letters, 32, &["pnu_", "pnb_"]),
    token("readme-token", Letters, 60, &["rdme_"]),
    token("salesforce-key", Dotted, 60, &["3MVG"]),
    token("zoho-token", Dotted, 60, &["1000."]),
    token("scalingo-token", Url, 40, &["tk-us-"]),
    token("settlemint-token", Letters, 16, &["sm_aat_", "sm_pat_", "sm_sat_"]),
    token("ionic-token", Letters, 40, &["ion_"]),
    token("fullstory-key", Base64, 60, &["na1.", "eu1."]),
    token("sonar-token", Dotted, 36, &["squ_", "sqp_", "sqa_"]),
    token("sourcegraph-token", Url, 40, &["sgp_", "slk_", "sgd_"]),
    token("tailscale-key", Url, 20, &["tskey-auth-", "tskey-api-", "tskey-client-", "tskey-"]),
    token("twitter-token", Crypt, 80, &["AAAAAAAAAAAAAAAAAAAAA"]),
    token("typeform-token", Dotted, 40, &["tfp_"]),
    token("wakatime-key", Url, 32, &["waka_"]),
    token("yandex-token", Dotted, 90, &["t1."]),
    token("yandex-token", Url, 34, &["AQVN"]),
    token("apify-token", Letters, 30, &["apify_api_"]),
    token("ntlm-token", Base64, 60, &["TlRMTVNTUAAD"]),
    // `{"alg":…` and `-----BEGIN … PRIVATE KEY-----` once more in base64.
    token("jwt", Base64, 40, &["ZXlKaGJHY2lPaU", "ZXlKMGVYQWlPaU", "ZXlKcmFXUWlPaU"]),
    token("private-key", Base64, 40, &[
        "LS0tLS1CRUdJTiBQUklWQVRF", "LS0tLS1CRUdJTiBSU0Eg", "LS0tLS1CRUdJTiBFQyBQ", "LS0tLS1CRUdJTiBPUEVOU1NI",
        "LS0tLS1CRUdJTiBFTkNSWVBURU", "LS0tLS1CRUdJTiBEU0Eg",
    ]),
    token("password-hash", Crypt, 40, &["$2a$", "$2b$", "$2x$", "$2y$", "$5$", "$6$", "$7$", "$y$", "$gy$", "$scrypt$"]),
    token("password-hash", Crypt, 26, &["$1$", "$apr1$", "$md5$"]),
    token("password-hash", Crypt, 30, &["$argon2id$", "$argon2i$", "$argon2d$", "$pbkdf2", "$bcrypt-sha256$", "$P$", "$H$", "$krb5asrep$", "$krb5tgs$", "$NT$"]),
    token("password-hash", Crypt, 30, &["pbkdf2_sha256$", "pbkdf2_sha1$", "pbkdf2:sha1:", "pbkdf2:sha256:", "pbkdf2:sha512:", "scrypt:32768:8:1", "bcrypt_sha256$", "argon2$argon2"]),
    token("password-hash", Base64, 24, &["{SSHA}", "{SSHA256}", "{SSHA512}", "{SHA}", "{CRYPT}"]),
];

/// The azure marks stand in the last third of a key, before its checksum.
#[rustfmt::skip]
pub(super) static MARKED: &[Marked] = &[
    Marked { rule: "terraform-token", mark: ".atlasv1.", alphabet: Url, before: (12, 16), after: (50, 90) },
    Marked { rule: "openai-key", mark: "T3BlbkFJ", alphabet: Url, before: (20, 96), after: (20, 96) },
    Marked { rule: "newrelic-key", mark: "NRAL", alphabet: Letters, before: (32, 36), after: (0, 0) },
    Marked { rule: "maxmind-key", mark: "_mmk", alphabet: Url, before: (30, 40), after: (0, 0) },
    Marked { rule: "azure-key", mark: "JQQJ9", alphabet: Letters, before: (40, 60), after: (20, 40) },
    Marked { rule: "azure-key", mark: "AZDO", alphabet: Letters, before: (70, 80), after: (4, 6) },
    Marked { rule: "azure-key", mark: "AzSe", alphabet: Letters, before: (40, 48), after: (4, 12) },
    Marked { rule: "azure-key", mark: "AzFu", alphabet: Base64, before: (40, 48), after: (4, 12) },
    Marked { rule: "azure-key", mark: "AzCa", alphabet: Base64, before: (28, 48), after: (4, 12) },
    Marked { rule: "azure-key", mark: "+ASt", alphabet: Base64, before: (70, 80), after: (4, 12) },
    Marked { rule: "azure-key", mark: "ACDb", alphabet: Base64, before: (70, 80), after: (4, 12) },
    Marked { rule: "azure-key", mark: "+ABa", alphabet: Base64, before: (70, 80), after: (4, 12) },
    Marked { rule: "salesforce-token", mark: "!A", alphabet: Dotted, before: (15, 18), after: (60, 200) },
    Marked { rule: "google-api-key", mark: ":APA91b", alphabet: Url, before: (6, 24), after: (60, 220) },
];

/// The token that begins at `at` with what ends at `body`, if enough follows that is neither words nor filler.
pub(super) fn read(token: &Token, text: &str, at: usize, body: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    let begin = &text[at..body];
    if !token.begin.contains(&begin) || !begins_word(bytes, at) {
        return None;
    }
    let run = |from: usize, most: usize| chars::run(bytes, from, most, |byte| token.alphabet.holds(byte));
    let judged = run(body, JUDGED);
    // Judged by its beginning, then followed to its end: what is refused costs little, however long it is.
    if judged < token.length.0 || !is_likely(token, begin, &text[body..body + judged]) {
        return None;
    }
    let mut end = body + judged + if judged == JUDGED { run(body + judged, usize::MAX) } else { 0 };
    // What ends the sentence is no part of the token.
    while end > body && matches!(bytes[end - 1], b'.' | b'-' | b',' | b':') {
        end -= 1;
    }
    let ends_inside_word = matches!(token.alphabet, Capitals | Serial | Hex)
        && bytes.get(end).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let (least, most) = token.length;
    ((least..=most).contains(&(end - body)) && !ends_inside_word).then_some(end)
}

/// Words are not told by capitals alone: sixteen letters drawn from few vowels often read as one.
fn is_likely(token: &Token, begin: &str, body: &str) -> bool {
    match token.alphabet {
        Capitals | Serial => entropy(body) >= 2.5 && Makeup::of(body).letters() > 0,
        // Three letters tell little: what follows must prove more.
        _ if begin.len() < 4 && begin.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
            looks_random(body) && Makeup::of(body).digits > 1
        }
        _ => is_drawn(body),
    }
}

/// Not `xxxxxxxx`, not `your-key-goes-here`, not the name of a CSS class or a package.
fn is_drawn(body: &str) -> bool {
    let makeup = Makeup::of(body);
    let words = share_of_words(body);
    let mixed = makeup.digits > 0 || (makeup.upper > 0 && makeup.lower > 0) || makeup.upper >= 16;
    (mixed && words < 97 || words < 50 && body.len() >= 24) && entropy(body) >= 2.6
}

/// The token around a mark; the distances on both sides are bounded, and so is the work.
pub(super) fn around(kind: &Marked, text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let holds = |byte: u8| kind.alphabet.holds(byte);
    let before = chars::run_before(bytes, start, kind.before.1 + 1, holds);
    let after = chars::run(bytes, end, kind.after.1 + 1, holds);
    let shaped = &text[start..end] == kind.mark
        && (kind.before.0..=kind.before.1).contains(&before)
        && (kind.after.0..=kind.after.1).contains(&after);
    let (start, end) = (start - before, end + after);
    (shaped && looks_random(&text[start..end])).then_some((start, end))
}
