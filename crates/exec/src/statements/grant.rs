//! What a statement asks for before it begins: to cost what it is expected to, and memory for what it will sort and hash.
//!
//! A statement whose estimated cost is above the limit of its session, or of the server, does not begin.
//!
//! Asked before the statement locks anything: who has memory may wait for a lock, and nobody waits for memory with a lock of this
//! statement. What its transaction has locked before may hold up others; then it waits no longer (`storage::Grants`).

use std::sync::Arc;

use sql::plan::GrantEstimate;
use storage::{GrantRequest, Refused};
use types::{SqlError, SqlResult, sql_error};

use crate::context::Context;
use crate::host::Host;
use crate::workspace::{GrantPolicy, Workspace};

/// Who expects no more asks nobody: what he has beyond it he asks for as he runs.
const SMALL_BYTES: u64 = 1 << 20;

/// "-1: the time-out is 25 times the estimated cost of the query"; and no less than this.
const COST_TIMES: f64 = 25.0;
const WAIT_MS_MIN: f64 = 1_000.0;
/// A day.
const WAIT_MS_MAX: f64 = 86_400_000.0;

/// As the resource governor numbers and names it: the pool of all workload groups.
const POOL: (&str, u32) = ("default", 2);

/// The least cost that a limit, a whole number, can be below of: who costs less asks nobody.
const COST_MIN: f64 = 1.0;

pub fn asks(estimate: &GrantEstimate) -> bool {
    wants_memory(estimate) || estimate.cost > COST_MIN
}

fn wants_memory(estimate: &GrantEstimate) -> bool {
    estimate.ideal > SMALL_BYTES || estimate.percent_min.is_some() || estimate.percent_max.is_some()
}

/// 8649: the statement would cost more than is allowed.
pub fn judge(context: &Context, estimate: &GrantEstimate) -> SqlResult<GrantPolicy> {
    let runtime = context.runtime();
    let policy = runtime.host.grant_policy();
    let limit = runtime.session.options.cost_limit.unwrap_or(policy.cost_max);
    if limit > 0 && estimate.cost > f64::from(limit) {
        return Err(sql_error!(8649, estimate.cost.min(f64::from(i32::MAX)) as i32, limit));
    }
    Ok(policy)
}

/// Also waits until there is memory for the statement: 8645, 8657.
pub fn ask(context: &Context, estimate: &GrantEstimate) -> SqlResult<()> {
    let policy = judge(context, estimate)?;
    if !wants_memory(estimate) {
        return Ok(());
    }
    let must_pass = || {
        let runtime = context.runtime();
        runtime.session.transaction.current.as_ref().is_some_and(|transaction| transaction.holds_up_others())
    };
    let refused = wait(&policy, context.workspace(), estimate, must_pass, &|| context.yield_point())?;
    refused.map_or(Ok(()), |refused| {
        Err(refusal(refused, &context.runtime().host.workload_group(policy.group), policy.group))
    })
}

/// The same for a definition that is going to sort: it has no operators, and no cost but what it sorts.
pub fn ask_to_sort(
    host: &dyn Host,
    workspace: &Arc<Workspace>,
    estimate: &GrantEstimate,
    must_pass: impl Fn() -> bool,
    pause: &dyn Fn() -> SqlResult<()>,
) -> SqlResult<()> {
    if !wants_memory(estimate) {
        return Ok(());
    }
    let policy = host.grant_policy();
    match wait(&policy, workspace, estimate, must_pass, pause)? {
        None => Ok(()),
        Some(refused) => Err(refusal(refused, &host.workload_group(policy.group), policy.group)),
    }
}

/// Some: why there is no grant.
fn wait(
    policy: &GrantPolicy,
    workspace: &Arc<Workspace>,
    estimate: &GrantEstimate,
    must_pass: impl Fn() -> bool,
    pause: &dyn Fn() -> SqlResult<()>,
) -> SqlResult<Option<Refused>> {
    let request = GrantRequest {
        required: estimate.required.min(policy.min_kb << 10),
        ideal: estimate.ideal.max(policy.min_kb << 10),
        percent_min: estimate.percent_min,
        percent_max: estimate.percent_max,
        cost: estimate.cost,
        timeout_ms: match policy.wait_s {
            Some(seconds) => seconds * 1_000,
            None => (estimate.cost * COST_TIMES * 1_000.0).clamp(WAIT_MS_MIN, WAIT_MS_MAX) as u64,
        },
        ..GrantRequest::default()
    };
    let deadline = os::clock::after_ms(request.timeout_ms);
    loop {
        match workspace.ask(&request, deadline, &must_pass) {
            Ok(()) => return Ok(None),
            // Of an attention or KILL; else it was input that came, and it goes on.
            Err(Refused::Interrupted) => pause()?,
            Err(refused) => return Ok(Some(refused)),
        }
    }
}

fn refusal(refused: Refused, group: &str, group_number: i32) -> SqlError {
    let (pool, number) = POOL;
    match refused {
        Refused::TooMuch(bytes) => sql_error!(8657, bytes.div_ceil(1024), group, group_number, pool, number),
        Refused::TimedOut => sql_error!(8645, pool, number),
        Refused::OutOfSlots | Refused::Interrupted => sql_error!(8651, pool, number),
    }
}
