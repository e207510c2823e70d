//! Work files on a disk that fails: whichever operation it is, the caller hears of it, and all space is free again.

use os::disk::{Disk, SimDisk, SimDiskFaults};
use os::sim::{self, SimConfig};
use storage::spill::{BLOCK_ROOM, Position, Spill, Stream};
use storage::{StorageError, StorageResult};

const STREAMS: usize = 3;
const BLOCKS: usize = 4;

fn piece(stream: usize, block: usize) -> Vec<u8> {
    (0..BLOCK_ROOM).map(|at| (at * 7 + stream * 31 + block * 3 + at / 253) as u8).collect()
}

/// Writes some streams side by side and reads them twice; the operation of this number fails as `faults` say.
fn script(disk: &SimDisk, spill: &std::sync::Arc<Spill>, fails: usize, faults: SimDiskFaults) -> StorageResult<()> {
    let mut operation = 0;
    let mut next = || {
        disk.set_faults(if operation == fails { faults } else { SimDiskFaults::default() });
        operation += 1;
    };
    let mut streams: Vec<Stream> = (0..STREAMS).map(|_| spill.stream()).collect();
    for block in 0..BLOCKS {
        for (number, stream) in streams.iter_mut().enumerate() {
            next();
            stream.append(&piece(number, block))?;
        }
    }
    for stream in &mut streams {
        stream.append(&[1, 2, 3])?;
        next();
        stream.finish()?;
    }
    for _ in 0..2 {
        let mut positions: Vec<Position> = streams.iter().map(|_| Position::default()).collect();
        for block in 0..BLOCKS {
            for (number, stream) in streams.iter().enumerate() {
                next();
                let mut bytes = vec![0; BLOCK_ROOM];
                positions[number].read(stream, &mut bytes)?;
                assert!(bytes == piece(number, block), "stream {number}, block {block}");
            }
        }
        for (stream, position) in streams.iter().zip(&mut positions) {
            next();
            let mut bytes = [0; 3];
            position.read(stream, &mut bytes)?;
            assert_eq!(bytes, [1, 2, 3]);
            assert!(position.is_at_end(stream));
        }
    }
    Ok(())
}

const OPERATIONS: usize = STREAMS * (BLOCKS + 1) * 3;
/// Of these the first write.
const WRITES: usize = STREAMS * (BLOCKS + 1);

#[test]
fn whatever_operation_fails_nothing_is_left() {
    let outcome = sim::run(1, SimConfig::default(), || {
        let disk = SimDisk::new(SimDiskFaults::default());
        let spill = Spill::new(Disk::Sim(disk.clone()), 1 << 30).expect("an empty disk");
        for fails in 0..=OPERATIONS {
            let always = SimDiskFaults { write_error: 1, read_error: 1, ..SimDiskFaults::default() };
            let answer = script(&disk, &spill, fails, always);
            match fails {
                OPERATIONS => assert_eq!(answer, Ok(()), "no operation fails"),
                _ => assert!(matches!(answer, Err(StorageError::Io(_))), "operation {fails}: {answer:?}"),
            }
            assert_eq!(spill.used_bytes(), 0, "operation {fails}");
        }
        // A file that may not grow: only where it has to.
        spill.trim();
        for fails in 0..WRITES {
            let full = SimDiskFaults { capacity_bytes: 0, ..SimDiskFaults::default() };
            assert_eq!(script(&disk, &spill, fails, full), Err(StorageError::DiskFull), "operation {fails}");
            assert_eq!(spill.used_bytes(), 0, "operation {fails}");
            disk.set_faults(SimDiskFaults::default());
            spill.trim();
        }
        assert_eq!(script(&disk, &spill, OPERATIONS, SimDiskFaults::default()), Ok(()));
    });
    assert!(outcome.result.is_some());
}

/// A bit that the disk lost is an error, whichever it is.
#[test]
fn rot_is_told() {
    let outcome = sim::run(2, SimConfig::default(), || {
        let disk = SimDisk::new(SimDiskFaults::default());
        let spill = Spill::new(Disk::Sim(disk.clone()), 1 << 30).expect("an empty disk");
        for seed in 0..40_u64 {
            let mut stream = spill.stream();
            for block in 0..BLOCKS {
                stream.append(&piece(0, block)).expect("there is room");
            }
            stream.finish().expect("there is room");
            assert!(disk.rot("spill.0", |bound| (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20) % bound));
            let mut bytes = vec![0; BLOCK_ROOM * BLOCKS];
            let answer = Position::default().read(&stream, &mut bytes);
            assert!(matches!(answer, Err(StorageError::CorruptPage { .. })), "seed {seed}: {answer:?}");
        }
    });
    assert!(outcome.result.is_some());
}
