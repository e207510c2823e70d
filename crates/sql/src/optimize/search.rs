//! The search for a join order, over numbers alone: which parts there are, what connects them, what joining costs.
//!
//! Up to `EXACT_MAX` parts, fewer where most are connected with most, each connected set of them gets its cheapest tree, bushy ones too, by
//! dynamic programming over subsets (as in Moerkotte, Neumann, "Analysis of Two Existing and One New Dynamic Programming Algorithm for the
//! Generation of Optimal Bushy Join Trees", VLDB 2006, without their enumeration). Beyond, trees are left-deep: from each of a few parts on, always the one that keeps
//! the result smallest, and of these orders the cheapest. Sets that nothing connects are joined last, the smallest first.

use std::cell::RefCell;
use std::collections::HashMap;

/// Parts whose trees are all looked at, at most.
const EXACT_MAX: usize = 10;
/// Pairs of subsets, 3 to the power of the parts, and for each the edges that are looked at: ten parts in a chain or a star are about as many.
const EXACT_WORK_MAX: usize = 2_500_000;
/// Parts from which greedy orders begin.
const STARTS_MAX: usize = 8;

/// A hash table, however few rows it has.
pub const HASH_COST: f64 = 20.0;
/// What a row costs where a row of a scan is 1: to be put into a hash table, to look for its partners there, to be given on.
pub const BUILD_COST: f64 = 1.5;
pub const PROBE_COST: f64 = 0.8;
const GIVE_COST: f64 = 0.2;
/// A pair of rows that nested loops without an index look at.
const PAIR_COST: f64 = 0.5;

/// A relation to be joined.
pub struct Part {
    pub rows: f64,
    /// To read it once.
    pub cost: f64,
    /// Parts whose columns it reads: it is run once for each row of them.
    pub needs: Vec<usize>,
    /// It only decides which rows of what is before it stay, and `rows` is their part: a semi join or an anti join.
    pub test: Option<Test>,
}

/// What a semi join reads.
pub struct Test {
    pub rows: f64,
    /// It has an equality, by which rows can be hashed.
    pub is_equal: bool,
    /// What one look-up costs, where an index has it.
    pub seek: Option<f64>,
}

/// Predicates between the same parts.
pub struct Edge {
    /// Ascending.
    pub parts: Vec<usize>,
    /// Which of the chain's.
    pub predicates: Vec<usize>,
    /// Of the rows, those that pass.
    pub part: f64,
    /// An equality between two parts.
    pub is_equal: bool,
}

/// Columns that are all equal. Of the edges between them only as many count as connect the parts that are there.
pub struct Class {
    /// Edges of one equality, written or implied: those first that leave the most, so that what counts does not depend on who wrote what.
    pub edges: Vec<usize>,
    /// Pairs of parts that edges of several equalities connect. These count always.
    pub kept: Vec<(usize, usize)>,
}

pub enum Tree {
    Part(usize),
    Join { left: Box<Tree>, right: Box<Tree>, rows: f64 },
}

/// What a look-up into a part costs with the edges given; None: no index has it.
type Seek<'a> = &'a dyn Fn(usize, &[usize]) -> Option<f64>;

pub fn cheapest(parts: &[Part], edges: &[Edge], classes: &[Class], seek: Seek) -> Tree {
    let mut at: Vec<Vec<usize>> = vec![Vec::new(); parts.len()];
    for (number, edge) in edges.iter().enumerate() {
        edge.parts.iter().for_each(|&part| at[part].push(number));
    }
    let mut class_of = vec![None; edges.len()];
    for (number, class) in classes.iter().enumerate() {
        class.edges.iter().for_each(|&edge| class_of[edge] = Some(number));
    }
    let is_few = parts.len() <= EXACT_MAX && 3_usize.pow(parts.len() as u32) * edges.len().max(1) <= EXACT_WORK_MAX;
    let search = Search { parts, edges, classes, class_of, at, seek, sought: RefCell::default() };
    if is_few && let Some(tree) = search.exact() { tree } else { search.greedy() }
}

struct Search<'a> {
    parts: &'a [Part],
    edges: &'a [Edge],
    classes: &'a [Class],
    /// Of each edge.
    class_of: Vec<Option<usize>>,
    /// Edges of each part.
    at: Vec<Vec<usize>>,
    seek: Seek<'a>,
    /// Costs of look-ups that have been asked for: a part and up to two edges.
    sought: RefCell<HashMap<(usize, usize, usize), Option<f64>>>,
}

/// The cheapest tree of a set of parts.
#[derive(Clone, Copy)]
struct Best {
    cost: f64,
    rows: f64,
    /// The sets it joins; 0: it is one part.
    left: u64,
}

impl Search<'_> {
    /// None: something connects no two sets, or only more than two parts.
    fn exact(&self) -> Option<Tree> {
        let count = self.parts.len();
        let mask_of = |parts: &[usize]| parts.iter().fold(0_u64, |mask, &part| mask | 1 << part);
        let masks: Vec<u64> = self.edges.iter().map(|edge| mask_of(&edge.parts)).collect();
        let needs: Vec<u64> = self.parts.iter().map(|part| mask_of(&part.needs)).collect();
        let mut best: Vec<Option<Best>> = vec![None; 1 << count];
        for (number, part) in self.parts.iter().enumerate() {
            best[1 << number] = Some(Best { cost: part.cost, rows: part.rows, left: 0 });
        }
        let near: Vec<u64> =
            self.at.iter().map(|edges| edges.iter().fold(0, |mask, &edge| mask | masks[edge])).collect();
        let lateral = (0..count).filter(|&part| needs[part] != 0).fold(0_u64, |mask, part| mask | 1 << part);
        let mut between: Vec<usize> = Vec::new();
        for set in 1..1_u64 << count {
            if set.count_ones() < 2 {
                continue;
            }
            let mut rows = None;
            let mut here = 0_u64;
            loop {
                // The next subset: of trees that cost the same the first is kept, which is nearest to the order as written.
                here = here.wrapping_sub(set) & set;
                if here == set {
                    break;
                }
                let right = set & !here;
                let (Some(one), Some(other)) = (best[here as usize], best[right as usize]) else { continue };
                // A part that reads others comes behind all of them, alone.
                let single = (right.count_ones() == 1).then(|| right.trailing_zeros() as usize);
                let runs = single.filter(|&part| needs[part] != 0);
                if here & lateral == here && here.count_ones() == 1 || runs.is_some_and(|part| needs[part] & !here != 0)
                {
                    continue;
                }
                let is_near = || (0..count).any(|part| here >> part & 1 == 1 && near[part] & right != 0);
                if runs.is_none() && !is_near() {
                    continue;
                }
                between.clear();
                between
                    .extend((0..masks.len()).filter(|&edge| {
                        masks[edge] & !set == 0 && masks[edge] & here != 0 && masks[edge] & right != 0
                    }));
                if between.is_empty() && runs.is_none() {
                    continue;
                }
                let rows = *rows.get_or_insert_with(|| {
                    let all = (0..count).filter(|&part| set >> part & 1 == 1).map(|part| self.parts[part].rows);
                    let asked = (0..masks.len()).filter(|&at| masks[at] & !set == 0 && self.class_of[at].is_none());
                    let part: f64 = asked.map(|at| self.edges[at].part).product();
                    let together: f64 = self.classes.iter().map(|class| self.part_of(class, set)).product();
                    (all.product::<f64>() * part * together).max(1.0)
                });
                let cost = self.join_cost((one.cost, one.rows), (other.cost, other.rows), single, &between, rows);
                if best[set as usize].is_none_or(|old| cost < old.cost) {
                    best[set as usize] = Some(Best { cost, rows, left: here });
                }
            }
        }
        best[(1 << count) - 1]?;
        Some(tree_of(&best, (1 << count) - 1))
    }

    /// What the edges of a class leave of the pairs of rows of a set: those that connect what those before them do not.
    fn part_of(&self, class: &Class, set: u64) -> f64 {
        let mut groups: Vec<u64> = Vec::new();
        let mut connects = |a: usize, b: usize| {
            let pair = 1_u64 << a | 1 << b;
            if pair & !set != 0 || groups.iter().any(|group| group & pair == pair) {
                return false;
            }
            let joined = groups.iter().filter(|&group| group & pair != 0).fold(pair, |all, group| all | group);
            groups.retain(|group| group & joined == 0);
            groups.push(joined);
            true
        };
        class.kept.iter().for_each(|&(a, b)| {
            connects(a, b);
        });
        let edges = class.edges.iter().map(|&edge| &self.edges[edge]);
        edges.filter(|edge| connects(edge.parts[0], edge.parts[1])).map(|edge| edge.part).product()
    }

    /// What edges to one part more leave of the pairs of rows: of each class the one that leaves the most, unless it is connected anyway.
    fn part_more(&self, edges: &[usize], part: usize, is_there: &[bool]) -> f64 {
        let asked = edges.iter().filter(|&&edge| self.class_of[edge].is_none());
        let mut all: f64 = asked.map(|&edge| self.edges[edge].part).product();
        for (number, class) in self.classes.iter().enumerate() {
            if class.kept.iter().any(|&(a, b)| a == part && is_there[b] || b == part && is_there[a]) {
                continue;
            }
            let own = edges.iter().filter(|&&edge| self.class_of[edge] == Some(number));
            all *= own.map(|&edge| self.edges[edge].part).reduce(f64::max).unwrap_or(1.0);
        }
        all
    }

    /// Of two sides with their costs and rows; `single`: the right one is this part.
    fn join_cost(
        &self,
        left: (f64, f64),
        right: (f64, f64),
        single: Option<usize>,
        between: &[usize],
        rows: f64,
    ) -> f64 {
        let give = rows * GIVE_COST;
        if let Some((part, test)) = single.and_then(|part| Some((part, self.parts[part].test.as_ref()?))) {
            let hashed = match test.is_equal {
                true => HASH_COST + test.rows * BUILD_COST + left.1 * PROBE_COST,
                // About half of them are looked at.
                false => left.1 * test.rows * PAIR_COST / 2.0,
            };
            let hashed = self.parts[part].cost + hashed;
            return left.0 + give + test.seek.map_or(hashed, |cost| hashed.min(left.1 * cost));
        }
        if let Some(part) = single.filter(|&part| !self.parts[part].needs.is_empty()) {
            return left.0 + left.1 * self.parts[part].cost + give;
        }
        let hashed = match between.iter().any(|&edge| self.edges[edge].is_equal) {
            true => {
                let (built, probed) = (left.1.min(right.1), left.1.max(right.1));
                left.0 + right.0 + HASH_COST + built * BUILD_COST + probed * PROBE_COST + give
            }
            false => left.0 + right.0 + left.1 * right.1 * PAIR_COST + give,
        };
        let sought = single.and_then(|part| self.look_up(part, between)).map(|cost| left.0 + left.1 * cost + give);
        sought.map_or(hashed, |sought| sought.min(hashed))
    }

    /// The cheapest look-up that one or two of the edges allow: of those without an equality, where no other is there.
    fn look_up(&self, part: usize, between: &[usize]) -> Option<f64> {
        let mut cheapest: Option<f64> = None;
        let has_equal = between.iter().any(|&edge| self.edges[edge].is_equal);
        let asked = || between.iter().copied().filter(|&edge| self.edges[edge].is_equal == has_equal);
        for one in asked() {
            for other in asked().filter(|&other| other >= one) {
                let ask = || match one == other {
                    true => (self.seek)(part, &[one]),
                    false => (self.seek)(part, &[one, other]),
                };
                let cost = *self.sought.borrow_mut().entry((part, one, other)).or_insert_with(ask);
                cheapest = match (cheapest, cost) {
                    (Some(old), Some(new)) => Some(old.min(new)),
                    (old, new) => old.or(new),
                };
            }
        }
        cheapest
    }

    fn greedy(&self) -> Tree {
        let mut starts: Vec<usize> = (0..self.parts.len()).filter(|&part| self.parts[part].needs.is_empty()).collect();
        starts.sort_by(|&a, &b| self.parts[a].rows.total_cmp(&self.parts[b].rows));
        starts.truncate(STARTS_MAX);
        let orders = starts.into_iter().map(|start| self.greedy_from(start));
        let (_, order) = orders.min_by(|a, b| a.0.total_cmp(&b.0)).expect("a part reads no other");
        let mut order = order.into_iter();
        let first = Tree::Part(order.next().expect("a chain has parts").0);
        order.fold(first, |left, (part, rows)| Tree::Join {
            left: Box::new(left),
            right: Box::new(Tree::Part(part)),
            rows,
        })
    }

    /// The cost, and the parts in order, each with the rows that there are with it.
    fn greedy_from(&self, start: usize) -> (f64, Vec<(usize, f64)>) {
        let mut missing: Vec<usize> = self.edges.iter().map(|edge| edge.parts.len()).collect();
        let mut waits: Vec<usize> = self.parts.iter().map(|part| part.needs.len()).collect();
        let mut left: Vec<usize> = (0..self.parts.len()).filter(|&part| part != start).collect();
        let (mut cost, mut rows) = (self.parts[start].cost, self.parts[start].rows);
        let mut order = vec![(start, rows)];
        let mut is_there = vec![false; self.parts.len()];
        let mut newest = start;
        while !left.is_empty() {
            is_there[newest] = true;
            self.at[newest].iter().for_each(|&edge| missing[edge] -= 1);
            for &part in &left {
                waits[part] -= self.parts[part].needs.iter().filter(|&&need| need == newest).count();
            }
            let between = |part: usize| -> Vec<usize> {
                self.at[part].iter().copied().filter(|&edge| missing[edge] == 1).collect()
            };
            let result = |part: usize| {
                let done = between(part);
                let is_joined = done.iter().any(|&edge| self.edges[edge].parts.len() > 1);
                let all = rows * self.parts[part].rows * self.part_more(&done, part, &is_there);
                // A cross join that happens to be small now makes everything after it larger.
                (if is_joined || !self.parts[part].needs.is_empty() { all } else { all * 1e6 }, all.max(1.0))
            };
            let ready = left.iter().enumerate().filter(|&(_, &part)| waits[part] == 0);
            let (at, (_, after)) = ready
                .map(|(at, &part)| (at, result(part)))
                .min_by(|a, b| a.1.0.total_cmp(&b.1.0))
                .expect("of the parts that are left one reads only what is there");
            let part = left.remove(at);
            let own = (self.parts[part].cost, self.parts[part].rows);
            cost = self.join_cost((cost, rows), own, Some(part), &between(part), after);
            rows = after;
            order.push((part, rows));
            newest = part;
        }
        (cost, order)
    }
}

fn tree_of(best: &[Option<Best>], set: u64) -> Tree {
    let own = best[set as usize].expect("a set in a tree has one");
    if own.left == 0 {
        return Tree::Part(set.trailing_zeros() as usize);
    }
    let (left, right) = (tree_of(best, own.left), tree_of(best, set & !own.left));
    Tree::Join { left: Box::new(left), right: Box::new(right), rows: own.rows }
}

#[cfg(test)]
mod tests {
    use super::{Class, Edge, Part, Test, Tree, cheapest};

    fn part(rows: f64) -> Part {
        Part { rows, cost: rows, needs: Vec::new(), test: None }
    }

    fn equal(a: usize, b: usize, part: f64) -> Edge {
        Edge { parts: vec![a, b], predicates: vec![], part, is_equal: true }
    }

    fn shown(tree: &Tree) -> String {
        match tree {
            Tree::Part(part) => part.to_string(),
            Tree::Join { left, right, .. } => format!("({} {})", shown(left), shown(right)),
        }
    }

    fn parts_of(tree: &Tree, out: &mut Vec<usize>) {
        match tree {
            Tree::Part(part) => out.push(*part),
            Tree::Join { left, right, .. } => [left, right].into_iter().for_each(|side| parts_of(side, out)),
        }
    }

    #[test]
    fn what_many_rows_have_in_common_is_joined_last() {
        // b x, b y on g of 100 values, and b z by the key of x and 10,000 values of y.
        let parts = [part(10_000.0), part(10_000.0), part(10_000.0)];
        let edges = [equal(0, 1, 0.01), equal(0, 2, 1e-4), equal(1, 2, 1e-4)];
        let tree = shown(&cheapest(&parts, &edges, &[], &|_, _| None));
        assert!(!tree.contains("(0 1)") && !tree.contains("(1 0)"), "{tree}");
    }

    #[test]
    fn two_small_ends_of_a_chain_are_joined_first() {
        let parts = [part(10.0), part(1e5), part(1e5), part(10.0)];
        let edges = [equal(0, 1, 1e-4), equal(1, 2, 1e-4), equal(2, 3, 1e-4)];
        let tree = shown(&cheapest(&parts, &edges, &[], &|_, _| None));
        assert!(tree.starts_with("((") && tree.matches("((").count() == 1 && tree.ends_with("))"), "bushy: {tree}");
    }

    #[test]
    fn a_part_that_reads_others_comes_behind_them() {
        let mut parts = vec![part(1.0), part(1e5), part(1e4)];
        parts[0].needs = vec![1, 2];
        let tree = shown(&cheapest(&parts, &[equal(1, 2, 1e-4)], &[], &|_, _| None));
        assert!(tree.ends_with(" 0)"), "{tree}");
    }

    #[test]
    fn a_test_of_few_rows_comes_before_a_join_that_makes_many() {
        let mut parts = vec![part(1e4), part(1e4), part(0.001)];
        parts[2].needs = vec![0];
        parts[2].test = Some(Test { rows: 10.0, is_equal: true, seek: None });
        let edges = [equal(0, 1, 0.01)];
        let tree = shown(&cheapest(&parts, &edges, &[], &|_, _| None));
        assert!(tree.contains("(0 2)"), "{tree}");
        // And behind one that leaves few.
        let edges = [equal(0, 1, 1e-8)];
        parts[2].rows = 0.9;
        let tree = shown(&cheapest(&parts, &edges, &[], &|_, _| None));
        assert!(tree.ends_with(" 2)"), "{tree}");
    }

    #[test]
    fn what_follows_from_equalities_connects_and_counts_once() {
        // a = b and b = c give a = c: the two small ones first, whose pairs are few.
        let parts = [part(100.0), part(1e6), part(100.0)];
        let edges = [equal(0, 1, 1e-3), equal(1, 2, 1e-3), equal(0, 2, 0.1)];
        let classes = [Class { edges: vec![2, 0, 1], kept: vec![] }];
        let tree = cheapest(&parts, &edges, &classes, &|_, _| None);
        let Tree::Join { rows, .. } = &tree else { panic!("three parts are joined") };
        // A tenth of the pairs of the small ones, and of their pairs with the large one a thousandth.
        assert_eq!(rows.round(), 1e6);
        assert!(shown(&tree).contains("(0 2)"), "{}", shown(&tree));
    }

    #[test]
    fn equalities_that_follow_from_each_other_count_once_in_long_chains_too() {
        // All on one key: each pair is written. However many there are, a row has one partner in each.
        for count in [5, 14] {
            let parts: Vec<Part> = (0..count).map(|_| part(1000.0)).collect();
            let edges: Vec<Edge> = (0..count).flat_map(|b| (0..b).map(move |a| equal(a, b, 1e-3))).collect();
            let classes = [Class { edges: (0..edges.len()).collect(), kept: vec![] }];
            let Tree::Join { rows, .. } = cheapest(&parts, &edges, &classes, &|_, _| None) else { panic!("joined") };
            assert_eq!(rows.round(), 1000.0, "{count}");
        }
    }

    #[test]
    fn each_part_is_joined_once_however_many_there_are() {
        for count in [1, 2, 9, 10, 11, 40, 300] {
            for connected in [false, true] {
                let parts: Vec<Part> = (0..count).map(|at| part((at * 37 % 11 + 1) as f64)).collect();
                let edges: Vec<Edge> = (1..count).filter(|_| connected).map(|at| equal(at / 2, at, 0.1)).collect();
                let mut all = Vec::new();
                parts_of(&cheapest(&parts, &edges, &[], &|_, _| None), &mut all);
                all.sort_unstable();
                assert_eq!(all, (0..count).collect::<Vec<_>>());
            }
        }
    }
}
