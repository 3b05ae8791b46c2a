//! fred: one connection for all.
//!
//! `defaults` is the example of its documentation for Sentinel, which sets no ReconnectPolicy. `best` reconnects for ever, repeats nothing,
//! gives up after a second, leaves a connection that is silent, and sends SET and WAIT in one pipeline.

use crate::library::{Answer, Kind, Library};
use crate::task::Task;
use fred::prelude::*;
use fred::types::config::{Server, TlsConfig, TlsHostMapping, UnresponsiveConfig};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use std::time::Duration;

pub struct FredLibrary(Client);

impl Library for FredLibrary {
    const NAME: &'static str = "fred";
    const VERSION: &'static str = "10.1.0";
    type Error = Error;

    fn why_not(task: &Task) -> Option<&'static str> {
        // Its host mapping is for clusters: it looks at no name for what Sentinels announce.
        let named = task.tls.as_ref().is_some_and(|tls| tls.server_name.is_some());
        named.then_some(
            "With Sentinels fred compares the certificate with the address, and cannot be told another name.",
        )
    }

    async fn connect(task: &Task) -> Result<Self, Error> {
        let config = Config {
            server: ServerConfig::Sentinel {
                service_name: task.master_name.clone(),
                hosts: task.sentinels.iter().map(|each| Server::new(each.host.clone(), each.port)).collect(),
                username: task.sentinel_username.clone(),
                password: task.sentinel_password.clone(),
            },
            username: task.username.clone(),
            password: task.password.clone(),
            tls: tls(task)?,
            ..Default::default()
        };
        let mut builder = Builder::from_config(config);
        if task.best() {
            builder
                .set_policy(ReconnectPolicy::new_constant(0, 100))
                .with_performance_config(|performance| performance.default_command_timeout = task.patience())
                .with_connection_config(|connection| {
                    connection.connection_timeout = Duration::from_secs(1);
                    connection.internal_command_timeout = Duration::from_secs(1);
                    connection.max_command_attempts = 1;
                    connection.unresponsive =
                        UnresponsiveConfig { max_timeout: Some(task.patience()), interval: Duration::from_millis(200) };
                });
        }
        let client = builder.build()?;
        client.init().await?;
        client.ping::<()>(None).await?;
        Ok(FredLibrary(client))
    }

    fn waits_on_same_connection(&self) -> bool {
        true
    }

    async fn write(&self, task: &Task, key: &str, value: &str, written: impl FnOnce() + Send) -> Answer<Error> {
        let append = task.command == "APPEND";
        if let (true, Some(wait)) = (task.best(), task.wait) {
            let pipeline = self.0.pipeline();
            let queued: Result<(), Error> = if append {
                pipeline.append(key, value).await
            } else {
                pipeline.set(key, value, None, None, false).await
            };
            let queued = match queued {
                Ok(()) => pipeline.wait::<()>(wait.replicas, wait.timeout_ms).await,
                Err(error) => Err(error),
            };
            if let Err(error) = queued {
                return Answer { write: Err(error), wait: None };
            }
            let mut answers = pipeline.try_all::<Value>().await.into_iter();
            let write = answers.next().unwrap_or_else(no_answer).map(|_| ());
            let wait = answers.next().unwrap_or_else(no_answer).and_then(Value::convert);
            return Answer { write, wait: Some(wait) };
        }
        let write: Result<(), Error> =
            if append { self.0.append(key, value).await } else { self.0.set(key, value, None, None, false).await };
        match (&write, task.wait) {
            (Ok(()), Some(wait)) => {
                written();
                Answer { write, wait: Some(self.0.wait(wait.replicas, wait.timeout_ms).await) }
            }
            _ => Answer { write, wait: None },
        }
    }

    fn kind_of(error: &Error) -> Kind {
        let is_reply =
            error.details().split(' ').next().is_some_and(|word| {
                word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
            });
        match error.kind() {
            ErrorKind::Timeout => Kind::Timeout,
            ErrorKind::IO | ErrorKind::Canceled => Kind::Closed,
            ErrorKind::Sentinel | ErrorKind::Routing => Kind::NoPrimary,
            _ if is_reply => Kind::reply(error.details()),
            _ => Kind::Other,
        }
    }
}

fn no_answer() -> Result<Value, Error> {
    Err(Error::new(ErrorKind::Canceled, "no answer"))
}

fn tls(task: &Task) -> Result<Option<TlsConfig>, Error> {
    let Some(files) = &task.tls else { return Ok(None) };
    let invalid = |error: &dyn std::fmt::Display| Error::new(ErrorKind::Tls, error.to_string());
    let Some(ca) = &files.ca else { return Ok(Some(fred::types::config::TlsConnector::default_rustls()?.into())) };
    let mut roots = rustls::RootCertStore::empty();
    for each in CertificateDer::pem_file_iter(ca).map_err(|error| invalid(&error))? {
        roots.add(each.map_err(|error| invalid(&error))?).map_err(|error| invalid(&error))?;
    }
    let builder = rustls::ClientConfig::builder().with_root_certificates(roots);
    let config = match (&files.cert, &files.key) {
        (Some(cert), Some(key)) => {
            let chain: Result<Vec<_>, _> =
                CertificateDer::pem_file_iter(cert).map_err(|error| invalid(&error))?.collect();
            let key = PrivateKeyDer::from_pem_file(key).map_err(|error| invalid(&error))?;
            builder
                .with_client_auth_cert(chain.map_err(|error| invalid(&error))?, key)
                .map_err(|error| invalid(&error))?
        }
        _ => builder.with_no_client_auth(),
    };
    Ok(Some(TlsConfig { connector: config.into(), hostnames: TlsHostMapping::None }))
}
