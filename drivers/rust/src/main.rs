//! A driver of sentinel-bench for two libraries of Rust. docs/drivers.md describes the protocol.
//!
//!     drivers redis-rs | fred

mod fred_library;
mod library;
mod redis_library;
mod report;
mod schedule;
mod task;

use fred_library::FredLibrary;
use library::Library;
use redis_library::RedisLibrary;
use report::{Report, now, printer};
use schedule::write_all;
use std::sync::Arc;
use std::time::Duration;
use task::Task;
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};
use tokio::sync::{oneshot, watch};

const CONNECT_WITHIN: Duration = Duration::from_secs(15);

fn fail(status: i32, sentence: &str) -> ! {
    eprintln!("{sentence}");
    std::process::exit(status)
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("redis-rs") => run::<RedisLibrary>().await,
        Some("fred") => run::<FredLibrary>().await,
        _ => fail(2, "Name one library: redis-rs or fred."),
    }
}

async fn run<L: Library>() {
    let mut input = BufReader::new(tokio::io::stdin()).lines();
    let line = input.next_line().await.ok().flatten().unwrap_or_default();
    let task = match Task::parse(&line) {
        Ok(task) => Arc::new(task),
        Err(reason) => fail(2, &format!("The task is invalid: {reason}.")),
    };
    if let Some(reason) = L::why_not(&task) {
        fail(3, reason);
    }
    let library = connect::<L>(&task).await;
    let (lines, printing) = printer();
    let wait = if library.waits_on_same_connection() { "same-connection" } else { "other-connection" };
    let ready = serde_json::json!({
        "library": L::NAME, "version": L::VERSION, "language": "Rust", "wait": wait, "pipeline": true,
    });
    let _ = lines.send(format!("ready {ready}"));

    let (start, started) = oneshot::channel();
    let (stop, mut stopped) = watch::channel(None);
    tokio::spawn(read_commands(input, start, stop));
    let start = tokio::select! {
        biased;
        Ok(start) = started => Some(start),
        _ = stopped.wait_for(Option::is_some) => None,
    };
    let due = match start {
        Some(start) => {
            let report = Arc::new(Report::new(lines.clone(), start));
            write_all(Arc::new(library), task, report, start, stopped).await
        }
        None => 0,
    };
    let _ = lines.send(format!("done {due}"));
    let _ = printing.join();
    std::process::exit(0) // Without closing the library, which may hang.
}

/// Ends the process if the primary does not answer.
async fn connect<L: Library>(task: &Task) -> L {
    let mut last = String::from("no answer");
    let connecting = async {
        loop {
            match L::connect(task).await {
                Ok(library) => return library,
                Err(error) => last = error.to_string(),
            }
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    if let Ok(library) = tokio::time::timeout(CONNECT_WITHIN, connecting).await {
        return library;
    }
    for secret in [&task.password, &task.sentinel_password].into_iter().flatten().filter(|secret| !secret.is_empty()) {
        last = last.replace(secret.as_str(), "***");
    }
    fail(
        4,
        &format!("The primary of {} did not answer within {} s: {last}.", task.master_name, CONNECT_WITHIN.as_secs()),
    )
}

/// `stop`, the end of the input and SIGTERM mean the same.
async fn read_commands(
    mut input: Lines<BufReader<Stdin>>,
    start: oneshot::Sender<i64>,
    stop: watch::Sender<Option<i64>>,
) {
    let mut start = Some(start);
    let commands = async {
        while let Ok(Some(line)) = input.next_line().await {
            if line == "stop" {
                return;
            }
            if let Some(time) = line.strip_prefix("start ").and_then(|time| time.trim().parse().ok())
                && let Some(start) = start.take()
            {
                let _ = start.send(time); // The receiver waits for it.
            }
        }
    };
    let mut terminated =
        tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()).expect("SIGTERM exists");
    tokio::select! {
        () = commands => {}
        _ = terminated.recv() => {}
    }
    let _ = stop.send(Some(now()));
    std::future::pending::<()>().await; // The schedule still looks at what was sent.
}
