//! Content models as they are written.

use std::sync::Arc;

use types::{SqlResult, sql_error};

use super::compile::{Compiler, Space};
use super::component::{QName, TypeId};
use super::grammar::is_number;
use super::model::{Particle, Term, UNBOUNDED};
use crate::meter::Meter;

impl Compiler<'_> {
    /// Notes the content of a complex type: what is in `node`, behind what its base has. 2369, 6958.
    pub(super) fn content(
        &mut self,
        id: TypeId,
        node: u32,
        source: usize,
        before: Option<Arc<Particle>>,
        meter: &mut Meter<'_, '_>,
    ) -> SqlResult<()> {
        let is_group =
            |compiler: &Self, child: u32| matches!(compiler.local(child), "group" | "all" | "choice" | "sequence");
        let groups: Vec<u32> = self.children(node).into_iter().filter(|child| is_group(self, *child)).collect();
        if groups.len() > 1 {
            return Err(sql_error!(2369, "", self.location(node)));
        }
        let own = match groups.first() {
            Some(&group) => Some(self.particle(group, source, meter)?),
            None => None,
        };
        let is_all = |particle: &Particle| matches!(particle.term, Term::All(_));
        let particle = match (before, own) {
            (Some(before), Some(own)) => {
                if is_all(&before) || is_all(&own) {
                    return Err(sql_error!(6958, self.shown_type(node)));
                }
                Arc::new(Particle { min: 1, max: 1, term: Term::Sequence(vec![before, own]) })
            }
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => return Ok(()),
        };
        self.particles.insert(id, particle);
        Ok(())
    }

    /// 2309, 2382, 2383.
    fn occurrence(&self, node: u32) -> SqlResult<(u32, u32)> {
        let number = |name: &'static str| -> SqlResult<Option<u32>> {
            let Some(text) = self.attribute(node, name) else { return Ok(None) };
            match text.parse::<i32>() {
                Ok(number) if number >= 0 => Ok(Some(number as u32)),
                Err(_) if !is_number(text) => Err(sql_error!(2309, "", name)),
                _ => Err(sql_error!(2383, "", text, name, i32::MAX)),
            }
        };
        let min = number("minOccurs")?;
        let max = match self.attribute(node, "maxOccurs") {
            Some("unbounded") => Some(UNBOUNDED),
            _ => number("maxOccurs")?,
        };
        let (min, max) = (min.unwrap_or(1), max.unwrap_or(1));
        if min > max {
            return Err(sql_error!(2382, "", self.location(node)));
        }
        Ok((min, max))
    }

    /// 2293, 6958, 2362.
    fn particle(&mut self, node: u32, source: usize, meter: &mut Meter<'_, '_>) -> SqlResult<Arc<Particle>> {
        meter.deeper()?;
        self.enter()?;
        self.count(meter)?;
        let (min, max) = self.occurrence(node)?;
        let term = match self.local(node) {
            "element" => Term::Element(self.local_element(node, source, meter)?),
            "any" => Term::Any(self.wildcard(node, source)?),
            "group" => {
                let written = self.required(node, "ref")?;
                let name = self.resolve(node, written)?;
                let group = self.group(&name, meter)?;
                self.leave();
                if (min, max) == (1, 1) {
                    return Ok(group);
                }
                if matches!(group.term, Term::All(_)) && max != 1 {
                    return Err(sql_error!(6958, self.shown_type(node)));
                }
                return Ok(Arc::new(match &group.term {
                    Term::All(members) => Particle { min, max, term: Term::All(members.clone()) },
                    _ => Particle { min, max, term: Term::Sequence(vec![group]) },
                }));
            }
            kind => {
                let mut parts = Vec::new();
                for child in self.children(node) {
                    let part = self.particle(child, source, meter)?;
                    let bad = matches!(part.term, Term::All(_)) || kind == "all" && part.max > 1;
                    if bad {
                        return Err(sql_error!(6958, self.shown_type(node)));
                    }
                    parts.push(part);
                }
                match kind {
                    "choice" if parts.is_empty() && min > 0 => {
                        return Err(sql_error!(2293, "", self.location(node)));
                    }
                    "choice" => Term::Choice(parts),
                    "all" if min > 1 || max != 1 => return Err(sql_error!(6958, self.shown_type(node))),
                    "all" => Term::All(parts),
                    _ => Term::Sequence(parts),
                }
            }
        };
        self.leave();
        Ok(Arc::new(Particle { min, max, term }))
    }

    /// A named group. 2307, 2308, 6954, 2327.
    pub(super) fn group(&mut self, name: &QName, meter: &mut Meter<'_, '_>) -> SqlResult<Arc<Particle>> {
        match self.groups.get(name) {
            Some(Some(known)) => return Ok(known.clone()),
            Some(None) => return Err(sql_error!(6954, name.local)),
            None => {}
        }
        let Some(&(node, source)) = self.names.get(&(Space::Group, name.clone())) else {
            return Err(Self::undefined(name));
        };
        self.groups.insert(name.clone(), None);
        let children = self.children(node);
        let group = match children.as_slice() {
            [] => return Err(sql_error!(2327, "", "group")),
            [one] => self.particle(*one, source, meter)?,
            _ => return Err(sql_error!(6959)),
        };
        self.groups.insert(name.clone(), Some(group.clone()));
        Ok(group)
    }
}
