//! The definitions of programs by the pieces of words they say: which of them say what a goal says, and how much of it. Pieces are
//! told by their number in a vocabulary that is somebody else's; a text is never kept.

/// BM25: how soon a piece said again says nothing new, how much a long definition is held back, how often its own name counts.
const SATURATION: f32 = 1.2;
const LENGTH: f32 = 0.4;
const LENGTH_OF_NAMES: f32 = 0.2;
const NAME: f32 = 2.0;

/// A definition with the comments above it; of what holds others, what stands before these.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Passage {
    pub name: Box<str>,
    pub line: u32,
    pub lines: u32,
    /// What sort of definition it is; what that means is for whoever made it.
    pub sort: u8,
    /// What tells it from others of its file.
    pub own: u32,
    /// Of its name and of what holds it.
    pub named: Box<[u16]>,
    /// Of all that it says.
    pub said: Box<[u16]>,
}

/// The definitions of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FilePassages {
    /// Pieces of its path.
    pub path: Box<[u16]>,
    pub passages: Box<[Passage]>,
}

/// How many definitions say each piece, and how much they say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PassageCounts {
    holding: Vec<u32>,
    passages: u32,
    lengths: [f64; 3],
}

impl PassageCounts {
    pub fn passages(&self) -> usize {
        self.passages as usize
    }

    pub fn add(&mut self, file: &FilePassages) {
        self.count(file, true);
    }

    pub fn remove(&mut self, file: &FilePassages) {
        self.count(file, false);
    }

    fn count(&mut self, file: &FilePassages, is_there: bool) {
        let mut pieces: Vec<u16> = Vec::new();
        for passage in &file.passages {
            pieces.clear();
            pieces.extend(passage.named.iter().chain(&file.path).chain(&passage.said));
            let (named, path) = (passage.named.len() as f64, file.path.len() as f64);
            let lengths = [pieces.len() as f64 + named, named, path];
            pieces.sort_unstable();
            pieces.dedup();
            let most = pieces.last().map_or(0, |most| usize::from(*most) + 1);
            self.holding.resize(self.holding.len().max(most), 0);
            let sign = if is_there { 1.0 } else { -1.0 };
            self.lengths.iter_mut().zip(lengths).for_each(|(sum, length)| *sum += sign * length);
            self.passages = self.passages.saturating_add_signed(if is_there { 1 } else { -1 });
            for piece in &pieces {
                let holding = &mut self.holding[usize::from(*piece)];
                *holding = holding.saturating_add_signed(if is_there { 1 } else { -1 });
            }
        }
    }

    fn rarity(&self, piece: u16) -> f32 {
        let holding = self.holding.get(usize::from(piece)).copied().unwrap_or(0) as f32;
        (1.0 + (self.passages as f32 - holding + 0.5).max(0.5) / (holding + 0.5)).ln()
    }
}

/// Different pieces that are heard.
const MOST_WANTED: usize = 32;

/// How often each wanted piece is said.
pub type Times = [f32; MOST_WANTED];

/// What is asked for, ready to be held against many.
pub struct Wanted {
    /// By piece, its place among those wanted plus one.
    places: Vec<u8>,
    /// Of each, how often it is wanted times how rare it is.
    weights: Vec<f32>,
    whole: f32,
    usual: [f32; 3],
}

/// How much of what is wanted is said: in all, by the name, by the path; each against the weight of all that is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Saying {
    pub all: f32,
    pub named: f32,
    pub path: f32,
    /// How much of the name is wanted, from 0 to 1.
    pub of_name: f32,
}

impl Wanted {
    pub fn new(counts: &PassageCounts, pieces: &[u16]) -> Wanted {
        let most = pieces.iter().max().map_or(0, |most| usize::from(*most) + 1);
        let mut wanted = Wanted { places: vec![0; most], weights: Vec::new(), whole: 0.0, usual: [1.0; 3] };
        for piece in pieces {
            let place = &mut wanted.places[usize::from(*piece)];
            if *place == 0 && wanted.weights.len() < MOST_WANTED {
                wanted.weights.push(0.0);
                *place = wanted.weights.len() as u8;
            }
            if let Some(at) = place.checked_sub(1) {
                wanted.weights[usize::from(at)] += counts.rarity(*piece);
            }
        }
        wanted.whole = wanted.weights.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        let all = f64::from(counts.passages.max(1));
        wanted.usual = counts.lengths.map(|length| ((length / all) as f32).max(f32::MIN_POSITIVE));
        wanted
    }

    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// How much the path of a file says, once for all its definitions.
    pub fn of_path(&self, path: &[u16]) -> (Times, f32) {
        let mut times = [0.0; MOST_WANTED];
        self.hear(path, &mut times, 1.0);
        let said = self.weigh(&times, path.len() as f32 / self.usual[2], LENGTH_OF_NAMES);
        (times, said)
    }

    /// With what `of_path` told of its file, and how long that path is.
    pub fn of(&self, passage: &Passage, (path, path_said): &(Times, f32), path_length: usize) -> Saying {
        let mut named = [0.0; MOST_WANTED];
        self.hear(&passage.named, &mut named, 1.0);
        let mut times = *path;
        times.iter_mut().zip(&named).for_each(|(times, named)| *times += NAME * named);
        self.hear(&passage.said, &mut times, 1.0);
        if times.iter().all(|times| *times == 0.0) {
            return Saying::default();
        }
        let names = passage.named.len() as f32;
        let length = NAME * names + path_length as f32 + passage.said.len() as f32;
        let meant = passage.named.iter().filter(|piece| self.place(**piece).is_some()).count() as f32;
        Saying {
            all: self.weigh(&times, length / self.usual[0], LENGTH),
            named: self.weigh(&named, names / self.usual[1], LENGTH_OF_NAMES),
            path: *path_said,
            of_name: meant / names.max(1.0),
        }
    }

    fn place(&self, piece: u16) -> Option<usize> {
        self.places.get(usize::from(piece)).and_then(|place| place.checked_sub(1)).map(usize::from)
    }

    fn hear(&self, pieces: &[u16], times: &mut Times, weight: f32) {
        pieces.iter().filter_map(|piece| self.place(*piece)).for_each(|place| times[place] += weight);
    }

    fn weigh(&self, times: &Times, length: f32, held_by_length: f32) -> f32 {
        let held_back = SATURATION * (1.0 - held_by_length + held_by_length * length);
        let worth = |(weight, times): (&f32, &f32)| weight * times * (SATURATION + 1.0) / (times + held_back);
        self.weights.iter().zip(times).map(worth).sum::<f32>() / self.whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(named: &[u16], said: &[u16]) -> Passage {
        Passage { named: named.into(), said: said.into(), lines: 3, ..Passage::default() }
    }

    #[test]
    fn what_says_the_rare_pieces_says_most_and_a_name_more_than_a_text() {
        let passages = [passage(&[1], &[7, 8]), passage(&[2], &[7, 9]), passage(&[9], &[7]), passage(&[3], &[7])];
        let file = FilePassages { path: [5].into(), passages: passages.into() };
        let mut counts = PassageCounts::default();
        counts.add(&file);
        let wanted = Wanted::new(&counts, &[7, 9]);
        let path = wanted.of_path(&file.path);
        let said: Vec<f32> = file.passages.iter().map(|one| wanted.of(one, &path, file.path.len()).all).collect();
        assert!(said[2] > said[1] && said[1] > said[3] && said[3] > said[0], "the longer it is the less: {said:?}");
        assert_eq!(wanted.of(&file.passages[2], &path, 1).of_name, 1.0);
        counts.remove(&file);
        assert_eq!((counts.passages(), counts.holding.iter().sum::<u32>()), (0, 0));
        assert!(Wanted::new(&counts, &[]).is_empty());
    }
}
