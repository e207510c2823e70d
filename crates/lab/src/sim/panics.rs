//! Panics inside simulations: what they said, for the verdict, instead of on the terminal.

use std::cell::RefCell;
use std::sync::Once;

thread_local! {
    static SAID: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// From now on panics of simulated tasks are kept for [`take`]. Others are told as before.
pub fn keep() {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if os::sim::active() {
                let place = info.location().map(|at| format!("{}:{}", at.file(), at.line())).unwrap_or_default();
                let text = info.payload_as_str().unwrap_or("a panic without text");
                SAID.with_borrow_mut(|said| said.push(format!("{text} ({place})")));
                // Who reads the server's log wants its panics in it.
                if os::env::var_outside("HEDDLE_LOG").is_some() {
                    before(info);
                }
            } else {
                before(info);
            }
        }));
    });
}

/// What was said since the last call.
pub fn take() -> Vec<String> {
    SAID.take()
}
