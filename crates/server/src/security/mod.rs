//! Secrets: password hashes and the certificate.
//!
//! Who a principal is and what it may do is decided here; rows of logins and users are `crate::catalog`'s. Lowest first.

pub mod password;
pub mod tls;
pub mod certificate;
