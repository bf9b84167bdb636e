//! A memory that several people and machines share, on a real PostgreSQL server that the tests start themselves.

mod hostile;
mod lab;
mod machines;
mod relay;
