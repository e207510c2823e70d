//! Alone in its process, since it takes all slots of the table of schedulers.
use os::sched::{MachineConfig, Place, SCHEDULERS_MAX, STARTS_WITH_MOST, TaskKind, start};

#[test]
fn a_computer_may_have_more_cpus_than_there_are_slots_for_schedulers() {
    let machine = start(MachineConfig { cpus: vec![0; SCHEDULERS_MAX + 44], admin: true, ..Default::default() });
    assert_eq!(machine.scheduler_count() as usize, STARTS_WITH_MOST);
    let last = machine.scheduler_count() - 1;
    let joined =
        machine.run(move || os::sched::spawn(TaskKind::Client, Place::On(last), os::sched::number_here).join());
    assert!(joined.is_ok_and(|number| number > 0));
    machine.stop();
}
