//! `CONTINUITY.md`: every version is compared with the one before, as soon as it is written to its end.

use std::time::{Duration, Instant};

use serde_json::json;

use super::EyesWorker;
use crate::contexts::REFERENCES;
use lokid_encode::continuity::{News, drafts, looks_complete, read, signals, what_is_new};
use lokid_encode::own_words::without_own_words;
use lokid_model::citation::{self, Cited};
use lokid_model::{Key, Memory, Namespace, Patch, Timestamp};
use lokid_sys::{kept, plain};

pub(super) const PATH: &str = ".loki/CONTINUITY.md";
/// Where the memories that it names are noted.
const CITED: &str = ".loki/CONTINUITY.md cites";
const LARGEST: u64 = 4 << 20;
/// A file that looks half written is looked at again after this, and taken as it is when it stays that way.
const AGAIN: Duration = Duration::from_millis(100);
/// So often the same is what was meant.
const SAME: u32 = 9;
const MOST_LOOKS: u32 = 30;

/// Where a reading that waits for its end stands.
#[derive(Default)]
pub(super) struct ContinuityReading {
    pub(super) again_at: Option<Instant>,
    last: Option<String>,
    same: u32,
    looks: u32,
}

impl EyesWorker {
    pub(super) fn look_at_continuity(&mut self) {
        self.continuity.again_at = None;
        let full = self.env.root.join(PATH);
        if !kept::is_inside(&self.env.root, PATH) {
            return;
        }
        let Ok(Some(bytes)) = plain::read(&full, LARGEST) else { return };
        let text = String::from_utf8_lossy(&bytes);
        let text = self.env.redaction.text(&without_own_words(&text));
        let before = self.book.text(PATH).map(str::to_owned);
        if before.as_ref() == Some(&text) {
            self.continuity = ContinuityReading::default();
            return;
        }
        if !looks_complete(&text, before.as_deref()) && !self.has_settled(&text) {
            self.continuity.again_at = Some(self.env.clock.monotonic() + AGAIN);
            return;
        }
        self.continuity = ContinuityReading::default();
        if text.trim().is_empty() {
            return;
        }
        let news = what_is_new(&read(&before.unwrap_or_default()), &read(&text));
        self.book.set_text(PATH, text);
        self.save_soon();
        let references = self.note_citations(&String::from_utf8_lossy(&bytes));
        self.tell_continuity(&news, references);
    }

    /// As it stands now, without telling anything of it.
    pub(super) fn take_stock_of_continuity(&mut self) {
        let bytes = plain::read(&self.env.root.join(PATH), LARGEST).ok().flatten();
        let Some(bytes) = bytes.filter(|_| kept::is_inside(&self.env.root, PATH)) else { return };
        let page = String::from_utf8_lossy(&bytes);
        let named: Vec<String> = citation::cited(&page).into_iter().map(Cited::into_name).collect();
        self.book.set_text(PATH, self.env.redaction.text(&without_own_words(&page)));
        self.book.set_text(CITED, named.join("\n"));
    }

    /// Memories that the page names and did not name before were of use. Answers the ids of all it names.
    fn note_citations(&mut self, page: &str) -> Vec<String> {
        let cited = citation::cited(page);
        let ids = cited.iter().filter_map(|cited| self.id_of(cited)).collect();
        let named: Vec<String> = cited.into_iter().map(Cited::into_name).collect();
        let before: Vec<String> = self.book.text(CITED).unwrap_or_default().lines().map(str::to_owned).collect();
        let fresh: Vec<String> = named.iter().filter(|name| !before.contains(name)).cloned().collect();
        self.book.set_text(CITED, named.join("\n"));
        if !fresh.is_empty() {
            self.signals.referenced(fresh);
        }
        ids
    }

    fn id_of(&self, cited: &Cited) -> Option<String> {
        match cited {
            Cited::Id(id) => Some(id.clone()),
            Cited::Handle(digits) => {
                let snapshot = self.writer.snapshot();
                let keys = snapshot.memories().map(|memory| memory.key());
                let mut own = keys.filter(|key| key.namespace.is_default());
                own.find(|key| citation::handle(key) == *digits).map(|key| key.id.to_string())
            }
        }
    }

    /// Has the text stayed the same for a while, or were there enough looks? A busy disk may hold up the second half.
    fn has_settled(&mut self, text: &str) -> bool {
        let reading = &mut self.continuity;
        let is_same = reading.last.as_deref() == Some(text);
        reading.same = if is_same { reading.same + 1 } else { 0 };
        reading.looks += 1;
        reading.last = Some(text.to_owned());
        reading.same >= SAME || reading.looks >= MOST_LOOKS
    }

    fn tell_continuity(&mut self, news: &News, references: Vec<String>) {
        let now = self.env.clock.now();
        let mut focus = json!({
            "current_focus": news.focus,
            "blocked_by": news.blocked_by,
            "next_up": news.next_up,
        });
        if !references.is_empty() {
            focus[REFERENCES] = references.into();
        }
        self.writer.set_focus(focus);
        for signal in signals(news, now) {
            self.signal_once(signal);
        }
        let mut learnt = drafts(news, now);
        for (old, new) in news.revised() {
            if let Some(known) = self.known_as(&old)
                && let Some(draft) = learnt.iter_mut().find(|draft| draft.text.contains(&new))
            {
                draft.supersedes.push(known.id);
            }
        }
        self.remember(learnt);
        for blocker in &news.blockers_resolved {
            self.resolve(blocker, now);
        }
    }

    /// A blocker that is gone no longer holds; that it once did stays known.
    fn resolve(&mut self, blocker: &str, now: Timestamp) {
        let Some(key) = self.known_as(blocker) else { return };
        let patch = Patch { invalid_at: Some(Some(now)), ..Patch::default() };
        self.writer.correct(key, patch);
    }

    /// The living memory that says exactly this.
    fn known_as(&self, text: &str) -> Option<Key> {
        let snapshot = self.writer.snapshot();
        let says_it = |memory: &&std::sync::Arc<Memory>| {
            memory.namespace == Namespace::default()
                && memory.times.invalid_at.is_none()
                && (memory.text == text || memory.title == text)
        };
        let tagged = |memory: &&std::sync::Arc<Memory>| memory.tags.iter().any(|tag| tag == "continuity");
        snapshot.memories().filter(tagged).find(says_it).map(|memory| memory.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_learnt_from_the_page_carries_the_tag_it_is_found_by() {
        let page = "# CONTINUITY\n\n## Key Decisions This Session\n- Use SQLite because it needs no server\n\n\
                    ## Active Blockers\n- Waiting for the API key of the payment provider\n\n\
                    ## Mistakes & Learnings\n- Forgot to close the pool: tests hung; fixed by closing it in teardown\n";
        let taught = drafts(&what_is_new(&read(""), &read(page)), Timestamp::from_micros(1));
        assert!(taught.len() >= 3, "{taught:#?}");
        assert!(taught.iter().all(|draft| draft.tags.iter().any(|tag| tag == "continuity")), "{taught:#?}");
    }
}
