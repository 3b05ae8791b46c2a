//! redis-rs: a connection for all, which does not come back by itself. Like an application, the driver asks SentinelClient for a
//! new one after an error that the library calls unrecoverable.
//!
//! `defaults` sends SET and WAIT one after the other, with the response timeout of 500 ms that the library sets. `best` sends both in one
//! pipeline, waits longer for the answer, and also leaves a primary that is read-only or silent.

use crate::library::{Answer, Kind, Library};
use crate::task::Task;
use redis::aio::MultiplexedConnection;
use redis::sentinel::{SentinelClient, SentinelClientBuilder, SentinelServerType};
use redis::{
    AsyncConnectionConfig, ClientTlsConfig, Cmd, ConnectionAddr, ErrorKind, RedisError, RedisResult, ServerErrorKind,
    TlsCertificates, TlsMode,
};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::Mutex;

pub struct RedisLibrary {
    client: Mutex<SentinelClient>,
    config: AsyncConnectionConfig,
    best: bool,
    connection: Mutex<Option<(u64, MultiplexedConnection)>>,
    opened: AtomicU64,
}

impl RedisLibrary {
    /// The connection that all writes share, and its number.
    async fn connection(&self) -> RedisResult<(u64, MultiplexedConnection)> {
        let mut shared = self.connection.lock().await;
        if shared.is_none() {
            let connection = self.client.lock().await.get_async_connection_with_config(&self.config).await?;
            *shared = Some((self.opened.fetch_add(1, Ordering::Relaxed), connection));
        }
        Ok(shared.clone().expect("it was just opened"))
    }

    async fn leave_after(&self, error: &RedisError, number: u64) {
        let is_read_only = error.kind() == ErrorKind::Server(ServerErrorKind::ReadOnly);
        if error.is_unrecoverable_error() || self.best && (is_read_only || error.is_timeout()) {
            let mut shared = self.connection.lock().await;
            if shared.as_ref().is_some_and(|(current, _)| *current == number) {
                *shared = None;
            }
        }
    }

    async fn run(&self, task: &Task, write: Cmd, wait: Option<Cmd>, written: impl FnOnce()) -> Answer<RedisError> {
        let (number, mut connection) = match self.connection().await {
            Ok(connection) => connection,
            Err(error) => return Answer { write: Err(error), wait: None },
        };
        let answer = match wait {
            Some(wait) if task.best() => {
                let both = redis::pipe()
                    .ignore_errors()
                    .add_command(write)
                    .add_command(wait)
                    .query_async(&mut connection)
                    .await;
                both.map_or_else(failed, |answers: Vec<RedisResult<redis::Value>>| {
                    let mut answers = answers.into_iter();
                    let write = answers.next().expect("of two commands").map(|_| ());
                    let wait =
                        answers.next().expect("of two commands").and_then(|count| Ok(redis::from_redis_value(count)?));
                    Answer { write, wait: Some(wait) }
                })
            }
            wait => match (write.query_async::<redis::Value>(&mut connection).await, wait) {
                (Err(error), _) => failed(error),
                (Ok(_), None) => Answer { write: Ok(()), wait: None },
                (Ok(_), Some(wait)) => {
                    written();
                    Answer { write: Ok(()), wait: Some(wait.query_async(&mut connection).await) }
                }
            },
        };
        for error in [answer.write.as_ref().err(), answer.wait.as_ref().and_then(|wait| wait.as_ref().err())]
            .into_iter()
            .flatten()
        {
            self.leave_after(error, number).await;
        }
        answer
    }
}

fn failed(error: RedisError) -> Answer<RedisError> {
    Answer { write: Err(error), wait: None }
}

impl Library for RedisLibrary {
    const NAME: &'static str = "redis-rs";
    const VERSION: &'static str = "1.8.1";
    type Error = RedisError;

    fn why_not(task: &Task) -> Option<&'static str> {
        let named = task.tls.as_ref().is_some_and(|tls| tls.server_name.is_some());
        named.then_some("redis-rs compares the certificate with the address, and cannot be told another name.")
    }

    async fn connect(task: &Task) -> RedisResult<Self> {
        let certificates = certificates(task)?;
        let sentinels = task.sentinels.iter().map(|each| match certificates {
            None => ConnectionAddr::Tcp(each.host.clone(), each.port),
            Some(_) => {
                ConnectionAddr::TcpTls { host: each.host.clone(), port: each.port, insecure: false, tls_params: None }
            }
        });
        let mut builder = SentinelClientBuilder::new(sentinels, task.master_name.clone(), SentinelServerType::Master)?;
        if let Some(username) = &task.username {
            builder = builder.set_client_to_redis_username(username);
        }
        if let Some(password) = &task.password {
            builder = builder.set_client_to_redis_password(password);
        }
        if let Some(username) = &task.sentinel_username {
            builder = builder.set_client_to_sentinel_username(username);
        }
        if let Some(password) = &task.sentinel_password {
            builder = builder.set_client_to_sentinel_password(password);
        }
        if let Some(certificates) = certificates {
            builder = builder
                .set_client_to_redis_tls_mode(TlsMode::Secure)
                .set_client_to_redis_certificates(certificates.clone())
                .set_client_to_sentinel_tls_mode(TlsMode::Secure)
                .set_client_to_sentinel_certificates(certificates);
        }
        let mut config = AsyncConnectionConfig::new();
        if task.best() {
            config =
                config.set_connection_timeout(Some(Duration::from_secs(1))).set_response_timeout(Some(task.patience()));
        }
        let client = Mutex::new(builder.build()?);
        let library =
            RedisLibrary { client, config, best: task.best(), connection: Mutex::default(), opened: AtomicU64::new(0) };
        let (_, mut connection) = library.connection().await?;
        redis::cmd("PING").query_async::<String>(&mut connection).await?;
        Ok(library)
    }

    fn waits_on_same_connection(&self) -> bool {
        true
    }

    async fn write(&self, task: &Task, key: &str, value: &str, written: impl FnOnce() + Send) -> Answer<RedisError> {
        let mut write = redis::cmd(&task.command);
        write.arg(key).arg(value);
        let wait = task.wait.map(|wait| {
            let mut command = redis::cmd("WAIT");
            command.arg(wait.replicas).arg(wait.timeout_ms);
            command
        });
        self.run(task, write, wait, written).await
    }

    fn kind_of(error: &RedisError) -> Kind {
        if let Some(code) = error.code() {
            return Kind::reply(code);
        }
        match error.kind() {
            ErrorKind::MasterNameNotFoundBySentinel | ErrorKind::EmptySentinelList => Kind::NoPrimary,
            _ if error.is_timeout() => Kind::Timeout,
            ErrorKind::Io => Kind::Closed,
            _ => Kind::Other,
        }
    }
}

fn certificates(task: &Task) -> RedisResult<Option<TlsCertificates>> {
    let Some(tls) = &task.tls else { return Ok(None) };
    let client_tls = match (&tls.cert, &tls.key) {
        (Some(cert), Some(key)) => {
            Some(ClientTlsConfig { client_cert: std::fs::read(cert)?, client_key: std::fs::read(key)? })
        }
        _ => None,
    };
    let root_cert = tls.ca.as_ref().map(std::fs::read).transpose()?;
    Ok(Some(TlsCertificates { client_tls, root_cert }))
}
