//! Rows that are deleted leave nothing: their pages go back to the file, whoever reads there meanwhile, and whatever their order.

mod common;

use common::{DB, Rng, TABLE};
use os::disk::{SimDisk, SimDiskFaults};
use storage::*;
use types::key::{KeyColumn, encode_datum};
use types::row::{ColumnType, RowView, encode};
use types::{Datum, RowBatch, RowLayout, SqlType};

const WIDE: usize = 700;
/// Neighbours with the same beginning of their keys: what separates their leaves is long, so inner pages have few children.
const GROUP: i64 = 20;

/// A key of two columns, `GROUP` rows with the same long one after the other, as the clustered key or (heap) as another.
fn layout(clustered: bool) -> TableLayout {
    let row = RowLayout::new(&[
        ColumnType::not_null(SqlType::varchar(WIDE as u16)),
        ColumnType::not_null(SqlType::INT),
        ColumnType::not_null(SqlType::varchar(600)),
    ]);
    let index = |id, clustered, key: &[u16]| IndexLayout {
        id: IndexId(id),
        unique: true,
        clustered,
        key: key.iter().map(|column| KeyColumn::ascending(*column)).collect(),
        included: vec![],
        filter: vec![],
        bucket_count: None,
    };
    TableLayout { row, indexes: vec![index(1, clustered, &[0, 1]), index(2, false, &[1])], memory: None }
}

fn wide(id: i64) -> Vec<u8> {
    let mut wide = format!("{:06}", id / GROUP).into_bytes();
    wide.resize(WIDE, b'w');
    wide
}

struct Queue {
    storage: Storage,
    table: std::sync::Arc<Table>,
}

impl Queue {
    fn open(disk: &SimDisk) -> Queue {
        let mut config = common::config(disk);
        config.memory_bytes = 400 * 8192;
        let storage = Storage::open(config).expect("opened");
        let table = storage.open_table(DB, TABLE).expect("the table");
        Queue { storage, table }
    }

    fn create(disk: &SimDisk, clustered: bool) -> Queue {
        let storage = Storage::open(common::config(disk)).expect("an empty disk");
        let mut tx = storage.begin(Isolation::ReadCommitted);
        storage.create_database(&mut tx, DB, "five").expect("a database");
        storage.create_table(&mut tx, DB, TABLE, &layout(clustered)).expect("a table");
        tx.commit(Durability::Full).expect("committed");
        drop(storage);
        Queue::open(disk)
    }

    fn in_memory(clustered: bool) -> Queue {
        Queue::create(&SimDisk::new(SimDiskFaults::default()), clustered)
    }

    fn begin(&self) -> Transaction {
        self.storage.begin(Isolation::ReadCommitted)
    }

    fn insert(&self, tx: &mut Transaction, id: i64) {
        let mut image = Vec::new();
        let values = [Datum::bytes(&wide(id)), Datum::I64(id), Datum::bytes(&[b'p'; 500])];
        encode(&self.table.layout().row, &values, &mut image);
        self.table.insert(tx, &image).expect("inserted");
    }

    fn insert_all(&self, ids: impl Iterator<Item = i64>) {
        let mut tx = self.begin();
        ids.for_each(|id| self.insert(&mut tx, id));
        tx.commit(Durability::Full).expect("committed");
    }

    /// By the index that has them in order of their numbers.
    fn delete(&self, tx: &mut Transaction, id: i64) {
        tx.begin_statement();
        let mut spec = self.by_number(false);
        spec.lookup = true;
        let mut key = Vec::new();
        encode_datum(&SqlType::INT, false, &Datum::I64(id), &mut key);
        (spec.lower, spec.upper) = (KeyBound::Inclusive(key.clone()), KeyBound::Inclusive(key));
        let mut scan = self.table.scan(tx, spec).expect("a scan");
        let locator = scan.next(tx).expect("a look-up").expect("the row").locator.to_vec();
        self.table.delete(tx, &locator).expect("deleted");
    }

    /// Each in a transaction of its own; what they leave is cleaned up now and then.
    fn delete_each(&self, ids: impl Iterator<Item = i64>) {
        for (turn, id) in ids.enumerate() {
            let mut tx = self.begin();
            self.delete(&mut tx, id);
            tx.commit(Durability::Delayed).expect("committed");
            if turn % 50 == 0 {
                self.clean();
            }
        }
        self.clean();
    }

    /// What merges inner pages makes neighbours of leaves, for the next round.
    fn clean(&self) {
        for _ in 0..4 {
            self.storage.collect_versions();
            self.storage.clean_ghosts().expect("cleaned up");
        }
    }

    fn by_number(&self, backward: bool) -> ScanSpec {
        let mut spec = ScanSpec::all(IndexId(2), vec![1]);
        (spec.backward, spec.ignore_own_statement) = (backward, false);
        spec
    }

    fn by_key(&self, backward: bool) -> ScanSpec {
        ScanSpec { index: IndexId(1), ..self.by_number(backward) }
    }

    /// What both indexes have, which must be the same.
    fn ids(&self, tx: &mut Transaction) -> Vec<i64> {
        let mut read = |spec: ScanSpec| {
            let mut scan = self.table.scan(tx, spec).expect("a scan");
            let (mut batch, mut ids) = (RowBatch::new([types::Physical::I64]), Vec::new());
            while scan.fill(tx, &mut batch, 100).expect("rows") > 0 {
                ids.extend((0..batch.rows).map(|row| batch.columns[0].datum(row).as_i64()));
                batch.clear();
            }
            ids
        };
        let (by_number, by_key) = (read(self.by_number(false)), read(self.by_key(false)));
        assert!(by_number == by_key, "the indexes disagree");
        let backward: Vec<i64> = read(self.by_key(true)).into_iter().rev().collect();
        assert!(backward == by_key, "backward as forward");
        by_key
    }

    fn pages(&self) -> PageTotals {
        self.storage.check_pages(DB).expect("whole trees")
    }
}

const ROWS: i64 = 3000;

/// The table's trees and the directory, without rows.
fn empty(clustered: bool) -> PageTotals {
    Queue::in_memory(clustered).pages()
}

#[test]
fn deleted_rows_give_their_pages_back_in_whatever_order_they_go() {
    let mut rng = Rng(7);
    let mut shuffled: Vec<i64> = (0..ROWS).collect();
    for at in (1..shuffled.len()).rev() {
        shuffled.swap(at, rng.next(at as u64 + 1) as usize);
    }
    let orders =
        [("from the left", (0..ROWS).collect()), ("from the right", (0..ROWS).rev().collect()), ("any", shuffled)];
    for clustered in [true, false] {
        for (name, order) in &orders {
            let queue = Queue::in_memory(clustered);
            queue.insert_all(0..ROWS);
            let full = queue.pages();
            assert!(full.leaves > 200 && full.inner > 10, "{name}: {full:?}");
            queue.delete_each(order.iter().copied());
            let left = queue.pages();
            assert_eq!(left, empty(clustered), "{name}");
            assert_eq!(queue.ids(&mut queue.begin()), []);
            let metrics = queue.storage.metrics();
            assert!(metrics.pages_freed + 10 > full.leaves, "{name}: {metrics:?}");
        }
    }
}

/// However many rows have gone through it.
#[test]
fn a_queue_has_few_pages() {
    let queue = Queue::in_memory(true);
    let most = |queue: &Queue| queue.pages().leaves;
    queue.insert_all(0..100);
    let mut seen = Vec::new();
    for round in 0..30 {
        queue.insert_all(round * 100 + 100..round * 100 + 200);
        queue.delete_each(round * 100..round * 100 + 100);
        seen.push(most(&queue));
    }
    assert!(seen[2..].iter().all(|leaves| *leaves <= seen[0] + 4), "leaves after each hundred: {seen:?}");
    assert_eq!(queue.ids(&mut queue.begin()), (3000..3100).collect::<Vec<_>>());
}

/// What a snapshot sees stays while it lasts, also where others want the room.
#[test]
fn a_snapshot_keeps_deleted_rows_and_their_pages() {
    let queue = Queue::in_memory(true);
    let (even, between) = (|| (0..2 * ROWS).step_by(2), || (0..2 * ROWS).skip(1).step_by(40));
    queue.insert_all(even());
    let mut reader = queue.storage.begin(Isolation::Snapshot);
    assert_eq!(queue.ids(&mut reader).len() as i64, ROWS);
    let before = queue.pages();
    queue.delete_each(even());
    assert_eq!(queue.pages(), before);
    let splits = queue.storage.metrics().page_splits;
    queue.insert_all(between());
    assert!(queue.storage.metrics().page_splits > splits + 20, "pages are full of rows that are deleted");
    assert_eq!(queue.ids(&mut reader), even().collect::<Vec<_>>());
    assert_eq!(queue.ids(&mut queue.begin()), between().collect::<Vec<_>>());
    reader.commit(Durability::Full).expect("committed");
    queue.clean();
    let after = queue.pages();
    assert!(after.leaves < before.leaves / 10, "{before:?}, then {after:?}");
}

#[test]
fn a_rollback_brings_back_what_was_deleted_and_leaves_nothing_of_what_was_inserted() {
    let queue = Queue::in_memory(true);
    queue.insert_all(0..ROWS);
    let mut tx = queue.begin();
    (0..ROWS).filter(|id| id % 7 > 0).for_each(|id| queue.delete(&mut tx, id));
    // Others go meanwhile, and their neighbours are moved.
    queue.delete_each((0..ROWS).filter(|id| id % 7 == 0));
    tx.rollback().expect("rolled back");
    queue.clean();
    assert_eq!(queue.ids(&mut queue.begin()), (0..ROWS).filter(|id| id % 7 > 0).collect::<Vec<_>>());
    let before = queue.pages();
    let mut tx = queue.begin();
    (ROWS..2 * ROWS).for_each(|id| queue.insert(&mut tx, id));
    assert!(queue.pages().leaves > before.leaves * 3 / 2);
    tx.rollback().expect("rolled back");
    queue.clean();
    let after = queue.pages();
    assert_eq!(after, before);
}

/// Readers that keep no snapshot stand on pages that go, and where others grow.
#[test]
fn a_scan_goes_on_where_its_page_was() {
    for seed in 1..20 {
        let mut rng = Rng(seed * 0x9e37_79b9);
        let queue = Queue::in_memory(seed % 2 == 0);
        queue.insert_all(0..ROWS);
        let stays = |id: i64| id % 90 == 0;
        for backward in [false, true] {
            let mut tx = queue.storage.begin(Isolation::ReadUncommitted);
            let mut scan = queue.table.scan(&mut tx, queue.by_key(backward)).expect("a scan");
            let mut found = Vec::new();
            let mut deleted: Vec<i64> = Vec::new();
            while let Some(row) = scan.next(&mut tx).expect("a row") {
                let layout = queue.table.layout();
                found.push(RowView::new(&layout.row, row.image).map(|row| row.datum(1).as_i64()).unwrap_or_default());
                if rng.next(100) == 0 {
                    let middle = *found.last().expect("just found");
                    let there = |id: &i64| !stays(*id) && (0..ROWS).contains(id) && !deleted.contains(id);
                    let gone: Vec<i64> = (middle - 200..middle + 200).filter(there).collect();
                    queue.delete_each(gone.iter().copied());
                    deleted.extend(gone);
                }
            }
            let in_order = found.windows(2).all(|pair| if backward { pair[0] > pair[1] } else { pair[0] < pair[1] });
            assert!(in_order, "seed {seed}: no row twice");
            let mut kept: Vec<i64> = found.into_iter().filter(|id| stays(*id)).collect();
            kept.sort();
            assert!(kept.into_iter().eq((0..ROWS).filter(|id| stays(*id))), "seed {seed}: a row was passed over");
            tx.commit(Durability::Full).expect("committed");
            queue.insert_all(deleted.into_iter());
            assert_eq!(queue.ids(&mut queue.begin()).len() as i64, ROWS, "seed {seed}");
        }
        queue.pages();
    }
}

/// One life after another, each ended by a loss of power that keeps some of what was not hardened.
#[test]
fn crashes_lose_no_row_and_no_page() {
    for seed in 1..=os::env::var("SEEDS").and_then(|n| n.parse().ok()).unwrap_or(6) {
        let mut rng = Rng(seed * 0x9e37_79b9);
        let disk = SimDisk::new(SimDiskFaults::default());
        let mut queue = Queue::create(&disk, seed % 2 == 0);
        let (mut first, mut end) = (0, 0);
        let mut freed = 0;
        for life in 0..8 {
            for _ in 0..2 + rng.next(6) {
                let more = rng.next(400) as i64;
                queue.insert_all(end..end + more);
                end += more;
                let fewer = rng.next(end as u64 - first as u64 + 1) as i64;
                queue.delete_each(first..first + fewer);
                first += fewer;
                if rng.next(4) == 0 {
                    queue.storage.checkpoint().expect("a checkpoint");
                }
            }
            queue.storage.flush_log().expect("flushed");
            // What is unfinished, and what is cleaned up and not hardened.
            let mut tx = queue.begin();
            (first..end).filter(|_| rng.next(2) == 0).for_each(|id| queue.delete(&mut tx, id));
            queue.clean();
            if rng.next(2) == 0 {
                queue.storage.flush_log().expect("flushed");
            }
            freed += queue.storage.metrics().pages_freed;
            disk.kill(|bound| rng.next(bound));
            drop(tx);
            queue = Queue::open(&disk);
            queue.pages();
            let found = queue.ids(&mut queue.begin());
            assert_eq!(found, (first..end).collect::<Vec<_>>(), "seed {seed} life {life}");
        }
        assert!(freed > 50, "seed {seed}: {freed} pages freed");
    }
}
