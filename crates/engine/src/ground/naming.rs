//! Whether two texts of one file name the same other files: a hash over the lines that can. Parsing is by far the
//! dearest part of reading a file, and few commits change what a file imports.

use std::hash::{DefaultHasher, Hasher};

/// What an import begins with, in any of the languages that are read,
const STARTS: [&[u8]; 10] =
    [b"use ", b"pub use", b"pub mod", b"mod ", b"import", b"from", b"#include", b"# include", b"extern", b"export"];
/// and what names a file in the middle of a line, if it stands beside a quotation.
const WITHIN: [&[u8]; 3] = [b"require", b"import", b"from"];
/// A statement of more lines than this is not followed to its end.
const LONGEST_STATEMENT: usize = 64;

/// The same for two texts only if each names the same files as the other, or one holds a longer statement than is
/// followed. A line too many does no harm.
pub(super) fn fingerprint(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    let (mut following, mut is_open) = (0, false);
    for line in text.as_bytes().split(|byte| *byte == b'\n') {
        let line = line.trim_ascii();
        let has = |byte: u8| line.contains(&byte);
        if names(line) {
            following = LONGEST_STATEMENT;
            is_open = has(b'(') && !has(b')') || has(b'{') && !has(b'}');
        } else if following == 0 {
            continue;
        }
        hasher.write(line);
        hasher.write_u8(b'\n');
        // Where a statement may end. A list may hold empty lines; what is no list ends there at the latest.
        let is_end = has(b';') || has(b')') || line.is_empty() && !is_open;
        following = if is_end { 0 } else { following - 1 };
    }
    hasher.finish()
}

fn names(line: &[u8]) -> bool {
    let is_quoting = || line.iter().any(|byte| matches!(byte, b'\'' | b'"' | b'`'));
    let holds = |sign: &[u8]| line.windows(sign.len()).any(|window| window == sign);
    let is_shared = || line.starts_with(b"pub(") && (holds(b" use ") || holds(b" mod "));
    STARTS.iter().any(|sign| line.starts_with(sign))
        || is_shared()
        || is_quoting() && WITHIN.iter().any(|sign| holds(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_can_name_another_file_counts() {
        let check = |one: &str, other: &str, same: bool| {
            assert_eq!(fingerprint(one) == fingerprint(other), same, "{one:?} {other:?}");
        };
        check("use a::b;\nfn f() { 1 }\n", "use a::b;\nfn f() { 2 }\n", true);
        check("use a::{\n    b,\n    c,\n};\n", "use a::{\n    b,\n    d,\n};\n", false);
        check("from a import (\n  b,\n)\nx = 1\n", "from a import (\n  c,\n)\nx = 1\n", false);
        check("import (\n\t\"fmt\"\n)\n", "import (\n\t\"os\"\n)\n", false);
        check("import (\n\t\"fmt\"\n\n\t\"a/b\"\n)\n", "import (\n\t\"fmt\"\n\n\t\"a/c\"\n)\n", false);
        check("let x = \"\n    go from here\n\";\n", "let x = \"\n    go from there\n\";\n", true);
        check("const a = require('./a')\n", "const a = require('./b')\n", false);
        check("import {\n  a,\n} from './x'\n", "import {\n  a,\n} from './y'\n", false);
        check("#include \"a.h\"\n", "#include \"b.h\"\n", false);
        check("", "x = 1\n", true);
    }
}
