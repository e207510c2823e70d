//! Workload groups of the resource governor: what the requests of their sessions may have, and which session is in which.
//!
//! As with pools, what is asked for is kept in master, and in effect is what lies in the region: ALTER RESOURCE GOVERNOR RECONFIGURE, or a
//! start, makes it so. A session's group is what the classifier says at its login, and stays.

use std::sync::atomic::{AtomicI32, AtomicU32, AtomicU64, Ordering};

use os::engines::{self, ENGINES_MAX};
use os::region::{Part, Placed};
use os::shared_struct;
use os::sync::Mutex;
use os::wait::WaitType;
use storage::{Memory, StorageResult};

use super::base::{ClassRow, class};
use super::clock;
use super::row::Text;

/// A setting of a pool or a group: its column, its least and greatest value, and what it is if nobody says.
pub struct GovernorSetting {
    pub column: &'static str,
    pub range: (i32, i32),
    pub default: i32,
}

/// A pool or a group as master keeps it: its settings are numbers in one text.
pub fn settings_row(class: u8, id: i32, name: &str, settings: &[i32]) -> ClassRow {
    let now = clock::now();
    let settings: Vec<String> = settings.iter().map(|value| value.to_string()).collect();
    let value = Text(Some(settings.join(",")));
    ClassRow { class, id, name: name.into(), owner: 1, created: now, modified: now, status: 0, value }
}

/// The settings of such a row. An earlier version may have had fewer of them.
pub fn settings_of<const N: usize>(row: &ClassRow, settings: &[GovernorSetting; N]) -> [i32; N] {
    let mut values = row.value.0.as_deref().unwrap_or_default().split(',').map(|value| value.parse().ok());
    settings.each_ref().map(|setting| values.next().flatten().unwrap_or(setting.default))
}

/// Groups that there may be, the default one included.
pub const GROUPS_MAX: usize = 64;

/// Where in `GROUP_SETTINGS` a setting is.
pub mod setting {
    pub const GRANT_PERCENT: usize = 0;
    pub const CPU_TIME: usize = 1;
    pub const GRANT_TIMEOUT: usize = 2;
    pub const MAX_DOP: usize = 3;
    pub const MAX_REQUESTS: usize = 4;
}

const SETTINGS: usize = 5;

/// https://learn.microsoft.com/sql/t-sql/statements/create-workload-group-transact-sql
pub const GROUP_SETTINGS: [GovernorSetting; SETTINGS] = [
    GovernorSetting { column: "request_max_memory_grant_percent", range: (1, 100), default: 25 },
    GovernorSetting { column: "request_max_cpu_time_sec", range: (0, i32::MAX), default: 0 },
    GovernorSetting { column: "request_memory_grant_timeout_sec", range: (0, i32::MAX), default: 0 },
    GovernorSetting { column: "max_dop", range: (0, 64), default: 0 },
    GovernorSetting { column: "group_max_requests", range: (0, i32::MAX), default: 0 },
];

pub const INTERNAL_GROUP: i32 = 1;
pub const DEFAULT_GROUP: i32 = 2;
/// Groups of users have the numbers from here on, as in SQL Server.
const USER_GROUP: i32 = 256;

/// UTF-16 units of a name, and of the two quoted parts of a function's.
const NAME_MAX: usize = 128;
const FUNCTION_MAX: usize = 4 * NAME_MAX + 5;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkloadGroup {
    pub id: i32,
    pub name: String,
    pub settings: [i32; SETTINGS],
}

impl WorkloadGroup {
    pub fn new(id: i32, name: &str) -> WorkloadGroup {
        WorkloadGroup { id, name: name.into(), settings: GROUP_SETTINGS.map(|setting| setting.default) }
    }

    pub fn internal() -> WorkloadGroup {
        WorkloadGroup::new(INTERNAL_GROUP, "internal")
    }

    pub fn predefined() -> WorkloadGroup {
        WorkloadGroup::new(DEFAULT_GROUP, "default")
    }

    pub fn is_predefined(&self) -> bool {
        self.id < USER_GROUP
    }

    pub fn row(&self) -> ClassRow {
        settings_row(class::WORKLOAD_GROUP, self.id, &self.name, &self.settings)
    }

    pub fn of_row(row: ClassRow) -> WorkloadGroup {
        WorkloadGroup { id: row.id, settings: settings_of(&row, &GROUP_SETTINGS), name: row.name }
    }
}

/// The first number that none of `taken` has. None: there are as many groups as there may be.
pub fn free_number(taken: &[i32]) -> Option<i32> {
    (USER_GROUP..USER_GROUP + GROUPS_MAX as i32 - 1).find(|id| !taken.contains(id))
}

fn place(id: i32) -> usize {
    let place = if id < USER_GROUP { 0 } else { (id - USER_GROUP + 1) as usize };
    if place < GROUPS_MAX { place } else { 0 }
}

shared_struct! {
    /// A group in effect, and what its requests have done since the start.
    pub struct GroupWords {
        /// 0: there is none in this place.
        id: AtomicI32,
        settings: [AtomicI32; SETTINGS],
        /// That run now. Counted while GROUP_MAX_REQUESTS is in effect.
        active: AtomicU32,
        /// Of these, those of each engine: somebody must take back what a dead one had.
        active_of: [AtomicU32; ENGINES_MAX + 1],
        waiting_of: [AtomicU32; ENGINES_MAX + 1],
        waited: AtomicU64,
        /// Requests that took more CPU time than they may.
        violations: AtomicU64,
        /// Of sessions that have ended: what they ran, and their CPU time.
        requests: AtomicU64,
        cpu_ns: AtomicU64,
    }
}

shared_struct! {
    #[derive(Clone, Copy)]
    struct GroupName {
        length: u32,
        units: [u16; NAME_MAX],
    }
}

shared_struct! {
    /// Under one lock: what is seldom read.
    struct Names {
        groups: [GroupName; GROUPS_MAX],
        /// The quoted name of the classifier in master. Of length 0: there is none.
        classifier_length: u32,
        classifier: [u16; FUNCTION_MAX],
        classifier_id: i32,
    }
}

shared_struct! {
    #[derive(Default)]
    struct Flags {
        /// A group has GROUP_MAX_REQUESTS: each request asks.
        bounds_requests: AtomicU32,
        /// A group has REQUEST_MAX_CPU_TIME_SEC: who looks at sessions looks at that.
        bounds_cpu: AtomicU32,
        classifies: AtomicU32,
    }
}

/// The groups in effect, of all engines.
#[derive(Clone)]
pub struct Groups {
    words: Part<GroupWords>,
    flags: Placed<Flags>,
    names: Placed<Mutex<Names>>,
}

/// What a group has done since the start.
#[derive(Debug, Clone, Copy, Default)]
pub struct GroupFigures {
    pub active: u32,
    pub waiting: u32,
    pub waited: u64,
    pub violations: u64,
    /// Of sessions that have ended.
    pub requests: u64,
    pub cpu_ns: u64,
}

fn units_of<const N: usize>(text: &str) -> (u32, [u16; N]) {
    let mut units = [0; N];
    let mut length = 0;
    for (to, unit) in units.iter_mut().zip(text.encode_utf16()) {
        *to = unit;
        length += 1;
    }
    (length, units)
}

impl Groups {
    pub const BYTES: usize = GROUPS_MAX * (size_of::<GroupWords>() + size_of::<GroupName>()) + (16 << 10);

    pub fn new(memory: &Memory) -> StorageResult<Groups> {
        let names = Names {
            groups: [GroupName { length: 0, units: [0; NAME_MAX] }; GROUPS_MAX],
            classifier_length: 0,
            classifier: [0; FUNCTION_MAX],
            classifier_id: 0,
        };
        Ok(Groups {
            words: memory.carve("workload groups", GROUPS_MAX)?,
            flags: memory.place("workload groups", Flags::default())?,
            names: memory.place("names of workload groups", Mutex::new(WaitType::OBJECT_CATALOG, names))?,
        })
    }

    /// Makes these be in effect, and that classifier: its number and quoted name.
    pub fn set(&self, groups: &[WorkloadGroup], classifier: Option<(i32, &str)>) {
        let mut names = self.names.lock();
        for (at, words) in self.words.iter().enumerate() {
            let group = groups.iter().find(|group| place(group.id) == at && group.id != INTERNAL_GROUP);
            words.id.store(group.map_or(0, |group| group.id), Ordering::Relaxed);
            let (length, units) = units_of(group.map_or("", |group| group.name.as_str()));
            names.groups[at] = GroupName { length, units };
            for (setting, word) in words.settings.iter().enumerate() {
                let value = group.map_or(GROUP_SETTINGS[setting].default, |group| group.settings[setting]);
                word.store(value, Ordering::Relaxed);
            }
        }
        let any = |setting: usize| u32::from(groups.iter().any(|group| group.settings[setting] > 0));
        self.flags.bounds_requests.store(any(setting::MAX_REQUESTS), Ordering::Relaxed);
        self.flags.bounds_cpu.store(any(setting::CPU_TIME), Ordering::Relaxed);
        let (id, name) = classifier.unwrap_or((0, ""));
        (names.classifier_length, names.classifier) = units_of(name);
        names.classifier_id = id;
        self.flags.classifies.store(u32::from(id != 0), Ordering::Relaxed);
    }

    /// Those in effect, with the internal one.
    pub fn all(&self) -> Vec<WorkloadGroup> {
        let names = self.names.lock();
        let of_place = |(words, name): (&GroupWords, &GroupName)| {
            let id = words.id.load(Ordering::Relaxed);
            let name = String::from_utf16_lossy(&name.units[..name.length as usize]);
            let settings = std::array::from_fn(|at| words.settings[at].load(Ordering::Relaxed));
            (id != 0).then_some(WorkloadGroup { id, name, settings })
        };
        let kept = self.words.iter().zip(&names.groups).filter_map(of_place);
        std::iter::once(WorkloadGroup::internal()).chain(kept).collect()
    }

    /// The number of the classifier that is in effect; 0: none.
    pub fn classifier(&self) -> i32 {
        self.names.lock().classifier_id
    }

    /// Its quoted name in master.
    pub fn classifier_name(&self) -> Option<String> {
        if self.flags.classifies.load(Ordering::Relaxed) == 0 {
            return None;
        }
        let names = self.names.lock();
        let length = names.classifier_length as usize;
        (length > 0).then(|| String::from_utf16_lossy(&names.classifier[..length]))
    }

    /// What a group that is no more had is the default one's.
    fn words(&self, group: i32) -> &GroupWords {
        let at = place(group);
        let there = self.words[at].id.load(Ordering::Relaxed) == group;
        &self.words[if there { at } else { 0 }]
    }

    pub fn setting(&self, group: i32, setting: usize) -> i32 {
        self.words(group).settings[setting].load(Ordering::Relaxed)
    }

    #[inline]
    pub fn bounds_requests(&self) -> bool {
        self.flags.bounds_requests.load(Ordering::Relaxed) != 0
    }

    pub fn bounds_cpu(&self) -> bool {
        self.flags.bounds_cpu.load(Ordering::Relaxed) != 0
    }

    /// A request that took more CPU time than it may.
    pub fn count_violation(&self, group: i32) {
        self.words(group).violations.fetch_add(1, Ordering::Relaxed);
    }

    /// A session has ended that ran so many requests.
    pub fn session_has_ended(&self, group: i32, requests: u64, cpu_ns: u64) {
        let words = self.words(group);
        words.requests.fetch_add(requests, Ordering::Relaxed);
        words.cpu_ns.fetch_add(cpu_ns, Ordering::Relaxed);
    }

    /// A request of a group begins, unless as many run as may. `passes`: it does not wait for others.
    pub fn enter(&self, group: i32, passes: bool) -> Option<Turn> {
        let words = self.words(group);
        let most = words.settings[setting::MAX_REQUESTS].load(Ordering::Relaxed) as u32;
        let one_more = |active: u32| (passes || most == 0 || active < most).then_some(active + 1);
        words.active.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).ok()?;
        words.active_of[engines::number() as usize].fetch_add(1, Ordering::Relaxed);
        Some(Turn { groups: self.clone(), place: place(words.id.load(Ordering::Relaxed)) })
    }

    /// A request waits for its turn until this is dropped.
    pub fn waits(&self, group: i32) -> Waiting<'_> {
        let words = self.words(group);
        words.waited.fetch_add(1, Ordering::Relaxed);
        let waiting = &words.waiting_of[engines::number() as usize];
        waiting.fetch_add(1, Ordering::Relaxed);
        Waiting { waiting }
    }

    pub fn figures(&self, group: i32) -> GroupFigures {
        let words = self.words(group);
        GroupFigures {
            active: words.active.load(Ordering::Relaxed),
            waiting: words.waiting_of.iter().map(|waiting| waiting.load(Ordering::Relaxed)).sum(),
            waited: words.waited.load(Ordering::Relaxed),
            violations: words.violations.load(Ordering::Relaxed),
            requests: words.requests.load(Ordering::Relaxed),
            cpu_ns: words.cpu_ns.load(Ordering::Relaxed),
        }
    }

    /// The requests of an engine that is no more are over.
    pub fn engine_has_ended(&self, engine: u32) {
        for words in self.words.iter() {
            let active = words.active_of[engine as usize].swap(0, Ordering::Relaxed);
            words.active.fetch_sub(active, Ordering::Relaxed);
            words.waiting_of[engine as usize].store(0, Ordering::Relaxed);
        }
    }
}

/// A request of a group runs, until this is dropped.
pub struct Turn {
    groups: Groups,
    place: usize,
}

impl Drop for Turn {
    fn drop(&mut self) {
        let words = &self.groups.words[self.place];
        words.active.fetch_sub(1, Ordering::Relaxed);
        words.active_of[engines::number() as usize].fetch_sub(1, Ordering::Relaxed);
    }
}

pub struct Waiting<'a> {
    waiting: &'a AtomicU32,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}
