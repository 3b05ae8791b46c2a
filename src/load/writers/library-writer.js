/**
 * The writers `redis` and `ioredis`: a library's Sentinel client, used as applications use it. A write is APPEND and then WAIT; each
 * promise is awaited. Up to `connections` such pairs are under way at once.
 *
 * The library may resend, retry and queue: that is what we want to show. It sends WAIT on whatever connection it has by then. On
 * another connection than the write's, the count does not cover the write, and we call the acknowledgement false. Valkey 8.0 counts
 * all replicas for a connection that has written nothing. Redis 7.0 counts the replicas that have everything up to the connection's
 * last command; that covers the write on the same node, but not after a failover.
 */
import { valueMaker } from '../../audit/value.js';
import { keyName } from '../../clients/native-batch.js';
import { classifyWriteError, outcomeOfOk } from '../../clients/outcome.js';
import { Outcome } from '../../clients/types.js';
import { messageOf, UserError } from '../../errors.js';
import { clockMs } from '../../stats/clock.js';
import { Account, Pace } from './writer.js';

/**
 * @import { SentinelClient, SentinelOptions } from '../../clients/library.js'
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 * @import { Writer } from './writer.js'
 */

/** @type {Record<string, () => Promise<(options: SentinelOptions) => Promise<SentinelClient>>>} */
const CONNECTORS = {
  redis: async () => (await import('../../clients/sentinel-redis.js')).connectSentinelRedis,
  ioredis: async () => (await import('../../clients/sentinel-ioredis.js')).connectSentinelIoredis,
};

/**
 * @param {WriterPlan} plan
 * @param {TrialPlan} trial
 * @returns {Promise<Writer>}
 */
export async function createLibraryWriter(plan, trial) {
  const connect = await CONNECTORS[plan.name]();
  const { shape } = plan;
  const account = new Account(plan);
  const value = valueMaker(shape.keyPrefix, shape.payloadBytes);
  /** Writes under way. @type {Set<number>} */
  const underWay = new Set();
  let closed = false;
  /** @type {SentinelClient} */
  let client;

  /** @param {unknown} error with which a command's promise was rejected */
  function tell(error) {
    if (closed) return;
    account.error(client.isReply(error) ? messageOf(error) : `CLOSED ${messageOf(error)}`);
  }

  /** @returns {Promise<{local: number, replicas: number}>} the counts of WAIT or WAITAOF; -1: unknown */
  async function wait() {
    const { waitReplicas, waitLocal, waitTimeoutMs } = shape;
    try {
      if (waitLocal === undefined)
        return { local: -1, replicas: Number(await client.wait(waitReplicas, waitTimeoutMs)) };
      const reply = await client.call(['WAITAOF', ...[waitLocal, waitReplicas, waitTimeoutMs].map(String)]);
      const [local, replicas] = /** @type {unknown[]} */ (reply);
      return { local: Number(local), replicas: Number(replicas) };
    } catch (error) {
      tell(error);
      return { local: -1, replicas: -1 };
    }
  }

  /**
   * Never rejects.
   *
   * @param {number} number
   * @returns {Promise<{outcome: number, waitCount: number, falseAck: boolean, node: number}>} node: which one answered; 0: unknown
   */
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
    if (Number(length) > shape.payloadBytes && !closed) account.appliedTwice();
    if (shape.waitReplicas === 0 && shape.waitLocal === undefined) {
      return { outcome: Outcome.acked, waitCount: -1, falseAck: false, node };
    }
    const { local, replicas } = await wait();
    const outcome = outcomeOfOk(shape, replicas, local);
    const falseAck = outcome === Outcome.acked && client.generation !== generation;
    return { outcome, waitCount: replicas, falseAck, node };
  }

  /** @param {number} number */
  function trySend(number) {
    if (underWay.size >= plan.connections) return false;
    underWay.add(number);
    account.sent(number, client.node);
    write(number).then(({ node, ...answer }) => {
      // It is no longer under way if the writer was closed.
      if (!underWay.delete(number)) return;
      // The library may have sent it to another node than it had at first.
      if (node > 0) account.sent(number, node);
      account.answered(number, answer);
      pace.look(clockMs());
    });
    return true;
  }

  const pace = new Pace({ rate: plan.rate, giveUpMs: trial.giveUpMs }, account, trySend);

  return {
    account,
    async open() {
      const { sentinels, nodes, masterName, credentials } = trial;
      /** @param {number} node */
      const onMove = (node) => {
        if (!closed) account.moved(node);
      };
      try {
        client = await connect({ sentinels, nodes, masterName, credentials, onMove });
      } catch (error) {
        throw new UserError(
          `The ${plan.name} library could not connect to the primary of ${masterName}: ${messageOf(error)}.`,
          'Check that the Sentinels agree on a primary and that it can be reached (sentinel-bench status).',
        );
      }
    },
    begin: () => pace.begin(),
    tick: (now) => pace.look(now),
    end: (now) => pace.end(now),
    isDone: (now) => underWay.size === 0 && !pace.overdue(now),
    async close() {
      if (closed) return;
      closed = true;
      pace.giveUp(clockMs());
      for (const number of underWay) {
        account.answered(number, { outcome: Outcome.unknown, waitCount: -1 });
      }
      underWay.clear();
      await client?.destroy();
    },
    sample: () => account.sample(pace.writes),
  };
}
