//! A memory that several people and machines share, on a real PostgreSQL server that the tests start themselves.

mod chaos;
mod hostile;
mod init;
mod lab;
mod machines;
mod reach;
mod relay;
