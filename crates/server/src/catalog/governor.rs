//! The resource governor: pools, which databases' memory-optimized tables count for which, workload groups and the classifier.
//!
//! What is asked for is kept in master, in effect is what lies in the region: ALTER RESOURCE GOVERNOR RECONFIGURE, or a start,
//! makes it so. Of a pool's settings those of memory govern something, and that only memory-optimized tables; the others are refused.
//! Workload groups are all in the default pool.

use os::sync::MutexGuard;
use sql::catalog::DatabaseId;
use storage::{MemoryPool, MemoryPoolUsage, POOLS_MAX};
use types::{SqlResult, sql_error};

use super::base::{ClassRow, ReferenceRow, class};
use super::load::{int, small};
use super::row::Text;
use super::shared::{Governed, GovernedPool, POOL_SETTINGS};
use super::store::Rows;
use super::workload::{GovernorSetting, Groups, WorkloadGroup, free_number, settings_of, settings_row};
use super::{Catalog, MASTER, clock, database};

/// Where in `SETTINGS` a setting is.
pub mod setting {
    pub const MIN_CPU: usize = 0;
    pub const MAX_CPU: usize = 1;
    pub const CAP_CPU: usize = 2;
    pub const MIN_MEMORY: usize = 3;
    pub const MAX_MEMORY: usize = 4;
    pub const MIN_IOPS: usize = 5;
    pub const MAX_IOPS: usize = 6;
}

pub const SETTINGS: [GovernorSetting; POOL_SETTINGS] = [
    GovernorSetting { column: "min_cpu_percent", range: (0, 100), default: 0 },
    GovernorSetting { column: "max_cpu_percent", range: (1, 100), default: 100 },
    GovernorSetting { column: "cap_cpu_percent", range: (1, 100), default: 100 },
    GovernorSetting { column: "min_memory_percent", range: (0, 100), default: 0 },
    GovernorSetting { column: "max_memory_percent", range: (1, 100), default: 100 },
    GovernorSetting { column: "min_iops_per_volume", range: (0, i32::MAX), default: 0 },
    GovernorSetting { column: "max_iops_per_volume", range: (0, i32::MAX), default: 0 },
];

pub const INTERNAL_POOL: i32 = 1;
pub const DEFAULT_POOL: i32 = 2;
/// Pools of users have the numbers from here on, as in SQL Server.
const USER_POOL: i32 = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResourcePool {
    pub id: i32,
    pub name: String,
    pub settings: [i32; POOL_SETTINGS],
}

impl ResourcePool {
    fn predefined(id: i32) -> ResourcePool {
        let name = if id == INTERNAL_POOL { "internal" } else { "default" };
        ResourcePool { id, name: name.into(), settings: SETTINGS.map(|setting| setting.default) }
    }

    pub fn is_predefined(&self) -> bool {
        self.id < USER_POOL
    }

    fn row(&self) -> ClassRow {
        settings_row(class::RESOURCE_POOL, self.id, &self.name, &self.settings)
    }

    fn of_row(row: ClassRow) -> ResourcePool {
        ResourcePool { id: row.id, settings: settings_of(&row, &SETTINGS), name: row.name }
    }
}

/// Where storage has a pool. The internal one is for no database.
fn place(id: i32) -> Option<MemoryPool> {
    let place = if id == DEFAULT_POOL { 0 } else { id - USER_POOL + 1 };
    u8::try_from(place).ok().filter(|place| usize::from(*place) < POOLS_MAX).map(MemoryPool)
}

fn predefined() -> Vec<ResourcePool> {
    [INTERNAL_POOL, DEFAULT_POOL].map(ResourcePool::predefined).into()
}

fn governor(rows: &mut Rows<'_>) -> SqlResult<Option<ClassRow>> {
    rows.first(0, &[small(class::RESOURCE_GOVERNOR)])
}

/// The pools that are asked for, by number.
fn kept(rows: &mut Rows<'_>) -> SqlResult<Vec<ResourcePool>> {
    let mut pools = predefined();
    for row in rows.find::<ClassRow>(0, &[small(class::RESOURCE_POOL)])? {
        let pool = ResourcePool::of_row(row);
        match pool.id {
            DEFAULT_POOL => pools[1] = pool,
            _ => pools.push(pool),
        }
    }
    pools.sort_by_key(|pool| pool.id);
    Ok(pools)
}

/// The workload groups that are asked for, by number, the internal one first.
fn kept_groups(rows: &mut Rows<'_>) -> SqlResult<Vec<WorkloadGroup>> {
    let mut groups = vec![WorkloadGroup::internal(), WorkloadGroup::predefined()];
    for row in rows.find::<ClassRow>(0, &[small(class::WORKLOAD_GROUP)])? {
        let group = WorkloadGroup::of_row(row);
        match group.is_predefined() {
            true => groups[1] = group,
            false => groups.push(group),
        }
    }
    groups.sort_by_key(|group| group.id);
    Ok(groups)
}

/// The number and the quoted name of the classifier that is asked for.
fn kept_classifier(rows: &mut Rows<'_>) -> SqlResult<Option<(i32, String)>> {
    let said = governor(rows)?.and_then(|row| row.value.0);
    Ok(said.and_then(|said| said.split_once(' ').and_then(|(id, name)| Some((id.parse().ok()?, name.into())))))
}

/// While somebody changes pools, or databases come to them: nobody else does.
pub struct Changing<'a> {
    catalog: &'a Catalog,
    governed: MutexGuard<'a, Governed>,
}

impl Catalog {
    pub fn change_governor(&self) -> Changing<'_> {
        Changing { catalog: self, governed: self.shared.governor.lock() }
    }

    pub(crate) fn load_governor(&self) -> SqlResult<()> {
        let mut changing = self.change_governor();
        changing.apply()?;
        for row in changing.read(bindings)? {
            if let Some(pool) = place(row.indepid) {
                self.storage.memory_pools().bind(storage::DatabaseId(row.depid as u16), pool);
            }
        }
        Ok(())
    }

    /// Workload groups as they are in effect.
    pub fn workload_groups(&self) -> &Groups {
        &self.shared.groups
    }

    /// As they are asked for.
    pub fn resource_pools(&self) -> SqlResult<Vec<ResourcePool>> {
        self.read(&self.expect_database(MASTER), kept)
    }

    /// As they are in effect, with their memory.
    pub fn governed_pools(&self) -> Vec<(ResourcePool, MemoryPoolUsage)> {
        let governed = *self.shared.governor.lock();
        let pools = self.storage.memory_pools();
        let user = governed.pools.iter().filter(|pool| pool.id != 0).filter_map(|pool| {
            let place = place(pool.id)?;
            let shown = ResourcePool { id: pool.id, name: pools.name(place), settings: pool.settings };
            Some((shown, pools.usage(place)))
        });
        let internal = (ResourcePool::predefined(INTERNAL_POOL), MemoryPoolUsage::default());
        std::iter::once(internal).chain(user).collect()
    }

    /// Whether something else is asked for than what is in effect.
    pub fn governor_is_behind(&self) -> SqlResult<bool> {
        let enabled = self.governor_is_enabled()?;
        let asked_for = if enabled { self.resource_pools()? } else { predefined() };
        let groups = if enabled { self.asked_workload_groups()? } else { no_groups() };
        let classifier = self.asked_classifier()?.filter(|_| enabled).map_or(0, |(id, _)| id);
        let in_effect = self.governed_pools();
        let effective = self.workload_groups();
        Ok(!asked_for.iter().eq(in_effect.iter().map(|(pool, _)| pool))
            || groups != effective.all()
            || classifier != effective.classifier())
    }

    /// As they are asked for.
    pub fn asked_workload_groups(&self) -> SqlResult<Vec<WorkloadGroup>> {
        self.read(&self.expect_database(MASTER), kept_groups)
    }

    /// The number and the quoted name of the classifier that is asked for.
    pub fn asked_classifier(&self) -> SqlResult<Option<(i32, String)>> {
        self.read(&self.expect_database(MASTER), kept_classifier)
    }

    pub fn governor_is_enabled(&self) -> SqlResult<bool> {
        Ok(self.read(&self.expect_database(MASTER), governor)?.is_some_and(|row| row.status != 0))
    }
}

/// While the governor is disabled.
fn no_groups() -> Vec<WorkloadGroup> {
    vec![WorkloadGroup::internal(), WorkloadGroup::predefined()]
}

fn bindings(rows: &mut Rows<'_>) -> SqlResult<Vec<ReferenceRow>> {
    let all: Vec<ReferenceRow> = rows.all()?;
    Ok(all.into_iter().filter(|row| row.class == class::POOL_BINDING).collect())
}

impl Changing<'_> {
    fn read<T>(&self, work: impl FnOnce(&mut Rows<'_>) -> SqlResult<T>) -> SqlResult<T> {
        self.catalog.read(&self.catalog.expect_database(MASTER), work)
    }

    fn change<T>(&self, work: impl FnOnce(&mut Rows<'_>) -> SqlResult<T>) -> SqlResult<T> {
        self.catalog.change(&self.catalog.expect_database(MASTER), work)
    }

    /// Makes what is asked for be in effect; while the governor is disabled no pool has a limit of its own.
    fn apply(&mut self) -> SqlResult<()> {
        let enabled = self.catalog.governor_is_enabled()?;
        let mut pools = if enabled { self.pools()? } else { predefined() };
        pools.retain(|pool| pool.id != INTERNAL_POOL);
        let storage = self.catalog.storage.memory_pools();
        let mut governed = Governed::NONE;
        for pool in &pools {
            let at = place(pool.id).expect("pools that are kept have a place");
            governed.pools[usize::from(at.0)] = GovernedPool { id: pool.id, settings: pool.settings };
            // What others have at least is not for this one.
            let others = pools.iter().filter(|other| other.id != pool.id);
            let left = 100 - others.map(|other| other.settings[setting::MIN_MEMORY]).sum::<i32>();
            storage.set(at, &pool.name, pool.settings[setting::MAX_MEMORY].min(left.max(0)) as u32);
        }
        for (at, _) in governed.pools.iter().enumerate().filter(|(_, pool)| pool.id == 0) {
            storage.unlimit(MemoryPool(at as u8));
        }
        *self.governed = governed;
        let groups = if enabled { self.groups()? } else { no_groups() };
        let classifier = if enabled { self.read(kept_classifier)? } else { None };
        let classifier = classifier.as_ref().map(|(id, name)| (*id, name.as_str()));
        self.catalog.workload_groups().set(&groups, classifier);
        Ok(())
    }

    pub fn groups(&self) -> SqlResult<Vec<WorkloadGroup>> {
        self.read(kept_groups)
    }

    pub fn group(&self, name: &str) -> SqlResult<Option<WorkloadGroup>> {
        let collation = self.catalog.collation;
        Ok(self.groups()?.into_iter().find(|group| database::names_equal(collation, &group.name, name)))
    }

    /// The number of the next group. None: there are as many as there may be. One that is in effect still is not given again.
    pub fn next_group(&self) -> SqlResult<Option<i32>> {
        let in_effect = self.catalog.workload_groups().all();
        let taken: Vec<i32> = self.groups()?.iter().chain(&in_effect).map(|group| group.id).collect();
        Ok(free_number(&taken))
    }

    pub fn keep_group(&self, group: &WorkloadGroup) -> SqlResult<()> {
        self.keep_row(&group.row())
    }

    pub fn forget_group(&self, group: &WorkloadGroup) -> SqlResult<()> {
        self.change(|rows| rows.delete::<ClassRow>(0, &[small(class::WORKLOAD_GROUP), int(group.id)]))?;
        Ok(())
    }

    /// The function of this number and quoted name classifies sessions, from the next RECONFIGURE on. None: no function does.
    pub fn classify_by(&self, function: Option<(i32, &str)>) -> SqlResult<()> {
        let said = function.map(|(id, name)| format!("{id} {name}"));
        self.change_row(|row| row.value = Text(said.clone()))
    }

    pub fn pools(&self) -> SqlResult<Vec<ResourcePool>> {
        self.read(kept)
    }

    pub fn pool(&self, name: &str) -> SqlResult<Option<ResourcePool>> {
        let collation = self.catalog.collation;
        Ok(self.pools()?.into_iter().find(|pool| database::names_equal(collation, &pool.name, name)))
    }

    /// The number of the next pool. None: there are as many as there may be.
    pub fn next_pool(&self) -> SqlResult<Option<i32>> {
        let pools = self.pools()?;
        // The predefined ones count, and one of them has no place.
        let mut free = USER_POOL..USER_POOL + POOLS_MAX as i32 - 2;
        Ok(free.find(|id| pools.iter().all(|pool| pool.id != *id)))
    }

    pub fn keep(&self, pool: &ResourcePool) -> SqlResult<()> {
        self.keep_row(&pool.row())
    }

    fn keep_row(&self, row: &ClassRow) -> SqlResult<()> {
        self.change(|rows| {
            let key = [small(row.class), int(row.id)];
            let update = |old: &mut ClassRow| *old = ClassRow { created: old.created, ..row.clone() };
            if rows.update::<ClassRow>(0, &key, update)? == 0 {
                rows.insert(row)?;
            }
            Ok(())
        })
    }

    pub fn forget(&self, pool: &ResourcePool) -> SqlResult<()> {
        self.change(|rows| rows.delete::<ClassRow>(0, &[small(class::RESOURCE_POOL), int(pool.id)]))?;
        Ok(())
    }

    /// RECONFIGURE or DISABLE.
    pub fn reconfigure(&mut self, enabled: bool) -> SqlResult<()> {
        self.change_row(|row| row.status = i32::from(enabled))?;
        self.apply()
    }

    /// Changes what is kept of the governor itself.
    fn change_row(&self, change: impl Fn(&mut ClassRow)) -> SqlResult<()> {
        self.change(|rows| {
            let key = [small(class::RESOURCE_GOVERNOR)];
            if rows.update::<ClassRow>(0, &key, |row| change(row))? == 0 {
                let now = clock::now();
                let mut row = ClassRow {
                    class: class::RESOURCE_GOVERNOR,
                    id: 1,
                    name: "resource governor".into(),
                    owner: 1,
                    created: now,
                    modified: now,
                    status: 0,
                    value: Text(None),
                };
                change(&mut row);
                rows.insert(&row)?;
            }
            Ok(())
        })
    }

    /// Whether a pool that is kept is in effect, too.
    fn is_in_effect(&self, pool: &ResourcePool) -> bool {
        place(pool.id).is_some_and(|at| {
            let there = self.governed.pools[usize::from(at.0)].id != 0;
            there && self.catalog.storage.memory_pools().name(at) == pool.name
        })
    }

    /// The databases in a pool.
    pub fn bound(&self, pool: &ResourcePool) -> SqlResult<Vec<i32>> {
        let rows = self.read(bindings)?;
        Ok(rows.iter().filter(|row| row.indepid == pool.id).map(|row| row.depid).collect())
    }

    /// sys.sp_xtp_bind_db_resource_pool. Returns the pool's name.
    pub fn bind(&self, db: DatabaseId, name: &str, pool: &str) -> SqlResult<String> {
        let found = self.pool(pool)?.filter(|pool| pool.is_predefined() || self.is_in_effect(pool));
        let found = found.ok_or_else(|| sql_error!(41370, pool))?;
        if found.is_predefined() {
            return Err(sql_error!(41373, name, found.name));
        }
        let id = i32::from(db.0);
        if self.read(bindings)?.iter().any(|row| row.depid == id) {
            return Err(sql_error!(41372, name));
        }
        let (depsubid, indepsubid, status) = (0, 0, 0);
        let row =
            ReferenceRow { class: class::POOL_BINDING, depid: id, depsubid, indepid: found.id, indepsubid, status };
        self.change(|rows| rows.insert(&row))?;
        let at = place(found.id).expect("it is in effect");
        self.catalog.storage.memory_pools().bind(storage::DatabaseId(db.0), at);
        Ok(found.name)
    }

    /// sys.sp_xtp_unbind_db_resource_pool, and what a database leaves that is dropped. False: it was in none.
    pub fn unbind(&self, db: DatabaseId) -> SqlResult<bool> {
        let key = [int(i32::from(db.0)), small(class::POOL_BINDING)];
        let gone = self.change(|rows| rows.delete::<ReferenceRow>(0, &key))?;
        self.catalog.storage.memory_pools().bind(storage::DatabaseId(db.0), MemoryPool::DEFAULT);
        Ok(gone > 0)
    }
}
