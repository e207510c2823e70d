//! What transactions did to lists, and whether an isolation level allows it: the anomalies of Adya's thesis, found as Elle
//! does it (Kingsbury and Alvaro, 2020). A list that is only appended to tells the order of its versions, so each read says
//! after which append it came and before which.
//!
//! | edge | from | to |
//! |---|---|---|
//! | ww | who appended | who appended next to the same list |
//! | wr | who appended last of what was read | who read it |
//! | rw | who read | who appended next to what was read |
//! | time | who was told of its commit | who began after that |
//!
//! | level | no cycle of |
//! |---|---|
//! | READ UNCOMMITTED | ww (G0) |
//! | READ COMMITTED | ww, wr (G1c) |
//! | SNAPSHOT | all, unless two rw follow each other (G-single and its like) |
//! | REPEATABLE READ | all (G2-item), but for reads that found no row: those are not locked |
//! | the same in memory | the same; and what found no row was read as of one moment, as at SNAPSHOT |
//! | SERIALIZABLE | all (G2) |
//!
//! Lists on pages and lists in memory may have levels of their own in one transaction. Both kinds commit by one clock, so all that
//! levels promise about the order of commits holds over both; what they promise about moments holds within those lists.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::client::Fate;
use super::plan::Isolation;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Action {
    /// List, item.
    Append(usize, i64),
    /// List, all that was in it.
    Read(usize, Vec<i64>),
}

#[derive(Clone, Debug)]
pub struct Transaction {
    fate: Fate,
    /// Before its first request was sent; after the answer to its commit.
    begun: u64,
    ended: Option<u64>,
    actions: Vec<Action>,
}

#[derive(Default)]
pub struct History {
    transactions: Vec<Transaction>,
    items: i64,
    clock: u64,
}

/// How a list is kept and read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setting {
    pub isolation: Isolation,
    pub in_memory: bool,
    /// Its row comes with the first append; until then a read finds none.
    pub late: bool,
}

impl Setting {
    /// Reads are as of the transaction's beginning.
    fn has_moment(self) -> bool {
        self.in_memory || self.isolation == Isolation::Snapshot
    }

    /// Who appends to what was read commits after who read it.
    fn keeps_reads(self, found_a_row: bool) -> bool {
        match self.isolation {
            Isolation::RepeatableRead => found_a_row,
            Isolation::Serializable => true,
            Isolation::ReadUncommitted | Isolation::ReadCommitted | Isolation::Snapshot => false,
        }
    }
}

/// Kind of a failure, and what it is.
pub type Complaint = (String, String);
/// Kinds of anomalies.
pub type Seen = BTreeSet<String>;
/// By transaction: what follows from what it did, and for whom.
type Edges = Vec<Vec<(Edge, usize)>>;
type Path = Vec<(usize, Edge, usize)>;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Edge {
    Ww {
        list: usize,
        item: i64,
    },
    Wr {
        list: usize,
        item: i64,
    },
    /// `phantom`: what was read had no row yet.
    Rw {
        list: usize,
        item: i64,
        phantom: bool,
    },
    Time,
}

impl Edge {
    fn is_rw(self) -> bool {
        matches!(self, Edge::Rw { .. })
    }

    fn list(self) -> Option<usize> {
        match self {
            Edge::Ww { list, .. } | Edge::Wr { list, .. } | Edge::Rw { list, .. } => Some(list),
            Edge::Time => None,
        }
    }
}

impl History {
    pub fn begin(&mut self) -> usize {
        self.clock += 1;
        self.transactions.push(Transaction { fate: Fate::Open, begun: self.clock, ended: None, actions: Vec::new() });
        self.transactions.len() - 1
    }

    pub fn set(&mut self, number: usize, fate: Fate) {
        self.clock += 1;
        let transaction = &mut self.transactions[number];
        transaction.fate = fate;
        if fate == Fate::Committed {
            transaction.ended = Some(self.clock);
        }
    }

    /// A new item for the end of a list.
    pub fn append(&mut self, number: usize, list: usize) -> i64 {
        self.items += 1;
        self.act(number, Action::Append(list, self.items));
        self.items
    }

    pub fn act(&mut self, number: usize, action: Action) {
        self.transactions[number].actions.push(action);
    }

    pub fn take_actions(&mut self, number: usize) -> Vec<Action> {
        std::mem::take(&mut self.transactions[number].actions)
    }

    /// The same actions in the order in which they were done, with what they read.
    pub fn set_actions(&mut self, number: usize, actions: Vec<Action>) {
        self.transactions[number].actions = actions;
    }

    /// What is wrong, if `lists` is what all this has left; otherwise the anomalies that are allowed and were seen. `settings`: of
    /// each list. `fresh`: nothing is under way, so what is there decides what was unknown.
    pub fn judge(&mut self, lists: &[Vec<i64>], settings: &[Setting], fresh: bool) -> Result<Seen, Complaint> {
        let committed = self.decide(lists, fresh)?;
        let mut seen = Seen::new();
        for (number, transaction) in self.transactions.iter().enumerate() {
            for (list, read, own) in transaction.reads() {
                match self.check_read(lists, &committed, number, list, read, &own) {
                    Err((kind, _)) if settings[list].isolation == Isolation::ReadUncommitted => {
                        seen.insert(kind);
                    }
                    checked => checked?,
                }
            }
        }
        let edges = self.edges(lists, &committed, settings);
        let in_order = filtered(&edges, |edge| match edge {
            Edge::Ww { .. } | Edge::Time => true,
            Edge::Wr { list, .. } => settings[list].isolation != Isolation::ReadUncommitted,
            Edge::Rw { list, phantom, .. } => settings[list].keeps_reads(!phantom),
        });
        let of_moments = filtered(&edges, |edge| edge.list().is_none_or(|list| settings[list].has_moment()));
        let forbidden = [shortest_cycle(&in_order, anything), shortest_cycle(&of_moments, no_two_rw)];
        if let Some(path) = forbidden.into_iter().flatten().min_by_key(Vec::len) {
            let steps: Vec<String> = path.iter().map(|(from, edge, to)| tell(*from, *edge, *to)).collect();
            return Err((kind_of(&path).into(), steps.join("; ")));
        }
        let dependencies = filtered(&edges, |edge| edge != Edge::Time);
        let informed = filtered(&dependencies, |edge| !edge.is_rw());
        let of_rows = filtered(&dependencies, |edge| !matches!(edge, Edge::Rw { phantom: true, .. }));
        let cycles = [
            shortest_cycle(&informed, anything),
            shortest_cycle(&dependencies, no_two_rw),
            shortest_cycle(&of_rows, anything),
            shortest_cycle(&dependencies, anything),
        ];
        seen.extend(cycles.into_iter().flatten().map(|path| kind_of(&path).to_owned()));
        Ok(seen)
    }

    /// Who appended what.
    fn owners(&self) -> BTreeMap<i64, usize> {
        let appends = self.transactions.iter().enumerate().flat_map(|(number, transaction)| {
            transaction.actions.iter().filter_map(move |action| match action {
                Action::Append(_, item) => Some((*item, number)),
                Action::Read(..) => None,
            })
        });
        appends.collect()
    }

    /// Who has committed, by what is there.
    fn decide(&mut self, lists: &[Vec<i64>], fresh: bool) -> Result<BTreeSet<usize>, Complaint> {
        let owners = self.owners();
        let mut there = BTreeSet::new();
        for (list, items) in lists.iter().enumerate() {
            for item in items {
                let owner = owners.get(item).ok_or(("row of nobody".into(), format!("nobody appended {item}")))?;
                if !self.transactions[*owner].actions.contains(&Action::Append(list, *item)) {
                    return Err(("row of nobody".into(), format!("{item} is in list {list}, and not its own")));
                }
                if !there.insert(*item) {
                    return Err(("twice".into(), format!("{item} is in list {list} twice: {items:?}")));
                }
            }
        }
        let mut committed = BTreeSet::new();
        for (number, transaction) in self.transactions.iter_mut().enumerate() {
            let appends = transaction.actions.iter().filter_map(|action| match action {
                Action::Append(_, item) => Some(*item),
                Action::Read(..) => None,
            });
            let (present, missing): (Vec<i64>, Vec<i64>) = appends.partition(|item| there.contains(item));
            let name = format!("T{number} ({:?})", transaction.fate);
            if transaction.fate.must_be_there() && !missing.is_empty() {
                return Err((
                    "lost commit".into(),
                    format!("{name} was acknowledged, and its {missing:?} are not there"),
                ));
            }
            if !transaction.fate.may_be_there() && !present.is_empty() {
                return Err((
                    "dirty commit".into(),
                    format!("{name} was not committed, and its {present:?} are there"),
                ));
            }
            if !present.is_empty() && !missing.is_empty() {
                return Err(("half a commit".into(), format!("{name}: {present:?} are there, {missing:?} are not")));
            }
            if !present.is_empty() || transaction.fate == Fate::Committed {
                committed.insert(number);
            }
            if fresh && transaction.fate != Fate::Committed {
                transaction.fate = if present.is_empty() { Fate::RolledBack } else { Fate::Committed };
            }
        }
        Ok(committed)
    }

    /// What a transaction read is what was committed, and what it appended itself.
    fn check_read(
        &self,
        lists: &[Vec<i64>],
        committed: &BTreeSet<usize>,
        number: usize,
        list: usize,
        read: &[i64],
        own: &[i64],
    ) -> Result<(), Complaint> {
        let owners = self.owners();
        let name = format!("T{number} read list {list} as {read:?}");
        let Some(others) = read.strip_suffix(own) else {
            return Err(("own writes".into(), format!("{name}, and had appended {own:?}")));
        };
        let aborted = others.iter().find(|item| !lists[list].contains(item));
        if let Some(item) = aborted {
            return Err(("G1a".into(), format!("{name}; {item} was never committed")));
        }
        if !lists[list].starts_with(others) {
            return Err(("order".into(), format!("{name}; in the end it is {:?}", lists[list])));
        }
        let next = lists[list].get(others.len());
        if let (Some(last), Some(next)) = (others.last(), next) {
            if owners[last] == owners[next] && owners[last] != number {
                return Err(("G1b".into(), format!("{name}; {next} belongs to the same transaction as {last}")));
            }
        }
        let stale = lists[list][others.len()..].iter().find(|item| {
            let owner = &self.transactions[owners[item]];
            owner.ended.is_some_and(|ended| ended < self.transactions[number].begun)
                && committed.contains(&owners[item])
        });
        if let Some(item) = stale {
            let owner = owners[item];
            return Err(("stale read".into(), format!("{name} after T{owner} had committed {item}")));
        }
        Ok(())
    }

    /// By transaction: on whom others depend how.
    fn edges(&self, lists: &[Vec<i64>], committed: &BTreeSet<usize>, settings: &[Setting]) -> Edges {
        let owners = self.owners();
        let mut edges = vec![Vec::new(); self.transactions.len()];
        for (list, items) in lists.iter().enumerate() {
            for pair in items.windows(2) {
                let (from, to) = (owners[&pair[0]], owners[&pair[1]]);
                if from != to {
                    edges[from].push((Edge::Ww { list, item: pair[1] }, to));
                }
            }
        }
        for number in committed {
            for (list, read, own) in self.transactions[*number].reads() {
                // At READ UNCOMMITTED it may be what nobody has committed.
                let Some(others) = read.strip_suffix(&own[..]).filter(|read| lists[list].starts_with(read)) else {
                    continue;
                };
                if let Some(item) = others.last().filter(|item| owners[item] != *number) {
                    edges[owners[item]].push((Edge::Wr { list, item: *item }, *number));
                }
                if let Some(item) = lists[list].get(others.len()).filter(|item| owners[item] != *number) {
                    let phantom = settings[list].late && read.is_empty();
                    edges[*number].push((Edge::Rw { list, item: *item, phantom }, owners[item]));
                }
            }
        }
        for from in committed {
            let Some(ended) = self.transactions[*from].ended else { continue };
            let later = committed.iter().filter(|to| self.transactions[**to].begun > ended);
            edges[*from].extend(later.map(|to| (Edge::Time, *to)));
        }
        edges
    }
}

impl Transaction {
    /// Each read: list, what was in it, what this transaction had appended to it before.
    fn reads(&self) -> impl Iterator<Item = (usize, &Vec<i64>, Vec<i64>)> {
        self.actions.iter().enumerate().filter_map(|(at, action)| {
            let Action::Read(list, read) = action else { return None };
            let own = self.actions[..at].iter().filter_map(|action| match action {
                Action::Append(to, item) if to == list => Some(*item),
                _ => None,
            });
            Some((*list, read, own.collect()))
        })
    }
}

fn tell(from: usize, edge: Edge, to: usize) -> String {
    match edge {
        Edge::Ww { list, item } => format!("T{to} appended {item} to list {list} right after T{from} had"),
        Edge::Wr { list, item } => format!("T{to} read {item} of T{from} in list {list}"),
        Edge::Rw { list, item, .. } => format!("T{from} did not see {item} of T{to} in list {list}"),
        Edge::Time => format!("T{to} began after T{from} had ended"),
    }
}

fn filtered(edges: &Edges, keep: impl Fn(Edge) -> bool) -> Edges {
    edges.iter().map(|outgoing| outgoing.iter().copied().filter(|(edge, _)| keep(*edge)).collect()).collect()
}

fn anything(_: Edge, _: Edge) -> bool {
    true
}

fn no_two_rw(before: Edge, next: Edge) -> bool {
    !(before.is_rw() && next.is_rw())
}

/// The anomaly that a cycle is.
fn kind_of(path: &Path) -> &'static str {
    let next = path.iter().cycle().skip(1);
    let two_rw = path.iter().zip(next).any(|((_, before, _), (_, next, _))| !no_two_rw(*before, *next));
    match path.iter().filter(|(_, edge, _)| edge.is_rw()).count() {
        0 if path.iter().all(|(_, edge, _)| matches!(edge, Edge::Ww { .. })) => "G0",
        0 => "G1c",
        1 => "G-single",
        _ if !two_rw => "G-nonadjacent",
        _ if path.iter().any(|(_, edge, _)| matches!(edge, Edge::Rw { phantom: true, .. })) => "G2",
        _ => "G2-item",
    }
}

fn is_acyclic(edges: &Edges) -> bool {
    let mut incoming = vec![0; edges.len()];
    edges.iter().flatten().for_each(|(_, to)| incoming[*to] += 1);
    let mut free: Vec<usize> = (0..edges.len()).filter(|node| incoming[*node] == 0).collect();
    let mut removed = 0;
    while let Some(node) = free.pop() {
        removed += 1;
        for (_, to) in &edges[node] {
            incoming[*to] -= 1;
            if incoming[*to] == 0 {
                free.push(*to);
            }
        }
    }
    removed == edges.len()
}

/// The shortest cycle in which `rule` admits each edge after the one before it.
fn shortest_cycle(edges: &Edges, rule: fn(Edge, Edge) -> bool) -> Option<Path> {
    if is_acyclic(edges) {
        return None;
    }
    let mut best: Option<Path> = None;
    for (start, outgoing) in edges.iter().enumerate() {
        // Time alone makes no cycle: each has another edge, from which it is found.
        for (first, to) in outgoing.iter().filter(|(edge, _)| *edge != Edge::Time) {
            if let Some(cycle) = back_to(edges, start, *first, *to, rule) {
                if best.as_ref().is_none_or(|best| cycle.len() < best.len()) {
                    best = Some(cycle);
                }
            }
        }
    }
    best
}

/// Breadth first from `to` back to `start`. What may follow depends on whether the last edge was rw, so each node counts twice.
fn back_to(edges: &Edges, start: usize, first: Edge, to: usize, rule: fn(Edge, Edge) -> bool) -> Option<Path> {
    let mut came: BTreeMap<(usize, bool), ((usize, bool), Edge)> = BTreeMap::new();
    let mut queue = VecDeque::from([((to, first.is_rw()), first)]);
    let mut seen = BTreeSet::from([(to, first.is_rw())]);
    while let Some((at, last)) = queue.pop_front() {
        for (edge, next) in edges[at.0].iter().filter(|(edge, _)| rule(last, *edge)) {
            if *next == start && rule(*edge, first) {
                let mut path = vec![(at.0, *edge, start)];
                let mut here = at;
                while let Some((before, edge)) = came.get(&here) {
                    path.push((before.0, *edge, here.0));
                    here = *before;
                }
                path.push((start, first, to));
                path.reverse();
                return Some(path);
            }
            let state = (*next, edge.is_rw());
            if seen.insert(state) {
                came.insert(state, (at, *edge));
                queue.push_back((state, *edge));
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::Action::{Append, Read};
    use super::*;

    const LISTS: usize = 4;

    fn on_pages(isolation: Isolation) -> Setting {
        Setting { isolation, in_memory: false, late: false }
    }

    fn in_memory(isolation: Isolation) -> Setting {
        Setting { in_memory: true, ..on_pages(isolation) }
    }

    /// Transactions one after the other in time unless they are `together`; all committed.
    fn judge(isolation: Isolation, together: bool, all: &[&[Action]], lists: &[&[i64]]) -> Option<String> {
        judge_with(&[on_pages(isolation); LISTS], together, all, lists).err()
    }

    fn judge_with(
        settings: &[Setting],
        together: bool,
        all: &[&[Action]],
        lists: &[&[i64]],
    ) -> Result<Vec<String>, String> {
        let mut history = History::default();
        let numbers: Vec<usize> = if together { all.iter().map(|_| history.begin()).collect() } else { Vec::new() };
        for (at, actions) in all.iter().enumerate() {
            let number = if together { numbers[at] } else { history.begin() };
            history.set_actions(number, actions.to_vec());
            history.set(number, Fate::Committed);
        }
        let lists: Vec<Vec<i64>> = lists.iter().map(|list| list.to_vec()).collect();
        history.judge(&lists, settings, true).map(|seen| seen.into_iter().collect()).map_err(|(kind, _)| kind)
    }

    const LEVELS: [Isolation; 5] = Isolation::ALL;

    /// What each level says, lowest first.
    fn by_level(all: &[&[Action]], lists: &[&[i64]]) -> Vec<Option<String>> {
        LEVELS.iter().map(|level| judge(*level, true, all, lists)).collect()
    }

    fn kinds(kinds: [&str; 5]) -> Vec<Option<String>> {
        kinds.iter().map(|kind| (!kind.is_empty()).then(|| (*kind).to_owned())).collect()
    }

    #[test]
    fn a_serial_history_is_clean_everywhere() {
        let all: [&[Action]; 3] = [
            &[Append(0, 1), Append(1, 2)],
            &[Read(0, vec![1]), Append(0, 3), Read(0, vec![1, 3])],
            &[Read(1, vec![2])],
        ];
        assert_eq!(by_level(&all, &[&[1, 3], &[2]]), kinds([""; 5]));
        assert_eq!(judge(Isolation::Serializable, false, &all, &[&[1, 3], &[2]]), None);
    }

    #[test]
    fn g0_writes_of_two_interleave() {
        let all: [&[Action]; 2] = [&[Append(0, 1), Append(1, 2)], &[Append(0, 3), Append(1, 4)]];
        assert_eq!(by_level(&all, &[&[1, 3], &[4, 2]]), kinds(["G0"; 5]));
    }

    #[test]
    fn g1a_and_g1b_reads_of_what_nobody_committed() {
        let aborted: [&[Action]; 2] = [&[Append(0, 1)], &[Read(0, vec![1, 9])]];
        assert_eq!(by_level(&aborted, &[&[1]]), kinds(["", "G1a", "G1a", "G1a", "G1a"]));
        let intermediate: [&[Action]; 2] = [&[Append(0, 1), Append(0, 2)], &[Read(0, vec![1])]];
        assert_eq!(by_level(&intermediate, &[&[1, 2]]), kinds(["", "G1b", "G1b", "G1b", "G1b"]));
    }

    #[test]
    fn g1c_information_flows_in_a_circle() {
        let all: [&[Action]; 2] = [&[Append(0, 1), Read(1, vec![2])], &[Append(1, 2), Read(0, vec![1])]];
        assert_eq!(by_level(&all, &[&[1], &[2]]), kinds(["", "G1c", "G1c", "G1c", "G1c"]));
    }

    #[test]
    fn lost_update_and_read_skew_are_g_single() {
        let lost: [&[Action]; 3] =
            [&[Append(0, 1)], &[Read(0, vec![1]), Append(0, 2)], &[Read(0, vec![1]), Append(0, 3)]];
        let expected = kinds(["", "", "G-single", "G-single", "G-single"]);
        assert_eq!(by_level(&lost, &[&[1, 2, 3]]), expected);
        let skew: [&[Action]; 2] = [&[Append(0, 1), Append(1, 2)], &[Read(0, vec![]), Read(1, vec![2])]];
        assert_eq!(by_level(&skew, &[&[1], &[2]]), expected);
    }

    #[test]
    fn write_skew_is_what_snapshots_allow() {
        let all: [&[Action]; 2] = [&[Read(0, vec![]), Append(1, 1)], &[Read(1, vec![]), Append(0, 2)]];
        assert_eq!(by_level(&all, &[&[2], &[1]]), kinds(["", "", "G2-item", "", "G2-item"]));
    }

    #[test]
    fn what_is_allowed_is_told() {
        let skew: [&[Action]; 2] = [&[Read(0, vec![]), Append(1, 1)], &[Read(1, vec![]), Append(0, 2)]];
        let told = |setting| judge_with(&[setting; LISTS], true, &skew, &[&[2], &[1]]);
        assert_eq!(told(on_pages(Isolation::ReadCommitted)), Ok(vec!["G2-item".into()]));
        assert_eq!(told(in_memory(Isolation::Snapshot)), Ok(vec!["G2-item".into()]));
        let dirty: [&[Action]; 2] = [&[Append(0, 1)], &[Read(0, vec![1, 9])]];
        let lists: &[&[i64]] = &[&[1]];
        let told = judge_with(&[on_pages(Isolation::ReadUncommitted); LISTS], true, &dirty, lists);
        assert_eq!(told, Ok(vec!["G1a".into()]));
    }

    #[test]
    fn a_row_that_was_not_there_is_kept_by_serializable_reads_only() {
        let skew: [&[Action]; 2] = [&[Read(0, vec![]), Append(1, 1)], &[Read(1, vec![]), Append(0, 2)]];
        let judge = |setting, all: &[&[Action]], lists| {
            judge_with(&[Setting { late: true, ..setting }; LISTS], true, all, lists)
        };
        let lists: &[&[i64]] = &[&[2], &[1]];
        for setting in [on_pages(Isolation::RepeatableRead), in_memory(Isolation::RepeatableRead)] {
            assert_eq!(judge(setting, &skew, lists), Ok(vec!["G2".into()]));
        }
        for setting in [on_pages(Isolation::Serializable), in_memory(Isolation::Serializable)] {
            assert_eq!(judge(setting, &skew, lists), Err("G2".into()));
        }
        // Half of a commit is seen: not in memory, where all was read as of one moment.
        let half: [&[Action]; 2] = [&[Append(0, 1), Append(1, 2)], &[Read(0, vec![]), Read(1, vec![2])]];
        let lists: &[&[i64]] = &[&[1], &[2]];
        assert_eq!(judge(on_pages(Isolation::RepeatableRead), &half, lists), Ok(vec!["G-single".into()]));
        assert_eq!(judge(in_memory(Isolation::RepeatableRead), &half, lists), Err("G-single".into()));
    }

    #[test]
    fn both_kinds_of_table_commit_by_one_clock_and_are_read_at_moments_of_their_own() {
        // List 0 in memory, the others on pages.
        let mixed = |pages, memory| [in_memory(memory), on_pages(pages), on_pages(pages), on_pages(pages)];
        let half: [&[Action]; 2] = [&[Append(0, 1), Append(1, 2)], &[Read(0, vec![]), Read(1, vec![2])]];
        let lists: &[&[i64]] = &[&[1], &[2]];
        let settings = mixed(Isolation::ReadCommitted, Isolation::Snapshot);
        assert_eq!(judge_with(&settings, true, &half, lists), Ok(vec!["G-single".into()]));
        let settings = mixed(Isolation::ReadCommitted, Isolation::RepeatableRead);
        assert_eq!(judge_with(&settings, true, &half, lists), Err("G-single".into()));
        let circle: [&[Action]; 2] = [&[Append(0, 1), Read(1, vec![2])], &[Append(1, 2), Read(0, vec![1])]];
        let settings = mixed(Isolation::ReadCommitted, Isolation::Snapshot);
        assert_eq!(judge_with(&settings, true, &circle, lists), Err("G1c".into()));
        // Each kind alone is as its level says.
        let skew: [&[Action]; 2] = [&[Read(1, vec![]), Append(2, 1)], &[Read(2, vec![]), Append(1, 2)]];
        let lists: &[&[i64]] = &[&[], &[2], &[1]];
        let settings = mixed(Isolation::Serializable, Isolation::Snapshot);
        assert_eq!(judge_with(&settings, true, &skew, lists), Err("G2-item".into()));
    }

    #[test]
    fn time_counts() {
        let all: [&[Action]; 2] = [&[Append(0, 1)], &[Read(0, vec![])]];
        assert_eq!(judge(Isolation::Serializable, false, &all, &[&[1]]), Some("stale read".into()));
        assert_eq!(judge(Isolation::Serializable, true, &all, &[&[1]]), None);
        // Two that saw nothing of each other, and a third after one of them that saw the other only.
        let long_fork: [&[Action]; 4] = [
            &[Append(0, 1)],
            &[Append(1, 2)],
            &[Read(0, vec![1]), Read(1, vec![])],
            &[Read(0, vec![]), Read(1, vec![2])],
        ];
        assert_eq!(judge(Isolation::Snapshot, true, &long_fork, &[&[1], &[2]]), Some("G-nonadjacent".into()));
    }

    #[test]
    fn commits_are_whole_and_stay() {
        let mut history = History::default();
        let fates = [Fate::Committed, Fate::RolledBack, Fate::Unknown, Fate::Unknown];
        for (at, fate) in (0..).zip(fates) {
            let number = history.begin();
            history.set_actions(number, vec![Append(0, at * 2), Append(1, at * 2 + 1)]);
            history.set(number, fate);
        }
        let mut judge = |lists: [&[i64]; 2], fresh| {
            let lists = lists.map(<[i64]>::to_vec);
            history.judge(&lists, &[on_pages(Isolation::Serializable); LISTS], fresh).err().map(|(kind, _)| kind)
        };
        assert_eq!(judge([&[], &[1]], false).as_deref(), Some("lost commit"));
        assert_eq!(judge([&[0, 2], &[1, 3]], false).as_deref(), Some("dirty commit"));
        assert_eq!(judge([&[0, 4], &[1]], false).as_deref(), Some("half a commit"));
        assert_eq!(judge([&[0, 0], &[1]], false).as_deref(), Some("twice"));
        assert_eq!(judge([&[0, 77], &[1]], false).as_deref(), Some("row of nobody"));
        assert_eq!(judge([&[0, 4], &[1, 5]], true), None);
        // What was unknown is decided now.
        assert_eq!(judge([&[0], &[1]], false).as_deref(), Some("lost commit"));
        assert_eq!(judge([&[0, 4, 6], &[1, 5, 7]], false).as_deref(), Some("dirty commit"));
    }
}
