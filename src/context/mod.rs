//! What is handed out, and in which portions.

pub mod layers;
