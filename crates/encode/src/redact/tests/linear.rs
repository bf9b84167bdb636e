//! However a text is made, twice as much of it is twice the work: counted in bytes that rules look at, not in time.

use super::super::chars::EXAMINED;
use super::*;

const SIZE: usize = 4 << 10;
/// Windows that reach over the end of the shorter text make the longer one a little dearer than twice; a rule that
/// reads to the end from every keyword makes it four times as dear.
const MOST: f64 = 2.6;

/// What stands over and over in a text.
fn shapes() -> Vec<String> {
    let around =
        ["a", "A", "0", "-", "=", " ", "\"", "'", "\\", "\\n", "\n", "é", ".", ":", "/", "@", "~", "(", "\u{1b}["];
    let pairs =
        ["Q~", "1Qa9Q~", "a.", "=-", "\\\"", "a@b.co", "a@b.co:", "x-eyJ", "eyJabcdefghijk.", "SG.", "SG.x1-", "1//0"];
    let lines = [
        "a://b:c1@",
        "http://u:p4ss@h/",
        "u:p@tcp(",
        "Bearer x1Y2z3W4",
        "Basic ",
        "Authorization:",
        "Authorization1=",
        "authorization: Bearer ",
        "Cookie: sid=a1b2c3d4; ",
        "cookie\"",
        "hooks.slack.com/services/",
        "hooks.slack.com/services/T0A1/",
        "discord.com/api/webhooks/1/",
        "Private-Lines: 1 ",
        "Private-Lines:\\n",
        "Private-Lines: 1\nAAAAAAAAAAAAAAAAAAAA1\n",
        "<private",
        "<private>",
        "</private>",
        "<private a",
        "zip -P aB1c2 ",
        "curl -u a:b1c2d3 ",
        "mysql -pab1c2 ",
        "AKIAQ2W3E4R5T6Y7U8I9 ",
        "-AKIAQ2W3E4R5T6Y7",
        "sk-a1B2c3D4e5F6g7H8i9",
        "sk-",
        "1234 5678 9012 3456 ",
        "DE89 3704 0044 0532 0130 00 ",
        "12345678:aB1c2D3e4F5g6H7i8J9k0L1m2N3o4P5q6R7 ",
        "MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe.aB1c2D3e4F5g6H7i8J9k0L1m2N3",
        "[redacted:",
        "[redacted:x]",
        "[private]",
        "password",
        "password=",
        "password=)",
        "password = \"",
        "password: ",
        "token ",
        "passwords are ",
        "pass\u{1b}[0m=",
        "x.password-",
        "secret_key=a1B2c3D4,",
        "<password>x",
        "variable \"password\" { ",
        "| password |\n|---|\n",
        "| password ",
        "password: |\n  a1b2c3d4\n",
        "password:\n ",
        "<b>password</b>",
        "ｐａｓｓｗｏｒｄ＝",
        "pass\u{200b}word=a1b2c3 ",
        "пароль: a1b2c3d4 ",
        "identified by '",
        "mnemonic legal winner ",
        "seed ",
        "{\"kty\": \"d\": \"a1b2c3d4e5f6g7h8\"}",
        "\"kty\"",
        "kind: Secret\n",
        "kind: Secret\n---\ndata:\n a: QUJDREVGR0g=\n",
        "private key ",
        "x-token-a1b2c3d4e5f6g7h8i9j0",
        "!A",
        "curl \\\n -u a:b1c2d3 ",
    ];
    let mut shapes: Vec<String> = around.iter().chain(&pairs).chain(&lines).map(|shape| (*shape).to_owned()).collect();
    for edge in ["BEGIN", "END"] {
        shapes.extend(["", "\n", "\\n", "AAAAAAAAAAAAAAAAAAAA1\n"].map(|end| pem(edge, "") + end));
        shapes.push(format!("-----{edge} "));
    }
    shapes
}

fn examined(redactor: &Redactor, text: &str) -> usize {
    EXAMINED.set(0);
    redactor.spans(text);
    EXAMINED.get()
}

#[test]
fn twice_the_text_is_twice_the_work_whatever_it_repeats() {
    let redactor = Redactor::built_in();
    // Behind a beginning that draws a rule's attention, and before an end that is far away.
    let begins = ["", "password=", &pem("BEGIN", "")];
    for (shape, begin) in shapes().iter().flat_map(|shape| begins.map(|begin| (shape.clone(), begin.to_owned()))) {
        let text = |size: usize| format!("{begin}{}(", shape.repeat(size / shape.len()));
        let (once, twice) = (examined(&redactor, &text(SIZE)), examined(&redactor, &text(2 * SIZE)));
        assert!(twice as f64 <= once as f64 * MOST + 40_000.0, "{begin:?} {shape:?}: {once}, then {twice}");
    }
}

/// Every keyword there is, so that no rule is forgotten.
fn check_every_rule(shape: impl Fn(&str) -> String) {
    let redactor = Redactor::built_in();
    let mut words = scan::words().0;
    words.sort_unstable();
    words.dedup();
    assert!(words.len() > 400, "{}", words.len());
    for shape in words.iter().map(|word| shape(word)) {
        let text = |size: usize| shape.repeat(size / shape.len());
        let (once, twice) = (examined(&redactor, &text(SIZE / 2)), examined(&redactor, &text(SIZE)));
        assert!(twice as f64 <= once as f64 * MOST + 40_000.0, "{shape:?}: {once}, then {twice}");
    }
}

#[test]
fn twice_the_text_is_twice_the_work_for_every_rule() {
    check_every_rule(|word| format!("{word}="));
}

#[test]
fn twice_the_text_is_twice_the_work_for_every_rule_that_is_drawn_on() {
    check_every_rule(|word| format!("{word} a1B2c3D4"));
}

/// What nobody writes: a megabyte of one mark or one word on a line, looked at no more than a few hundred times a byte.
#[test]
fn a_megabyte_of_nothing_but_marks_is_bounded() {
    let redactor = Redactor::built_in();
    for piece in ["\"", ":", "|", "Q~", "password=", "<br>", "=", "\u{200b}", "ｐ", "$2b$", "\"kty\"", "kind: Secret\n"]
    {
        let text = piece.repeat((256 << 10) / piece.len());
        let examined = examined(&redactor, &text);
        assert!(examined <= text.len() * 400, "{piece:?}: {examined} bytes looked at for {}", text.len());
    }
}

/// The longest of all that were kept whole are still taken whole.
#[test]
fn what_is_judged_by_its_beginning_is_followed_to_its_end() {
    let long = Dice::new(11).draw("abcdefghijkLMNOPQRSTU0123456789", 9_000);
    check(&format!("Authorization: Negotiate {long}."), "Authorization: Negotiate [redacted:authorization].");
    check(
        &format!("https://hooks.slack.com/services/{long}/"),
        "https://hooks.slack.com/services/[redacted:slack-webhook]/",
    );
}
