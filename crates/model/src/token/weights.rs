//! What neighbouring characters cost: fitted to o200k over the texts of many repositories. Only the costs of signs that
//! were too rare to fit (blocks, Braille, technical signs, most repeated signs) are set by hand, rather too high.
//!
//! A weight is a thirty-second of a token and one digit of base 62 (`0`–`9`, `a`–`z`, `A`–`Z`). Rows and columns are in
//! alphabetical order, those of signs in the order of `SIGNS`. It must not know how a text is cut.

/// The signs of ASCII in order; the last row and column is a line break.
const SIGNS: &[u8; 33] = b"!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\n";

/// What the second letter costs after the first, whatever their case.
pub(super) static PAIRS: [[u8; 26]; 26] = rows([
    b"ib60rf0i7hc001C3n150b8ea0k",
    b"5leh0nkb70h0bo0hy33b0nivas",
    b"7t7f0pk04s05ir3gn3f00zrz7n",
    b"bpob1s7t5ad89gaitaclamrs4o",
    b"cm68ab8iksq982ie246amda67n",
    b"6sqn160q0zr78l5rxad62orr6x",
    b"grrr1ua08ow5b5bmC7ef6lywes",
    b"a0vp3BAo7yrmcj3Btep0elxvdr",
    b"9933071rpmg44000f942c7veo0",
    b"anps0rwulk0qloelvw6ubmgytv",
    b"agpa4j0kft8ef0kjwqakdvaziw",
    b"47n10br86upa8i9cAo814akz0z",
    b"87rh0wstczph1075szeqgCxvjy",
    b"bo754d5ibledd5bhyp4189mvip",
    b"1876673j97d54025w0a4080f8p",
    b"4rn11opcdpr2as0804f08nsmcy",
    b"ipfmrBvskwz7jjpnb0om0vwwrB",
    b"8q881a8j6F3f234lra77fdhj1s",
    b"exbs09l98rbhg59agj129h9t9q",
    b"8oij2dl04wtk5m97A5a76rdl0A",
    b"d31c0d8qavl046n5G290i0Bipl",
    b"5xqq0ydv0nonoublsppkeq0tqv",
    b"2qsa0rs83Brnu20lA6cmrte0lG",
    b"9i3hcfri8owp0mt6Cmn5pnx40l",
    b"lqopayqufDwpb6efze89vBes60",
    b"bwjr7qljiwsnle8wvttknuik5f",
]);

/// What the first letter costs after each prefix.
static FIRST: [[u8; 26]; 13] = rows([
    b"agb7cch8chhg8fgbkd8a9dbmhl",
    b"04000142024504228200100k0j",
    b"bcba68idbj9b4ebake69b77Aon",
    b"dd92889782bd2h95oa5f250m0o",
    b"tvtmqttyosyrnpvrCsnnpvnwqF",
    b"qjojkpqlroohnilnwniflmggno",
    b"fkggghvki4fkehkhyjcgdglojv",
    b"GICzCIyxBSBBCCGIJDEDIPwLvR",
    b"DFBvwGEzxtyEAFxBpDyGwzwAsB",
    b"DIGDIEKvrpzAsDGDEFsyHsyxxV",
    b"fgg6iknehkcjit9tF7hga4gk9n",
    b"JBFtpvpBlJGMKAIEwGEzESHrtJ",
    b"IHHAGCDDHEIHCyJHHHAxyIIDEO",
]);
/// And what it costs more when it is a capital.
static FIRST_CAPITAL: [u8; 13] = digits(b"0703ce9210b04");
/// And what each of the next letters costs more: fewer words are one token with a sign before them.
static NEXT: [u8; 13] = digits(b"0011111320100");

pub(super) const CAPITAL: u32 = 4;
pub(super) const CAPITALS_TO_SMALL: u32 = 13;
pub(super) const CONTRACTION: u32 = 31;
pub(super) const FOREIGN_TO_LATIN: u32 = 6;
pub(super) const FOREIGN_TO_PLAIN: u32 = 32;
/// In sixty-fourths of a token.
pub(super) const BLANK_CHANGE: u64 = 20;
pub(super) const TAB: u64 = 4;

/// What the second sign costs after the first.
pub(super) static SIGN_PAIRS: [[u8; 33]; 33] = rows([
    b"mjnvttmntowu0tcuvg0tltwwstewwrwwf",
    b"pkmlqwvwcnnbknsbkrwiwqupbwkplsowj",
    b"lwnwstiiwonwkwwuwwdwutnwcwcwmqwtr",
    b"qofrgiubwntwwikwwwtwnvwlwwvvbuwtg",
    b"tkvoo2gqqwwwuqwjpolihtvsrttqwqwtm",
    b"jwctwhsfrwwtwwwotrqwqtw9wtwwovtw0",
    b"siqnrrevallagchiidsvjkwq9wmwdsmui",
    b"d2lerm6j5huwimjf9onndqhndpghfptnf",
    b"sowgwftudfdgkfom5nhentnwjwsqpjqt6",
    b"juwuwwwphmwiwoaw4twm4wtwworwwwwp6",
    b"whwpwtmwjwmtlwwo5n6wlwtljtwwwwwup",
    b"wlkwwvspvwrgq8phlwttwswsstpulwwt3",
    b"wqwlwwnqwtpwgwwwdwjalw4wslpwmmwvi",
    b"vewpwtn8eqiqn50ws0wwnevrltdqpimt7",
    b"phucwwhjw2njvc5rwweewnpt5jnwbwdn4",
    b"wkggwmmqkjnvpwlewk1i2knlttpvfnuw3",
    b"uqwwvgwwswdswlwvbrotwtwwwtwuvtut0",
    b"bpwvkvwruwwwpwawtchc7tgcwtwwwitsw",
    b"s7totriwhwwwmwusltufsormwwvq7tswv",
    b"wnw7weciuswvwwpss2wdwwwmwwwr9uuw2",
    b"ajntwwstmwwsscrhkmnfhwjqvttwvtuti",
    b"tlwwwtsknwetwwwpwwtnkist0wwwonttv",
    b"wcwmbwesgwonrsvkawutgwow46ljdllt9",
    b"w8wpvvdooiot9jhwwjnogwg8ewwwmw8wg",
    b"wqwwqwrueklgvmotkkprswjwhnswuqutf",
    b"tkrsttwj8ntwekwswmmjtnmhrwwsfpgpu",
    b"wqfcwtslgkgiorpwnwwhwwqwwwawpvstp",
    b"wwwcnwurrwwrwnwwmqrrwwowpwwnmwpwp",
    b"rowkwwwowfwwwpwhtwtwqnqnwwwkrrjw3",
    b"wuvkwurfmwwwtwwvpwentwwmpwsuwfwwd",
    b"lfwjqsmwewmarssvi3wiuwwljupdjtjw4",
    b"tqwtwtqswwtttwrujusttttwtwtwttwwt",
    b"ttttttttttttttdttttttttttttttttt7",
]);
/// What a sign costs after a blank, and what it costs from the third of the same on.
pub(super) static SIGN_AFTER_BLANK: [u8; 33] = digits(b"90bg9d198am76k8koe05ecci7ohb38580");
pub(super) static SIGN_AGAIN: [u8; 33] = digits(b"501616b9a1221220d808cb7fk515b6l2b");

/// How many sixty-fourths of a token a sum of weights is: one token for a while, then one more for every thirty-two.
static BENT: [u8; 64] = [
    64, 64, 64, 64, 64, 65, 65, 65, 65, 65, 65, 65, 65, 65, 66, 66, 66, 66, 67, 67, 67, 68, 68, 68, 69, 70, 70, 71, 72,
    72, 73, 74, 75, 76, 77, 78, 80, 81, 82, 84, 85, 86, 88, 90, 91, 93, 95, 96, 98, 100, 102, 103, 105, 107, 109, 111,
    113, 115, 117, 119, 120, 122, 124, 126,
];

pub(super) fn tokens(sum: u32) -> u64 {
    match BENT.get(sum as usize) {
        Some(tokens) => u64::from(*tokens),
        None => 64 + 2 * (u64::from(sum) - 32),
    }
}

/// Where the sign stands in the tables.
pub(super) fn sign(byte: u8) -> usize {
    usize::from(SIGN_PLACES[usize::from(byte)])
}

static SIGN_PLACES: [u8; 256] = {
    let mut places = [0; 256];
    let mut at = 0;
    while at < SIGNS.len() {
        places[SIGNS[at] as usize] = at as u8;
        at += 1;
    }
    places[b'\r' as usize] = 32;
    places
};

/// What stands before a word and belongs to it.
#[derive(Clone, Copy)]
pub(super) enum Prefix {
    None,
    Blank,
    Underscore,
    Dot,
    Slash,
    Dash,
    Parenthesis,
    Quote,
    SingleQuote,
    Bracket,
    Tab,
    Mark,
    Other,
}

impl Prefix {
    pub(super) fn of(byte: u8) -> Prefix {
        match byte {
            b' ' => Prefix::Blank,
            b'_' => Prefix::Underscore,
            b'.' => Prefix::Dot,
            b'/' => Prefix::Slash,
            b'-' => Prefix::Dash,
            b'(' => Prefix::Parenthesis,
            b'"' => Prefix::Quote,
            b'\'' | b'`' => Prefix::SingleQuote,
            b'[' | b'{' | b'<' => Prefix::Bracket,
            b'\t' => Prefix::Tab,
            b':' | b'@' | b'$' | b'#' | b'*' => Prefix::Mark,
            _ => Prefix::Other,
        }
    }

    pub(super) fn first(self, letter: usize) -> u32 {
        u32::from(FIRST[self as usize][letter])
    }

    pub(super) fn next(self) -> u32 {
        u32::from(NEXT[self as usize])
    }

    pub(super) fn capital(self) -> u32 {
        u32::from(FIRST_CAPITAL[self as usize])
    }
}

/// A letter or sign outside ASCII, as far as its cost is concerned.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Script(u8);

impl Script {
    pub(super) fn of(character: char) -> Script {
        Script(match character as u32 {
            // Latin
            0xc0..=0x24f => 0,
            // Greek
            0x370..=0x3ff | 0x1f00..=0x1fff => 1,
            // Cyrillic
            0x400..=0x52f => 2,
            // Hebrew
            0x590..=0x5ff => 3,
            // Arabic
            0x600..=0x77f | 0xfb50..=0xfdff | 0xfe70..=0xfeff => 4,
            // The scripts of India
            0x900..=0xdff => 5,
            // Thai and Lao
            0xe00..=0xeff => 6,
            // Armenian and Georgian
            0x530..=0x58f | 0x10a0..=0x10ff => 7,
            // Hangul
            0xac00..=0xd7af | 0x1100..=0x11ff | 0x3130..=0x318f => 8,
            // Kana
            0x3040..=0x30ff => 9,
            // Han
            0x4e00..=0x9fff => 10,
            // Wide signs
            0x3000..=0x303f | 0xff00..=0xffef => 11,
            // Vietnamese
            0x1e00..=0x1eff => 12,
            // Signs of Latin
            0x80..=0xbf => 13,
            // Sounds and marks that combine
            0x250..=0x36f => 14,
            // Dashes and quotation marks
            0x2000..=0x206f => 15,
            // Blocks
            0x2580..=0x259f => 24,
            // Braille and technical signs
            0x2300..=0x23ff | 0x2800..=0x28ff => 25,
            // Lines of boxes
            0x2500..=0x257f => 16,
            // Arrows and mathematics
            0x2070..=0x24ff => 17,
            // Shapes and dingbats
            0x25a0..=0x27bf => 18,
            // Variation selectors
            0xfe00..=0xfe0f => 19,
            // Emoji
            0x1f000..=0x1ffff => 20,
            // The rare planes
            0x10000.. => 21,
            // The rest of three bytes
            0x800.. => 22,
            // The rest of two bytes
            _ => 23,
        })
    }

    pub(super) fn first_letter(self) -> u32 {
        self.weight(&FIRST_LETTER)
    }

    pub(super) fn next_letter(self) -> u32 {
        self.weight(&NEXT_LETTER)
    }

    pub(super) fn first_sign(self) -> u32 {
        self.weight(&FIRST_SIGN)
    }

    /// After another sign of the same script.
    pub(super) fn next_sign(self) -> u32 {
        self.weight(&NEXT_SIGN)
    }

    /// After itself.
    pub(super) fn same_sign(self) -> u32 {
        self.weight(&SAME_SIGN)
    }

    fn weight(self, table: &[u8; 26]) -> u32 {
        u32::from(table[usize::from(self.0)])
    }
}

static FIRST_LETTER: [u8; 26] =
    [40, 29, 42, 29, 22, 41, 52, 40, 53, 16, 54, 56, 43, 30, 60, 31, 24, 66, 19, 65, 66, 66, 66, 24, 24, 61];
static NEXT_LETTER: [u8; 26] =
    [23, 15, 11, 14, 13, 12, 13, 10, 14, 22, 29, 24, 36, 24, 29, 24, 24, 24, 24, 24, 24, 24, 18, 24, 24, 61];
static FIRST_SIGN: [u8; 26] =
    [54, 55, 55, 55, 41, 55, 55, 38, 55, 65, 55, 10, 55, 43, 55, 15, 35, 58, 60, 55, 66, 55, 38, 45, 67, 96];
static NEXT_SIGN: [u8; 26] =
    [55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 55, 50, 59, 66, 55, 55, 66, 55, 55, 55, 67, 96];
static SAME_SIGN: [u8; 26] =
    [32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 21, 5, 32, 32, 32, 49, 32, 32, 32, 32, 96];

const fn rows<const WIDTH: usize, const HEIGHT: usize>(written: [&[u8; WIDTH]; HEIGHT]) -> [[u8; WIDTH]; HEIGHT] {
    let mut rows = [[0; WIDTH]; HEIGHT];
    let mut at = 0;
    while at < HEIGHT {
        rows[at] = digits(written[at]);
        at += 1;
    }
    rows
}

const fn digits<const WIDTH: usize>(written: &[u8; WIDTH]) -> [u8; WIDTH] {
    let mut weights = [0; WIDTH];
    let mut at = 0;
    while at < WIDTH {
        weights[at] = match written[at] {
            digit @ b'0'..=b'9' => digit - b'0',
            small @ b'a'..=b'z' => small - b'a' + 10,
            capital => capital - b'A' + 36,
        };
        at += 1;
    }
    weights
}
