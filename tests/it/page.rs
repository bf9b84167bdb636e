//! The page of `lokid ui` in a real Chromium, and over plain TCP for what no browser would do. Every test has a daemon, a
//! page and a browser of its own.

mod access;
mod attacks;
pub(crate) mod browser;
mod crowd;
mod deeds;
mod foreign;
mod hostile;
mod keys;
pub(crate) mod lab;
mod lasting;
mod screens;
