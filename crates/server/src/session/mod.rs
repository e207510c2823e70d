//! What a session knows, and how it turns text into modules: the catalog as it sees it, what it has prepared, opened and locked.
//!
//! Nothing runs here, and nothing is defined: definitions and system procedures stand above and are handed a session. Lowest first.

pub mod bulk_target;
pub mod prepared;
pub mod arguments;
pub mod api_cursors;
pub mod application_locks;
pub mod private_queries;
pub mod rights;
pub mod host;
pub mod permissions;
pub mod impersonation;
pub mod audit;
pub mod recovery;
pub mod early;
pub mod compile;
pub mod modules;
pub mod first_result;
