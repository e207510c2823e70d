//! Secrets: password hashes, who guesses them, and the certificate.
//!
//! Who a principal is and what it may do is decided here; rows of logins and users are `crate::catalog`'s. Lowest first.

pub mod guessing;
pub mod password;
pub mod policy;
pub mod tls;
pub mod written;
