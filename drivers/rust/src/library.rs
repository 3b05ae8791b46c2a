//! What a library answers, and what that is to the protocol.

use crate::task::{Task, Wait};
use std::future::Future;

/// Error replies that say that nothing was written.
const NOTHING_WRITTEN: [&str; 13] = [
    "NOAUTH",
    "NOPERM",
    "WRONGPASS",
    "DENIED",
    "OOM",
    "MISCONF",
    "NOREPLICAS",
    "READONLY",
    "MASTERDOWN",
    "LOADING",
    "BUSY",
    "EXECABORT",
    "CLUSTERDOWN",
];

/// One client library, used in one variant.
pub trait Library: Sized + Send + Sync + 'static {
    const NAME: &'static str;
    const VERSION: &'static str;
    type Error: std::fmt::Display + Send;

    /// Why the library cannot do the task: a sentence.
    fn why_not(_: &Task) -> Option<&'static str> {
        None
    }

    /// Returns when the primary has answered a PING.
    fn connect(task: &Task) -> impl Future<Output = Result<Self, Self::Error>> + Send;

    fn waits_on_same_connection(&self) -> bool;

    /// Runs `written` as soon as SET or APPEND was answered, if that is known before WAIT is answered.
    fn write(
        &self,
        task: &Task,
        key: &str,
        value: &str,
        written: impl FnOnce() + Send,
    ) -> impl Future<Output = Answer<Self::Error>> + Send;

    fn kind_of(error: &Self::Error) -> Kind;
}

/// What the library answered to SET or APPEND, and to WAIT.
pub struct Answer<E> {
    pub write: Result<(), E>,
    pub wait: Option<Result<i64, E>>,
}

pub enum Kind {
    /// An error reply, with its first word.
    Reply(String),
    Closed,
    Timeout,
    NoPrimary,
    Other,
}

impl Kind {
    /// Libraries may leave out the first word when it is `ERR`.
    pub fn reply(text: &str) -> Kind {
        let word = text.split(' ').next().unwrap_or("");
        let is_code = !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        Kind::Reply(if is_code { word } else { "ERR" }.to_string())
    }

    fn word(&self) -> &str {
        match self {
            Kind::Reply(word) => word,
            Kind::Closed => "CLOSED",
            Kind::Timeout => "TIMEOUT",
            Kind::NoPrimary => "NOPRIMARY",
            Kind::Other => "OTHER",
        }
    }
}

/// Outcome, count and kind, as the protocol has them.
pub fn judge<L: Library>(answer: Answer<L::Error>, wait: Option<Wait>) -> (&'static str, i64, String) {
    if let Err(error) = answer.write {
        let kind = L::kind_of(&error);
        let rejected = matches!(&kind, Kind::Reply(word) if NOTHING_WRITTEN.contains(&word.as_str()));
        return (if rejected { "rejected" } else { "unknown" }, -1, kind.word().to_string());
    }
    match (answer.wait, wait) {
        (Some(Err(error)), _) => ("under-acked", -1, L::kind_of(&error).word().to_string()),
        (Some(Ok(count)), Some(asked)) if count < asked.replicas => ("under-acked", count, "-".to_string()),
        (Some(Ok(count)), _) => ("acked", count, "-".to_string()),
        (None, _) => ("acked", -1, "-".to_string()),
    }
}
