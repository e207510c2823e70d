//! Seeds one after the other in this process.

use std::collections::BTreeMap;

use os::disk::SimDisk;

use super::append::Append;
use super::bank::Bank;
use super::machine::{self, Boot, Verdict};
use super::map::Map;
use super::plan::{Plan, Wish, Workload};
use super::ring::Ring;
use super::storm::Storm;
use super::trace::Line;
use super::vault::Vault;
use super::{Args, Kind, panics, shrink};

/// Keeps the disks from which runs begin.
pub struct Runner {
    boot: Boot,
    images: BTreeMap<Kind, SimDisk>,
}

impl Runner {
    pub fn new(boot: Boot) -> Runner {
        panics::keep();
        Runner { boot, images: BTreeMap::new() }
    }

    fn image<W: Workload>(&mut self, kind: Kind) -> Result<SimDisk, String> {
        if let Some(image) = self.images.get(&kind) {
            return Ok(image.clone());
        }
        let image = machine::image::<W>(self.boot)?;
        self.images.insert(kind, image.clone());
        Ok(image)
    }

    /// Runs one seed. Err: the server does not even start on an empty disk.
    pub fn run(&mut self, kind: Kind, seed: u64, wish: &Wish) -> Result<Verdict, String> {
        match kind {
            Kind::Ring => self.play::<Ring>(kind, seed, wish),
            Kind::Bank => self.play::<Bank>(kind, seed, wish),
            Kind::Append => self.play::<Append>(kind, seed, wish),
            Kind::Map => self.play::<Map>(kind, seed, wish),
            Kind::Storm => self.play::<Storm>(kind, seed, wish),
            Kind::Vault => self.play::<Vault>(kind, seed, wish),
        }
    }

    fn play<W: Workload>(&mut self, kind: Kind, seed: u64, wish: &Wish) -> Result<Verdict, String> {
        let image = self.image::<W>(kind)?;
        Ok(machine::play::<W>(&Plan::derive::<W>(seed, wish), &image, self.boot))
    }
}

/// One seed with all that the command line asks for. The number of failures.
pub fn one(args: &Args, seed: u64, boot: Boot) -> Result<u64, String> {
    match args.kind(seed) {
        Kind::Ring => examine::<Ring>(args, seed, boot),
        Kind::Bank => examine::<Bank>(args, seed, boot),
        Kind::Append => examine::<Append>(args, seed, boot),
        Kind::Map => examine::<Map>(args, seed, boot),
        Kind::Storm => examine::<Storm>(args, seed, boot),
        Kind::Vault => examine::<Vault>(args, seed, boot),
    }
}

/// Runs a seed, makes it small if it fails and that was asked, and prints both.
fn examine<W: Workload>(args: &Args, seed: u64, boot: Boot) -> Result<u64, String> {
    let image = machine::image::<W>(boot)?;
    let mut plan = Plan::derive::<W>(seed, &args.wish());
    if !args.keep.is_empty() {
        plan = plan.keep(&args.keep.iter().copied().collect());
    }
    plan = args.change.iter().fold(plan, |plan, change| plan.change(*change));
    plan.schedule = args.schedule.unwrap_or(plan.schedule);
    let started = os::clock::now();
    let verdict = machine::play::<W>(&plan, &image, boot);
    let ms = (os::clock::now() - started) / 1_000_000;
    if args.twice {
        let again = machine::play::<W>(&plan, &image, boot);
        if again.hash != verdict.hash {
            println!("seed {seed} FAILS: two runs differ, {}", first_difference(&verdict.trace, &again.trace));
            return Ok(1);
        }
    }
    println!("seed {seed}, {}: {}, {ms} ms", W::NAME, tell(&verdict));
    if let Some(file) = &args.trace {
        deliver(file, &describe(&plan, &verdict, args.points))?;
    }
    let Some(failure) = &verdict.failure else { return Ok(0) };
    println!("{}", failure_line::<W>(seed, &failure.kind, &failure.text));
    if args.minimize {
        print_small::<W>(args, plan, verdict, &image, boot);
    }
    Ok(1)
}

fn print_small<W: Workload>(args: &Args, plan: Plan<W::Op>, verdict: Verdict, image: &SimDisk, boot: Boot) {
    let before = plan.parts().len();
    let bar = super::farm::spinner(args.no_progress);
    let small = shrink::shrink::<W>(plan, verdict, image, boot, &mut |runs, parts| {
        bar.set_message(format!("making it small: {parts} parts, {runs} runs"));
    });
    bar.finish_and_clear();
    let parts: Vec<String> = small.plan.parts().iter().map(ToString::to_string).collect();
    println!("\nof {before} parts {} are left, after {} runs. To run them again:", parts.len(), small.runs);
    let changes: Vec<String> = small.plan.changes.iter().map(ToString::to_string).collect();
    println!(
        "  heddle lab sim --seed {} --workload {} --schedule {} --keep {}{}{}\n",
        small.plan.seed,
        W::NAME,
        small.plan.schedule,
        parts.join(","),
        if changes.is_empty() { "" } else { " --change " },
        changes.join(",")
    );
    print!("{}", describe(&small.plan, &small.verdict, args.points));
}

/// The plan and what happened.
fn describe<Op: Clone + std::fmt::Debug>(plan: &Plan<Op>, verdict: &Verdict, points: bool) -> String {
    let mut text = format!("{:?}\n{:?}\n", plan.machine, plan.mix);
    for (id, end) in &plan.ends {
        text += &format!("{id}: {end:?}\n");
    }
    for fault in &plan.faults {
        text += &format!("{}: {fault:?}\n", fault.id);
    }
    for line in verdict.trace.iter().filter(|line| points || !line.text.starts_with("* ")) {
        text += &format!("{line}\n");
    }
    text
}

fn first_difference(one: &[Line], other: &[Line]) -> String {
    let text = |line: Option<&Line>| line.map_or("nothing".into(), ToString::to_string);
    let at = one.iter().zip(other).position(|(a, b)| a.to_string() != b.to_string());
    let at = at.unwrap_or(one.len().min(other.len()));
    format!("first at line {at}: {} | {}", text(one.get(at)), text(other.get(at)))
}

pub fn tell(verdict: &Verdict) -> String {
    format!(
        "{} lives, {} kills, {} steps, {:.3} s of its time, trace {:016x}",
        verdict.lives,
        verdict.kills,
        verdict.steps,
        verdict.simulated_ns as f64 / 1e9,
        verdict.hash
    )
}

pub fn failure_line<W: Workload>(seed: u64, kind: &str, text: &str) -> String {
    format!("seed {seed} FAILS, {kind}: {text} (heddle lab sim --seed {seed} --workload {} --minimize)", W::NAME)
}

fn deliver(file: &str, text: &str) -> Result<(), String> {
    if file == "-" {
        print!("{text}");
        return Ok(());
    }
    os::fs::write(file.as_ref(), text.as_bytes()).map_err(|error| format!("{file}: {error}"))
}
