//! The memory that all engines of an instance share: one region, reserved and carved while the instance is opened, before
//! there is a second engine. What is not in it is private to an engine, and nothing in it points out of it.

use os::region::{Part, Placed, Pool, Region, RegionHeap, Shared, Visibility};

use crate::error::StorageResult;
use crate::region::broker::Broker;

/// For what is small and of fixed size: counters, clocks, tables of files and segments.
const TABLES_BYTES: usize = 64 << 20;

/// The target of the broker until somebody sets it.
const UNBOUNDED: u64 = 1 << 50;

pub struct Memory {
    region: Region,
    broker: Broker,
    private: bool,
}

impl Memory {
    /// `bytes`: of all large parts together. They are addresses only, until touched.
    pub fn reserve(bytes: usize, visibility: Visibility) -> StorageResult<Memory> {
        let region = Region::reserve(bytes + TABLES_BYTES, visibility)?;
        Ok(Memory { broker: Broker::new(&region, UNBOUNDED)?, private: visibility == Visibility::ThisProcess, region })
    }

    /// It is memory of this process alone, as what the process allocates.
    pub fn is_private(&self) -> bool {
        self.private
    }

    pub fn broker(&self) -> &Broker {
        &self.broker
    }

    pub fn place<T: Shared + Send>(&self, name: &'static str, value: T) -> StorageResult<Placed<T>> {
        Ok(self.region.place(name, value)?)
    }

    pub fn carve<T: Shared>(&self, name: &'static str, count: usize) -> StorageResult<Part<T>> {
        assert!(count > 0, "a part without items: {name}");
        Ok(self.region.carve(name, count)?)
    }

    pub fn heap(&self, name: &'static str, bytes: usize) -> StorageResult<RegionHeap> {
        Ok(RegionHeap::carve(&self.region, name, bytes)?)
    }

    pub fn pool<T: Shared>(&self, name: &'static str, count: usize) -> StorageResult<Pool<T>> {
        assert!(count > 0, "a pool without slots: {name}");
        Ok(Pool::carve(&self.region, name, count)?)
    }
}
