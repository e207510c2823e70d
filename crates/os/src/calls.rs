//! System calls that schedulers make themselves, by what they are for: what a message, a switch or a wake-up costs in them.
//!
//! Counted where they are made, on the scheduler that makes them. Not counted: those of threads outside of the schedulers, of memory, of
//! the standard library's locks, and what is seldom, as opening a file or taking a connection.

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SystemCall {
    SocketRead,
    SocketWrite,
    /// What a scheduler's poller watches was changed: epoll_ctl.
    Watch,
    /// A look at the sockets that does not wait: epoll_wait.
    Look,
    /// One that waits, as long as there is nothing to do: epoll_pwait2.
    Sleep,
    /// A scheduler that sleeps was woken, and has taken that in: eventfd.
    WakeUp,
    /// A thread waited for its turn, or was given it: futex.
    Futex,
    /// A file was read, written, made longer or synchronized.
    File,
    /// The CPU was offered to other threads, by a scheduler that looks for work or a lock that spins: sched_yield.
    Yield,
}

impl SystemCall {
    pub const COUNT: usize = SystemCall::Yield as usize + 1;

    /// Whether only the baton's holder makes it for a scheduler: others wake it, wait for the baton, or read files for it.
    pub fn is_by_holder(self) -> bool {
        !matches!(self, SystemCall::WakeUp | SystemCall::Futex | SystemCall::File)
    }
}
