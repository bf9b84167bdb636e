//! The second half of the corpus, drawn from a seed: every kind of secret in every kind of place.

use super::super::Redactor;

/// Deterministic, so that a failure can be seen again.
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(super) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % most
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    pub(super) fn draw(&mut self, alphabet: &str, length: usize) -> String {
        let alphabet: Vec<char> = alphabet.chars().collect();
        (0..length).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }
}

const HEX: &str = "0123456789abcdef";
const DIGITS: &str = "0123456789";
const CAPITALS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const URL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Secrets that are known wherever they stand. The pattern: literal text, and `{alphabet length}` drawn.
const KINDS: &[&str] = &[
    "AKIA{C16}",
    "ASIA{C16}",
    "ghp_{L36}",
    "gho_{L36}",
    "ghu_{L36}",
    "ghs_{L36}",
    "ghr_{L36}",
    "github_pat_{L22}_{L59}",
    "glpat-{U20}",
    "xoxb-{D12}-{D12}-{L24}",
    "xoxp-{D11}-{D11}-{D12}-{H32}",
    "sk_live_{L24}",
    "rk_live_{L24}",
    "AIza{U35}",
    "ya29.{U80}",
    "GOCSPX-{U28}",
    "sk-{L48}",
    "sk-proj-{U64}",
    "sk-ant-api03-{U93}AA",
    "npm_{L36}",
    "pypi-AgEIcHlwaS5vcmc{U80}",
    "cio{L32}",
    "SK{H32}",
    "AC{H32}",
    "SG.{U22}.{U43}",
    "key-{H32}",
    "dop_v1_{H64}",
    "hf_{L34}",
    "shpat_{H32}",
    "MT{L22}.{U6}.{U38}",
    "{D10}:AA{U33}",
    "eyJhbGciOiJIUzI1NiJ9.eyJ{L40}.{U43}",
    "AGE-SECRET-KEY-1{C58}",
];

fn secret(dice: &mut Dice, kind: &str) -> String {
    let mut drawn = String::new();
    for part in kind.split('{') {
        match part.split_once('}') {
            Some((wish, rest)) => {
                let alphabet = match &wish[..1] {
                    "C" => CAPITALS,
                    "H" => HEX,
                    "D" => DIGITS,
                    "L" => LETTERS,
                    _ => URL,
                };
                let length: usize = wish[1..].parse().unwrap();
                // No issuer ends a token with a dash, and none begins its number with a nought.
                let last = dice.draw(if alphabet == URL { LETTERS } else { alphabet }, 1);
                let first = if alphabet == DIGITS { "7".to_owned() } else { String::new() };
                drawn += &first;
                drawn += &dice.draw(alphabet, length - 1 - first.len());
                drawn += &last;
                drawn += rest;
            }
            None => drawn += part,
        }
    }
    drawn
}

/// Places where such a secret may stand (`@@`).
const PLACES: &[&str] = &[
    "@@",
    "use @@ for now",
    "is it @@?",
    "I said: @@.",
    "(@@)",
    "[@@]",
    "`@@`",
    "“@@”",
    "токен @@ устарел",
    "鍵は@@です",
    "see: @@, thanks",
    "\u{1b}[32m@@\u{1b}[0m",
    "\u{1b}[1;31mERROR\u{1b}[0m \u{1b}[2mkey\u{1b}[0m=\u{1b}[33m@@\u{1b}[0m",
    "{\\\"k\\\":\\\"@@\\\"}",
    "line one\\n@@\\nline three",
    "\\t@@",
    "https://acme.io/cb?x=1&t=@@&y=2",
    "https://acme.io/cb?t%3D@@",
    "x=@@;",
    "x: '@@',",
    "<v>@@</v>",
    "echo @@ | base64",
    "| key | @@ |",
    "* @@ *",
    "@@\n",
    "--x=@@ --y",
    "  - \"@@\"",
    "foo(\"@@\", 1)",
    "a -> @@ -> b",
    "+X=@@",
    "-X=@@",
    "> @@",
    "#@@",
    "$ curl -H 'K: @@' https://acme.io",
    "key:@@",
    "é@@é",
];

/// Passwords and drawn values that only their name betrays.
const NAMED: &[&str] = &[
    "DB_PASSWORD=@@",
    "export DB_PASSWORD='@@'",
    "password = \"@@\"",
    "password: '@@'",
    "\"password\": \"@@\"",
    "\"dbPassword\" : \"@@\",",
    "db.password=@@",
    "SMTP_PASS=@@",
    "--password=@@",
    "--db-password '@@'",
    "PGPASSWORD=@@ psql -h db",
    "{\\\"password\\\": \\\"@@\\\"}",
    "password => '@@',",
    "pwd: \"@@\"",
    "<Password>@@</Password>",
    "ADMIN_PASSWORD: @@",
    "Password=@@;Server=db",
    "connect(password='@@')",
    "user=root;pwd=@@;database=x",
    "let password = \"@@\";",
    "val dbPassword: String = \"@@\"",
    "set password \"@@\"",
    "MYSQL_ROOT_PASSWORD=\"@@\"",
    "https://bob:@@@acme.io/x",
    "postgresql://app:@@@10.1.2.3:5432/app",
    "\u{1b}[36mpassword\u{1b}[0m=\u{1b}[33m@@\u{1b}[0m",
    "log: {\"user\":\"x\",\"password\":\"@@\",\"n\":1}",
    "a=1&password=@@&b=2",
    "passwd = '@@'  # prod",
    "PASSWORD=@@\\nHOST=db",
];

const DRAWN: &[&str] = &[
    "API_KEY=@@",
    "api_key: \"@@\"",
    "apiKey: '@@',",
    "\"client_secret\": \"@@\"",
    "CLIENT_SECRET='@@'",
    "auth_token = \"@@\"",
    "X-Api-Key: @@",
    "X-Auth-Token: @@",
    "--token @@",
    "?access_token=@@&x=1",
    "secretKey = \"@@\"",
    "JWT_SECRET=@@",
    "Authorization: Bearer @@",
    "\"Authorization\": \"Bearer @@\"",
    "-H \"Authorization: Bearer @@\"",
    "Authorization: Token @@",
    "encryption_key: @@",
    "token: @@",
    "const token = '@@';",
    "SECRET_KEY = '@@'",
    "session_secret: \"@@\"",
    "webhook_secret = \"@@\"",
    "Cookie: session=@@; a=b",
    "refreshToken: \"@@\"",
    "{\\\"apiKey\\\":\\\"@@\\\"}",
    "api_key=@@\n",
    "\u{1b}[36mtoken\u{1b}[0m=@@",
    "STRIPE_API_KEY: \"@@\"",
    "os.environ[\"API_TOKEN\"] = \"@@\"",
];

fn password(dice: &mut Dice) -> String {
    let word = dice
        .pick(&["Sommer", "hunter", "Dragon", "s3cret", "Wolke", "qwerty", "Passw0rd", "Berlin", "trustno", "zebra"]);
    let digits = dice.draw(DIGITS, 2);
    let mark = dice.pick(&["", "!", "#", "$", "-x", "_7", "*"]);
    format!("{word}{digits}{mark}")
}

fn drawn(dice: &mut Dice) -> String {
    let length = [24, 32, 40, 64][dice.below(4)];
    let alphabet = dice.pick(&[HEX, LETTERS, URL, BASE64]);
    let body = dice.draw(alphabet, length - 2);
    format!("{}{body}{}", dice.draw("abcdef0123456789", 1), dice.draw(HEX, 1))
}

#[test]
fn drawn_secrets_are_found_wherever_they_stand() {
    let redactor = Redactor::built_in();
    let mut dice = Dice::new(20_260_102);
    let (mut all, mut found) = (0, 0);
    let mut check = |place: &str, secret: &str, what: &str| {
        let text = place.replace("@@", secret);
        let redacted = redactor.redact(&text);
        all += 1;
        match super::corpus::leaks(&redacted.text, secret) {
            true => println!("missed {what}: {text:?} -> {:?}", redacted.text),
            false => found += 1,
        }
    };
    for kind in KINDS {
        for place in PLACES {
            check(place, &secret(&mut dice, kind), "kind");
        }
    }
    for _ in 0..12 {
        for place in NAMED {
            check(place, &password(&mut dice), "password");
        }
        for place in DRAWN {
            check(place, &drawn(&mut dice), "drawn");
        }
    }
    let recall = f64::from(found) / f64::from(all);
    println!("drawn {all}, recall {recall:.4}");
    assert!(recall >= 0.98, "recall {recall:.4}");
}
