//! adjudicate
