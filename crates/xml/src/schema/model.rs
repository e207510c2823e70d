//! Content models: which elements may stand in an element, and in which order.
//!
//! A model is a graph. A leaf takes elements of one particle, as many as the particle says, and counts them; what repeats a group is
//! written out. SQL Server asks for models in which the next element says which particle takes it (unique particle attribution),
//! so being somewhere is one leaf and one count, and a step is a search of what can be reached without an element.

use types::SqlResult;

use super::component::{ElementDecl, QName, Wildcard};
use crate::meter::Meter;

/// No limit, as `maxOccurs="unbounded"`.
pub const UNBOUNDED: u32 = u32::MAX;
/// Nodes of one model, with repetitions written out.
const NODES_MAX: usize = 20_000;
/// Particles of one model, each time that they are written out.
const VISITED_MAX: usize = 100_000;
/// Leaves of a model that are compared with each other.
const LEAVES_COMPARED_MAX: usize = 2_000;

/// A part of a content model, as it is written.
#[derive(Debug, Clone)]
pub struct Particle {
    pub min: u32,
    pub max: u32,
    pub term: Term,
}

#[derive(Debug, Clone)]
pub enum Term {
    /// Of `Schema::elements`.
    Element(u32),
    Any(Wildcard),
    Sequence(Vec<std::sync::Arc<Particle>>),
    Choice(Vec<std::sync::Arc<Particle>>),
    All(Vec<std::sync::Arc<Particle>>),
}

#[derive(Debug)]
pub struct Model {
    nodes: Vec<Node>,
    start: u32,
    leaves: Vec<Leaf>,
    /// An `all` group: each of its leaves once, in any order. Its nodes are not used.
    all: Option<AllGroup>,
    /// As it is written.
    pub particle: std::sync::Arc<Particle>,
    /// Particles that were gone through, those of groups each time.
    visited: usize,
}

#[derive(Debug)]
struct AllGroup {
    /// The group itself may be left out.
    optional: bool,
}

#[derive(Debug)]
struct Leaf {
    what: Taken,
    min: u32,
    max: u32,
    /// Leaves that are written out from one particle have one number.
    particle: usize,
}

/// What a leaf takes.
#[derive(Debug, Clone)]
pub enum Taken {
    Element(u32),
    Any(Wildcard),
}

#[derive(Debug, Clone)]
enum Node {
    /// Ways on without an element, the preferred one first.
    Ways(Vec<u32>),
    Leaf {
        leaf: u32,
        next: u32,
    },
    End,
}

/// Where in a model the children so far have led.
#[derive(Debug, Clone)]
pub enum Position {
    /// At the model's start, or at a leaf that has taken so many.
    At(Option<(u32, u32)>),
    /// Which members of an `all` group were there.
    All(Vec<bool>),
}

/// What came of a child.
pub enum Step {
    Taken(Taken),
    /// A member of an `all` group that was there already.
    Again,
    Refused,
}

/// Why a particle makes no model.
#[derive(Debug, PartialEq, Eq)]
pub enum Fault {
    TooLarge,
    Ambiguous,
}

impl Model {
    pub fn new(
        particle: std::sync::Arc<Particle>,
        elements: &[ElementDecl],
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<Result<Model, Fault>> {
        let mut model = Model {
            nodes: vec![Node::End],
            start: 0,
            leaves: Vec::new(),
            all: None,
            particle: particle.clone(),
            visited: 0,
        };
        if let Term::All(members) = &particle.term {
            model.all = Some(AllGroup { optional: particle.min == 0 });
            for (number, member) in members.iter().enumerate() {
                let Term::Element(element) = member.term else { continue };
                let what = Taken::Element(element);
                model.leaves.push(Leaf { what, min: member.min, max: 1, particle: number });
            }
            return Ok(model.unique(elements, meter)?.map(|()| model));
        }
        match model.build(&particle, 0) {
            Some(start) => model.start = start,
            None => return Ok(Err(Fault::TooLarge)),
        }
        Ok(model.unique(elements, meter)?.map(|()| model))
    }

    fn push(&mut self, node: Node) -> Option<u32> {
        self.nodes.push(node);
        (self.nodes.len() <= NODES_MAX).then(|| self.nodes.len() as u32 - 1)
    }

    /// Where the particle begins that goes on at `next`. None: too many nodes.
    fn build(&mut self, particle: &std::sync::Arc<Particle>, next: u32) -> Option<u32> {
        self.visited += 1;
        if self.visited > VISITED_MAX {
            return None;
        }
        if particle.max == 0 {
            return Some(next);
        }
        let what = match &particle.term {
            Term::Element(element) => Some(Taken::Element(*element)),
            Term::Any(wildcard) => Some(Taken::Any(wildcard.clone())),
            _ => None,
        };
        if let Some(what) = what {
            let leaf = self.leaves.len() as u32;
            let number = std::sync::Arc::as_ptr(particle) as usize;
            self.leaves.push(Leaf { what, min: particle.min.max(1), max: particle.max, particle: number });
            let node = self.push(Node::Leaf { leaf, next })?;
            return if particle.min == 0 { self.push(Node::Ways(vec![node, next])) } else { Some(node) };
        }
        let mut entry = next;
        if particle.max == UNBOUNDED {
            let again = self.push(Node::Ways(Vec::new()))?;
            let body = self.once(&particle.term, again)?;
            self.nodes[again as usize] = Node::Ways(vec![body, next]);
            entry = again;
        } else {
            for _ in particle.min..particle.max {
                let body = self.once(&particle.term, entry)?;
                if body == entry {
                    break;
                }
                entry = self.push(Node::Ways(vec![body, next]))?;
            }
        }
        for _ in 0..particle.min {
            let body = self.once(&particle.term, entry)?;
            if body == entry {
                break;
            }
            entry = body;
        }
        Some(entry)
    }

    fn once(&mut self, term: &Term, next: u32) -> Option<u32> {
        match term {
            Term::Sequence(list) => list.iter().rev().try_fold(next, |next, part| self.build(part, next)),
            Term::Choice(list) if list.is_empty() => Some(next),
            Term::Choice(list) => {
                let mut ways = Vec::with_capacity(list.len());
                for part in list {
                    ways.push(self.build(part, next)?);
                }
                if ways.len() == 1 { Some(ways[0]) } else { self.push(Node::Ways(ways)) }
            }
            _ => Some(next),
        }
    }

    /// The leaves that can be reached from `from` without an element, and whether the end can.
    fn reachable(&self, from: &[u32], meter: &mut Meter<'_, '_>) -> SqlResult<(Vec<u32>, bool)> {
        let mut seen = std::collections::HashSet::new();
        let (mut found, mut end) = (Vec::new(), false);
        let mut pending: Vec<u32> = from.iter().rev().copied().collect();
        while let Some(at) = pending.pop() {
            if !seen.insert(at) {
                continue;
            }
            meter.spend(16)?;
            match &self.nodes[at as usize] {
                Node::Ways(ways) => pending.extend(ways.iter().rev()),
                Node::Leaf { .. } => found.push(at),
                Node::End => end = true,
            }
        }
        Ok((found, end))
    }

    fn leaf_at(&self, node: u32) -> (&Leaf, u32) {
        match &self.nodes[node as usize] {
            Node::Leaf { leaf, next } => (&self.leaves[*leaf as usize], *next),
            _ => unreachable!("it is a leaf's node"),
        }
    }

    /// Two leaves that are next to each other take no element both.
    fn unique(&self, elements: &[ElementDecl], meter: &mut Meter<'_, '_>) -> SqlResult<Result<(), Fault>> {
        if self.all.is_some() {
            let list: Vec<&Leaf> = self.leaves.iter().collect();
            return Ok(if is_unique(&list, elements, meter)? { Ok(()) } else { Err(Fault::Ambiguous) });
        }
        if self.leaves.len() > LEAVES_COMPARED_MAX {
            return Ok(Err(Fault::TooLarge));
        }
        let mut starts: Vec<Vec<u32>> = vec![vec![self.start]];
        for node in 0..self.nodes.len() as u32 {
            if let Node::Leaf { leaf, next } = self.nodes[node as usize] {
                // One that may be left and may go on: its own element is among those that may come.
                let leaf = &self.leaves[leaf as usize];
                starts.push(if leaf.min != leaf.max { vec![node, next] } else { vec![next] });
            }
        }
        for start in starts {
            let (found, _) = self.reachable(&start, meter)?;
            let list: Vec<&Leaf> = found.iter().map(|node| self.leaf_at(*node).0).collect();
            if !is_unique(&list, elements, meter)? {
                return Ok(Err(Fault::Ambiguous));
            }
        }
        Ok(Ok(()))
    }

    pub fn begin(&self) -> Position {
        if self.all.is_some() { Position::All(vec![false; self.leaves.len()]) } else { Position::At(None) }
    }

    /// Where the position may go on, nodes in the order of preference.
    fn ways(&self, at: Option<(u32, u32)>) -> (Option<u32>, Option<u32>) {
        match at {
            None => (None, Some(self.start)),
            Some((node, count)) => {
                let (leaf, next) = self.leaf_at(node);
                let again = leaf.max == UNBOUNDED || count < leaf.max;
                (again.then_some(node), (count >= leaf.min).then_some(next))
            }
        }
    }

    /// An element of this name comes next. It has no position if it was refused.
    pub fn step(
        &self,
        position: &mut Position,
        name: &QName,
        elements: &[ElementDecl],
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<Step> {
        match position {
            Position::All(seen) => {
                meter.spend(8 * self.leaves.len())?;
                for (at, leaf) in self.leaves.iter().enumerate() {
                    if let Some(taken) = takes(&leaf.what, name, elements) {
                        return Ok(if std::mem::replace(&mut seen[at], true) {
                            Step::Again
                        } else {
                            Step::Taken(taken)
                        });
                    }
                }
                Ok(Step::Refused)
            }
            Position::At(at) => {
                let (again, next) = self.ways(*at);
                if let Some(node) = again
                    && let Some(taken) = takes(&self.leaf_at(node).0.what, name, elements)
                {
                    let count = at.map_or(0, |(_, count)| count);
                    *at = Some((node, count.saturating_add(1)));
                    return Ok(Step::Taken(taken));
                }
                let Some(next) = next else { return Ok(Step::Refused) };
                let (found, _) = self.reachable(&[next], meter)?;
                for node in found {
                    meter.spend(16)?;
                    if let Some(taken) = takes(&self.leaf_at(node).0.what, name, elements) {
                        *at = Some((node, 1));
                        return Ok(Step::Taken(taken));
                    }
                }
                Ok(Step::Refused)
            }
        }
    }

    /// Whether nothing more has to come.
    pub fn may_end(&self, position: &Position, meter: &mut Meter<'_, '_>) -> SqlResult<bool> {
        match position {
            Position::All(seen) => {
                let none = seen.iter().all(|seen| !seen);
                let optional = self.all.as_ref().is_some_and(|all| all.optional);
                let complete = self.leaves.iter().zip(seen).all(|(leaf, seen)| *seen || leaf.min == 0);
                Ok(complete || none && optional)
            }
            Position::At(at) => match self.ways(*at).1 {
                Some(next) => Ok(self.reachable(&[next], meter)?.1),
                None => Ok(false),
            },
        }
    }

    /// What may come next, for messages.
    pub fn expected(&self, position: &Position, meter: &mut Meter<'_, '_>) -> SqlResult<Vec<Taken>> {
        match position {
            Position::All(seen) => {
                let open = self.leaves.iter().zip(seen).filter(|(_, seen)| !**seen);
                Ok(open.map(|(leaf, _)| leaf.what.clone()).collect())
            }
            Position::At(at) => {
                let (again, next) = self.ways(*at);
                let starts: Vec<u32> = again.into_iter().chain(next).collect();
                let (found, _) = self.reachable(&starts, meter)?;
                Ok(found.iter().map(|node| self.leaf_at(*node).0.what.clone()).collect())
            }
        }
    }

    /// Whether an element without children fits.
    pub fn is_emptiable(&self, meter: &mut Meter<'_, '_>) -> SqlResult<bool> {
        self.may_end(&self.begin(), meter)
    }

    /// The elements that are declared in it, each once.
    pub fn elements(&self) -> Vec<u32> {
        let mut seen = std::collections::HashSet::new();
        let each = self.leaves.iter().filter_map(|leaf| match leaf.what {
            Taken::Element(element) => Some(element),
            Taken::Any(_) => None,
        });
        each.filter(|element| seen.insert(*element)).collect()
    }

    /// Bytes it holds, roughly.
    pub fn size(&self) -> usize {
        self.nodes.len() * 48 + self.leaves.len() * 64
    }

    pub fn wildcards(&self) -> impl Iterator<Item = &Wildcard> {
        self.leaves.iter().filter_map(|leaf| match &leaf.what {
            Taken::Any(wildcard) => Some(wildcard),
            Taken::Element(_) => None,
        })
    }
}

/// What takes an element of this name; of a head of a substitution group the element that stands for it.
fn takes(what: &Taken, name: &QName, elements: &[ElementDecl]) -> Option<Taken> {
    match what {
        Taken::Any(wildcard) => wildcard.admits(&name.uri).then(|| what.clone()),
        Taken::Element(element) => {
            let declared = &elements[*element as usize];
            if declared.name == *name {
                return Some(what.clone());
            }
            let other = declared.substitutes.iter().find(|other| elements[**other as usize].name == *name)?;
            Some(Taken::Element(*other))
        }
    }
}

fn is_unique(list: &[&Leaf], elements: &[ElementDecl], meter: &mut Meter<'_, '_>) -> SqlResult<bool> {
    let mut names = std::collections::HashMap::new();
    let mut wildcards: Vec<&Leaf> = Vec::new();
    for leaf in list {
        meter.spend(32)?;
        match &leaf.what {
            Taken::Element(element) => {
                let declared = &elements[*element as usize];
                let own = std::iter::once(&declared.name);
                let others = declared.substitutes.iter().map(|other| &elements[*other as usize].name);
                for name in own.chain(others) {
                    if names.insert(name, leaf.particle).is_some_and(|other| other != leaf.particle) {
                        return Ok(false);
                    }
                }
            }
            Taken::Any(_) => wildcards.push(leaf),
        }
    }
    for (at, leaf) in wildcards.iter().enumerate() {
        let Taken::Any(wildcard) = &leaf.what else { continue };
        meter.spend(16 * (names.len() + wildcards.len()))?;
        if names.keys().any(|name| wildcard.admits(&name.uri)) {
            return Ok(false);
        }
        for other in &wildcards[..at] {
            let Taken::Any(other_wildcard) = &other.what else { continue };
            if other.particle != leaf.particle && overlap(wildcard, other_wildcard) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

fn overlap(a: &Wildcard, b: &Wildcard) -> bool {
    use super::component::Namespaces::*;
    match (&a.namespaces, &b.namespaces) {
        (List(list), _) => list.iter().any(|uri| b.admits(uri)),
        (_, List(list)) => list.iter().any(|uri| a.admits(uri)),
        _ => true,
    }
}

/// How often a child of this name can be there: at least, at most.
pub fn occurrences(particle: &Particle, is: &mut dyn FnMut(&Term) -> bool) -> (u32, u32) {
    if particle.max == 0 {
        return (0, 0);
    }
    let each = match &particle.term {
        Term::Element(_) | Term::Any(_) => {
            let here = u32::from(is(&particle.term));
            (here, here)
        }
        Term::Sequence(list) | Term::All(list) => list.iter().fold((0_u32, 0_u32), |(min, max), part| {
            let (least, most) = occurrences(part, is);
            (min.saturating_add(least), max.saturating_add(most))
        }),
        Term::Choice(list) => {
            let mut all = None;
            for part in list {
                let (least, most) = occurrences(part, is);
                all = Some(match all {
                    None => (least, most),
                    Some((min, max)) => (least.min(min), most.max(max)),
                });
            }
            all.unwrap_or((0, 0))
        }
    };
    (each.0.saturating_mul(particle.min), each.1.saturating_mul(particle.max))
}
