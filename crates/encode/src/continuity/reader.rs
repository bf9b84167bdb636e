//! From the text of the file to what it says: walks the blocks, knows in which section it stands, and hands each item
//! to whoever understands it.

use super::item::{bare, is_placeholder, told};
use super::learning::{Learnings, is_part};
use super::lines::{Item, LABEL_LEVEL, LineBlock, blocks, visible};
use super::reference::references;
use super::section::Section;
use super::statement::{labelled, statement};
use super::{Continuity, Reference};
use crate::excerpt::plain_words;

/// The file is a page or two; what is longer by far is no working memory.
const MOST_BYTES: usize = 1 << 20;
const MOST_ITEMS: usize = 400;

/// What one version of the file says. Reads anything; what it cannot make sense of, it leaves out.
pub fn read(text: &str) -> Continuity {
    let text = visible(crate::excerpt::head(text, MOST_BYTES));
    let mut reader = Reader::default();
    for block in blocks(&text) {
        match block {
            LineBlock::Heading { level, text } => reader.heading(level, &text),
            LineBlock::Item(item) => reader.item(&item),
        }
    }
    let mut found = reader.found;
    found.learnings = reader.learnings.finish();
    found.references = references(&text);
    for list in [&mut found.blockers, &mut found.resolved, &mut found.completed, &mut found.next_up] {
        list.truncate(MOST_ITEMS);
    }
    found.learnings.truncate(MOST_ITEMS);
    found.decisions.truncate(MOST_ITEMS);
    found
}

#[derive(Default)]
struct Reader {
    found: Continuity,
    learnings: Learnings,
    /// The sections around the place that is being read, outermost first.
    around: Vec<(usize, Section)>,
    /// Has the label on top been followed by a list? A paragraph after that is none of its own.
    listed: bool,
    recalled_before: bool,
}

impl Reader {
    fn section(&self) -> Section {
        self.around.last().map_or(Section::Other, |(_, section)| *section)
    }

    fn heading(&mut self, level: usize, text: &str) {
        // Labels among learnings name their parts, unless they plainly begin something else.
        let stays = matches!(Section::of(text), None | Some(Section::Learnings | Section::Example));
        if level == LABEL_LEVEL && self.section() == Section::Learnings && (is_part(text) || stays) {
            return self.learnings.label(text);
        }
        while self.around.last().is_some_and(|(above, _)| *above >= level) {
            self.around.pop();
        }
        let parent = self.around.last().copied();
        let inherited = match parent {
            // The title of the page may well be "Project state"; that does not make every page of it one.
            Some((1, Section::State)) | None => Section::Other,
            Some((_, section)) => section,
        };
        let named = Section::of(text);
        let mut section = match named {
            _ if inherited.holds_its_children() => inherited,
            Some(section) => section,
            None => inherited,
        };
        if section == Section::Learnings && self.recalled_before && text.to_lowercase().contains("to avoid") {
            section = Section::Recalled;
        }
        self.recalled_before = section == Section::Recalled;
        self.found.names_blockers |= section == Section::Blockers;
        if section == Section::Learnings {
            let inside = named.is_none();
            self.learnings.heading(if inside { text } else { "" });
        }
        self.around.push((level, section));
        self.listed = false;
    }

    fn item(&mut self, item: &Item) {
        if !item.listed && self.listed && self.around.last().is_some_and(|(level, _)| *level == LABEL_LEVEL) {
            self.around.pop();
        }
        self.listed |= item.listed;
        let section = self.section();
        // A line that opens with the id of a memory is that memory told again.
        if section.holds_its_children() || opens_with_reference(&item.text) {
            return;
        }
        // "We did the following:" introduces a list and says nothing by itself.
        if !item.listed && item.text.ends_with(':') {
            return;
        }
        self.phase(item);
        if item.checked == Some(true) && section != Section::Blockers {
            return self.completed(item);
        }
        if item.checked == Some(false) && !matches!(section, Section::NextUp | Section::State | Section::Blockers) {
            return;
        }
        if is_completion(&item.text) {
            return self.completed(item);
        }
        match section {
            Section::State => self.state(item),
            Section::Decisions => self.found.decisions.extend(statement(item)),
            Section::Blockers => self.blocker(item),
            Section::Resolved => push(&mut self.found.resolved, told(item)),
            Section::Learnings => self.learnings.item(item),
            Section::Completed => self.completed(item),
            Section::NextUp => push(&mut self.found.next_up, told(item)),
            Section::Recalled | Section::Example | Section::Other => {}
        }
    }

    fn phase(&mut self, item: &Item) {
        let Some((label, value)) = labelled(&item.text) else { return };
        let words = plain_words(label);
        let is_phase = words.last().is_some_and(|word| word == "phase") && words.len() <= 3;
        let value = bare(value);
        if is_phase && self.found.phase.is_none() && !is_placeholder(&value) {
            self.found.phase = Some(value);
        }
    }

    /// What is worked on: the goal or the task by name, else the first thing said that is no measure or stamp.
    fn state(&mut self, item: &Item) {
        let text = match labelled(&item.text) {
            None => told(item),
            Some((label, value)) => {
                if let Some(named @ (Section::Blockers | Section::NextUp | Section::Completed)) = Section::of(label) {
                    return self.in_one_line(named, value);
                }
                let words = plain_words(label);
                let names = ["goal", "focus", "task", "description", "objective", "on", "currently", "title"];
                if !words.last().is_some_and(|word| names.contains(&word.as_str())) {
                    return;
                }
                bare(value)
            }
        };
        if self.found.focus.is_none() && !is_placeholder(&text) {
            self.found.focus = Some(text);
        }
    }

    /// "**Blockers:** none" as one of the points of a section about everything.
    fn in_one_line(&mut self, section: Section, value: &str) {
        let place = match section {
            Section::Blockers => {
                self.found.names_blockers = true;
                &mut self.found.blockers
            }
            Section::NextUp => &mut self.found.next_up,
            _ => &mut self.found.completed,
        };
        push(place, bare(value));
    }

    fn blocker(&mut self, item: &Item) {
        let text = told(item);
        let lower = text.to_lowercase();
        let over = item.checked == Some(true)
            || text.starts_with("~~")
            || ["resolved", "[resolved]", "(resolved)", "fixed:", "unblocked"]
                .iter()
                .any(|word| lower.starts_with(word))
            || ["(resolved)", "[resolved]", "- resolved", "— resolved"].iter().any(|word| lower.ends_with(word));
        let place = if over { &mut self.found.resolved } else { &mut self.found.blockers };
        push(place, text.replace("~~", ""));
    }

    fn completed(&mut self, item: &Item) {
        let Some((label, value)) = labelled(&item.text) else { return push(&mut self.found.completed, told(item)) };
        let words = plain_words(label);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["last", "commit"] => push(&mut self.found.commits, bare(value)),
            ["task" | "title" | "description" | "summary" | "what"] => push(&mut self.found.completed, bare(value)),
            ["files" | "file", ..]
            | ["commit" | "date" | "time" | "duration" | "id" | "branch" | "status" | "agent"] => {}
            _ => push(&mut self.found.completed, told(item)),
        }
    }
}

fn push(list: &mut Vec<String>, text: String) {
    if !is_placeholder(&text) && !list.contains(&text) {
        list.push(text);
    }
}

fn opens_with_reference(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c == '*' || c.is_whitespace());
    let end = text.find(']').map_or(0, |end| end + 1);
    let found: Vec<Reference> = if text.starts_with('[') { references(&text[..end]) } else { Vec::new() };
    !found.is_empty()
}

/// "Task t-12 completed (commit: …)", which agents append to the end of the file whatever stands there.
fn is_completion(text: &str) -> bool {
    let mut words = text.split_whitespace();
    words.next().is_some_and(|word| word.eq_ignore_ascii_case("task"))
        && words.nth(1).is_some_and(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            word.eq_ignore_ascii_case("completed") || word.eq_ignore_ascii_case("complete")
        })
}
