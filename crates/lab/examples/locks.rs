//! RwLock in its three forms beside parking_lot's and std's, by number of workers and share of reads, on fibers and on
//! thread workers: a table on stdout and a chart, in about a minute. And what a lock costs in cache lines, since two CPUs
//! cannot show what sixty-four do.
//!
//! Workers do nothing but take the lock, so with writers among them somebody soon waits, and from then on somebody always
//! does: in ours whoever waits is handed the lock in turn and nobody passes, so each operation costs a switch of workers,
//! where parking_lot and std let the running thread take the lock again and again, and others wait for milliseconds.
//!
//! `cargo run --profile bench-dev -p lab --example locks -- [chart.svg]`; without a name the chart is `target/locks.svg`.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use lab::experiment::bench::{Guarded, Lock, LockLoad, measure};
use os::sched::{MachineConfig, WorkerKind, start};
use os::sync::{RwLock, RwLockForm, set_rwlock_form};
use os::wait::WaitType;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const WORKERS: [u32; 7] = [1, 2, 4, 8, 16, 32, 64];
const READS: [u64; 4] = [100, 99, 90, 50];
const LOCKS: [&str; 5] = ["classic", "atomic", "biased", "parking_lot", "std"];
/// One measurement, and how often each is repeated, the locks taking turns: the best counts, as others use the machine too.
const MEASURE_MS: u64 = 60;
const ROUNDS: usize = 2;
/// A lock of another library: the trait is ours and their types are not.
struct Other<L>(L);

impl Lock for Other<parking_lot::RwLock<Guarded>> {
    fn read(&self) -> u64 {
        self.0.read().iter().sum()
    }
    fn write(&self) {
        self.0.write().iter_mut().for_each(|word| *word += 1);
    }
}

impl Lock for Other<std::sync::RwLock<Guarded>> {
    fn read(&self) -> u64 {
        self.0.read().expect("no panic").iter().sum()
    }
    fn write(&self) {
        self.0.write().expect("no panic").iter_mut().for_each(|word| *word += 1);
    }
}

/// Millions of operations a second, by lock.
type Row = [f64; LOCKS.len()];

struct Panel {
    title: String,
    /// By number of workers.
    rows: Vec<Row>,
}

fn main() {
    let chart = std::env::args().nth(1).unwrap_or_else(|| "target/locks.svg".into());
    let cpus = os::limits::usable_cpus();
    println!("Million operations a second, {} CPUs, one scheduler each; beside it the ratio to classic.", cpus.len());
    let mut panels = Vec::new();
    for workers in [WorkerKind::Fiber, WorkerKind::Thread] {
        // A short quantum, so that all of 64 workers get their turns within a measurement.
        let machine = start(MachineConfig { workers, quantum_us: 500, ..MachineConfig::default() });
        for reads in READS {
            let rows = machine.run(move || WORKERS.iter().map(|workers| row(*workers, reads)).collect());
            let kind = if workers == WorkerKind::Fiber { "fibers" } else { "thread workers" };
            let panel = Panel { title: format!("{kind}, {reads} % reads"), rows };
            print_panel(&panel);
            panels.push(panel);
        }
    }
    cache_lines(&cpus);
    if let Some(directory) = std::path::Path::new(&chart).parent() {
        std::fs::create_dir_all(directory).expect("a directory for the chart");
    }
    std::fs::write(&chart, draw(&panels)).expect("the chart can be written");
    println!("\nchart: {chart}");
}

fn row(workers: u32, reads_percent: u64) -> Row {
    let load = LockLoad { workers, reads_percent, warmup_ms: 0, duration_ms: MEASURE_MS };
    let mut best = Row::default();
    for _ in 0..ROUNDS {
        for (index, best) in best.iter_mut().enumerate() {
            let counted = measure(make(index), &load);
            *best = best.max((counted.reads + counted.writes) as f64 / counted.seconds / 1e6);
        }
    }
    best
}

/// The `index`th of `LOCKS`. No lock of ours is held between two measurements, so the form may change there.
fn make(index: usize) -> Arc<dyn Lock> {
    let ours = |form| -> Arc<dyn Lock> {
        set_rwlock_form(form);
        Arc::new(RwLock::new(WaitType::SOS_RW, Guarded::default()))
    };
    match index {
        0 => ours(RwLockForm::Classic),
        1 => ours(RwLockForm::Atomic),
        2 => ours(RwLockForm::Biased),
        3 => Arc::new(Other(parking_lot::RwLock::new(Guarded::default()))),
        _ => Arc::new(Other(std::sync::RwLock::new(Guarded::default()))),
    }
}

fn print_panel(panel: &Panel) {
    println!("\n{}", panel.title);
    print!("{:>8}", "workers");
    LOCKS.iter().for_each(|name| print!("{name:>18}"));
    for (workers, row) in WORKERS.iter().zip(&panel.rows) {
        print!("\n{workers:>8}");
        row.iter().for_each(|rate| print!("{:>18}", format!("{rate:.1} {:>5.2}x", rate / row[0])));
    }
    println!();
}

/// Where the forms part ways with more CPUs. A line that several CPUs write goes from one to the next, one write at a time:
/// reads then come no faster than one in `writes of the lock's line x time of a contended write`, however many CPUs there
/// are; what each CPU writes for itself adds up. The first column is to be compared with the table above; beyond it this is
/// an estimate, kind to the first two forms: between more CPUs, and between sockets, a line takes longer.
fn cache_lines(cpus: &[u32]) {
    let (alone, contended) = (line_ns(&cpus[..1]), line_ns(&cpus[..cpus.len().min(2)]));
    println!("\nAtomic writes of a read, in and out, and the million reads a second they allow");
    println!("(a write of a line of this CPU: {alone:.1} ns; of one that another CPU writes too: {contended:.1} ns)");
    println!(
        "{:>8}{:>18}{:>18}{:>10}{:>10}{:>10}",
        "", "to the lock", "to its own row", "2 CPUs", "16 CPUs", "64 CPUs"
    );
    // Classic takes the list lock, counts and frees it on the way in, and once more, in three steps, on the way out.
    for (form, shared, own) in [("classic", 5.0, 0.0), ("atomic", 2.0, 0.0), ("biased", 0.0, 2.0)] {
        let ceiling = if shared > 0.0 { 1e3 / (shared * contended) } else { f64::MAX };
        let at = |cpus: f64| (cpus * 1e3 / ((shared + own) * alone)).min(ceiling);
        println!("{form:>8}{shared:>18}{own:>18}{:>10.0}{:>10.0}{:>10.0}", at(2.0), at(16.0), at(64.0));
    }
    println!("A biased lock's writer reads one line for each scheduler, then leaves bias off for nine times as long.");
}

/// How long one atomic add takes when the given CPUs all add to one word.
fn line_ns(cpus: &[u32]) -> f64 {
    const ADDS: u64 = 2_000_000;
    let word = AtomicU64::new(0);
    let ready = AtomicU64::new(0);
    let started = std::sync::OnceLock::new();
    std::thread::scope(|scope| {
        for _ in cpus {
            scope.spawn(|| {
                ready.fetch_add(1, Ordering::SeqCst);
                while ready.load(Ordering::SeqCst) < cpus.len() as u64 {
                    std::hint::spin_loop();
                }
                started.get_or_init(os::clock::now);
                while word.fetch_add(1, Ordering::Relaxed) < ADDS {}
            });
        }
    });
    (os::clock::now() - started.get().expect("started")) as f64 / ADDS as f64
}

/// A panel for each kind of worker and share of reads: workers to the right, operations upwards, a line for each lock.
fn draw(panels: &[Panel]) -> String {
    const COLORS: [&str; LOCKS.len()] = ["#c0392b", "#2471a3", "#1e8449", "#7d3c98", "#7f8c8d"];
    const WIDTH: f64 = 190.0;
    const HEIGHT: f64 = 130.0;
    let columns = READS.len();
    let mut svg = String::new();
    let mut line = |text: String| writeln!(svg, "{text}").expect("a string grows");
    line(svg_head(columns as f64 * 260.0 + 20.0, panels.len().div_ceil(columns) as f64 * 220.0 + 50.0));
    for (index, name) in LOCKS.iter().enumerate() {
        let (x, color) = (60.0 + index as f64 * 120.0, COLORS[index]);
        line(format!(
            "<path d='M{x} 20h24' stroke='{color}' stroke-width='2'/><text x='{}' y='24'>{name}</text>",
            x + 30.0
        ));
    }
    for (index, panel) in panels.iter().enumerate() {
        let (left, top) = (60.0 + (index % columns) as f64 * 260.0, 60.0 + (index / columns) as f64 * 220.0);
        let most = panel.rows.iter().flatten().copied().fold(1.0, f64::max) * 1.05;
        let (x, y) = (
            |at: usize| left + WIDTH * at as f64 / (WORKERS.len() - 1) as f64,
            |rate: f64| top + HEIGHT - HEIGHT * rate / most,
        );
        line(format!("<text x='{left}' y='{}' font-weight='bold'>{}</text>", top - 8.0, panel.title));
        line(format!("<path d='M{left} {top}v{HEIGHT}h{WIDTH}' stroke='#000'/>"));
        for step in 0..=4 {
            let rate = most * step as f64 / 4.0;
            line(format!("<text x='{}' y='{:.1}' text-anchor='end'>{rate:.0}</text>", left - 5.0, y(rate) + 4.0));
        }
        for (at, workers) in WORKERS.iter().enumerate() {
            line(format!("<text x='{:.1}' y='{}' text-anchor='middle'>{workers}</text>", x(at), top + HEIGHT + 15.0));
        }
        let (middle, foot) = (left + WIDTH / 2.0, top + HEIGHT + 30.0);
        line(format!("<text x='{middle}' y='{foot}' text-anchor='middle'>workers</text>"));
        let (side, center) = (left - 40.0, top + HEIGHT / 2.0);
        line(format!(
            "<text transform='translate({side} {center}) rotate(-90)' text-anchor='middle'>million operations/s</text>"
        ));
        for (lock, color) in COLORS.iter().enumerate() {
            let points: Vec<_> =
                panel.rows.iter().enumerate().map(|(at, row)| format!("{:.1},{:.1}", x(at), y(row[lock]))).collect();
            line(format!("<polyline points='{}' stroke='{color}' stroke-width='2'/>", points.join(" ")));
        }
    }
    svg + "</svg>\n"
}

fn svg_head(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' font-family='sans-serif' \
         font-size='11' fill='none'>\n<style>text {{ fill: #000 }}</style>\n<rect width='100%' height='100%' fill='#fff'/>"
    )
}
