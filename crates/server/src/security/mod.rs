//! Who may do what, and secrets.
//!
//! Who a principal is and what it may do is decided here; rows of logins and users are `crate::catalog`'s. Lowest first.
//!
//! ```text
//! guessing    who failed to log in how often               password    hashes
//! policy      what CHECK_POLICY asks, by its numbers       tls         the certificate
//! written     passwords in texts                       secret      what is encrypted at rest
//! x509        what a certificate says of itself        key_file    what is encrypted by a password
//! encryptor   certificates that keep the keys of backups
//! hierarchy   the permissions, and which implies which
//! role        what fixed roles may do
//! actor       a login with its roles, a user with its roles
//! check       whether somebody has a permission for something
//! ```

pub mod guessing;
pub mod password;
pub mod policy;
pub mod tls;
pub mod written;
pub mod secret;
pub mod x509;
pub mod key_file;
pub mod encryptor;
pub mod certificate;
pub mod hierarchy;
pub mod role;
pub mod actor;
pub mod check;
