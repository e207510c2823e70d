//! Documents that a session has prepared for OPENXML: sp_xml_preparedocument, sp_xml_removedocument.

use std::sync::Arc;

use types::{SqlResult, sql_error};
use xml::Document;

/// Bytes of all documents of one session.
const BYTES_MAX: usize = 256 << 20;

pub struct PreparedDocument {
    handle: i32,
    pub document: Arc<Document>,
    /// Prefixes that patterns may use, and their URIs.
    pub namespaces: Arc<[(Box<str>, Box<str>)]>,
}

#[derive(Default)]
pub struct PreparedXml {
    documents: Vec<PreparedDocument>,
    /// Handles given so far: each is odd, and none is given twice.
    given: i32,
}

impl PreparedXml {
    /// The document's handle. 6624: there are too many already.
    pub fn prepare(&mut self, document: Document, namespaces: Vec<(Box<str>, Box<str>)>) -> SqlResult<i32> {
        let held: usize = self.documents.iter().map(|prepared| prepared.document.size()).sum();
        if held + document.size() > BYTES_MAX || self.given == i32::MAX / 2 {
            return Err(sql_error!(6624));
        }
        let handle = 2 * self.given + 1;
        self.given += 1;
        self.documents.push(PreparedDocument { handle, document: Arc::new(document), namespaces: namespaces.into() });
        Ok(handle)
    }

    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// 8179. NULL is no handle.
    pub fn find(&self, handle: Option<i64>) -> SqlResult<&PreparedDocument> {
        let handle = handle.unwrap_or(0);
        let found = self.documents.iter().find(|prepared| i64::from(prepared.handle) == handle);
        found.ok_or_else(|| sql_error!(8179, state 5, handle))
    }

    /// 8179
    pub fn remove(&mut self, handle: Option<i64>) -> SqlResult<()> {
        let handle = self.find(handle)?.handle;
        self.documents.retain(|prepared| prepared.handle != handle);
        Ok(())
    }
}
