/**
 * Writers over the clients in examples/, exactly as people copy them. A write is a confirmed SET.
 * We do not ask the example whether it keeps SET and WAIT together: we read what it sends. The WAIT of a write has a time-out of its own,
 * by which we know it. An acknowledgement is false if that WAIT did not follow the SET on its connection.
 * @import { Socket } from 'node:net'
 * @import { SentinelOptions } from '../../clients/sentinel-client.js'
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 * @import { WriteAnswer, PromiseClient, ClientReport } from './paced-writer.js'
 * @import { Writer } from './writer.js'
 * @typedef {(key: string, value: string, wait: {replicas: number, timeoutMs: number}) => Promise<ExampleAnswer>} ConfirmedSet
 * @typedef {{outcome: 'acked' | 'under-acked' | 'rejected' | 'unknown', replicas: number, error?: Error}} ExampleAnswer
 * @typedef {{confirmedSet: ConfirmedSet, close: () => void}} Example a client of examples/
 */
import { valueMaker } from '../../audit/value.js';
import { keyName } from '../../clients/native-batch.js';
import { errorKind } from '../../clients/outcome.js';
import { nodeNumber } from '../../clients/sentinel-client.js';
import { Outcome } from '../../clients/types.js';
import { messageOf } from '../../errors.js';
import { createPromiseWriter } from './paced-writer.js';
import { watchCommands } from './sent-commands.js';

/** By library. @type {Readonly<Record<string, (options: Omit<SentinelOptions, 'onMove'>) => Promise<Example>>>} */
const CONNECTORS = Object.freeze({
  async redis(options) {
    const { connect } = await import('../../../examples/node-redis.js');
    const { nodeRedisOptions } = await import('../../clients/sentinel-redis.js');
    const { sentinelRootNodes, ...others } = nodeRedisOptions(options);
    return connect({ sentinels: sentinelRootNodes, ...others });
  },
  async ioredis(options) {
    const { connect } = await import('../../../examples/ioredis.js');
    const { ioredisOptions } = await import('../../clients/sentinel-ioredis.js');
    return connect(ioredisOptions(options));
  },
});

/** Writes whose time-outs differ; more than are under way at once. */
const TIMEOUTS = 100;

/** @param {WriterPlan} plan @param {TrialPlan} trial @param {{library: string}} options @returns {Writer} */
export function createWriter(plan, trial, { library }) {
  return createPromiseWriter(plan, trial, async (report) => {
    const { sentinels, nodes, masterName, credentials } = trial;
    const example = await CONNECTORS[library]({ sentinels, nodes, masterName, credentials });
    return confirmingClient(example, plan.shape, { nodes, report });
  });
}

/**
 * @param {Example} example @param {WriterPlan['shape']} shape without `waitLocal`: the examples use WAIT
 * @param {{nodes: TrialPlan['nodes'], report: ClientReport}} trial @returns {PromiseClient}
 */
export function confirmingClient(example, shape, { nodes, report }) {
  const value = valueMaker(shape.keyPrefix, shape.payloadBytes);
  /** The SET of each write under way, by its key. @type {Map<string, {socket: Socket, timeout: string, waited: boolean}>} */
  const sets = new Map();
  /** The connection that sent the last SET. @type {Socket | null} */
  let used = null;
  let node = 0;

  const stopWatching = watchCommands(([name, ...words], socket) => {
    if (/^set$/i.test(name) && words[0].startsWith(shape.keyPrefix)) {
      const number = Number(words[0].slice(shape.keyPrefix.length));
      sets.set(words[0], { socket, timeout: String(timeoutOf(number)), waited: false });
      if (socket === used) return;
      used = socket;
      node = nodeNumber(nodes, socket);
      report.moved(node);
    } else if (/^wait$/i.test(name)) {
      for (const set of sets.values()) if (set.socket === socket && set.timeout === words[1]) set.waited = true;
    }
  });

  function timeoutOf(/** @type {number} */ number) {
    return shape.waitTimeoutMs + (number % TIMEOUTS);
  }

  /** @param {number} number @returns {Promise<WriteAnswer>} */
  async function write(number) {
    const key = keyName(shape.keyPrefix, number);
    const wait = { replicas: shape.waitReplicas, timeoutMs: timeoutOf(number) };
    const { outcome, replicas, error } = await example.confirmedSet(key, value(number), wait);
    if (error) report.error(errorText(error, outcome));
    const set = sets.get(key);
    sets.delete(key);
    const isCounted = outcome === 'acked' || outcome === 'under-acked';
    return {
      outcome: outcome === 'under-acked' ? Outcome.underAcked : Outcome[outcome],
      waitCount: isCounted ? replicas : -1,
      falseAck: outcome === 'acked' && !set?.waited,
      node: set ? nodeNumber(nodes, set.socket) : 0,
    };
  }

  return {
    write,
    node: () => node,
    close() {
      stopWatching();
      example.close();
    },
  };
}

/** @param {Error} error @param {ExampleAnswer['outcome']} outcome @returns {string} as `Account.error` counts it */
function errorText(error, outcome) {
  const text = messageOf(error);
  const isReply = text.startsWith('ERR ') || errorKind(text) !== 'ERR';
  if (isReply) return text;
  return `${outcome === 'rejected' ? 'NOTSENT' : 'CLOSED'} ${text}`;
}
