//! Orders of more parts than there are trees to look at.

use std::collections::HashMap;

use super::{Best, Search, Tree, tree_of};

/// Parts from which orders begin.
const STARTS_MAX: usize = 8;
/// Parts of which orders are also made by cost, at most, and the cheapest is made better: the work grows with their number's third power.
const IMPROVED_MAX: usize = 24;
/// How often the best move is looked for.
const MOVES_MAX: usize = 4;
/// A move that saves less is none.
const SAVING_MIN: f64 = 0.01;

/// What the next part is chosen by.
#[derive(Clone, Copy)]
enum By {
    Rows,
    Cost,
}

/// A left-deep order, as far as it goes.
#[derive(Clone)]
struct Walk {
    cost: f64,
    /// Each part, and the rows that there are with it.
    order: Vec<(usize, f64)>,
    is_there: Vec<bool>,
    /// Of each edge, the parts that are not there.
    missing: Vec<usize>,
}

impl Walk {
    fn rows(&self) -> f64 {
        self.order.last().map_or(1.0, |(_, rows)| *rows)
    }
}

impl Search<'_> {
    pub(super) fn greedy(&self) -> Tree {
        let mut starts: Vec<usize> = (0..self.parts.len()).filter(|&part| self.parts[part].needs.is_empty()).collect();
        starts.sort_by(|&a, &b| self.parts[a].rows.total_cmp(&self.parts[b].rows));
        starts.truncate(STARTS_MAX);
        let is_many = self.parts.len() > IMPROVED_MAX;
        let ways: &[By] = if is_many { &[By::Rows] } else { &[By::Rows, By::Cost] };
        let walks = starts.iter().flat_map(|&start| ways.iter().map(move |&by| self.greedy_from(start, by)));
        let mut best = walks.min_by(|a, b| a.cost.total_cmp(&b.cost)).expect("a part reads no other");
        if is_many {
            return left_deep(&best);
        }
        (0..MOVES_MAX).all(|_| self.improve(&mut best));
        self.neighbours(&best).unwrap_or_else(|| left_deep(&best))
    }

    fn begin(&self, start: usize) -> Walk {
        let mut walk = Walk {
            cost: self.parts[start].cost,
            order: vec![(start, self.parts[start].rows)],
            is_there: vec![false; self.parts.len()],
            missing: self.edges.iter().map(|edge| edge.parts.len()).collect(),
        };
        self.arrive(&mut walk, start);
        walk
    }

    fn arrive(&self, walk: &mut Walk, part: usize) {
        walk.is_there[part] = true;
        self.at[part].iter().for_each(|&edge| walk.missing[edge] -= 1);
    }

    /// The edges to a part from those that are there.
    fn edges_to(&self, walk: &Walk, part: usize) -> Vec<usize> {
        self.at[part].iter().copied().filter(|&edge| walk.missing[edge] == 1).collect()
    }

    fn is_ready(&self, walk: &Walk, part: usize) -> bool {
        self.parts[part].needs.iter().all(|&need| walk.is_there[need])
    }

    fn rows_with(&self, walk: &Walk, part: usize, edges: &[usize]) -> f64 {
        walk.rows() * self.parts[part].rows * self.part_more(edges, part, &walk.is_there)
    }

    fn cost_with(&self, walk: &Walk, part: usize, edges: &[usize], rows: f64) -> f64 {
        let own = (self.parts[part].cost, self.parts[part].rows);
        let first = if let [(first, _)] = walk.order[..] { Some(first) } else { None };
        self.join_cost((walk.cost, walk.rows()), own, (first, Some(part)), edges, rows)
    }

    fn go(&self, walk: &mut Walk, part: usize) {
        let edges = self.edges_to(walk, part);
        let rows = self.rows_with(walk, part, &edges);
        walk.cost = self.cost_with(walk, part, &edges, rows);
        walk.order.push((part, rows));
        self.arrive(walk, part);
    }

    fn greedy_from(&self, start: usize, by: By) -> Walk {
        let mut walk = self.begin(start);
        let mut left: Vec<usize> = (0..self.parts.len()).filter(|&part| part != start).collect();
        while !left.is_empty() {
            let price = |part: usize| {
                let edges = self.edges_to(&walk, part);
                let rows = self.rows_with(&walk, part, &edges);
                let is_joined = edges.iter().any(|&edge| self.edges[edge].parts.len() > 1);
                let all = match by {
                    By::Rows => rows,
                    By::Cost => self.cost_with(&walk, part, &edges, rows) - walk.cost + rows,
                };
                // A cross join that happens to be small now makes everything after it larger.
                if is_joined || !self.parts[part].needs.is_empty() { all } else { all * 1e6 }
            };
            let ready = left.iter().enumerate().filter(|&(_, &part)| self.is_ready(&walk, part));
            let (at, _) = ready
                .map(|(at, &part)| (at, price(part)))
                .min_by(|a, b| a.1.total_cmp(&b.1))
                .expect("of the parts that are left one reads only what is there");
            self.go(&mut walk, left.remove(at));
        }
        walk
    }

    /// Moves the part whose move saves the most. False: there is none.
    fn improve(&self, best: &mut Walk) -> bool {
        let count = best.order.len();
        let mut limit = best.cost * (1.0 - SAVING_MIN);
        let mut better = None;
        // What stands before the first place that changes is walked once.
        let mut before: Option<Walk> = None;
        for first in 0..count {
            let begun = before.take();
            for last in first + 1..count {
                for forward in [true, false] {
                    if forward && last == first + 1 {
                        continue;
                    }
                    let mut rest: Vec<usize> = best.order[first..].iter().map(|(part, _)| *part).collect();
                    match forward {
                        true => rest[..=last - first].rotate_left(1),
                        false => rest[..=last - first].rotate_right(1),
                    }
                    if let Some(walk) = self.walked(begun.as_ref(), &rest, limit) {
                        limit = walk.cost;
                        better = Some(walk);
                    }
                }
            }
            let mut next = begun;
            let (part, _) = best.order[first];
            match &mut next {
                Some(walk) => self.go(walk, part),
                None => next = Some(self.begin(part)),
            }
            before = next;
        }
        let found = better.is_some();
        if let Some(walk) = better {
            *best = walk;
        }
        found
    }

    /// None: it costs more than `limit`, or a part comes before what it reads.
    fn walked(&self, begun: Option<&Walk>, rest: &[usize], limit: f64) -> Option<Walk> {
        let (mut walk, rest) = match begun {
            Some(walk) => (walk.clone(), rest),
            None if self.parts[rest[0]].needs.is_empty() => (self.begin(rest[0]), &rest[1..]),
            None => return None,
        };
        for &part in rest {
            if !self.is_ready(&walk, part) {
                return None;
            }
            self.go(&mut walk, part);
            if walk.cost >= limit {
                return None;
            }
        }
        Some(walk)
    }

    /// The cheapest tree of which both sides of each join are neighbours in the order.
    fn neighbours(&self, walk: &Walk) -> Option<Tree> {
        let parts: Vec<u64> = walk.order.iter().map(|(part, _)| 1 << part).collect();
        let mut best: HashMap<u64, Best> = HashMap::new();
        for (number, part) in self.parts.iter().enumerate() {
            best.insert(1 << number, Best { cost: part.cost, rows: part.rows, left: 0 });
        }
        let mut between = Vec::new();
        let set_of = |span: &[u64]| span.iter().fold(0, |set, part| set | part);
        for length in 2..=parts.len() {
            for span in parts.windows(length) {
                let mut rows = None;
                let mut own: Option<Best> = None;
                for split in 1..length {
                    let (one, other) = (set_of(&span[..split]), set_of(&span[split..]));
                    let (Some(&left), Some(&right)) = (best.get(&one), best.get(&other)) else { continue };
                    for (here, there) in [((one, left), (other, right)), ((other, right), (one, left))] {
                        let joined = self.join(here, there, &mut rows, &mut between);
                        own = [own, joined].into_iter().flatten().min_by(|a, b| a.cost.total_cmp(&b.cost));
                    }
                }
                own.map(|own| best.insert(set_of(span), own));
            }
        }
        let all = set_of(&parts);
        best.get(&all).filter(|tree| tree.cost <= walk.cost)?;
        Some(tree_of(&|set| best.get(&set).copied(), all))
    }
}

fn left_deep(walk: &Walk) -> Tree {
    let mut order = walk.order.iter();
    let first = Tree::Part(order.next().expect("a chain has parts").0);
    order.fold(first, |left, &(part, rows)| Tree::Join {
        left: Box::new(left),
        right: Box::new(Tree::Part(part)),
        rows,
    })
}
