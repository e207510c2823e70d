//! An operator around another, which notes what that one does.

use types::{RowBatch, SqlResult};

use crate::context::{Context, RowSource};

struct Watched {
    inner: Box<dyn RowSource>,
    node: u32,
}

/// The operator, watched under its number.
pub fn make(inner: Box<dyn RowSource>, node: u32) -> Box<dyn RowSource> {
    Box::new(Watched { inner, node })
}

impl RowSource for Watched {
    fn open(&mut self, context: &Context) -> SqlResult<()> {
        let workspace = context.workspace().clone();
        workspace.enter(self.node);
        let result = self.inner.open(context);
        workspace.leave(|node| node.executions += 1);
        result
    }

    fn next(&mut self, context: &Context, wanted: usize, out: &mut RowBatch) -> SqlResult<()> {
        let workspace = context.workspace().clone();
        workspace.enter(self.node);
        let result = self.inner.next(context, wanted, out);
        workspace.leave(|node| {
            node.rows += out.rows as u64;
            node.ends += u64::from(out.rows == 0);
        });
        result
    }

    fn close(&mut self) {
        self.inner.close();
    }
}
