//! A memory that several people and machines share: over git, and over a real PostgreSQL server that the tests start
//! themselves.

mod chaos;
mod git;
mod hostile;
mod init;
mod lab;
mod machines;
mod reach;
mod relay;
mod staged;
