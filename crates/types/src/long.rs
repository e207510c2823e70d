//! Long values in one piece. To copy some megabytes into memory that is first touched by that takes milliseconds, in which nobody else runs on
//! a scheduler. So whoever has schedulers says where else such work is done. Loops over a value's characters pause instead (`pause`).

use std::sync::OnceLock;

/// Does work that takes long, and returns when it is done.
pub type Away = fn(&mut (dyn FnMut() + Send));

static AWAY: OnceLock<Away> = OnceLock::new();

/// From so many bytes on a value is long.
pub const LONG: usize = 2 << 20;

/// Long values are copied by `away` from now on. The first one to say so decides.
pub fn set_away(away: Away) {
    AWAY.get_or_init(|| away);
}

/// What `work` gives, of about `bytes` in one piece.
#[inline]
pub fn run<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    if bytes < LONG { work() } else { run_long(work) }
}

#[cold]
fn run_long<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let Some(away) = AWAY.get() else { return work() };
    let (mut work, mut found) = (Some(work), None);
    away(&mut || found = work.take().map(|work| work()));
    found.expect("it has been done")
}

/// Drops something, while its caller goes on.
pub type LetGo = fn(Box<dyn FnOnce() + Send>);

static LET_GO: OnceLock<LetGo> = OnceLock::new();

/// Many small blocks are freed by `let_go` from now on. The first one to say so decides.
pub fn set_let_go(let_go: LetGo) {
    LET_GO.get_or_init(|| let_go);
}

/// Items that are dropped in no time, whatever they are.
const FEW: usize = 8 << 10;

/// Items with memory of their own: that of many is not given back on the scheduler.
pub struct Many<T: Send + 'static>(pub Vec<T>);

impl<T: Send + 'static> Drop for Many<T> {
    fn drop(&mut self) {
        if self.0.len() > FEW
            && let Some(let_go) = LET_GO.get()
        {
            let items = std::mem::take(&mut self.0);
            let_go(Box::new(move || drop(items)));
        }
    }
}

/// Appends `from`.
#[inline]
pub fn append(to: &mut Vec<u8>, from: &[u8]) {
    run(from.len(), || to.extend_from_slice(from));
}

/// A copy.
#[inline]
pub fn copy(from: &[u8]) -> Box<[u8]> {
    if from.len() < LONG {
        return from.into();
    }
    let mut copy = Vec::with_capacity(from.len());
    append(&mut copy, from);
    copy.into_boxed_slice()
}
