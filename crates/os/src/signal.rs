//! Signals: SIGTERM and SIGINT as an event, upon which the server stops in order (a second one ends the process at once), and SIGHUP as a
//! question that is asked now and then: what can change while it runs is to be read again. No other signal that people send ends it.
#![allow(unsafe_code)]

use crate::sync::Event;
use crate::sys;
use crate::wait::WaitType;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Once};

static WAKE: AtomicI32 = AtomicI32::new(-1);
static RELOAD: AtomicBool = AtomicBool::new(false);

/// From now on, and in what is forked later, SIGHUP is remembered, and what would end a server by accident is ignored: SIGUSR1 and
/// SIGUSR2; SIGPIPE and SIGXFSZ, for which the calls that cause them have errors.
pub fn prepare() {
    // SAFETY: installs a handler of the right signature that only does async-signal-safe things.
    unsafe {
        for signal in [libc::SIGPIPE, libc::SIGXFSZ, libc::SIGUSR1, libc::SIGUSR2] {
            libc::signal(signal, libc::SIG_IGN);
        }
        install(libc::SIGHUP, on_reload as *const (), 0);
    }
}

/// Whether SIGHUP, or `request_reload`, has come since this was asked last.
pub fn take_reload() -> bool {
    RELOAD.load(Ordering::Relaxed) && RELOAD.swap(false, Ordering::SeqCst)
}

/// As SIGHUP does.
pub fn request_reload() {
    RELOAD.store(true, Ordering::SeqCst);
}

/// Asks for the signals from now on. The event is set at the first.
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
        // SAFETY: handlers of the right signature that only do async-signal-safe things.
        unsafe {
            for signal in [libc::SIGTERM, libc::SIGINT] {
                install(signal, on_signal as *const (), libc::SA_RESETHAND);
            }
        }
        prepare();
    });
    event
}

/// # Safety
/// `handler` is an `extern "C" fn(c_int)` that only does what is async-signal-safe.
unsafe fn install(signal: libc::c_int, handler: *const (), flags: libc::c_int) {
    // SAFETY: sigaction is plain data, live for the call; of the handler the caller answers.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_RESTART | libc::SA_ONSTACK | flags;
        let failed = libc::sigaction(signal, &action, std::ptr::null_mut());
        assert!(failed == 0, "sigaction: errno {}", sys::errno());
    }
}

/// Asks this process to stop, as the first SIGTERM does. A simulated machine has no process.
pub fn request_stop() {
    let fd = WAKE.load(Ordering::SeqCst);
    if fd >= 0 && !crate::simcore::active() {
        sys::eventfd_signal(fd);
    }
}

/// As `request_stop`; of an engine that is a process its launcher is asked, which stops all.
pub fn request_stop_of_all() {
    if crate::engines::number() == 0 {
        return request_stop();
    }
    // SAFETY: no pointers are passed. The parent is the launcher: an engine dies with it.
    unsafe { libc::kill(libc::getppid(), libc::SIGTERM) };
}

extern "C" fn on_signal(_signal: libc::c_int) {
    sys::eventfd_signal(WAKE.load(Ordering::SeqCst));
}

extern "C" fn on_reload(_signal: libc::c_int) {
    request_reload();
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

    #[test]
    fn others_do_not_end_the_process() {
        super::prepare();
        for signal in [libc::SIGUSR1, libc::SIGUSR2, libc::SIGXFSZ, libc::SIGPIPE, libc::SIGHUP] {
            // SAFETY: signals this thread, which handles or ignores it before the call returns.
            assert_eq!(unsafe { libc::pthread_kill(libc::pthread_self(), signal) }, 0);
        }
        assert!(super::take_reload());
        assert!(!super::take_reload());
    }
}
