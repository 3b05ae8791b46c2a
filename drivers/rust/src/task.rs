//! What the harness asks for. docs/drivers.md describes the fields.

use serde::Deserialize;
use std::time::Duration;

pub const PROTOCOL: &str = "sentinel-bench/driver@1";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Task {
    pub protocol: String,
    pub variant: String,
    pub sentinels: Vec<Address>,
    pub master_name: String,
    pub username: Option<String>,
    pub password: Option<String>,
    pub sentinel_username: Option<String>,
    pub sentinel_password: Option<String>,
    pub tls: Option<TlsFiles>,
    pub command: String,
    pub wait: Option<Wait>,
    pub rate: f64,
    pub concurrency: usize,
    pub key_prefix: String,
    pub value_seed: u32,
    pub value_filler: String,
    pub give_up_ms: u64,
    pub drain_ms: u64,
}

#[derive(Deserialize)]
pub struct Address {
    pub host: String,
    pub port: u16,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TlsFiles {
    pub ca: Option<String>,
    pub cert: Option<String>,
    pub key: Option<String>,
    pub server_name: Option<String>,
}

#[derive(Deserialize, Clone, Copy)]
#[serde(rename_all = "camelCase")]
pub struct Wait {
    pub replicas: i64,
    pub timeout_ms: i64,
}

impl Task {
    /// The error does not quote the task, because the task holds passwords.
    pub fn parse(line: &str) -> Result<Task, &'static str> {
        let task: Task =
            serde_json::from_str(line).map_err(|_| "it is not a JSON object with the fields of the protocol")?;
        if task.protocol != PROTOCOL {
            return Err("its protocol is not sentinel-bench/driver@1");
        }
        if !["defaults", "best"].contains(&task.variant.as_str()) {
            return Err("its variant is neither defaults nor best");
        }
        if !["SET", "APPEND"].contains(&task.command.as_str()) {
            return Err("its command is neither SET nor APPEND");
        }
        if task.sentinels.is_empty() || task.rate <= 0.0 || task.concurrency == 0 {
            return Err("it names no Sentinel, or its rate or concurrency is not positive");
        }
        Ok(task)
    }

    pub fn best(&self) -> bool {
        self.variant == "best"
    }

    /// How long the best variant waits for an answer: a second more than WAIT takes.
    pub fn patience(&self) -> Duration {
        Duration::from_millis(1000 + self.wait.map_or(0, |wait| wait.timeout_ms as u64))
    }

    /// The value is the number, its FNV-1a checksum, and a filler.
    pub fn key_and_value(&self, number: u64) -> (String, String) {
        let digits = format!("{number:012}");
        let hash = digits.bytes().fold(self.value_seed, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(16777619));
        (format!("{}{digits}", self.key_prefix), format!("{digits}:{hash:08x}{}", self.value_filler))
    }
}
