//! Who is connected: so many in all, and of one process never more than its share, so that a program which opens
//! connections and forgets them leaves room for the others.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

/// One process may take one seat in so many.
const SHARE: usize = 2;

pub(super) struct Seats {
    most: usize,
    /// By process; those the kernel does not name count as one.
    taken: Mutex<HashMap<Option<i32>, usize>>,
}

/// A seat that is taken until this is dropped.
pub(super) struct Seat {
    seats: Arc<Seats>,
    process: Option<i32>,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// Everybody together has taken them all.
    All,
    /// This process has taken its share.
    Share,
}

impl Seats {
    pub(super) fn new(most: usize) -> Arc<Seats> {
        Arc::new(Seats { most, taken: Mutex::default() })
    }

    pub(super) fn take(self: &Arc<Seats>, process: Option<i32>) -> Result<Seat, Full> {
        let mut taken = self.taken.lock();
        if taken.values().sum::<usize>() >= self.most {
            return Err(Full::All);
        }
        let own = taken.entry(process).or_default();
        if *own >= (self.most / SHARE).max(1) {
            return Err(Full::Share);
        }
        *own += 1;
        Ok(Seat { seats: Arc::clone(self), process })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.taken.lock();
        if let Some(own) = taken.get_mut(&self.process) {
            *own -= 1;
            if *own == 0 {
                taken.remove(&self.process);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_process_takes_its_share_and_leaves_the_rest() {
        let seats = Seats::new(4);
        let greedy: Vec<Seat> = (0..2).map(|_| seats.take(Some(1)).ok().unwrap()).collect();
        assert_eq!(seats.take(Some(1)).err(), Some(Full::Share));
        let _others = [seats.take(Some(2)).ok().unwrap(), seats.take(Some(3)).ok().unwrap()];
        assert_eq!(seats.take(Some(4)).err(), Some(Full::All));
        drop(greedy);
        assert!(seats.take(Some(1)).is_ok());
        assert_eq!(seats.taken.lock().get(&Some(1)), None, "who left is forgotten");
    }

    #[test]
    fn where_there_is_one_seat_anybody_may_take_it() {
        let seats = Seats::new(1);
        let seat = seats.take(None).ok().unwrap();
        assert_eq!(seats.take(Some(1)).err(), Some(Full::All));
        drop(seat);
        assert!(seats.take(Some(1)).is_ok());
    }
}
