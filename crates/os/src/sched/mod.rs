//! Starting the machine and giving it work.

mod machine;
mod preemptive;
mod spawn;

pub use crate::kernel::scheduler::{Scheduling, TaskKind, WorkerKind};
pub use crate::kernel::stack::{STACK_BYTES, remaining as stack_remaining};
pub use machine::{Machine, MachineConfig, automatic_worker_threads, start};
pub use preemptive::{preemptive, set_preemptive_threads_max};
pub use spawn::{
    JoinHandle, Panicked, Place, current_task, here, scheduler_count, set_request, set_session, spawn, stopping,
};
pub(crate) use spawn::{scheduler_at, spawn_in};
