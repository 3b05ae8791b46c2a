/**
 * Writers over the Sentinel client of a library, used as applications use it. A write is APPEND and then WAIT; each promise is awaited.
 * The library may resend, retry and queue: that is what we want to show. It sends WAIT on whatever connection it has by then. On another
 * connection than the write's, the count does not cover the write, and we call the acknowledgement false. Valkey 8.0 counts all replicas
 * for a connection that has written nothing. Redis 7.0 counts the replicas that have everything up to the connection's last command; that
 * covers the write on the same node, but not after a failover.
 * @import { SentinelClient, SentinelOptions } from '../../clients/sentinel-client.js'
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 * @import { WriteAnswer, PromiseClient, ClientReport } from './paced-writer.js'
 */
import { valueMaker } from '../../audit/value.js';
import { keyName } from '../../clients/native-batch.js';
import { classifyWriteError, outcomeOfOk, waitCommand } from '../../clients/outcome.js';
import { Outcome } from '../../clients/types.js';
import { messageOf } from '../../errors.js';
import { createPromiseWriter } from './paced-writer.js';

/** By library. @type {Readonly<Record<string, (options: SentinelOptions, changes?: any) => Promise<SentinelClient>>>} */
const CONNECTORS = Object.freeze({
  redis: async (options) => (await import('../../clients/sentinel-redis.js')).connectSentinelRedis(options),
  ioredis: async (options, changes) =>
    (await import('../../clients/sentinel-ioredis.js')).connectSentinelIoredis(options, changes),
});

/**
 * @param {WriterPlan} plan @param {TrialPlan} trial
 * @param {{library: string, changes?: Record<string, unknown>}} how changes: options of the library that differ from its defaults
 */
export function createWriter(plan, trial, { library, changes }) {
  return createPromiseWriter(plan, trial, async (report) => {
    const { sentinels, nodes, masterName, credentials } = trial;
    const options = { sentinels, nodes, masterName, credentials, onMove: report.moved };
    return appendingClient(await CONNECTORS[library](options, changes), plan.shape, report);
  });
}

/** @param {SentinelClient} client @param {WriterPlan['shape']} shape @param {ClientReport} report @returns {PromiseClient} */
export function appendingClient(client, shape, report) {
  const value = valueMaker(shape.keyPrefix, shape.payloadBytes);
  const waits = waitCommand(shape);

  /** @param {unknown} error with which a command's promise was rejected */
  function tell(error) {
    report.error(client.isReply(error) ? messageOf(error) : `CLOSED ${messageOf(error)}`);
  }

  /** @param {string[]} command @returns {Promise<{local: number, replicas: number}>} the counts of WAIT or WAITAOF; -1: unknown */
  async function wait(command) {
    try {
      const reply = await client.call(command);
      const [local, replicas] = Array.isArray(reply) ? reply : [-1, reply];
      return { local: Number(local), replicas: Number(replicas) };
    } catch (error) {
      tell(error);
      return { local: -1, replicas: -1 };
    }
  }

  /** @param {number} number @returns {Promise<WriteAnswer>} */
  async function write(number) {
    let length;
    try {
      length = await client.append(keyName(shape.keyPrefix, number), value(number));
    } catch (error) {
      tell(error);
      const { message } = /** @type {Error} */ (error);
      const outcome = client.isReply(error) ? classifyWriteError(message) : Outcome.unknown;
      return { outcome, waitCount: -1, falseAck: false, node: 0 };
    }
    const { generation, node } = client;
    if (Number(length) > shape.payloadBytes) report.appliedTwice();
    if (!waits) return { outcome: Outcome.acked, waitCount: -1, falseAck: false, node };
    const { local, replicas } = await wait(waits);
    const outcome = outcomeOfOk(shape, replicas, local);
    const falseAck = outcome === Outcome.acked && client.generation !== generation;
    return { outcome, waitCount: replicas, falseAck, node };
  }

  return { write, node: () => client.node, close: () => client.destroy() };
}
