import { clockMs } from '../../stats/clock.js';
import { cleanLine } from '../../untrusted.js';
import { formatAddress, isHost, isPort, sameAddress } from '../address.js';
import { loginFor, plainOptions } from './control.js';

/** @import { Credentials, NodeInfo } from '../types.js' */

/** For faults that close connections of clients. */
export const WATCHER = 'sentinel-bench-watcher';
const RECONNECT_MS = 100;
const CONNECT_TIMEOUT_MS = 1000;

const ignore = () => {};

/**
 * @typedef {{at: number, sentinel: string, event: string, about: string}} SentinelEvent at: `clockMs()` of its arrival; event: such as
 *   `+odown`; about: id of a node, or the address of one outside the stack; empty: it is about no node
 */

/**
 * @param {{nodes: readonly NodeInfo[], credentials: Credentials}} stack @param {(event: SentinelEvent) => void} onEvent
 * @returns resolves when it is subscribed to every Sentinel that answers
 */
export async function watchSentinels({ nodes, credentials }, onEvent) {
  const { Redis } = await import('ioredis');
  const connections = nodes
    .filter(({ kind }) => kind === 'sentinel')
    .map(({ id, address }) => {
      const redis = new Redis({
        ...plainOptions(address, loginFor(credentials, 'sentinel')),
        connectTimeout: CONNECT_TIMEOUT_MS,
        retryStrategy: () => RECONNECT_MS,
        connectionName: WATCHER,
        autoResubscribe: false,
      });
      redis.on('error', ignore);
      // Its own resubscribing fails unheard if the connection ends meanwhile, and that would end this process.
      let subscribed = Promise.resolve();
      redis.on('ready', () => {
        subscribed = redis.psubscribe('*').then(ignore, ignore);
      });
      redis.on('pmessage', (_pattern, event, message) => {
        onEvent({ at: clockMs(), sentinel: id, event: cleanLine(event), about: subjectOf(event, message, nodes) });
      });
      const ready = redis.connect().then(() => subscribed, ignore);
      return { redis, ready };
    });
  await Promise.all(connections.map(({ ready }) => ready));
  return { close: () => connections.forEach(({ redis }) => void redis.disconnect()) };
}

/**
 * Finds the node that an event is about, which most events name as `<kind> <name> <ip> <port>`; +switch-master is `<master> <old ip> <port>
 * <new ip> <port>`, and is about the new one (https://redis.io/docs/latest/operate/oss_and_stack/management/sentinel/#pubsub-messages).
 * @param {string} event @param {string} message @param {readonly NodeInfo[]} nodes
 */
export function subjectOf(event, message, nodes) {
  const words = message.split(' ');
  const [host, port] = event === '+switch-master' ? words.slice(3, 5) : words.slice(2, 4);
  if (!isHost(host) || !isPort(port)) return '';
  const address = { host, port: Number(port) };
  return nodes.find(({ announced }) => sameAddress(announced, address))?.id ?? formatAddress(address);
}
