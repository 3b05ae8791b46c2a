//! Gives the library write i when it is due: i / rate seconds after the start.

use crate::library::{Library, judge};
use crate::report::{Report, now};
use crate::task::Task;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::time::sleep;

/// When no further write becomes due: a time of CLOCK_MONOTONIC, or None as yet.
pub type Stopped = watch::Receiver<Option<i64>>;

/// Returns how many writes became due.
pub async fn write_all<L: Library>(
    library: Arc<L>,
    task: Arc<Task>,
    report: Arc<Report>,
    start: i64,
    mut stopped: Stopped,
) -> u64 {
    let slots = Arc::new(Semaphore::new(task.concurrency));
    let give_up = task.give_up_ms as i64 * 1_000_000;
    let drain = task.drain_ms as i64 * 1_000_000;
    let mut number = 0;
    loop {
        let due = start + (number as f64 * 1e9 / task.rate) as i64;
        while due > now() && stopped.borrow().is_none() {
            tokio::select! {
                () = sleep(until(due)) => {}
                _ = stopped.wait_for(Option::is_some) => {}
            }
        }
        if due > now() || stopped.borrow().is_some_and(|end| due > end) {
            break;
        }
        match take_slots(&slots, 1, due + give_up, drain, &mut stopped).await {
            None => report.unsent(number),
            Some(slot) => {
                let (library, task, report) = (library.clone(), task.clone(), report.clone());
                // Before the task exists, because the drain may end before it runs.
                report.sent(number);
                tokio::spawn(async move {
                    let (key, value) = task.key_and_value(number);
                    let answer = library.write(&task, &key, &value, || report.written(number)).await;
                    let (outcome, count, kind) = judge::<L>(answer, task.wait);
                    report.answered(number, outcome, count, &kind);
                    drop(slot);
                });
            }
        }
        number += 1;
    }
    // All slots are free when no write is under way.
    take_slots(&slots, task.concurrency as u32, i64::MAX, drain, &mut stopped).await;
    report.give_up();
    number
}

/// None: they were not free until then, or until the drain was over.
async fn take_slots(
    slots: &Arc<Semaphore>,
    count: u32,
    deadline: i64,
    drain: i64,
    stopped: &mut Stopped,
) -> Option<OwnedSemaphorePermit> {
    // A timer never fires at once, and a free slot would always win.
    if stopped.borrow().is_some_and(|end| now() > end + drain) {
        return None;
    }
    let drained = async {
        let end = stopped.wait_for(Option::is_some).await.ok().and_then(|end| *end);
        sleep(until(end.unwrap_or(0) + drain)).await;
    };
    tokio::select! {
        biased;
        permit = slots.clone().acquire_many_owned(count) => permit.ok(),
        () = sleep(until(deadline)) => None,
        () = drained => None,
    }
}

fn until(nanos: i64) -> Duration {
    Duration::from_nanos(nanos.saturating_sub(now()).max(0) as u64)
}
