//! A memory that several people and machines share, on a real PostgreSQL server that the tests start themselves.

mod hostile;
mod init;
mod lab;
mod reach;
mod relay;
