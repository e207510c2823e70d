//! What has a name and a place: variables, labels. Texts that programs write have tens of thousands of them.

use std::collections::BTreeMap;
use std::ops::{Deref, DerefMut};

/// Blanks behind a name do not count, unless there is nothing else.
fn significant(name: &str) -> &str {
    match name.trim_end_matches(' ') {
        "" => name,
        trimmed => trimmed,
    }
}

pub fn same_name(a: &str, b: &str) -> bool {
    let [a, b] = [a, b].map(significant);
    if a.is_ascii() && b.is_ascii() {
        return a.eq_ignore_ascii_case(b);
    }
    a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}

/// The same for all names that are the same: for sets of them.
pub fn folded(name: &str) -> String {
    let name = significant(name);
    if name.is_ascii() { name.to_ascii_lowercase() } else { name.chars().flat_map(char::to_lowercase).collect() }
}

/// So many are looked through one by one: quicker, and no memory.
const FEW: usize = 16;

pub trait HasName {
    fn name(&self) -> &str;
}

impl HasName for Box<str> {
    fn name(&self) -> &str {
        self
    }
}

/// Things in the order in which they came, found by name without regard to case. A thing's name stays what it was when it came.
#[derive(Debug)]
pub struct Named<T> {
    things: Vec<T>,
    /// Where a folded name is; empty while they are few.
    places: BTreeMap<Box<str>, u32>,
}

impl<T> Named<T> {
    pub const EMPTY: Named<T> = Named { things: Vec::new(), places: BTreeMap::new() };
}

impl<T> Default for Named<T> {
    fn default() -> Named<T> {
        Named::EMPTY
    }
}

impl<T: HasName> Named<T> {
    pub fn push(&mut self, thing: T) {
        self.things.push(thing);
        let new = match self.things.len() {
            ..=FEW => return,
            count if self.places.is_empty() => 0..count,
            count => count - 1..count,
        };
        for place in new {
            let name = folded(self.things[place].name()).into_boxed_str();
            self.places.entry(name).or_insert(place as u32);
        }
    }

    /// The first of that name.
    pub fn place(&self, name: &str) -> Option<usize> {
        match self.places.is_empty() {
            true => self.things.iter().position(|thing| same_name(thing.name(), name)),
            false => self.places.get(&*folded(name)).map(|place| *place as usize),
        }
    }

    pub fn has(&self, name: &str) -> bool {
        self.place(name).is_some()
    }
}

impl<T> Deref for Named<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.things
    }
}

impl<T> DerefMut for Named<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.things
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_many_are_found_alike() {
        let mut names = Named::<Box<str>>::default();
        for number in 0..100 {
            assert!(!names.has(&format!("@Ä{number}")));
            names.push(format!("@ä{number}").into());
            names.push(format!("@ä{}", number / 2).into());
            for known in 0..=number {
                let first = names.iter().position(|name| **name == *format!("@ä{known}"));
                assert_eq!(names.place(&format!("@Ä{known}")), first);
            }
        }
    }
}
