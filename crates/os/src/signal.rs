//! SIGTERM and SIGINT as an event: the server stops in order. A second one ends the process at once.
#![allow(unsafe_code)]

use crate::sync::Event;
use crate::sys;
use crate::wait::WaitType;
use std::sync::atomic::{AtomicI32, Ordering};
use std::sync::{Arc, Once};

static WAKE: AtomicI32 = AtomicI32::new(-1);

/// Asks for the signals from now on. The event is set at the first; also SIGPIPE is ignored from now on.
pub fn stop_requests() -> Arc<Event> {
    static EVENT: std::sync::OnceLock<Arc<Event>> = std::sync::OnceLock::new();
    let event = EVENT.get_or_init(|| Arc::new(Event::manual_reset(WaitType::SOS_EVENT))).clone();
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let fd = sys::eventfd();
        WAKE.store(fd, Ordering::SeqCst);
        let told = event.clone();
        // A handler may do next to nothing: it writes to an eventfd that this thread waits for.
        let spawned = std::thread::Builder::new().name("signals".into()).stack_size(64 * 1024).spawn(move || {
            let mut wanted = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
            // SAFETY: one live pollfd.
            while unsafe { libc::poll(&mut wanted, 1, -1) } <= 0 {}
            told.set();
        });
        assert!(spawned.is_ok(), "no thread for signals");
        // SAFETY: installs handlers of the right signature that only do async-signal-safe things.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_signal as *const () as usize;
            action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK | libc::SA_RESETHAND;
            for signal in [libc::SIGTERM, libc::SIGINT] {
                let failed = libc::sigaction(signal, &action, std::ptr::null_mut());
                assert!(failed == 0, "sigaction: errno {}", sys::errno());
            }
            libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        }
    });
    event
}

/// Asks this process to stop, as the first SIGTERM does. A simulated machine has no process.
pub fn request_stop() {
    let fd = WAKE.load(Ordering::SeqCst);
    if fd >= 0 && !crate::simcore::active() {
        sys::eventfd_signal(fd);
    }
}

extern "C" fn on_signal(_signal: libc::c_int) {
    sys::eventfd_signal(WAKE.load(Ordering::SeqCst));
}

#[cfg(test)]
mod tests {
    #[test]
    fn sigterm_sets_the_event() {
        let event = super::stop_requests();
        assert!(!event.is_set());
        // SAFETY: signals this process, which handles it.
        unsafe { libc::kill(libc::getpid(), libc::SIGTERM) };
        assert!(event.wait(Some(crate::clock::after_ms(10_000))));
    }
}
