//! A member who wants more than a member may, with the real `psql`.
