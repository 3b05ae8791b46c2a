/** A connection to NATS. The libraries load only when one is opened: a run on one host needs no NATS. */
import { badInput, messageOf } from '../errors.js';
import { refusal } from './refusals.js';

/** @import { NatsConnection, TlsOptions } from '@nats-io/nats-core' */

/**
 * @typedef {Object} NatsOptions
 * @property {string} url `nats://HOST:PORT`, or `tls://HOST:PORT`, which insists on TLS
 * @property {string} [user] @property {string} [password] @property {{ca?: string, cert?: string, key?: string}} [tls] PEM
 * @property {string} [inbox] beginning of the subjects on which it gets replies; default: that of NATS, which several clients share
 * @property {string} name of the connection, for the operator of NATS
 */

const CONNECT_MS = 5000;
const RECONNECT_MS = 500;

/**
 * @param {NatsOptions} options @param {{reconnect: boolean}} how reconnect: try for ever once it was connected
 * @returns {Promise<NatsConnection>} @throws {UserError} exit status 2: an option is wrong; 3: it cannot be reached, or refuses
 */
export async function connectNats({ url, user, password, tls, inbox, name }, { reconnect }) {
  const { connect } = await import('@nats-io/transport-node');
  const place = parseUrl(url);
  try {
    return await connect({
      servers: place.host,
      name,
      timeout: CONNECT_MS,
      reconnect,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_MS,
      // A wrong password that is corrected on the server needs no restart of the agent.
      ignoreAuthErrorAbort: reconnect,
      // Other servers of a NATS cluster would arrive from the network.
      ignoreClusterUpdates: true,
      ...(inbox !== undefined && { inboxPrefix: inbox }),
      ...(user !== undefined && { user, pass: password ?? '' }),
      // The library names the server by its host name only; a certificate may be for an address.
      ...((place.tls || tls) && { tls: /** @type {TlsOptions} */ ({ ...tls, host: hostOf(place.host) }) }),
    });
  } catch (error) {
    throw refusal('nats-unusable', { place: place.host, why: messageOf(error) }, { cause: error });
  }
}

function parseUrl(/** @type {string} */ text) {
  const match = /^(nats|tls):\/\/([^@/\s]+)\/?$/.exec(text);
  if (!match) {
    throw badInput(
      'The address of NATS is not nats://HOST:PORT or tls://HOST:PORT, without a user.',
      'Correct --nats; name the user with --nats-user, and set the password in SENTINEL_BENCH_NATS_PASSWORD.',
    );
  }
  return { tls: match[1] === 'tls', host: match[2] };
}

/** @param {string} place `HOST` or `HOST:PORT` */
function hostOf(place) {
  const { hostname } = new URL(`tcp://${place}`);
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
