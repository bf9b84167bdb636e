//! Small repositories, and what they tell somebody new.
