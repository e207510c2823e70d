//! Dividing rows among work files by a hash of their key: rows with equal keys meet in one file, at each level by another hash.

use std::hash::Hasher;

use storage::spill::{Away, BLOCK_ROOM};
use types::{RowBatch, SqlResult};

use super::keys::FastHasher;
use super::row_file::{PIECE_BYTES, RowFile};
use crate::columns;
use crate::context::Context;
use crate::workspace::Held;

/// Deepest division. Keys that still stand together have equal hashes, or are one key.
pub const LEVELS_MAX: u32 = 8;

/// Gathered for a file until they make a piece: fewer than elsewhere, so that there can be more files. What has no room in memory after it was
/// divided is divided again, and that takes as long as the first time.
const GATHERED_BYTES: usize = PIECE_BYTES / 2;

/// Of what a query may have, the part in this many that its files may take: what is divided is held as well until it is written.
const FILES_PART: usize = 4;
/// The same where that much is left over, and half of what is.
const FILES_PART_ALONE: usize = 2;
const FILES_MIN: usize = 4;
const FILES_MAX: usize = 256;

pub struct Scatter {
    files: Vec<RowFile>,
    /// For each file, what does not make a piece yet.
    gathered: Vec<RowBatch>,
    picked: Vec<Vec<u32>>,
    level: u32,
    held: Held,
}

impl Scatter {
    /// `level`: from 0, one more for what is divided again.
    pub fn new(context: &Context, like: &RowBatch, level: u32) -> SqlResult<Scatter> {
        let each = GATHERED_BYTES + BLOCK_ROOM;
        let (limit, spare) = (context.workspace().limit_now(), context.workspace().spare() / 2);
        let bytes = (limit / FILES_PART_ALONE).min(spare).max(limit / FILES_PART);
        let count = (bytes / each).clamp(FILES_MIN, FILES_MAX);
        Scatter::of_files(context, like, level, count)
    }

    /// For the other side of what was divided into so many files: what memory there is now may be another number's, and keys would not
    /// meet.
    pub fn of_files(context: &Context, like: &RowBatch, level: u32, count: usize) -> SqlResult<Scatter> {
        let away = Away::shared();
        let mut scatter = Scatter {
            files: (0..count).map(|_| RowFile::new(context).going_on_with(&away)).collect(),
            gathered: (0..count).map(|_| RowBatch::new(like.columns.iter().map(columns::class_of))).collect(),
            picked: vec![Vec::new(); count],
            level,
            held: Held::default(),
        };
        scatter.held.force(context.workspace(), count * GATHERED_BYTES + BLOCK_ROOM)?;
        context.workspace().count_partitions(count, level + 1);
        Ok(scatter)
    }

    pub fn level(&self) -> u32 {
        self.level
    }

    /// The file of a key.
    pub fn file_of(&self, key: &[u8]) -> usize {
        let mut hasher = FastHasher::of_level(self.level);
        hasher.write(key);
        // The upper half of a product: all bits of the hash have a say.
        ((hasher.finish() as u128 * self.files.len() as u128) >> 64) as usize
    }

    /// Any file, for a row that meets no other.
    pub fn file_of_loner(&self, row: usize) -> usize {
        row % self.files.len()
    }

    /// From here on `pick`, then `write`.
    pub fn begin(&mut self) {
        self.picked.iter_mut().for_each(Vec::clear);
    }

    /// The row of the batch that `write` will have goes to this file.
    pub fn pick(&mut self, file: usize, row: usize) {
        self.picked[file].push(row as u32);
    }

    /// Writes what was picked.
    pub fn write(&mut self, context: &Context, batch: &RowBatch) -> SqlResult<()> {
        for ((file, gathered), picked) in self.files.iter_mut().zip(&mut self.gathered).zip(&self.picked) {
            if picked.is_empty() {
                continue;
            }
            columns::append_batch_rows(gathered, batch, picked);
            if columns::batch_bytes(gathered) >= GATHERED_BYTES || gathered.rows >= columns::BATCH_ROWS {
                file.append(context, gathered)?;
                gathered.clear();
            }
        }
        Ok(())
    }

    pub fn finish(mut self, context: &Context) -> SqlResult<Vec<RowFile>> {
        for (file, gathered) in self.files.iter_mut().zip(&self.gathered) {
            file.append(context, gathered)?;
            file.finish()?;
        }
        Ok(self.files)
    }
}
