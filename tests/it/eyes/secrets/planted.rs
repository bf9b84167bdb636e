//! Secrets made up on the spot, of many kinds, each telling by itself through which door it came.

/// One secret in the words that people put around it.
pub(super) struct Planted {
    pub(super) phrase: String,
    /// What must not be found anywhere.
    pub(super) pieces: Vec<String>,
}

/// Letters that nobody could guess, the same for the same seed.
struct Letters(u64);

impl Letters {
    fn of(seed: &str) -> Letters {
        Letters(
            seed.bytes()
                .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)),
        )
    }

    fn some(&mut self, many: usize, alphabet: &str) -> String {
        let alphabet = alphabet.as_bytes();
        let mut one = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(alphabet[(self.0 >> 33) as usize % alphabet.len()])
        };
        (0..many).map(|_| one()).collect()
    }
}

const MIXED: &str = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const LOWER: &str = "abcdefghijkmnopqrstuvwxyz";
const HEX: &str = "0123456789abcdef";
const DIGITS: &str = "0123456789";

/// The kinds. The source holds none of them whole.
pub(super) const KINDS: usize = 15;

pub(super) fn secret(door: &str, kind: usize) -> Planted {
    let mut letters = Letters::of(&format!("{door} {kind}"));
    let mut some = |many, alphabet| letters.some(many, alphabet);
    let (before, secret, after) = match kind {
        0 => ("the account ", format!("{}{}", ["AK", "IA"].concat(), some(16, UPPER)), ""),
        1 => ("the token ", format!("{}{}", ["gh", "p_"].concat(), some(36, MIXED)), ""),
        2 => ("the token ", format!("{}{}", ["gl", "pat-"].concat(), some(20, MIXED)), ""),
        3 => (
            "the bot ",
            format!("{}{}-{}-{}", ["xo", "xb-"].concat(), some(12, DIGITS), some(12, DIGITS), some(24, MIXED)),
            "",
        ),
        4 => ("charged with ", format!("{}{}", ["sk", "_live_"].concat(), some(24, MIXED)), ""),
        5 => ("asked with ", format!("{}{}", ["sk", "-proj-"].concat(), some(40, MIXED)), ""),
        6 => ("asked with ", format!("{}{}AA", ["sk", "-ant-api03-"].concat(), some(80, MIXED)), ""),
        7 => ("published with ", format!("{}{}", ["np", "m_"].concat(), some(36, MIXED)), ""),
        8 => ("mapped with ", format!("{}{}", ["AI", "za"].concat(), some(35, MIXED)), ""),
        9 => {
            let head = ["ey", "JhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9"].concat();
            ("signed in with ", format!("{head}.eyJ{}.{}", some(40, MIXED), some(43, MIXED)), "")
        }
        10 => ("DB_PASSWORD=", some(16, MIXED), ""),
        11 => ("postgres://app:", some(14, MIXED), "@db.example.org:5432/app"),
        12 => ("Authorization: Bearer ", some(40, MIXED), ""),
        13 => ("write to ", format!("{}.{}@acme-corp.io", some(4, LOWER), some(14, LOWER)), ""),
        14 => ("the droplet ", format!("{}{}", ["do", "p_v1_"].concat(), some(64, HEX)), ""),
        _ => unreachable!("there are {KINDS} kinds"),
    };
    let tail = match kind {
        13 => secret.split('@').next().unwrap().len(),
        _ => secret.len(),
    };
    let told = &secret[..tail];
    // Without the beginning, which all of a kind share. Half a secret is one, too.
    let own = &told[told.rfind(['-', '_', '.']).map_or(0, |at| at + 1)..];
    let (first, last) = (&own[..own.len().min(12)], &own[own.len().saturating_sub(12)..]);
    let pieces = [secret.as_str(), first, last].map(str::to_owned).to_vec();
    Planted { phrase: format!("{before}{secret}{after}"), pieces }
}

/// A sentence for each kind, with what must not be found of it.
pub(super) fn all(door: &str) -> Vec<(String, Planted)> {
    let sentence = |kind: usize| {
        let planted = secret(door, kind);
        (format!("the keeper of the {door} light number {kind} noted {} that night", planted.phrase), planted)
    };
    (0..KINDS).map(sentence).collect()
}

/// The sentences alone, a line each.
pub(super) fn lines(door: &str) -> String {
    all(door).into_iter().map(|(sentence, _)| sentence + "\n").collect()
}
