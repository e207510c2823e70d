//! A plan: the machine, what its clients do and what goes wrong, as data. It is derived from the seed once; then any part can be
//! taken out without changing the others, which is how a failure is made small.

use std::collections::BTreeSet;
use std::fmt;

use os::net::SimNetFaults;
use os::random::Rng;

/// What a workload is made of, and how it is judged.
pub trait Workload: Send + Sync + Sized + 'static {
    /// One thing that a client does: mostly a transaction.
    type Op: Clone + fmt::Debug + Send + Sync + 'static;
    const NAME: &'static str;
    /// Connections end without any fault: clients end each other's.
    const BREAKS_CONNECTIONS: bool = false;

    /// Batches that make its tables in the database `sim`. A kill may come between them: each may run twice.
    fn tables() -> Vec<String>;
    fn op(rng: &mut Rng, mix: &Mix) -> Self::Op;
    fn new(mix: &Mix) -> Self;
    fn perform(&self, client: &mut super::client::Client, op: &Self::Op) -> super::client::Done;
    /// Looks at all rows, with nobody else at work. `fresh`: the server has just started, so nothing is under way any more.
    fn check(&self, client: &mut super::client::Client, fresh: bool) -> super::client::Done;

    /// What happened in a run and was allowed, by a name for all runs of its sort: shows that the check can see it.
    fn sightings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What all ops of a run have in common.
#[derive(Clone, Debug)]
pub struct Mix {
    pub clients: u32,
    /// For workloads that run at one isolation level.
    pub isolation: Isolation,
    /// READ COMMITTED with locks, instead of row versions.
    pub locking_reads: bool,
    /// For workloads that run on either kind of table.
    pub home: Home,
    /// Of rows in memory: SNAPSHOT, REPEATABLE READ or SERIALIZABLE.
    pub memory_isolation: Isolation,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    Pages,
    Memory,
    /// Some rows here, some there.
    Both,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Isolation {
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Snapshot,
    Serializable,
}

impl Isolation {
    pub const ALL: [Isolation; 5] = [
        Isolation::ReadUncommitted,
        Isolation::ReadCommitted,
        Isolation::RepeatableRead,
        Isolation::Snapshot,
        Isolation::Serializable,
    ];

    /// The levels that memory-optimized tables have in a transaction.
    pub const IN_MEMORY: [Isolation; 3] = [Isolation::Snapshot, Isolation::RepeatableRead, Isolation::Serializable];

    /// As a table hint.
    pub fn hint(self) -> &'static str {
        match self {
            Isolation::ReadUncommitted => "READUNCOMMITTED",
            Isolation::ReadCommitted => "READCOMMITTED",
            Isolation::RepeatableRead => "REPEATABLEREAD",
            Isolation::Snapshot => "SNAPSHOT",
            Isolation::Serializable => "SERIALIZABLE",
        }
    }

    pub fn sql(self) -> &'static str {
        match self {
            Isolation::ReadUncommitted => "READ UNCOMMITTED",
            Isolation::ReadCommitted => "READ COMMITTED",
            Isolation::RepeatableRead => "REPEATABLE READ",
            Isolation::Snapshot => "SNAPSHOT",
            Isolation::Serializable => "SERIALIZABLE",
        }
    }
}

/// One op of a client, and what happens around it.
#[derive(Clone, Debug)]
pub struct Step<Op> {
    pub id: Part,
    /// Before it begins.
    pub wait_us: u64,
    /// Cancel its so-manieth request after so many microseconds.
    pub cancel: Option<(u32, u64)>,
    pub op: Op,
}

/// The name of a part of a plan.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Part {
    /// Client and number of its step.
    Step(u32, u32),
    /// How a life ends.
    End(u32),
    Fault(u32),
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Step(client, number) => write!(f, "c{client}.{number}"),
            Part::End(number) => write!(f, "e{number}"),
            Part::Fault(number) => write!(f, "f{number}"),
        }
    }
}

impl std::str::FromStr for Part {
    type Err = String;

    fn from_str(text: &str) -> Result<Part, String> {
        let number = |text: &str| text.parse().map_err(|_| format!("{text} is no number"));
        match text.split_at_checked(1) {
            Some(("c", rest)) => {
                let (client, step) = rest.split_once('.').ok_or(format!("{text}: a step is called c1.4"))?;
                Ok(Part::Step(number(client)?, number(step)?))
            }
            Some(("e", rest)) => Ok(Part::End(number(rest)?)),
            Some(("f", rest)) => Ok(Part::Fault(number(rest)?)),
            _ => Err(format!("{text}: parts are called c1.4 (a step), e0 (an end of a life), f0 (a fault)")),
        }
    }
}

/// How a life of the server ends before its clients are done.
#[derive(Clone, Debug)]
pub enum End {
    /// The power fails, and what was not synced may be lost or torn.
    PowerFailure(Kill),
    /// The process is killed: the system keeps all that it had written.
    ProcessKill(Kill),
    /// The server is stopped in order, under load.
    Restart { after_ms: u64 },
}

#[derive(Clone, Debug)]
pub enum Kill {
    /// So many scheduling steps after the server began to start.
    InStart { steps: u64 },
    /// So many scheduling steps after the clients began.
    InWork { steps: u64 },
    /// Where a `sim_point!` is passed for the nth time.
    At { point: &'static str, nth: u64, in_start: bool },
}

/// Marks worth a kill: something is half done there.
const POINTS: &[&str] = &[
    "log.flush",
    "tree.split",
    "checkpoint.control",
    "checkpoint.truncate",
    "buffer.batch",
    "commit.logged",
    "commit.hardened",
    "undo.record",
    "row.version",
    "catalog.publish",
];
const START_POINTS: &[&str] =
    &["recovery.undo", "log.flush", "checkpoint.control", "checkpoint.truncate", "buffer.batch", "commit.logged"];

impl End {
    /// The number that says when, and may be smaller.
    pub fn when(&mut self) -> &mut u64 {
        match self {
            End::PowerFailure(kill) | End::ProcessKill(kill) => match kill {
                Kill::InStart { steps } | Kill::InWork { steps } => steps,
                Kill::At { nth, .. } => nth,
            },
            End::Restart { after_ms } => after_ms,
        }
    }

    pub fn kill(&self) -> Option<&Kill> {
        match self {
            End::PowerFailure(kill) | End::ProcessKill(kill) => Some(kill),
            End::Restart { .. } => None,
        }
    }
}

/// Something that goes wrong for a while.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, clap::ValueEnum)]
#[value(rename_all = "kebab-case")]
pub enum FaultKind {
    /// Power failures and kills of the server at any step, also while it starts
    Kill,
    /// Stops in order, under load
    Restart,
    /// Disk operations that take a second
    SlowDisk,
    /// No space for a while
    DiskFull,
    /// A write that fails
    WriteError,
    /// A flush that fails
    FlushError,
    /// Connections that break
    Reset,
    /// Packets that take a second
    SlowNet,
    /// Requests that are cancelled
    Cancel,
    /// Memory that is refused
    Memory,
}

impl FaultKind {
    pub const ALL: [FaultKind; 10] = [
        FaultKind::Kill,
        FaultKind::Restart,
        FaultKind::SlowDisk,
        FaultKind::DiskFull,
        FaultKind::WriteError,
        FaultKind::FlushError,
        FaultKind::Reset,
        FaultKind::SlowNet,
        FaultKind::Cancel,
        FaultKind::Memory,
    ];
}

#[derive(Clone, Debug)]
pub struct Fault {
    pub id: Part,
    /// In which life, counted from 0.
    pub life: u32,
    pub from_ms: u64,
    pub for_ms: u64,
    pub kind: FaultKind,
    /// Once in so many operations; of a full disk the bytes still free.
    pub amount: u64,
}

#[derive(Clone, Debug)]
pub struct Machine {
    pub schedulers: u32,
    pub memory_mb: u64,
    /// A worker yields at one mark in so many; 0: at none.
    pub point_yields: u64,
    /// Rare ways are taken (`sim_choice!`).
    pub choices: bool,
    pub net: SimNetFaults,
    pub disk_operation_ns: u64,
    pub disk_sync_ns: u64,
    /// The first life begins on an empty disk and makes databases and tables.
    pub empty_disk: bool,
}

#[derive(Clone, Debug)]
pub struct Plan<Op> {
    pub seed: u64,
    /// Of the machine's own choices: who runs next, what a kill leaves.
    pub schedule: u64,
    pub machine: Machine,
    pub mix: Mix,
    pub clients: Vec<Vec<Step<Op>>>,
    pub ends: Vec<(Part, End)>,
    pub faults: Vec<Fault>,
    /// What was changed since it was derived.
    pub changes: Vec<Change>,
}

/// What a smaller plan may differ in besides the parts it is left with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    Schedulers(u32),
    PointYields(u64),
    MemoryMb(u64),
    NoChoices,
    FullDisk,
    VersionedReads,
    NoCancels,
    NoWaits,
    /// When a life ends or a fault begins: its step, its time.
    When(Part, u64),
    /// For how many milliseconds a fault lasts.
    Lasts(Part, u64),
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Schedulers(count) => write!(f, "schedulers={count}"),
            Change::PointYields(one_in) => write!(f, "point-yields={one_in}"),
            Change::MemoryMb(mb) => write!(f, "memory-mb={mb}"),
            Change::NoChoices => f.write_str("no-choices"),
            Change::FullDisk => f.write_str("full-disk"),
            Change::VersionedReads => f.write_str("versioned-reads"),
            Change::NoCancels => f.write_str("no-cancels"),
            Change::NoWaits => f.write_str("no-waits"),
            Change::When(part, when) => write!(f, "{part}={when}"),
            Change::Lasts(part, ms) => write!(f, "{part}-lasts={ms}"),
        }
    }
}

impl std::str::FromStr for Change {
    type Err = String;

    fn from_str(text: &str) -> Result<Change, String> {
        let (name, value) = text.split_once('=').unwrap_or((text, ""));
        let number = || value.parse::<u64>().map_err(|_| format!("{text}: {value} is no number"));
        Ok(match name {
            "schedulers" => Change::Schedulers(number()?.clamp(1, 64) as u32),
            "point-yields" => Change::PointYields(number()?),
            "memory-mb" => Change::MemoryMb(number()?.clamp(8, 1_024)),
            "no-choices" => Change::NoChoices,
            "full-disk" => Change::FullDisk,
            "versioned-reads" => Change::VersionedReads,
            "no-cancels" => Change::NoCancels,
            "no-waits" => Change::NoWaits,
            _ => match name.strip_suffix("-lasts") {
                Some(part) => Change::Lasts(part.parse()?, number()?),
                None => Change::When(name.parse()?, number()?),
            },
        })
    }
}

/// What the command line asks of every plan.
#[derive(Clone, Default, Debug)]
pub struct Wish {
    /// None: as the seed likes.
    pub faults: Option<Vec<FaultKind>>,
}

impl<Op: Clone> Plan<Op> {
    pub fn derive<W: Workload<Op = Op>>(seed: u64, wish: &Wish) -> Plan<Op> {
        let mut rng = rng(seed, "plan", 0);
        let mut placing = self::rng(seed, "home", 0);
        let mix = Mix {
            clients: 2 + rng.below(4) as u32,
            isolation: Isolation::ALL[rng.below(5) as usize],
            locking_reads: rng.below(3) == 0,
            home: [Home::Pages, Home::Memory, Home::Both][placing.below(3) as usize],
            memory_isolation: Isolation::IN_MEMORY[placing.below(3) as usize],
        };
        let kinds = kinds(&mut rng, wish);
        let has = |kind| kinds.contains(&kind);
        let steps_each = 4 + rng.below(24) as u32;
        let one_in_cancelled = if has(FaultKind::Cancel) { 3 + rng.below(10) } else { 0 };
        let hurry = rng.below(4);
        let clients = (0..mix.clients).map(|client| {
            let mut rng = self::rng(seed, "client", client);
            let steps = (0..steps_each).map(|number| Step {
                id: Part::Step(client, number),
                wait_us: if rng.below(4) < hurry { 0 } else { rng.below(3_000) },
                cancel: chance(&mut rng, one_in_cancelled).then(|| (rng.below(4) as u32, rng.below(2_000))),
                op: W::op(&mut rng, &mix),
            });
            steps.collect()
        });
        let clients = clients.collect();
        let ends = ends(&mut self::rng(seed, "ends", 0), &kinds);
        let lives = ends.len() as u32 + 1;
        Plan {
            seed,
            schedule: seed,
            machine: machine(&mut self::rng(seed, "machine", 0)),
            clients,
            faults: faults(&mut self::rng(seed, "faults", 0), &kinds, lives),
            ends: ends.into_iter().enumerate().map(|(at, end)| (Part::End(at as u32), end)).collect(),
            mix,
            changes: Vec::new(),
        }
    }

    /// The same plan, but for this. A part that is not in it is not changed.
    pub fn change(&self, change: Change) -> Plan<Op> {
        let mut plan = self.clone();
        let same = |other: &Change| match (other, change) {
            (Change::When(one, _), Change::When(other, _)) | (Change::Lasts(one, _), Change::Lasts(other, _)) => {
                *one == other
            }
            _ => std::mem::discriminant(other) == std::mem::discriminant(&change),
        };
        plan.changes.retain(|other| !same(other));
        plan.changes.push(change);
        match change {
            Change::Schedulers(count) => plan.machine.schedulers = count,
            Change::PointYields(one_in) => plan.machine.point_yields = one_in,
            Change::MemoryMb(mb) => plan.machine.memory_mb = mb,
            Change::NoChoices => plan.machine.choices = false,
            Change::FullDisk => plan.machine.empty_disk = false,
            Change::VersionedReads => plan.mix.locking_reads = false,
            Change::NoCancels => plan.clients.iter_mut().flatten().for_each(|step| step.cancel = None),
            Change::NoWaits => plan.clients.iter_mut().flatten().for_each(|step| step.wait_us = 0),
            Change::When(part, when) => {
                plan.ends.iter_mut().filter(|(id, _)| *id == part).for_each(|(_, end)| *end.when() = when);
                plan.faults.iter_mut().filter(|fault| fault.id == part).for_each(|fault| fault.from_ms = when);
            }
            Change::Lasts(part, ms) => {
                plan.faults.iter_mut().filter(|fault| fault.id == part).for_each(|fault| fault.for_ms = ms);
            }
        }
        plan
    }

    /// The names of all that can be taken out.
    pub fn parts(&self) -> Vec<Part> {
        let ends = self.ends.iter().map(|(id, _)| *id);
        let faults = self.faults.iter().map(|fault| fault.id);
        let steps = self.clients.iter().flatten().map(|step| step.id);
        ends.chain(faults).chain(steps).collect()
    }

    /// The same plan with these parts only.
    pub fn keep(&self, parts: &BTreeSet<Part>) -> Plan<Op> {
        let mut plan = self.clone();
        plan.ends.retain(|(id, _)| parts.contains(id));
        plan.faults.retain(|fault| parts.contains(&fault.id));
        for client in &mut plan.clients {
            client.retain(|step| parts.contains(&step.id));
        }
        plan
    }
}

/// Random numbers for one part of the plan, whatever the other parts took.
fn rng(seed: u64, what: &str, number: u32) -> Rng {
    Rng::from_seed(super::trace::hash_text(seed ^ u64::from(number) << 40, what))
}

fn chance(rng: &mut Rng, one_in: u64) -> bool {
    one_in > 0 && rng.below(one_in) == 0
}

/// Which faults this seed has: few at a time, so that each has its effect undisturbed in some seeds.
fn kinds(rng: &mut Rng, wish: &Wish) -> BTreeSet<FaultKind> {
    if let Some(faults) = &wish.faults {
        return faults.iter().copied().collect();
    }
    let mut kinds = BTreeSet::new();
    if rng.below(4) > 0 {
        kinds.insert(FaultKind::Kill);
    }
    for (kind, one_in) in [
        (FaultKind::Restart, 5),
        (FaultKind::SlowDisk, 6),
        (FaultKind::DiskFull, 8),
        (FaultKind::WriteError, 10),
        (FaultKind::FlushError, 10),
        (FaultKind::Reset, 4),
        (FaultKind::SlowNet, 8),
        (FaultKind::Cancel, 3),
        (FaultKind::Memory, 12),
    ] {
        if chance(rng, one_in) {
            kinds.insert(kind);
        }
    }
    kinds
}

/// Any magnitude up to 2^bits is as likely as any other.
fn magnitude(rng: &mut Rng, bits: u64) -> u64 {
    let bits = 4 + rng.below(bits - 4);
    rng.below(1 << bits) + 1
}

fn ends(rng: &mut Rng, kinds: &BTreeSet<FaultKind>) -> Vec<End> {
    let mut ends = Vec::new();
    if kinds.contains(&FaultKind::Kill) {
        for _ in 0..1 + rng.below(4) {
            let kill = match rng.below(8) {
                0 => Kill::InStart { steps: magnitude(rng, 12) },
                1 => {
                    let point = START_POINTS[rng.below(START_POINTS.len() as u64) as usize];
                    Kill::At { point, nth: 1 + rng.below(3), in_start: true }
                }
                2 | 3 => {
                    let point = POINTS[rng.below(POINTS.len() as u64) as usize];
                    Kill::At { point, nth: magnitude(rng, 6), in_start: false }
                }
                _ => Kill::InWork { steps: magnitude(rng, 14) },
            };
            ends.push(if rng.below(4) == 0 { End::ProcessKill(kill) } else { End::PowerFailure(kill) });
        }
    }
    if kinds.contains(&FaultKind::Restart) {
        let at = rng.below(ends.len() as u64 + 1) as usize;
        ends.insert(at, End::Restart { after_ms: rng.below(100) });
    }
    ends
}

fn faults(rng: &mut Rng, kinds: &BTreeSet<FaultKind>, lives: u32) -> Vec<Fault> {
    let mut faults = Vec::new();
    for kind in kinds {
        let (times, for_ms, amount) = match kind {
            FaultKind::Kill | FaultKind::Restart | FaultKind::Cancel => continue,
            FaultKind::SlowDisk => (2, 500, 2 + rng.below(20)),
            FaultKind::DiskFull => (2, 2_000, rng.below(1 << 20)),
            FaultKind::WriteError => (1, 200, 1 + rng.below(20)),
            FaultKind::FlushError => (1, 200, 1 + rng.below(10)),
            FaultKind::Reset => (2, 300, 3 + rng.below(60)),
            FaultKind::SlowNet => (2, 300, 3 + rng.below(60)),
            FaultKind::Memory => (2, 300, 2 + rng.below(200)),
        };
        for _ in 0..1 + rng.below(times) {
            faults.push(Fault {
                id: Part::Fault(faults.len() as u32),
                life: rng.below(u64::from(lives)) as u32,
                from_ms: rng.below(60),
                for_ms: 1 + rng.below(for_ms),
                kind: *kind,
                amount,
            });
        }
    }
    faults
}

fn machine(rng: &mut Rng) -> Machine {
    Machine {
        schedulers: 1 + rng.below(4) as u32,
        memory_mb: [8, 16, 64][rng.below(3) as usize],
        point_yields: [0, 1, 4, 16][rng.below(4) as usize],
        choices: true,
        net: SimNetFaults { delay_ns: [5_000, 50_000, 500_000][rng.below(3) as usize], ..SimNetFaults::default() },
        disk_operation_ns: [2_000, 20_000, 200_000][rng.below(3) as usize],
        disk_sync_ns: [10_000, 300_000, 5_000_000][rng.below(3) as usize],
        empty_disk: rng.below(24) == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_parts_and_changes_are_read_as_written() {
        for part in [Part::Step(3, 14), Part::End(0), Part::Fault(2)] {
            assert_eq!(part.to_string().parse(), Ok(part));
        }
        let changes = [
            Change::Schedulers(1),
            Change::PointYields(0),
            Change::MemoryMb(64),
            Change::NoChoices,
            Change::FullDisk,
            Change::VersionedReads,
            Change::NoCancels,
            Change::NoWaits,
            Change::When(Part::End(1), 37),
            Change::When(Part::Fault(0), 5),
            Change::Lasts(Part::Fault(0), 250),
        ];
        for change in changes {
            assert_eq!(change.to_string().parse(), Ok(change));
        }
        assert!("e0=soon".parse::<Change>().is_err());
        assert!("x0=1".parse::<Change>().is_err());
    }
}
