//! Where a node is, as errors of validation say it: `/*:Root[1]/*:a[2]/@*:k`.

use crate::document::{Document, Kind};

pub fn location(document: &Document, node: u32) -> String {
    let mut parts = Vec::new();
    let mut at = node;
    while let Some(parent) = document.parent(at) {
        let local = &document.name(at).local;
        match document.kind(at) {
            Kind::Attribute => parts.push(format!("/@*:{local}")),
            Kind::Element => {
                let alike = document.children(parent).take_while(|sibling| *sibling < at);
                let before = alike
                    .filter(|sibling| {
                        document.kind(*sibling) == Kind::Element && document.name(*sibling).local == *local
                    })
                    .count();
                parts.push(format!("/*:{local}[{}]", before + 1));
            }
            _ => {}
        }
        at = parent;
    }
    if parts.is_empty() {
        return "/".into();
    }
    parts.reverse();
    parts.concat()
}
