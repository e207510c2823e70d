//! Merging of sorted runs: files of rows whose last column is their key, or whose keys are made again from them. Equal keys come in the order
//! of the runs.

use types::{RowBatch, SqlResult};

use super::keys::{KeyList, ListedKey, RowKeys};
use super::row_file::{PIECE_BYTES, READER_BYTES, RowFile, RowReader};
use crate::columns;
use crate::context::Context;
use crate::run_tree::{RunTree, prefix};
use crate::workspace::Held;

/// Of a run without keys: with them a piece takes what others do.
const KEYLESS_PIECE_BYTES: usize = PIECE_BYTES / 2;

/// An empty run.
pub fn run_file(context: &Context, with_keys: bool) -> RowFile {
    RowFile::of_pieces(context, if with_keys { PIECE_BYTES } else { KEYLESS_PIECE_BYTES }).going_on()
}

/// Runs merged at a time: at least so many, or two if their rows are long.
const RUNS_MIN: usize = 4;
const RUNS_MAX: usize = 512;

/// How many of these runs, the first ones, can be read at a time: half of what a query may have goes to readers.
fn readable(context: &Context, files: &[RowFile]) -> usize {
    let room = context.workspace().limit_now() / 2;
    let (mut count, mut bytes) = (0, 0);
    for file in files.iter().take(RUNS_MAX) {
        bytes += file.reader_bytes() + PIECE_BYTES;
        let least = if file.reader_bytes() > 2 * READER_BYTES { 2 } else { RUNS_MIN };
        if bytes > room && count >= least {
            break;
        }
        count += 1;
    }
    count
}

struct Run {
    file: RowFile,
    reader: RowReader,
    piece: RowBatch,
    /// Of the piece's rows, where the file has none.
    keys: KeyList,
    held: Held,
    /// Of the piece: the next row, and the prefix of its key.
    at: usize,
    prefix: u64,
}

impl Run {
    fn key(&self) -> ListedKey<'_> {
        match self.keys.is_empty() {
            true => ListedKey::whole(self.piece.columns.last().expect("the key").bytes(self.at)),
            false => self.keys.key(self.at),
        }
    }

    /// Goes to the next row. False: that was the last. `keys`: what makes the rows' keys, if they are not in the file.
    fn step(&mut self, context: &Context, keys: Option<&mut RowKeys>) -> SqlResult<bool> {
        self.at += 1;
        if self.at >= self.piece.rows {
            self.at = 0;
            self.keys.clear();
            if !self.reader.next(context, &self.file, &mut self.piece)? {
                self.held.clear();
                return Ok(false);
            }
            if let Some(keys) = keys {
                keys.load(context, &self.piece)?;
                self.keys.append(keys, self.piece.rows);
                // A reader's piece may be twice as long.
                self.held.force(context.workspace(), self.keys.bytes().saturating_sub(KEYLESS_PIECE_BYTES))?;
            }
        }
        self.prefix = prefix(self.key().bytes);
        Ok(true)
    }
}

fn is_before(runs: &[Run], keys: Option<&RowKeys>, a: u32, b: u32) -> bool {
    let (left, right) = (&runs[a as usize], &runs[b as usize]);
    let by_rows = || {
        let keys = keys.expect("keys that are cut are made of the rows");
        keys.compare((&left.piece, left.at), (&right.piece, right.at))
    };
    let by_keys = || left.key().cmp(right.key(), by_rows);
    left.prefix.cmp(&right.prefix).then_with(by_keys).then(a.cmp(&b)).is_lt()
}

/// Rows of several runs, in order.
pub struct Merge {
    runs: Vec<Run>,
    tree: RunTree,
}

impl Merge {
    /// Of so many runs as can be read at a time: more are merged to longer ones first. `limit`: rows that are wanted. `like`: a batch of what
    /// is in the files. `keys`: what makes the rows' keys, if they are not there.
    pub fn begin(
        context: &Context,
        mut files: Vec<RowFile>,
        limit: usize,
        like: &RowBatch,
        mut keys: Option<&mut RowKeys>,
    ) -> SqlResult<Merge> {
        while readable(context, &files) < files.len() {
            let mut longer = Vec::new();
            while !files.is_empty() {
                let count = readable(context, &files);
                let now: Vec<RowFile> = files.drain(..count).collect();
                let merge = Merge::of(context, now, like, keys.as_deref_mut())?;
                longer.push(merge.into_file(context, limit, like, keys.as_deref_mut())?);
            }
            files = longer;
        }
        Merge::of(context, files, like, keys)
    }

    fn of(context: &Context, files: Vec<RowFile>, like: &RowBatch, mut keys: Option<&mut RowKeys>) -> SqlResult<Merge> {
        let empty = || RowBatch::new(like.columns.iter().map(columns::class_of));
        let mut runs = Vec::new();
        for file in files {
            let mut run = Run {
                file,
                reader: RowReader::default(),
                piece: empty(),
                keys: KeyList::default(),
                held: Held::default(),
                at: 0,
                prefix: 0,
            };
            if run.step(context, keys.as_deref_mut())? {
                runs.push(run);
            }
        }
        let tree = RunTree::new(runs.len(), |a, b| is_before(&runs, keys.as_deref(), a, b));
        Ok(Merge { runs, tree })
    }

    /// Appends the next rows, as many columns of each as `out` has: up to `wanted`, fewer if they are long or at the end.
    pub fn next(
        &mut self,
        context: &Context,
        wanted: usize,
        out: &mut RowBatch,
        mut keys: Option<&mut RowKeys>,
    ) -> SqlResult<()> {
        let mut bytes = 0;
        while out.rows < wanted && bytes < 8 * PIECE_BYTES {
            let Some(first) = self.tree.first() else { return Ok(()) };
            let run = &mut self.runs[first as usize];
            for (to, from) in out.columns.iter_mut().zip(&run.piece.columns) {
                columns::append_row(to, from, run.at);
                bytes += columns::value_bytes(from, run.at);
            }
            out.rows += 1;
            let has_more = run.step(context, keys.as_deref_mut())?;
            if !has_more {
                // Its file's space is free from here on.
                run.piece.clear();
                run.file = RowFile::finished(context)?;
            }
            self.tree.stepped(has_more, |a, b| is_before(&self.runs, keys.as_deref(), a, b));
        }
        Ok(())
    }

    /// All that is left, up to `limit` rows, as one run.
    fn into_file(
        mut self,
        context: &Context,
        limit: usize,
        like: &RowBatch,
        mut keys: Option<&mut RowKeys>,
    ) -> SqlResult<RowFile> {
        let mut file = run_file(context, keys.is_none());
        let mut batch = RowBatch::new(like.columns.iter().map(columns::class_of));
        while (file.rows() as usize) < limit {
            batch.clear();
            let wanted = columns::BATCH_ROWS.min(limit - file.rows() as usize);
            self.next(context, wanted, &mut batch, keys.as_deref_mut())?;
            if batch.rows == 0 {
                break;
            }
            file.append(context, &batch)?;
        }
        file.finish()?;
        Ok(file)
    }
}
