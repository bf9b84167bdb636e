//! The learnt trees, a file a class.

#[allow(clippy::approx_constant)]
mod compatible;
#[allow(clippy::approx_constant)]
mod contradicts;
#[allow(clippy::approx_constant)]
mod duplicate;
#[allow(clippy::approx_constant)]
mod unrelated;

use super::judge::{CLASSES, Tree};

pub(super) const ALL: [&[Tree]; CLASSES] =
    [&contradicts::TREES, &duplicate::TREES, &compatible::TREES, &unrelated::TREES];
