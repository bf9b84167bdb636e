//! Whom a document for people speaks to, by its words: those who work on the code, or those who ask, report, fork, pay,
//! install and publish. Only the first are answered for. It must not judge whether something is a rule.

use super::rule;
use crate::prose;

/// Headings under which nothing stands that helps with the work on the code.
const ASIDE_HEADINGS: &str = "issue issues bug bugs report reporting question questions support help first getting setup \
    set setting environment install installing installation prerequisites clone fork conduct license licence licensing cla \
    dco financial sponsor sponsors donate donations backers security vulnerability vulnerabilities triage triaging \
    maintainers maintainer maintaining release releases releasing publishing governance community communication contact \
    translation translations translating localization thanks thank credits faq contents toc links resources expect request \
    requests ideas roadmap sponsoring members membership committers team teams meeting meetings vscode editor ide gitpod \
    codespaces docker backport backporting remote forking cloning tutorial quickstart quick usage website blog stale labels \
    review reviewing reviews reviewer reviewers mentoring acknowledgements plugins step steps workflow submission reverting backports committing committer merging tutorials tickets contributors keeping";
/// Headings of a README under which it speaks to those who work on the project.
const WORK_HEADINGS: &str = "development developing developer developers hacking contributing contribution contributions \
    conventions style testing tests architecture guidelines";
/// Words of the work on code.
const CODE_WORDS: &str = "test tests tested testing code commit commits function functions method methods class classes \
    module modules package packages crate crates type types typed lint linter linting format formatter formatting formatted \
    style naming import imports dependency dependencies api apis docstring docstrings comment comments documentation docs \
    changelog refactor refactoring refactors error errors exception exceptions unsafe macro macros benchmark benchmarks \
    snapshot snapshots fixture fixtures directory files ai llm backward backwards compatibility compatible variable \
    variables indentation whitespace public deprecated deprecate deprecation performance coverage typescript logging assert \
    assertions feature features implementation syntax callback async interface struct rule";
/// Words of the work around it.
const ASIDE_WORDS: &str = "report reported reporting duplicate question questions discord slack gitter irc stackoverflow \
    forum discussion discussions discuss twitter thank thanks welcome sponsor donate fork forked clone cloned cloning \
    virtualenv venv push upstream checkout install installed installing download cla dco license email maintainer \
    maintainers reviewer reviewers review reviewed assigned label labels merge merged releaser hesitate contact username tick click browser \
    website blog milestone closed close patience patient proposal rfc propose ask help rebase squash contributors \
    team volunteer sign signed above ticket draft translators familiar contribute tickets submit issues section example examples";
const ASIDE_PHRASES: [&str; 31] = [
    "issue tracker",
    "bug report",
    "an issue",
    "new issue",
    "your issue",
    "stack overflow",
    "mailing list",
    "virtual environment",
    "your branch",
    "a branch",
    "new branch",
    "feature branch",
    "good first",
    "feel free",
    "happy to",
    "let us know",
    "your name",
    "read the",
    "read our",
    "this guide",
    "this document",
    "this section",
    "take a look",
    "check out",
    "look at",
    "every effort",
    "high quality",
    "tell us",
    "for it",
    "read any",
    "learn more",
];

fn has_word(folded: &str, list: &str) -> bool {
    folded.split(' ').any(|word| !word.is_empty() && list.split_ascii_whitespace().any(|known| known == word))
}

/// A heading, or the name of a file.
pub(super) fn is_aside(heading: &str) -> bool {
    has_word(&prose::fold(heading).replace("pull request", ""), ASIDE_HEADINGS)
}

/// Takes a newcomer by the hand, step by step, through work that is done already.
pub(super) fn is_tutorial(title: &str) -> bool {
    has_word(&prose::fold(title), "first tutorial quickstart beginner beginners newcomer newcomers")
}

pub(super) fn is_about_work(heading: &str) -> bool {
    has_word(&prose::fold(heading), WORK_HEADINGS)
}

/// Something to follow while one works on the code.
pub(super) fn is_for_code(text: &str) -> bool {
    let folded = prose::fold(prose::head(text, 4_000));
    let spaced = format!(" {folded} ");
    let words = text.split_whitespace().count();
    words >= 5
        && text.matches("://").count() * 8 <= words
        && !has_word(&folded, ASIDE_WORDS)
        && !ASIDE_PHRASES.iter().any(|phrase| spaced.contains(&format!(" {phrase} ")))
        && (has_word(&folded, CODE_WORDS) || text.contains('`'))
        && !["below.", "below:", "below)"].iter().any(|pointer| text.contains(pointer))
        && !rule::leans(text)
        && text.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit() || matches!(c, '`' | '"' | '('))
}

/// Says something that is not said everywhere: a name, a number, a piece of code, or at some length.
pub(super) fn is_concrete(text: &str) -> bool {
    let words = || text.split_whitespace().skip(1);
    let named = words()
        .any(|word| word.trim_start_matches(['(', '"']).starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit()));
    named || text.contains(['`', '_', '/', '<']) || words().count() >= 14
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_on_the_code_is_told_from_the_work_around_it() {
        for text in [
            "Commit messages must follow the convention of the project.",
            "If adding a new feature: Add accompanying test case.",
            "Put dev-only code in `__DEV__` branches so that it can be dropped.",
        ] {
            assert!(is_for_code(text), "{text}");
        }
        for text in [
            "Please include the complete traceback in bug reports.",
            "Open source projects live and die based on the support they receive.",
            "Fork the repository and create a feature branch for your code.",
            "Create a virtualenv and install the package in it.",
            "This makes tests easier to read.",
            "Be kind to all the others here.",
        ] {
            assert!(!is_for_code(text), "{text}");
        }
        assert!(is_concrete("Wrap comments after 80 characters.") && !is_concrete("Please follow the style guide."));
        assert!(is_aside("Good bug reports") && is_aside("First contribution") && !is_aside("Code style"));
    }
}
