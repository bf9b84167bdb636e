//! Whether what stands behind a key is a secret's value, or a placeholder, a label, code, a path, a number.
//! Judges one value; where it was found is told by its [`Style`].

use super::chars::{Makeup, looks_random, parts, reads_as_words, share_of_words};
use super::keys::Grade;

/// How a value was written: the more it stands there as data, the weaker a password may be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// In quotes.
    Quoted,
    /// `KEY=value`, `--key value`, an entry of a connection string: data for sure, though without quotes.
    Plain,
    /// Without quotes, where a variable might stand as well.
    Bare,
}

pub(super) fn is_secret(value: &str, grade: Grade, style: Style) -> bool {
    if value.len() < 4 || is_placeholder(value) || is_filler(value) || is_known_word(value) || is_no_text(value) {
        return false;
    }
    if style != Style::Quoted && is_code(value, style) {
        return false;
    }
    let makeup = Makeup::of(value);
    match (grade, style) {
        (Grade::Password, Style::Quoted) => is_weak_password(value, makeup),
        (Grade::Password, Style::Plain) => makeup.blanks == 0 && (is_weak_password(value, makeup) || is_name(makeup)),
        (Grade::Password, Style::Bare) => is_bare_password(value, makeup),
        (Grade::Listed, _) => makeup.digits + makeup.special > 0 && is_weak_password(value, makeup),
        (Grade::Phrase, Style::Quoted) => is_weak_password(value, makeup) || value.split(' ').count() >= 4,
        (Grade::Phrase, _) => is_bare_password(value, makeup),
        (Grade::Secret, Style::Bare) => value.len() >= 8 && looks_random(value),
        (Grade::Secret, _) => value.len() >= 6 && (looks_random(value) || is_made_up(value, makeup)),
        (Grade::Token, Style::Bare) => value.len() >= 12 && looks_random(value),
        (Grade::Token, _) => value.len() >= 8 && looks_random(value),
        (Grade::Key, _) => {
            let short = value.len() >= 12 && makeup.digits > 3 && makeup.letters() > 3 && share_of_words(value) < 30;
            let long = short || value.len() >= 16;
            long && (looks_random(value) && is_key_material(value, makeup) || is_serial(value))
        }
        (Grade::Pair, _) => value.len() >= 12 && looks_random(value) || pair(value).is_some(),
    }
}

/// Behind a name that says little: nothing but letters, digits and what holds a key together, and enough of them.
fn is_key_material(value: &str, makeup: Makeup) -> bool {
    let plain = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-+/=.|".contains(&byte));
    let mixed = makeup.upper > 3 && makeup.lower > 3 && share_of_words(value) < 30;
    plain && (makeup.digits > 2 || value.len() >= 20 && makeup.digits > 0 || mixed)
}

/// `ABCDE-FGHIJ-KLMNO-PQRST`, as products are unlocked with.
pub(super) fn is_serial(value: &str) -> bool {
    let first = value.find('-').unwrap_or(0);
    let group =
        |part: &str| part.len() == first && part.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    (4..=8).contains(&first) && value.split('-').count() >= 4 && value.split('-').all(group)
}

/// Where the password begins in `admin:Winter2024`, `admin/Winter2024`.
pub(super) fn pair(value: &str) -> Option<usize> {
    let (user, password) = value.split_once([':', '/'])?;
    let named = (2..=32).contains(&user.len())
        && user.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-@+".contains(&byte))
        && user.starts_with(|c: char| c.is_ascii_alphabetic());
    let plain = !password.contains(['/', ':', '(', ',']) && !is_no_text(password) && !is_placeholder(password);
    let told = is_bare_password(password, Makeup::of(password)) && !is_code(password, Style::Bare);
    (named && plain && told).then_some(user.len() + 1)
}

/// A password somebody chose, where a label could stand too.
fn is_weak_password(value: &str, makeup: Makeup) -> bool {
    let letters_only = makeup.digits + makeup.special == 0;
    let labelled = ["password", "passwd", "passwort", "kennwort"].iter().any(|word| has(value, word));
    if makeup.blanks > 0 || (labelled && makeup.digits == 0) || value.ends_with([':', '?', '…']) {
        return false;
    }
    match letters_only {
        // "Required", "Kennwort": the words of a form. A password in small letters, or in mixed ones, is none.
        true => {
            value.len() >= 6 && (makeup.upper == 0 || makeup.upper > 1 && makeup.lower > 0 && !reads_as_words(value))
        }
        false => makeup.letters() + makeup.digits >= 3 && !is_label(value, makeup),
    }
}

/// `current-password`, `db-credentials`, `auth.password.wrong`: up to three words held together.
fn is_label(value: &str, makeup: Makeup) -> bool {
    let joined =
        value.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_' | b'.' | b'/' | b':'));
    joined && makeup.digits == 0 && reads_as_words(value) && parts(value).count() < 4
}

fn is_name(makeup: Makeup) -> bool {
    makeup.digits + makeup.special == 0 && makeup.letters() >= 4
}

fn is_bare_password(value: &str, makeup: Makeup) -> bool {
    let marks = value.bytes().filter(|byte| b"!@#$%^&*?~+".contains(byte)).count();
    let odd = value.bytes().any(|byte| b"()[]{}<>|\"'`".contains(&byte));
    let long = value.len() >= 6 && makeup.letters() > 0 && !odd;
    let identifier = value.contains('_') && (reads_as_words(value) || is_identifier(value, makeup));
    let labelled =
        ["password", "passwd", "pwd", "token", "secret"].iter().any(|word| has(value, word)) && makeup.digits < 3;
    long && (makeup.digits > 0 || marks > 0) && !identifier && !(labelled && marks == 0)
}

/// `_bindgen_ty_5`, `node.or1_token`, `D3D11_STENCIL_OP`: one case, digits only at the end of a part.
fn is_identifier(value: &str, makeup: Makeup) -> bool {
    let tail = |part: &str| {
        part.trim_end_matches(|c: char| c.is_ascii_digit()).bytes().filter(u8::is_ascii_digit).count() <= 1
    };
    let named = value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b':'));
    named
        && (makeup.upper == 0 || makeup.lower == 0)
        && value.split(['_', '.', ':']).all(|part| part.len() <= 12 && tail(part))
}

/// A secret that was typed rather than drawn: letters with digits or marks in them, or a long phrase of words.
fn is_made_up(value: &str, makeup: Makeup) -> bool {
    let marked = value.bytes().any(|byte| b"!@#$%^&*?".contains(&byte)) && makeup.letters() > 0 && makeup.blanks == 0;
    let phrase = reads_as_words(value) && parts(value).count() >= 4 && makeup.blanks == 0;
    let numbered = makeup.digits >= 2 && makeup.letters() >= 4 && !value.contains(['-', '/', '.', ':', ' ']);
    let glued = makeup.digits + makeup.special + makeup.upper + makeup.blanks == 0 && value.len() >= 12;
    marked || phrase || numbered || glued
}

/// What people write where a value belongs.
pub(super) fn is_placeholder(value: &str) -> bool {
    let wraps =
        [("<", ">"), ("{", "}"), ("[", "]"), ("%", "%"), ("__", "__"), ("${", ""), ("$(", ""), ("{{", ""), ("%(", "")];
    let wrapped =
        wraps.iter().any(|(open, close)| value.starts_with(open) && value.ends_with(close) && value.len() > 2);
    let inside =
        ["${", "$(", "{{", "}}", "#{", "<%", "%s", "%v", "%{", "[redacted", "[private]", "...", "…", "***", "<your"];
    let variable = value.strip_prefix('$').is_some_and(|name| {
        let named = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        named && (!name.bytes().any(|b| b.is_ascii_digit()) || !name.bytes().any(|b| b.is_ascii_lowercase()))
    });
    let pattern = ["0-9", "a-z", "A-Z", "\\w", "\\d", "[^"].iter().any(|class| value.contains(class))
        && value.contains(['[', '(']);
    wrapped || variable || pattern || inside.iter().any(|part| value.contains(part)) || is_stand_in(value)
}

fn is_stand_in(value: &str) -> bool {
    const ANYWHERE: &[&str] =
        &["changeme", "change_me", "change-me", "placeholder", "replaceme", "replace_me", "replace-me"];
    const WORDS: &[&str] =
        &["your", "example", "dummy", "fake", "sample", "insert", "todo", "redacted", "masked", "hidden"];
    let lower = value.get(..value.len().min(64)).unwrap_or(value).to_ascii_lowercase();
    let makeup = Makeup::of(value);
    let drawn = value.len() >= 20 && makeup.upper > 2 && makeup.lower > 2 && makeup.digits > 2;
    ANYWHERE.iter().any(|word| lower.contains(word))
        || (!drawn && parts(value).any(|part| WORDS.iter().any(|word| part.eq_ignore_ascii_case(word))))
        || lower.starts_with("xxx")
        || lower.starts_with("your")
}

/// `xxxx`, `****`, `........`, `0000`: one or two characters over and over.
pub(super) fn is_filler(value: &str) -> bool {
    let mut kinds: Vec<char> = value.chars().take(64).collect();
    let length = kinds.len();
    kinds.sort_unstable();
    kinds.dedup();
    kinds.len() == 1 || (kinds.len() == 2 && length >= 8) || !value.chars().take(64).any(char::is_alphanumeric)
}

/// Words that are never a secret, in quotes or not.
fn is_known_word(value: &str) -> bool {
    #[rustfmt::skip]
    const WORDS: &[&str] = &[
        "none", "null", "nil", "true", "false", "undefined", "empty", "unset", "string", "text", "varchar", "char", "bytes",
        "password", "passwd", "passphrase", "secret", "token", "apikey", "required", "optional", "missing", "invalid", "wrong",
        "incorrect", "hidden", "visible", "default", "unknown", "bcrypt", "scrypt", "argon2", "argon2id", "argon2i", "pbkdf2",
        "sha1", "sha256", "sha384", "sha512", "md5", "base64", "utf8", "utf16", "oauth", "oauth2", "oauth2.0", "oidc", "saml",
        "basic", "bearer", "jwt", "plain", "plaintext", "hs256", "rs256", "es256", "ed25519", "x509", "aes256", "aes128",
        "ascii", "int", "int8", "int16", "int32", "int64", "uint8", "uint32", "uint64", "float32", "float64", "uint8array",
        "number", "boolean", "object", "inherit", "disabled", "enabled", "always", "never", "auto", "manual", "prompt",
        "keychain", "vault", "keyring", "generated", "expired", "revoked", "rotated", "stored", "encrypted", "hashed",
        "username", "email", "login", "admin_password", "root_password", "confirm", "updated", "changed", "reset", "forgot",
        "localhost", "secp256k1", "sha256sum", "refresh", "access", "session", "cookie", "header", "query", "body", "local",
    ];
    WORDS.iter().any(|word| value.eq_ignore_ascii_case(word))
}

/// Numbers with units, dates, versions, digests, paths, addresses.
fn is_no_text(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let digest =
        ["sha1", "sha256", "sha384", "sha512", "md5", "blake3", "arn", "urn", "projects/", "vault", "file", "env"];
    let digest =
        digest.iter().any(|kind| lower.strip_prefix(kind).is_some_and(|rest| rest.starts_with([':', '-', '/'])));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let figures = value.bytes().all(|byte| byte.is_ascii_digit() || b".,:_-+/TZ ".contains(&byte));
    let range = value.trim_start_matches(['^', '~', '<', '>', '=', ' ']);
    let range = range.len() < value.len()
        && range.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'x' | b'*'));
    let plain_number = value.bytes().all(|byte| byte.is_ascii_digit());
    let letters = value.len() - digits;
    let version =
        value.strip_prefix('v').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) && letters <= 4;
    let duration = digits > 0 && letters <= 2 && value.starts_with(|c: char| c.is_ascii_digit()) && value.len() <= 6;
    digest || range || (figures && !plain_number) || version || duration || value.contains("://") || is_path(value)
}

fn is_path(value: &str) -> bool {
    let rooted =
        value.starts_with('/') || value.starts_with("./") || value.starts_with("../") || value.starts_with("~/");
    let drive = value.get(1..3).is_some_and(|colon| colon == ":\\" || colon == ":/");
    let segments = value.split(['/', '\\']).filter(|part| !part.is_empty());
    let drawn = segments.clone().any(|part| part.len() >= 12 && looks_random(part));
    let tame =
        value.contains('/') && value.bytes().all(|byte| byte.is_ascii_lowercase() || b"-_./0123456789".contains(&byte));
    const ENDINGS: &[&str] =
        &[".json", ".pem", ".key", ".txt", ".yml", ".yaml", ".toml", ".env", ".crt", ".html", ".md"];
    let file = ENDINGS.iter().any(|ending| value.ends_with(ending));
    ((rooted || tame) && !drawn) || drive || (file && !value.contains(' '))
}

/// What a program would evaluate: a call, a member, a type, a variable.
fn is_code(value: &str, style: Style) -> bool {
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '!' | '?');
    let head = value.find(|c| !name(c)).map_or(value, |end| &value[..end]);
    let opens = value[head.len()..].starts_with(['(', '[', '<', '{']);
    let call = opens && !head.is_empty() && (style == Style::Bare || value.ends_with([')', ']', '}', '>']));
    let letters_first = value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let segments = |by: &str| {
        let whole = value.split(by).all(|part| part.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_'));
        value.contains(by) && letters_first && whole
    };
    let started = [
        "process.env",
        "os.environ",
        "env.",
        "import.meta",
        "System.",
        "self.",
        "this.",
        "config.",
        "settings.",
        "var.",
    ];
    let started = started.iter().any(|word| value.starts_with(word));
    let sigil =
        style == Style::Bare && value.starts_with(['&', '*', '(', '[', '{', '<', '|', '.', '\\', '/', '?', '-', '=']);
    let path = value.contains("::") || value.contains("->");
    let identifier = style == Style::Bare && value.contains('_') && is_identifier(value, Makeup::of(value));
    let digitless: String = value.chars().filter(|c| !c.is_ascii_digit()).collect();
    let member = style == Style::Bare
        && value.contains('.')
        && value.split('.').all(|part| part.starts_with(|c: char| c.is_ascii_alphabetic()))
        && reads_as_words(&digitless);
    call || identifier || member || segments(".") || started || sigil || path && letters_first || is_yaml_tag(value)
}

/// `!vault`, `!Ref`
fn is_yaml_tag(value: &str) -> bool {
    value.strip_prefix('!').is_some_and(|tag| tag.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'!'))
}

pub(super) fn has(value: &str, word: &str) -> bool {
    value.as_bytes().windows(word.len()).any(|window| window.eq_ignore_ascii_case(word.as_bytes()))
}
