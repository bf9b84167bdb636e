//! Neighbours that count. Those that ended stay near for ever; where they crowd out the others, more are asked for.

use crate::plan::Around;
use lokid_model::Memory;

/// So many times the number wanted are asked for at most.
const FURTHEST: usize = 16;

/// The nearest that are `useful`, at least as near as `least`, each with what `useful` makes of it and its cosine.
pub(crate) fn near<T: PartialEq>(
    around: &dyn Around,
    memory: &Memory,
    most: usize,
    least: f32,
    useful: &dyn Fn(&Memory) -> Option<T>,
) -> Vec<(T, f32)> {
    let mut asked = most;
    loop {
        let found = around.like(memory, asked);
        let full = found.len() >= asked;
        let close = found.iter().filter(|(_, cosine)| *cosine >= least && cosine.is_finite());
        let mut kept: Vec<(T, f32)> = Vec::new();
        let mut useless = 0;
        for (other, cosine) in close {
            match useful(other).filter(|one| other.id != memory.id && kept.iter().all(|(known, _)| known != one)) {
                Some(one) if kept.len() < most => kept.push((one, *cosine)),
                Some(_) => {}
                None => useless += 1,
            }
        }
        let crowded = useless * 2 >= asked;
        if !full || !crowded || kept.len() >= most || asked >= most.saturating_mul(FURTHEST) {
            return kept;
        }
        asked = asked.saturating_mul(4).min(most.saturating_mul(FURTHEST));
    }
}
