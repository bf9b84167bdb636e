//! Decisions that were learnt: from signs to a chance. The sum of what many small trees say.

use std::sync::LazyLock;

use super::definitions::SIGNS;

pub(super) struct Trees(Vec<Tree>);

struct Tree {
    /// The sign that is asked, up to which value one goes left, and where to go; below zero is a leaf.
    forks: Vec<(usize, f32, i16, i16)>,
    leaves: Vec<f32>,
}

impl Trees {
    pub(super) fn shipped() -> &'static Trees {
        static SHIPPED: LazyLock<Trees> = LazyLock::new(|| Trees::read(include_str!("trees.txt")));
        &SHIPPED
    }

    /// A line a tree: forks of four numbers each, a bar, leaves. What is not understood is left out.
    fn read(text: &str) -> Trees {
        Trees(text.lines().filter(|line| !line.starts_with('#')).filter_map(Tree::read).collect())
    }

    pub(super) fn chance(&self, signs: &[f32; SIGNS]) -> f64 {
        let sum: f64 = self.0.iter().map(|tree| f64::from(tree.says(signs))).sum();
        1.0 / (1.0 + (-sum).exp())
    }
}

impl Tree {
    fn read(line: &str) -> Option<Tree> {
        let (forks, leaves) = line.split_once('|')?;
        let forks: Vec<&str> = forks.split_whitespace().collect();
        let fork = |fork: &[&str; 4]| {
            let sign = fork[0].parse().ok().filter(|sign| *sign < SIGNS)?;
            Some((sign, fork[1].parse().ok()?, fork[2].parse().ok()?, fork[3].parse().ok()?))
        };
        let forks: Vec<(usize, f32, i16, i16)> = forks.as_chunks::<4>().0.iter().map(fork).collect::<Option<_>>()?;
        let leaves: Vec<f32> = leaves.split_whitespace().map(|leaf| leaf.parse().ok()).collect::<Option<_>>()?;
        // A way leads on or out, and never back.
        let leads_on = |(at, (_, _, left, right)): (usize, &(usize, f32, i16, i16))| {
            [left, right].into_iter().all(|next| match usize::try_from(*next) {
                Ok(next) => next > at && next < forks.len(),
                Err(_) => usize::from(next.unsigned_abs()) <= leaves.len(),
            })
        };
        let is_whole = !forks.is_empty() && forks.iter().enumerate().all(leads_on);
        is_whole.then_some(Tree { forks, leaves })
    }

    fn says(&self, signs: &[f32; SIGNS]) -> f32 {
        let mut at = 0;
        loop {
            let (sign, value, left, right) = self.forks[at];
            let next = if signs[sign] <= value { left } else { right };
            match usize::try_from(next) {
                Ok(fork) => at = fork,
                Err(_) => return self.leaves[usize::from(next.unsigned_abs()) - 1],
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_followed_and_one_that_leads_astray_is_left_out() {
        let trees = Trees::read("# what it is\n0 0.5 1 -1 3 2 -2 -3 | 1.5 -1 0.25\n0 1 0 -1 | 1\n99 1 -1 -1 | 1\n");
        assert_eq!(trees.0.len(), 1);
        let says = |first: f32, fourth: f32| {
            let mut signs = [0.0; SIGNS];
            (signs[0], signs[3]) = (first, fourth);
            trees.0[0].says(&signs)
        };
        assert_eq!([says(1.0, 0.0), says(0.5, 2.0), says(0.0, 3.0)], [1.5, -1.0, 0.25]);
        assert!(Trees::shipped().0.len() > 10);
    }
}
