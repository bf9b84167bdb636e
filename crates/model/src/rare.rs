//! A part that few have of many. Where it says nothing it takes the room of a pointer, and it is read as if it were there.
//! And the room that a whole memory gives back once nothing more comes.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, DerefMut};

use crate::memory::{Anchors, Memory};
use crate::texts::Texts;

/// What can be left out when it says nothing.
pub trait Omitted: Clone + Default + PartialEq + 'static {
    const NOTHING: &'static Self;
}

impl<K: Clone + Ord + 'static, V: Clone + PartialEq + 'static> Omitted for BTreeMap<K, V> {
    const NOTHING: &'static BTreeMap<K, V> = &BTreeMap::new();
}

#[derive(Clone)]
pub struct Rare<T>(Option<Box<T>>);

impl<T: Omitted> Rare<T> {
    /// To change what is there, if anything is.
    pub fn if_there(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }

    /// Gives back the room of one that says nothing.
    pub fn settle(&mut self) {
        if **self == *T::NOTHING {
            self.0 = None;
        }
    }

    pub fn into_inner(self) -> T {
        self.0.map_or_else(T::default, |there| *there)
    }
}

impl<T> Default for Rare<T> {
    fn default() -> Rare<T> {
        Rare(None)
    }
}

impl<T: Omitted> From<T> for Rare<T> {
    fn from(part: T) -> Rare<T> {
        Rare((part != *T::NOTHING).then(|| Box::new(part)))
    }
}

impl<T: Omitted> Deref for Rare<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_deref().unwrap_or(T::NOTHING)
    }
}

impl<T: Omitted> DerefMut for Rare<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.get_or_insert_default()
    }
}

impl<T: Omitted> PartialEq for Rare<T> {
    fn eq(&self, other: &Rare<T>) -> bool {
        **self == **other
    }
}

impl<T: Omitted + fmt::Debug> fmt::Debug for Rare<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Memory {
    /// Gives back the room that was kept for more words: it stays as it is from now on, and there may be a million.
    pub fn settle(&mut self) {
        self.each_text(&mut String::shrink_to_fit);
        let Anchors { files, symbols, commits } = &mut self.anchors;
        for list in [&mut self.tags, files, symbols, commits, &mut self.sources] {
            list.shrink_to_fit();
        }
        self.shorter.settle();
        self.usage.settle();
    }
}

#[cfg(test)]
mod tests {
    use crate::{Rare, Shorter};

    #[test]
    fn nothing_takes_no_room_and_is_the_same_whether_it_was_touched_or_not() {
        let mut touched = Rare::from(Shorter { summary: Some("short".into()), ..Shorter::default() });
        assert_ne!(touched, Rare::default());
        touched.summary = None;
        assert_eq!(touched, Rare::default());
        touched.settle();
        assert!(touched.if_there().is_none() && Rare::from(touched.into_inner()).if_there().is_none());
        assert_eq!(size_of::<Rare<Shorter>>(), size_of::<usize>());
    }
}
