//! What is found, what stays, and that any text is survived.

mod corpus;
mod generated;
mod linear;

use super::*;
use generated::Dice;

fn check(text: &str, expect: &str) {
    let redactor = Redactor::built_in();
    let once = redactor.redact(text);
    assert_eq!(once.text, expect, "{text:?}");
    assert_eq!(redactor.redact(&once.text).text, once.text, "twice: {text:?}");
}

fn github_token() -> String {
    format!("ghp_{}", Dice::new(7).draw("abcdefghijkLMNOPQRSTU0123456789", 36))
}

fn key_body(lines: usize, end: &str) -> String {
    let mut dice = Dice::new(3);
    (0..lines).map(|_| dice.draw("ABCDEFGHIJKLMabcdefghijklm0123456789+/", 64) + end).collect()
}

/// The first and the last line of a block, never written out, so that no scanner takes this file for a leak.
fn pem(edge: &str, kind: &str) -> String {
    format!("-----{edge} {kind}PRIVATE KEY-----")
}

#[test]
fn ordinary_text_is_borrowed() {
    let redactor = Redactor::built_in();
    for text in ["", "nothing here", "password: String", "let token = next_token();", "Grüße, 你好 \0 \u{1b}[0m"] {
        let redacted = redactor.redact(text);
        assert!(matches!(redacted.text, Cow::Borrowed(kept) if kept == text), "{text:?}");
        assert!(redacted.found.is_empty());
    }
}

#[test]
fn only_the_value_goes_and_what_was_found_is_counted_by_rule() {
    let token = github_token();
    let text = format!("DB_PASSWORD=Sommer2024 # was {token}\nagain {token}");
    let redactor = Redactor::built_in();
    let redacted = redactor.redact(&text);
    assert_eq!(
        redacted.text,
        "DB_PASSWORD=[redacted:password] # was [redacted:github-token]\nagain [redacted:github-token]"
    );
    let expect = vec![Found { rule: "github-token", count: 2 }, Found { rule: "password", count: 1 }];
    assert_eq!(redacted.found, expect);
}

#[test]
fn user_and_host_of_an_address_stay() {
    for (before, password, after) in [
        ("postgres://app:", "S0mmer24", "@db.acme.io/x"),
        ("amqp://app:", "p/q@w1", "@mq:5672/v"),
        ("https://app:", "p@q", "@acme.io?x=a@b"),
        ("app:", "S0mmer24", "@tcp(db:3306)/x"),
    ] {
        check(&format!("{before}{password}{after}"), &format!("{before}[redacted:url-password]{after}"));
    }
}

#[test]
fn every_value_of_a_cookie_goes_by_itself() {
    check("Cookie: theme=dark; sid=a8Kq27xLm20PqZ71; lang=en", "Cookie: theme=dark; sid=[redacted:cookie]; lang=en");
}

#[test]
fn a_secret_in_the_middle_of_a_word_is_none() {
    for text in
        [format!("x{}", github_token()), concat!("xxAK", "IAQWERTZUIOPASDF12").to_owned(), "taskey-1".to_owned()]
    {
        check(&text, &text);
    }
}

#[test]
fn text_of_many_bytes_may_stand_around_a_secret() {
    let token = github_token();
    check(&format!("密钥{token}。ключ"), "密钥[redacted:github-token]。ключ");
    check("password = \"pässwörd-ß7\" // ü", "password = \"[redacted:password]\" // ü");
    check("passwort: “Sommer2024!”", "passwort: “[redacted:password]”");
}

#[test]
fn a_private_key_goes_as_a_block() {
    let (begin, end) = (pem("BEGIN", "RSA "), pem("END", "RSA "));
    check(&format!("a\n{begin}\n{}{end}\nb", key_body(5, "\n")), "a\n[redacted:private-key]\nb");
    let cut = format!("a\n{begin}\n{}\nthe rest is prose\n", key_body(3, "\n"));
    check(&cut, "a\n[redacted:private-key]\n\nthe rest is prose\n");
    check(&format!("a tail\n{}{end}\nb", key_body(3, "\n")), "a tail\n[redacted:private-key]\nb");
}

#[test]
fn a_private_key_in_a_json_string_leaves_valid_json() {
    let (begin, end) = (pem("BEGIN", ""), pem("END", ""));
    let text = format!("{{\"k\":\"{begin}\\n{}{end}\\n\",\"n\":1}}", key_body(3, "\\n"));
    check(&text, "{\"k\":\"[redacted:private-key]\\n\",\"n\":1}");
}

#[test]
fn certificates_and_code_about_keys_stay() {
    let certificate = format!("-----BEGIN CERTIFICATE-----\n{}-----END CERTIFICATE-----", key_body(3, "\n"));
    check(&certificate, &certificate);
    let code = format!("s.contains(\"{}\") && t(\"{}\")", pem("BEGIN", ""), pem("END", ""));
    check(&code, &code);
}

#[test]
fn private_blocks_are_hidden_nested_unclosed_and_in_any_case() {
    check("a <private>b</private> c", "a [private] c");
    check("a <PRIVATE why=\"x\">b\nc</Private> d", "a [private] d");
    check("a <private>b <private>c</private> d</private> e", "a [private] e");
    check("a <private>b to the end", "a [private]");
    check("a <private/> b", "a [private] b");
    check("<privateKey>stays</privateKey> Key<Private> stays", "<privateKey>stays</privateKey> Key<Private> stays");
    let redactor = Redactor::built_in();
    assert_eq!(redactor.redact("<private>x</private>").found, vec![Found { rule: "private", count: 1 }]);
}

#[test]
fn rules_may_be_added_and_values_allowed() {
    let rule = |name: &str, pattern: &str| Rule { name: name.into(), pattern: pattern.into() };
    let extra = [rule("ticket", r"\bACME-(\d{4})\b"), rule("red", "red[a-z]+")];
    let redactor = Redactor::new(&extra, &["Sommer2024".into(), r".*@acme\.io".into()]).unwrap();
    let text = "ACME-1234 redder DB_PASSWORD=Sommer2024 bob@acme.io eve@evil.io";
    let expect = "ACME-[redacted:ticket] [redacted:red] DB_PASSWORD=Sommer2024 bob@acme.io [redacted:email]";
    let once = redactor.redact(text).text.into_owned();
    assert_eq!(once, expect);
    assert_eq!(redactor.redact(&once).text, expect);
}

#[test]
fn a_bad_rule_is_refused_by_name() {
    let refuse = |name: &str, pattern: &str| {
        let rule = Rule { name: name.into(), pattern: pattern.into() };
        Redactor::new(&[rule], &[]).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(refuse("mine", "a("), "redaction rule `mine`: unclosed group");
    assert!(refuse("a b", "a").contains("`a b`"));
    assert!(refuse("huge", r"(?:\w{1000}){1000}").contains("`huge`"));
    let allow = Redactor::new(&[], &["[".into()]).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(allow.starts_with("redaction allows `[`"), "{allow}");
}

#[test]
fn a_long_value_goes_whole() {
    let value = Dice::new(5).draw("abcdefgABCDEFG0123456789", 5000);
    check(&format!("API_KEY={value} end"), "API_KEY=[redacted:api-key] end");
    check(&format!("\"token\": \"{value}\", end"), "\"token\": \"[redacted:token]\", end");
}

#[test]
fn a_line_of_ten_megabytes_completes() {
    let redactor = Redactor::built_in();
    let ordinary =
        ["a", "no line ends here, nor is there a secret; ", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODk", "{\"n\":1,"];
    // What makes a rule look closer every few bytes is dear without optimisation; a shorter line is still far longer
    // than any stretch a rule reads.
    let dear = [
        "password=",
        "-eyJ-",
        "://a:b",
        concat!("-----BEGIN PRIV", "ATE KEY-----"),
        concat!("-----END PRIV", "ATE KEY-----"),
        "@",
        "token: \"",
        "ghp_",
        "1 ",
        "<private ",
        "sk-ant-",
        "ya29.",
        "password=\"x1",
        "Cookie: a=b;",
        "mysql -p",
        "eyJhbGciOiJIUzI1NiJ9.eyJ",
        "DE89 ",
        "token ",
    ];
    for (pieces, size) in [(&ordinary[..], 10 << 20), (&dear[..], 64 << 10)] {
        for piece in pieces {
            let text = piece.repeat(size / piece.len());
            assert!(!redactor.redact(&text).text.is_empty(), "{piece:?}");
        }
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_survived_and_redacted_once_for_all(text in "(?s).{0,300}") {
        settles(&text)?;
    }

    #[test]
    fn any_mixture_of_keywords_is_survived_and_redacted_once_for_all(parts in proptest::collection::vec(
        proptest::sample::select(vec![
            "password", "token", "=", ": ", "\"", "\\\"", "\\n", "\n", " ", "https://", "a:", "@", "host.com", "hunter2!", "é", "“",
            concat!("-----BEGIN PRIV", "ATE KEY-----"), concat!("-----END PRIV", "ATE KEY-----"), "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0NTY3ODk=", "eyJhbGciOiJI",
            ".", "<private>", "</private>", "[redacted:password]", "[redacted:", "]", "[private]", "\u{1b}[31m", "Bearer ", "Basic ", "Cookie: ",
            "mysql ", " -p", "--", "4242 4242 4242 4242", "DE89 3704 0044 0532 0130 00", concat!("AK", "IAQWERTZUIOPASDF12"), "SG.", "Q~", ">", "<",
            "(", "value", ",", "{ default = ", "is ", "login ", "Private-Lines: 2\n", "xoxb-123456789012-abcDEF", "%3D", "\0",
        ]), 0..24)) {
        settles(&parts.concat())?;
    }
}

fn settles(text: &str) -> Result<(), proptest::test_runner::TestCaseError> {
    thread_local!(static REDACTOR: Redactor = Redactor::built_in());
    REDACTOR.with(|redactor| {
        let once = redactor.redact(text).text.into_owned();
        let twice = redactor.redact(&once).text.into_owned();
        proptest::prop_assert_eq!(once, twice);
        Ok(())
    })
}

#[test]
fn a_secret_in_plain_prose_is_taken_out_and_plain_prose_stays() {
    let secret = ["x7Kq9", "vTz2Rw", "Lm4Pd8YbQ"].concat();
    for said in [
        format!("Use the token {secret} for now"),
        format!("the password {secret} for tests"),
        format!("API key expired, the old api_key was {secret}."),
        format!("login with password admin/{secret} and go"),
    ] {
        let redacted = Redactor::built_in().redact(&said).text.into_owned();
        assert!(!redacted.contains(&secret), "{redacted}");
        assert!(redacted.contains("[redacted:"), "{redacted}");
    }
    for innocent in [
        "the password field parseTokenV2Header is required",
        "a token of type HttpBearerAuth2Token is parsed",
        "secret handling moved to src/auth/SecretStore2Impl.java",
        "token count rises from 4096 to 128000 in gpt-4o-2024-08-06",
        "the password hash uses argon2id with 19MiB and t=2",
        "the token bucket in RateLimiter3 refills every 250ms",
    ] {
        assert_eq!(Redactor::built_in().redact(innocent).text, innocent);
    }
}
