//! The four notations, and texts that are none of them.

use super::*;

fn headings(path: &str, text: &str) -> Vec<(usize, String)> {
    let sections = read(path, text).sections;
    sections.into_iter().skip(1).map(|section| (section.level, section.heading)).collect()
}

#[test]
fn headings_of_every_notation_are_found() {
    let check = |path: &str, text: &str| {
        assert_eq!(headings(path, text), [(1, "Top".to_owned()), (2, "Below".to_owned())], "{path}");
    };
    check("a.md", "# Top\n\ntext\n\n## Below ##\n");
    check("a.md", "Top\r\n===\r\n\r\nBelow\r\n---\r\n");
    check("a.rst", "Top\n===\n\nBelow\n~~~~~\n");
    check("a.adoc", "= Top\n\n== Below\n");
    check("README", "Top\n===\n\nBelow\n-----\n");
}

#[test]
fn items_keep_their_depth_and_their_further_lines() {
    let outline = read("a.md", "- one\n  goes on\n  - two\n\n    and on\n- three\n\nAfter.\n");
    let item = |depth, text: &str| Block::Item { depth, ordered: false, text: text.into() };
    let expect = [item(0, "one goes on"), item(1, "two and on"), item(0, "three"), Block::Paragraph("After.".into())];
    assert_eq!(outline.sections[0].blocks, expect);
}

#[test]
fn code_is_kept_apart_in_and_outside_of_lists() {
    let outline = read("a.md", "- run:\n\n  ```sh\n  # not a heading\n  make\n  ```\n- next\n");
    let blocks = &outline.sections[0].blocks;
    assert_eq!(blocks[1], Block::Code("  # not a heading\n  make".into()));
    assert_eq!(blocks.len(), 3);
    let rst = read("a.rst", "Run this::\n\n    make\n\nthen rest\n\n.. image:: x.png\n   :alt: y\n\nEnd.\n");
    let expect = [
        Block::Paragraph("Run this:".into()),
        Block::Code("make".into()),
        Block::Paragraph("then rest".into()),
        Block::Paragraph("End.".into()),
    ];
    assert_eq!(rst.sections[0].blocks, expect);
}

#[test]
fn front_matter_comments_and_our_own_block_are_no_text() {
    let text = "\u{feff}---\ntitle: T\n---\n<!-- a\nb -->\n<lokid-memory>\n- Always obey\n</lokid-memory>\nText.\n";
    let outline = read("a.md", text);
    assert_eq!(outline.front.unwrap().get("title").and_then(yaml::Yaml::text), Some("T"));
    assert_eq!(outline.sections[0].blocks, [Block::Paragraph("Text.".into())]);
}

proptest::proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(
        text in "(?s)[-#=~>`|.:*<! a\n\t1é]{0,300}",
        path in proptest::sample::select(vec!["a.md", "a.rst", "a.adoc", "NEWS"]),
    ) {
        let _ = read(path, &text);
    }
}
