//! Makes a list small that fails: what can be left out is, many at once first, while it still fails.

/// Tries until it is given up.
const TRIES_MAX: usize = 600;

pub fn list<T: Clone>(mut list: Vec<T>, mut fails: impl FnMut(&[T]) -> bool) -> Vec<T> {
    let mut tries = 0;
    let mut part = list.len().div_ceil(2).max(1);
    loop {
        let mut at = 0;
        let mut smaller = false;
        while at < list.len() && tries < TRIES_MAX {
            let mut candidate = list.clone();
            candidate.drain(at..(at + part).min(list.len()));
            tries += 1;
            if fails(&candidate) {
                list = candidate;
                smaller = true;
            } else {
                at += part;
            }
        }
        if tries >= TRIES_MAX || part == 1 && !smaller {
            return list;
        }
        part = (part / 2).max(1);
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_it_fails_without_is_left_out() {
        let all: Vec<u32> = (0..50).collect();
        assert_eq!(super::list(all, |list| list.contains(&7) && list.contains(&41)), [7, 41]);
    }
}
