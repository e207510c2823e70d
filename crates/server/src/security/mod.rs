//! Who may do what, and secrets.
//!
//! Who a principal is and what it may do is decided here; rows of logins and users are `crate::catalog`'s. Lowest first.
//!
//! ```text
//! password    hashes          tls   the certificate
//! hierarchy   the permissions, and which implies which
//! role        what fixed roles may do
//! actor       a login with its roles, a user with its roles
//! check       whether somebody has a permission for something
//! ```

pub mod password;
pub mod tls;
pub mod certificate;
pub mod hierarchy;
pub mod role;
pub mod actor;
pub mod check;
