//! The search for a join order, over numbers alone: which parts there are, what connects them, what joining costs.
//!
//! Up to `EXACT_MAX` parts, fewer where most are connected with most, each connected set of them gets its cheapest tree, bushy ones too, by
//! dynamic programming over subsets (as in Moerkotte, Neumann, "Analysis of Two Existing and One New Dynamic Programming Algorithm for the
//! Generation of Optimal Bushy Join Trees", VLDB 2006, without their enumeration). Beyond, orders are made from each of a few parts on, always
//! with the one that keeps the result smallest or that costs the least; the cheapest is made better by moving parts, one at a time, and of it
//! the cheapest tree whose sides are neighbours in the order is taken (Neumann, Radke, "Adaptive Optimization of Very Large Join Queries",
//! SIGMOD 2018). Sets that nothing connects are joined last, the smallest first.

mod greedy;

use std::cell::RefCell;
use std::collections::HashMap;

/// Parts whose trees are all looked at, at most.
const EXACT_MAX: usize = 10;
/// Pairs of subsets, 3 to the power of the parts, and for each the edges that are looked at: ten parts in a chain or a star are about as many.
const EXACT_WORK_MAX: usize = 2_500_000;
/// Edges to a part of which two together are looked up.
const PAIRED_MAX: usize = 4;

/// A hash table, however few rows it has.
pub const HASH_COST: f64 = 20.0;
/// What a row costs where a row of a scan is 1: to be put into a hash table, to look for its partners there, to be given on.
pub const BUILD_COST: f64 = 1.5;
pub const PROBE_COST: f64 = 0.8;
const GIVE_COST: f64 = 0.2;
/// The part of a look-up's cost that is left where the rows come in the order of its key: they meet the same pages.
const IN_ORDER: f64 = 0.5;
/// A pair of rows that nested loops without an index look at.
const PAIR_COST: f64 = 0.5;

/// A relation to be joined.
pub struct Part {
    pub rows: f64,
    /// To read it once.
    pub cost: f64,
    /// Edges by whose column its rows come in order.
    pub in_order: Vec<usize>,
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
    let search = Search::new(parts, edges, classes, seek);
    let is_few = parts.len() <= EXACT_MAX && 3_usize.pow(parts.len() as u32) * edges.len().max(1) <= EXACT_WORK_MAX;
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
    sets: Sets,
    seek: Seek<'a>,
    /// Costs of look-ups that have been asked for: a part and up to two edges.
    sought: RefCell<HashMap<(usize, usize, usize), Option<f64>>>,
}

/// Sets of parts as bits. Where there are more than bits, nobody asks.
#[derive(Default)]
struct Sets {
    /// The parts of each edge.
    edges: Vec<u64>,
    /// What each part reads.
    needs: Vec<u64>,
    /// Parts that each part has an edge with.
    near: Vec<u64>,
    /// Parts that read others.
    lateral: u64,
}

/// The cheapest tree of a set of parts.
#[derive(Clone, Copy)]
struct Best {
    cost: f64,
    rows: f64,
    /// The sets it joins; 0: it is one part.
    left: u64,
}

/// Rows that something is done for. Of less than one nobody knows whether it will come; who leaves the least is worth a little, so that an
/// order is a good one, too, where more rows come than were expected.
fn asked(rows: f64) -> f64 {
    if rows < 1.0 { 0.5 + rows / 2.0 } else { rows }
}

impl<'a> Search<'a> {
    fn new(parts: &'a [Part], edges: &'a [Edge], classes: &'a [Class], seek: Seek<'a>) -> Search<'a> {
        let mut at: Vec<Vec<usize>> = vec![Vec::new(); parts.len()];
        for (number, edge) in edges.iter().enumerate() {
            edge.parts.iter().for_each(|&part| at[part].push(number));
        }
        let mut class_of = vec![None; edges.len()];
        for (number, class) in classes.iter().enumerate() {
            class.edges.iter().for_each(|&edge| class_of[edge] = Some(number));
        }
        let mut sets = Sets::default();
        if parts.len() <= u64::BITS as usize {
            let set_of = |parts: &[usize]| parts.iter().fold(0_u64, |set, &part| set | 1 << part);
            sets.edges = edges.iter().map(|edge| set_of(&edge.parts)).collect();
            sets.needs = parts.iter().map(|part| set_of(&part.needs)).collect();
            sets.near = at.iter().map(|own| own.iter().fold(0, |set, &edge| set | sets.edges[edge])).collect();
            let reads = (0..parts.len()).filter(|&part| sets.needs[part] != 0);
            sets.lateral = reads.fold(0, |set, part| set | 1 << part);
        }
        Search { parts, edges, classes, class_of, at, sets, seek, sought: RefCell::default() }
    }

    /// None: something connects no two sets, or only more than two parts.
    fn exact(&self) -> Option<Tree> {
        let count = self.parts.len();
        let mut best: Vec<Option<Best>> = vec![None; 1 << count];
        for (number, part) in self.parts.iter().enumerate() {
            best[1 << number] = Some(Best { cost: part.cost, rows: part.rows, left: 0 });
        }
        let mut between: Vec<usize> = Vec::new();
        for set in (1..1_u64 << count).filter(|set| set.count_ones() > 1) {
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
                let joined = self.join((here, one), (right, other), &mut rows, &mut between);
                if let Some(joined) = joined
                    && best[set as usize].is_none_or(|old| joined.cost < old.cost)
                {
                    best[set as usize] = Some(joined);
                }
            }
        }
        best[(1 << count) - 1]?;
        Some(tree_of(&|set| best[set as usize], (1 << count) - 1))
    }

    /// Two sets joined, of which the right one may be a part that is looked up. `rows`: of both together, once somebody has asked for
    /// them. None: nothing connects them, or what a part reads is not there.
    fn join(
        &self,
        (here, one): (u64, Best),
        (right, other): (u64, Best),
        rows: &mut Option<f64>,
        between: &mut Vec<usize>,
    ) -> Option<Best> {
        let Sets { edges, needs, near, lateral } = &self.sets;
        // A part that reads others comes behind all of them, alone.
        let single = (right.count_ones() == 1).then(|| right.trailing_zeros() as usize);
        let runs = single.filter(|&part| needs[part] != 0);
        if here & lateral == here && here.count_ones() == 1 || runs.is_some_and(|part| needs[part] & !here != 0) {
            return None;
        }
        if runs.is_none() {
            let is_near = (0..self.parts.len()).any(|part| here >> part & 1 == 1 && near[part] & right != 0);
            if !is_near {
                return None;
            }
        }
        let set = here | right;
        between.clear();
        between.extend(
            (0..edges.len())
                .filter(|&edge| edges[edge] & !set == 0 && edges[edge] & here != 0 && edges[edge] & right != 0),
        );
        if between.is_empty() && runs.is_none() {
            return None;
        }
        let rows = *rows.get_or_insert_with(|| self.rows_of(set));
        let first = (here.count_ones() == 1).then(|| here.trailing_zeros() as usize);
        let cost = self.join_cost((one.cost, one.rows), (other.cost, other.rows), (first, single), between, rows);
        Some(Best { cost, rows, left: here })
    }

    fn rows_of(&self, set: u64) -> f64 {
        let all = (0..self.parts.len()).filter(|&part| set >> part & 1 == 1).map(|part| self.parts[part].rows);
        let asked = (0..self.edges.len()).filter(|&at| self.sets.edges[at] & !set == 0 && self.class_of[at].is_none());
        let part: f64 = asked.map(|at| self.edges[at].part).product();
        let together: f64 = self.classes.iter().map(|class| self.part_of(class, set)).product();
        all.product::<f64>() * part * together
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

    /// Of two sides with their costs and rows; `first`, `single`: the left one, the right one is this part.
    fn join_cost(
        &self,
        left: (f64, f64),
        right: (f64, f64),
        (first, single): (Option<usize>, Option<usize>),
        between: &[usize],
        rows: f64,
    ) -> f64 {
        let give = rows * GIVE_COST;
        let (left, right) = ((left.0, asked(left.1)), (right.0, asked(right.1)));
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
        let in_order = first.is_some_and(|part| between.iter().any(|edge| self.parts[part].in_order.contains(edge)));
        let times = if in_order { IN_ORDER } else { 1.0 };
        let sought = single.and_then(|part| self.look_up(part, between));
        let sought = sought.map(|cost| left.0 + left.1 * cost * times + give);
        sought.map_or(hashed, |sought| sought.min(hashed))
    }

    /// The cheapest look-up that one or two of the edges allow: of those without an equality, where no other is there.
    fn look_up(&self, part: usize, between: &[usize]) -> Option<f64> {
        let mut cheapest: Option<f64> = None;
        let has_equal = between.iter().any(|&edge| self.edges[edge].is_equal);
        let asked = || between.iter().copied().filter(|&edge| self.edges[edge].is_equal == has_equal);
        let in_pairs = between.len() <= PAIRED_MAX;
        for one in asked() {
            for other in asked().filter(|&other| other == one || in_pairs && other > one) {
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
}

fn tree_of(best: &dyn Fn(u64) -> Option<Best>, set: u64) -> Tree {
    let own = best(set).expect("a set in a tree has one");
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
        Part { rows, cost: rows, in_order: Vec::new(), needs: Vec::new(), test: None }
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
    fn what_leaves_the_least_of_one_row_comes_first() {
        // One row, which finds a partner in the first mostly and in the second hardly ever.
        let parts = [part(1.0), part(1e4), part(1e4)];
        let edges = [equal(0, 1, 0.9e-4), equal(0, 2, 1e-7)];
        let tree = shown(&cheapest(&parts, &edges, &[], &|_, _| Some(4.0)));
        assert_eq!(tree, "((0 2) 1)");
    }

    #[test]
    fn long_chains_have_bushy_trees_too() {
        fn is_bushy(tree: &Tree) -> bool {
            match tree {
                Tree::Part(_) => false,
                Tree::Join { left, right, .. } => matches!(**right, Tree::Join { .. }) || is_bushy(left),
            }
        }
        // Two halves that few rows of are looked up in from their ends, and many pairs in the middle.
        let parts: Vec<Part> = (0..14).map(|at| part(if at % 13 == 0 { 2.0 } else { 1e4 })).collect();
        let edges: Vec<Edge> = (1..14).map(|at| equal(at - 1, at, if at == 7 { 0.5 } else { 1e-4 })).collect();
        let tree = cheapest(&parts, &edges, &[], &|_, _| Some(4.0));
        assert!(is_bushy(&tree), "{}", shown(&tree));
        let mut all = Vec::new();
        parts_of(&tree, &mut all);
        all.sort_unstable();
        assert_eq!(all, (0..14).collect::<Vec<_>>());
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
