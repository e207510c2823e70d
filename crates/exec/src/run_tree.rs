//! Which of several sorted runs has the next row. Who merges them has the runs, and says which of two comes first.

/// The first bytes of a key, as a number that compares as they do: it decides most comparisons.
pub fn prefix(key: &[u8]) -> u64 {
    let mut word = [0; 8];
    let count = key.len().min(8);
    word[..count].copy_from_slice(&key[..count]);
    u64::from_be_bytes(word)
}

/// A run without rows.
const ENDED: u32 = u32::MAX;

/// Numbers of runs, as a tree of losers (Knuth, The Art of Computer Programming, volume 3, 5.4.1): each node has the run that lost there, and
/// what won all stands at the front. A step compares once at each level, half of what a heap does. `is_before`, of all calls: whether the next
/// row of the one run comes before that of the other; no two are equal.
pub struct RunTree {
    nodes: Vec<u32>,
}

impl RunTree {
    pub fn new(count: usize, is_before: impl Fn(u32, u32) -> bool) -> RunTree {
        let mut nodes = vec![ENDED; count];
        // Of each node who won there; behind the nodes, the runs.
        let mut winners = nodes.clone();
        winners.extend(0..count as u32);
        for at in (1..count).rev() {
            let (left, right) = (winners[2 * at], winners[2 * at + 1]);
            (winners[at], nodes[at]) = if is_before(left, right) { (left, right) } else { (right, left) };
        }
        if let Some(front) = nodes.first_mut() {
            *front = winners[1];
        }
        RunTree { nodes }
    }

    #[inline]
    pub fn first(&self) -> Option<u32> {
        self.nodes.first().copied().filter(|run| *run != ENDED)
    }

    /// The first run has gone to its next row, or has none any more.
    #[inline]
    pub fn stepped(&mut self, has_more: bool, is_before: impl Fn(u32, u32) -> bool) {
        let run = self.nodes[0];
        let mut best = if has_more { run } else { ENDED };
        let mut at = (run as usize + self.nodes.len()) / 2;
        while at > 0 {
            let other = self.nodes[at];
            if other != ENDED && (best == ENDED || is_before(other, best)) {
                self.nodes[at] = best;
                best = other;
            }
            at /= 2;
        }
        self.nodes[0] = best;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_come_in_order_however_many_there_are_and_however_long() {
        for count in 0..40_usize {
            let runs: Vec<Vec<u64>> = (0..count)
                .map(|run| (0..1 + run * 7 % 5).map(|row| ((row * 31 + run * 17) * count + run) as u64).collect())
                .collect();
            let mut all: Vec<u64> = runs.iter().flatten().copied().collect();
            let mut places = vec![0; count];
            let mut merged = Vec::new();
            let head = |places: &[usize], run: u32| runs[run as usize][places[run as usize]];
            let mut tree = RunTree::new(count, |a, b| head(&places, a) < head(&places, b));
            while let Some(run) = tree.first() {
                merged.push(head(&places, run));
                places[run as usize] += 1;
                let has_more = places[run as usize] < runs[run as usize].len();
                tree.stepped(has_more, |a, b| head(&places, a) < head(&places, b));
            }
            all.sort_unstable();
            assert_eq!(merged, all, "{count} runs");
        }
    }
}
