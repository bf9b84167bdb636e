//! Fills one section: which memories, at which length. Knows nothing of what stands around it.

use super::line::line_of;
use super::{Section, SessionItem};
use lokid_model::{Level, Memory, token};

/// Beyond this many the rest is not worth trying: a section holds a dozen lines.
const MOST_TRIED: usize = 200;
const LONGER: [Level; 3] = [Level::Compressed, Level::Summary, Level::Full];

pub(super) struct Fill<'a> {
    pub(super) heading: &'static str,
    /// In tokens, the heading included.
    pub(super) limit: usize,
    /// What binds is kept at its shortest rather than left out; elsewhere a few that can be understood are worth more
    /// than many stubs.
    pub(super) binding: bool,
    pub(super) lengths: &'a dyn Fn(&Memory, Level) -> String,
}

#[derive(Clone)]
pub(super) struct SessionLine {
    pub(super) text: String,
    pub(super) item: SessionItem,
}

impl Fill<'_> {
    /// Memories best first.
    pub(super) fn with(&self, memories: &[&Memory]) -> Section {
        let memories = &memories[..memories.len().min(MOST_TRIED)];
        let mut taken = self.choose(memories, &[Level::Compressed, Level::Index]);
        if self.binding && taken.len() < memories.len() {
            let shortest = self.choose(memories, &[Level::Index]);
            if shortest.len() > taken.len() {
                taken = shortest;
            }
        }
        self.lengthen(&mut taken);
        self.section(taken.into_iter().map(|(_, line)| line).collect())
    }

    /// Each at the first of these lengths that fits.
    fn choose<'a>(&self, memories: &[&'a Memory], levels: &[Level]) -> Vec<(&'a Memory, SessionLine)> {
        let mut taken: Vec<(&Memory, SessionLine)> = Vec::new();
        let mut so_far = format!("{}\n", self.heading);
        for memory in memories {
            let fitting = levels.iter().filter_map(|level| self.line(memory, *level)).find(|line| {
                line.item.tokens <= self.limit && token::estimate(&format!("{so_far}{}\n", line.text)) <= self.limit
            });
            if let Some(line) = fitting {
                so_far.push_str(&line.text);
                so_far.push('\n');
                taken.push((memory, line));
            }
        }
        taken
    }

    /// What room is left goes to longer forms, one step for everyone before the next step for anyone.
    fn lengthen(&self, taken: &mut [(&Memory, SessionLine)]) {
        for level in LONGER {
            for place in 0..taken.len() {
                let (memory, line) = &taken[place];
                if line.item.level <= level {
                    continue;
                }
                let Some(longer) = self.line(memory, level).filter(|longer| longer.item.tokens <= self.limit) else {
                    continue;
                };
                let shorter = std::mem::replace(&mut taken[place].1, longer);
                let lines = taken.iter().map(|(_, line)| line.clone()).collect();
                if self.section(lines).tokens() > self.limit {
                    taken[place].1 = shorter;
                }
            }
        }
    }

    fn line(&self, memory: &Memory, level: Level) -> Option<SessionLine> {
        let text = line_of(memory, level, self.lengths)?;
        let item = SessionItem { key: memory.key(), tier: memory.tier, tokens: token::estimate(&text), level };
        Some(SessionLine { text, item })
    }

    fn section(&self, lines: Vec<SessionLine>) -> Section {
        Section { heading: self.heading, lines }
    }
}
