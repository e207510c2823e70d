//! Queries bound with a session's own view of the catalog: other sessions must not find them.

use std::sync::Arc;

use sql::plan::{Module, Query, QueryId};

/// So many are kept; a session that needs more binds some again.
pub const PRIVATE_QUERIES_MAX: usize = 256;

struct PrivateQuery {
    module: Arc<Module>,
    id: QueryId,
    /// Of the session when it was bound: whether an INSERT's identity values are given depends on it.
    identity_insert: Option<(u16, i32)>,
    bound: Arc<Query>,
}

/// The newest last.
#[derive(Default)]
pub struct PrivateQueries(Vec<PrivateQuery>);

impl PrivateQueries {
    /// What the query was bound to at `version` of the catalog.
    pub fn find(
        &self,
        module: &Arc<Module>,
        id: QueryId,
        version: u64,
        identity_insert: Option<(u16, i32)>,
    ) -> Option<Arc<Query>> {
        let wanted = |private: &&PrivateQuery| {
            Arc::ptr_eq(&private.module, module)
                && private.id == id
                && private.bound.is_current(version)
                && private.identity_insert == identity_insert
        };
        self.0.iter().rev().find(wanted).map(|private| private.bound.clone())
    }

    pub fn keep(&mut self, module: &Arc<Module>, id: QueryId, identity_insert: Option<(u16, i32)>, bound: Arc<Query>) {
        if self.0.len() >= PRIVATE_QUERIES_MAX {
            self.0.drain(..PRIVATE_QUERIES_MAX / 2);
        }
        self.0.push(PrivateQuery { module: module.clone(), id, identity_insert, bound });
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }
}
