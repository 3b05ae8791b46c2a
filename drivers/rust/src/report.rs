//! Reports each write exactly once. A thread writes the lines, so that a slow reader does not hold up the writes.

use std::collections::HashMap;
use std::io::Write;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

/// CLOCK_MONOTONIC in nanoseconds.
pub fn now() -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the pointer is valid, and this clock always exists.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}

struct Open {
    sent: i64,
    written: bool,
}

pub struct Report {
    start: i64,
    open: Mutex<HashMap<u64, Open>>,
    lines: Sender<String>,
}

/// The thread ends after the line `done`.
pub fn printer() -> (Sender<String>, JoinHandle<()>) {
    let (lines, waiting) = channel();
    (lines, std::thread::spawn(move || print(&waiting)))
}

fn print(waiting: &Receiver<String>) {
    let mut output = std::io::stdout().lock();
    let mut is_done = false;
    while !is_done && let Ok(line) = waiting.recv() {
        let mut text = String::new();
        for line in std::iter::once(line).chain(waiting.try_iter()) {
            is_done = line.starts_with("done ");
            text += &line;
            text += "\n";
        }
        if output.write_all(text.as_bytes()).and_then(|()| output.flush()).is_err() {
            std::process::exit(1); // Nobody listens any more.
        }
    }
}

impl Report {
    pub fn new(lines: Sender<String>, start: i64) -> Report {
        Report { start, open: Mutex::default(), lines }
    }

    fn micros(&self, nanos: i64) -> i64 {
        (nanos - self.start) / 1000
    }

    fn line(&self, line: String) {
        let _ = self.lines.send(line); // The printer outlives the report.
    }

    pub fn sent(&self, number: u64) {
        self.open.lock().unwrap().insert(number, Open { sent: now(), written: false });
    }

    /// SET or APPEND was answered, WAIT was not.
    pub fn written(&self, number: u64) {
        if let Some(write) = self.open.lock().unwrap().get_mut(&number) {
            write.written = true;
        }
    }

    pub fn answered(&self, number: u64, outcome: &str, count: i64, kind: &str) {
        let answered = self.micros(now());
        // None: the drain is over, and the write was reported.
        if let Some(Open { sent, .. }) = self.open.lock().unwrap().remove(&number) {
            self.line(format!("w {number} {outcome} {count} {} {answered} {kind}", self.micros(sent)));
        }
    }

    pub fn unsent(&self, number: u64) {
        self.line(format!("w {number} unsent -1 0 0 -"));
    }

    /// Reports the writes that the library still owes an answer.
    pub fn give_up(&self) {
        for (number, Open { sent, written }) in self.open.lock().unwrap().drain() {
            let outcome = if written { "under-acked" } else { "unknown" };
            self.line(format!("w {number} {outcome} -1 {} 0 TIMEOUT", self.micros(sent)));
        }
    }
}
