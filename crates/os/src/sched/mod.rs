//! Starting the machine and giving it work.

mod preemptive;
mod spawn;
mod machine;
mod change;

pub use crate::kernel::machine::{Pool, automatic_worker_threads};
pub use crate::kernel::monitor::{Nonyielding, Trouble, Watch};
pub use crate::kernel::scheduler::{Scheduling, TaskKind, WorkerKind};
pub use crate::kernel::stack::{STACK_BYTES, remaining as stack_remaining};
pub use crate::worker::SCHEDULERS_MAX;
pub use change::{ChangeError, IdleTimeout, numa_nodes, set_affinity, set_pool, set_workers_max, workers_max};
pub use machine::{Machine, MachineConfig, STARTS_WITH_MOST, start};
pub use preemptive::{
    Started, compute, nap, preemptive, preemptive_threads_max, set_computing_threads_max, set_preemptive_threads_max,
    start_long, start_preemptive,
};
pub use spawn::{
    JoinHandle, Panicked, Place, current_task, here, number_here, scheduler_count, set_request, set_session, spawn,
    stopping,
};
pub(crate) use spawn::{place_by, scheduler_at, spawn_in};
