//! What the operators of a statement do while it runs, for SET STATISTICS XML: rows, executions, time, and what each of them spilled.
//!
//! Only where somebody asked: then the statement is compiled with a watch around each operator (`operators::watched`). One worker runs
//! them all, each within the one above it, so what is written to work files between two calls is that of the innermost operator that runs.

use sql::plan::show_xml::Actual;

/// Of what did not fit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spilled {
    /// Written to work files.
    pub bytes: u64,
    /// Read from them.
    pub read: u64,
    pub sort_runs: u64,
    pub hash_partitions: u64,
    /// How many times what was spilled spilled again.
    pub depth: u64,
}

/// Of one run.
#[derive(Default)]
pub struct Profile {
    nodes: Vec<Actual>,
    /// Operators that run, innermost last, and when each was called.
    running: Vec<(u32, u64)>,
    /// As it was when one of them was called or returned.
    seen: Spilled,
}

impl Profile {
    pub fn new(nodes: usize) -> Profile {
        Profile { nodes: vec![Actual::default(); nodes], ..Profile::default() }
    }

    pub fn into_nodes(self) -> Vec<Actual> {
        self.nodes
    }

    fn settle(&mut self, now: Spilled) {
        if let Some((node, _)) = self.running.last() {
            let node = &mut self.nodes[*node as usize];
            node.written_bytes += now.bytes.saturating_sub(self.seen.bytes);
            node.read_bytes += now.read.saturating_sub(self.seen.read);
            node.sort_runs += now.sort_runs.saturating_sub(self.seen.sort_runs);
            if now.hash_partitions > self.seen.hash_partitions {
                node.hash_level = node.hash_level.max(now.depth);
            }
        }
        self.seen = now;
    }

    pub fn enter(&mut self, node: u32, now: Spilled) {
        self.settle(now);
        self.running.push((node, os::clock::now()));
    }

    pub fn leave(&mut self, now: Spilled, did: impl FnOnce(&mut Actual)) {
        self.settle(now);
        let (node, since) = self.running.pop().expect("who leaves has entered");
        let node = &mut self.nodes[node as usize];
        node.elapsed_ns += os::clock::now().saturating_sub(since);
        did(node);
    }
}
