//! Is this sentence a rule, is it one for work on the code, and how binding does its author make it? It must not look at
//! where the sentence stands.

use crate::prose;

/// Verbs that begin an instruction in the rules of software projects.
const VERBS: &str = "\
    add adhere aim allow annotate append apply ask assume attach avoid base be begin build bump call catch check \
    choose clean clone close colocate collapse combine comment commit compile configure confirm consider consult \
    convert copy cover create declare default define delegate delete deploy describe discuss document don't dont \
    do draft edit enable encapsulate ensure explain export expose extract fetch file fix follow format generate \
    give group handle hide implement import include increment inject inline inspect install instrument isolate \
    keep label lean leave limit link lint list load log maintain make mark match measure mention merge minimize \
    minimise mirror mock move name never always only omit open optimize order organize parametrize pass pin place plan \
    prefer prefix preserve profile propagate provide publish push put raise reach read rebase record refactor \
    register reject remember remove rename replace report reproduce request require reserve resist resolve \
    respect restart return reuse review rework run sanitize save search select send set ship sign \
    simplify skip sort specify split squash stage start state stick stop store strip structure submit suffix \
    surface tag take target tell test treat try type update upgrade use validate verify version wait watch work \
    wrap write discourage favor favour strive focus design escape throw trust bundle disable execute regenerate \
    rerun re-run render scope seek switch sync trace verbalize pick";
/// After these a verb at the start was a noun: "Test coverage is…", "Use of AI".
const NOUN_SIGNS: &str = "\
    is are was were of has have can will should must lives live";
/// Verbs that are as often the subject of a sentence: "Test coverage is…", "Build artefacts are…".
const ALSO_NOUNS: &str = "\
    test build file version state type name target log list link label mark record report request return scope set \
    structure comment commit default design document export import order place plan profile format review tag trace work \
    match limit base surface group draft check cover call copy release use";
/// Words that make a rule wherever they stand.
#[rustfmt::skip]
const MODALS: &[&str] = &[
    "must", "never", "do not", "don't", "should", "shouldn't", "shall", "always", "forbidden", "prohibited", "mandatory",
    "not allowed", "make sure", "be sure", "needs to", "need to", "have to", "ought to", "avoid", "please",
];
/// Only these are strong enough in the middle of running prose.
#[rustfmt::skip]
const STRONG: &[&str] = &["must", "shall", "should", "shouldn't", "forbidden", "not allowed", "prohibited", "mandatory"];
/// These bind whoever it may be.
const STRONG_ALONE: [&str; 6] = ["must", "shall", "forbidden", "not allowed", "prohibited", "mandatory"];
/// "The output should match" tells how it is; of these a "should" asks something.
const DOERS: &str = "you your code test tests commit commits change changes pr prs request requests contribution \
    contributions patch patches function functions method methods name names file files message messages feature features \
    docs documentation comment comments import imports all every any new each anything everything fix fixes class classes \
    module modules rule rules struct structs type types variable variables";
/// These command where a clause begins with them: "Please do not push", "If in doubt, never merge".
#[rustfmt::skip]
const OPENERS: &[&str] = &["never", "always", "do not", "don't", "please", "make sure", "be sure", "avoid"];
/// What is to be expected, or where to look: no rule.
#[rustfmt::skip]
const EXPECTED: &[&str] = &[
    " should then ", " should now ", " should see ", " should be available ", " should be able ", " should have ",
    " please see ", " please ", " please visit ", " please read ", " should work ", " we must ", " we should ",
];
const LEADS: &str = "\
    when if for before after in on while where once unless to whenever during with as by from within at instead \
    since also then finally first next even generally typically ideally otherwise again similarly additionally \
    particularly until";
/// What the reader need not do.
#[rustfmt::skip]
const FREED: &[&str] = &[
    " don't need ",
    " do not need ",
    " don't have to ",
    " do not have to ",
    " not required ",
    " we don't ",
    " we do not ",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RulePlace {
    ListItem,
    RunningText,
}

fn listed(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

/// Plain text (no markup) of one list item or one sentence.
pub(super) fn is_rule(text: &str, place: RulePlace) -> bool {
    let text = text.trim();
    let words = text.split_whitespace().take(3).count();
    if words < 2 || text.ends_with('?') {
        return false;
    }
    let folded = format!(" {} ", speech(text));
    if FREED.iter().any(|words| folded.contains(words)) {
        return false;
    }
    let body = without_label(text);
    if starts_with_verb(body) || (body != text && starts_with_verb(text)) {
        return true;
    }
    let said = |words: &[&str]| words.iter().any(|word| folded.contains(&format!(" {word} ")));
    match place {
        RulePlace::ListItem => said(MODALS) || clause_commands(body),
        // "This should be fast" tells; only to a doer, or of what is allowed, it commands.
        RulePlace::RunningText => {
            let strong = says_any(text, &STRONG_ALONE) || addresses(&folded);
            let expected = EXPECTED.iter().any(|words| folded.contains(words));
            let leads_to_how = text.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("to "));
            !expected
                && ((said(STRONG) && strong && !is_telling(&folded))
                    || opens(text)
                    || (clause_commands(body) && !leads_to_how))
        }
    }
}

/// Cannot be read without what stands before it.
pub(super) fn leans(sentence: &str) -> bool {
    const OPENINGS: &str = "this that these those it they then such he but and however otherwise finally next also so must \
        should can may cannot similarly additionally alternatively";
    const PHRASES: [&str; 9] = [
        "if it ",
        "if this ",
        "if they ",
        "in this case",
        "in both ",
        "in that case",
        "to do this",
        "to do so",
        "when this ",
    ];
    let folded = prose::fold(prose::head(sentence, 60));
    let mut words = folded.split(' ');
    let first = words.next().unwrap_or("");
    let second = words.next().unwrap_or("");
    listed(OPENINGS, first)
        || listed("it them this that", second)
        || PHRASES.iter().any(|opening| folded.starts_with(opening))
}

fn says_any(text: &str, words: &[&str]) -> bool {
    let said = format!(" {} ", speech(text));
    words.iter().any(|word| said.contains(&format!(" {word} ")))
}

/// Does it leave no choice?
pub(super) fn binds(text: &str) -> bool {
    says_any(text, &["must", "never", "do not", "don't", "always", "shall", "forbidden", "not allowed", "prohibited"])
}

/// What leads into a list whose items are parts of its own sentence: "The workflow automatically:", "because they:".
pub(super) fn lead_governs(lead: &str) -> bool {
    const LAST: &str = "they it we will can could would may to that which who and or is are be by automatically also for \
        with has have of if when following either";
    let said = speech(lead);
    listed(LAST, said.rsplit(' ').next().unwrap_or("")) || said.contains(" the following")
}

/// What leads into a list of commands.
#[rustfmt::skip]
pub(super) fn lead_commands(lead: &str) -> bool {
    says_any(lead, &[
        "must", "never", "always", "do not", "don't", "rules", "should", "avoid", "make sure", "please", "ensure",
        "requirements", "not to do",
    ])
}

/// Lower-case words with apostrophes kept.
fn speech(text: &str) -> String {
    let text = prose::head(text, 2_000).replace('’', "'").to_lowercase();
    let spaced: String =
        text.chars().map(|c| if c.is_alphanumeric() || c == '\'' || c == '-' { c } else { ' ' }).collect();
    prose::collapse(&spaced)
}

/// `Formatting: use tabs` commands what stands after the label.
fn without_label(text: &str) -> &str {
    for mark in [": ", " — ", " – ", " - "] {
        if let Some((label, rest)) = text.split_once(mark)
            && label.split_whitespace().count() <= 6
            && !rest.trim().is_empty()
        {
            return rest.trim_start();
        }
    }
    text
}

fn starts_with_verb(text: &str) -> bool {
    let speech = speech(prose::head(text, 200));
    let mut words = speech
        .split(' ')
        .skip_while(|word| matches!(*word, "please" | "just" | "also" | "then" | "important" | "note"));
    let Some(first) = words.next() else { return false };
    let second = words.next().unwrap_or("");
    let third = words.next().unwrap_or("");
    let noun = listed(NOUN_SIGNS, second) || (listed(ALSO_NOUNS, first) && listed(NOUN_SIGNS, third) && third != "of");
    listed(VERBS, first) && !noun && !second.is_empty()
}

/// `When you add a flag, document it.`: a clause that leads in, then a command.
fn clause_commands(text: &str) -> bool {
    let speech_first = text.split_whitespace().next().unwrap_or("").trim_matches(',').to_lowercase();
    let leads = listed(LEADS, &speech_first);
    leads && text.match_indices(", ").take(4).any(|(at, _)| starts_with_verb(&text[at + 2..]))
}

/// Somebody, or something one makes, should be or do something.
fn addresses(folded: &str) -> bool {
    let asked = [" should ", " shouldn't "].iter().find_map(|word| folded.split_once(word)).map_or("", |(who, _)| who);
    asked.split(' ').any(|word| !word.is_empty() && DOERS.split_ascii_whitespace().any(|doer| doer == word))
}

/// A clause that begins with a word of command.
fn opens(text: &str) -> bool {
    let clauses = text.split([',', ';', ':', '(', '—']).take(8);
    clauses.map(speech).any(|clause| {
        let clause =
            format!("{} ", clause.trim_start_matches("and ").trim_start_matches("but ").trim_start_matches("so "));
        OPENERS.iter().any(|word| clause.starts_with(&format!("{word} ")))
    })
}

/// What only tells how things are.
fn is_telling(folded: &str) -> bool {
    let opens = [" we ", " i ", " this ", " these ", " it ", " there ", " they ", " that "];
    let commands = [" must ", " never ", " do not ", " don't ", " not allowed ", " forbidden ", " required "];
    opens.iter().any(|word| folded.starts_with(word)) && !commands.iter().any(|word| folded.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, place: RulePlace, expect: bool) {
        assert_eq!(is_rule(text, place), expect, "{text}");
    }

    #[test]
    fn commands_are_rules_and_descriptions_are_not() {
        for rule in [
            "Use tabs.",
            "Formatting: use rustfmt",
            "When you add a flag, document it.",
            "Tests must not sleep",
            "Never push to `main`",
            "Please don't open pull requests without an issue.",
            "All new code should be covered by tests",
            "Do not run `cargo test` directly.",
        ] {
            check(rule, RulePlace::ListItem, true);
        }
        for other in [
            "Use of AI",
            "Test coverage is measured by the CI",
            "`src/`: the sources",
            "A fast search tool",
            "What should I do?",
            "Rust",
        ] {
            check(other, RulePlace::ListItem, false);
        }
    }

    #[test]
    fn running_text_must_command_more_plainly() {
        check("This should be fast enough for most.", RulePlace::RunningText, false);
        check("You don't need our permission to start on an issue.", RulePlace::RunningText, false);
        check("All use of AI must follow the policy.", RulePlace::RunningText, true);
        check("Run `just fmt` after every change.", RulePlace::RunningText, true);
        check("The parser reads one line at a time.", RulePlace::RunningText, false);
    }

    #[test]
    fn a_rule_binds_by_its_words() {
        assert!(binds("You MUST NOT commit secrets") && binds("Never do that") && !binds("Prefer tabs"));
        assert!(lead_commands("Please ensure that:") && !lead_commands("The workflow automatically:"));
    }
}
