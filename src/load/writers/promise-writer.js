/** A writer whose client answers each write with a promise. Up to `connections` writes are under way at once. */
import { Outcome } from '../../clients/types.js';
import { messageOf, UserError } from '../../errors.js';
import { clockMs } from '../../stats/clock.js';
import { Account, WritePace } from './writer.js';

/**
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 * @import { Writer } from './writer.js'
 */

/**
 * @typedef {Object} WriteAnswer
 * @property {number} outcome an `Outcome`
 * @property {number} waitCount -1: none
 * @property {boolean} falseAck the count that acknowledged it does not cover it
 * @property {number} node that answered it, counted from 1; 0: unknown
 *
 * @typedef {Object} PromiseClient
 * @property {(number: number) => Promise<WriteAnswer>} write never rejects
 * @property {() => boolean} [isFree] it can take a write now; default: always
 * @property {() => number} node to which it is connected, counted from 1; 0: unknown
 * @property {() => void | Promise<void>} close idempotent
 *
 * @typedef {Object} ClientReport what a client tells its writer; ignored once that is closed
 * @property {(text: string) => void} error as `Account.error`
 * @property {() => void} appliedTwice
 * @property {(node: number) => void} moved
 */

/**
 * @param {WriterPlan} plan
 * @param {TrialPlan} trial
 * @param {(report: ClientReport) => Promise<PromiseClient>} connect
 * @returns {Writer}
 */
export function createPromiseWriter(plan, trial, connect) {
  const account = new Account(plan);
  /** Writes under way. @type {Set<number>} */
  const underWay = new Set();
  let closed = false;
  /** @type {PromiseClient | undefined} */
  let client;

  /** @type {ClientReport} */
  const report = {
    error: (text) => closed || account.error(text),
    appliedTwice: () => closed || account.appliedTwice(),
    moved: (node) => closed || account.moved(node),
  };

  /** @param {number} number */
  function trySend(number) {
    if (underWay.size >= plan.connections || !client || client.isFree?.() === false) return false;
    underWay.add(number);
    account.sent(number, client.node());
    client.write(number).then(({ node, ...answer }) => {
      // It is no longer under way if the writer was closed.
      if (!underWay.delete(number)) return;
      // The client may have sent it to another node than it had at first.
      if (node > 0) account.sent(number, node);
      account.answered(number, answer);
      pace.look(clockMs());
    });
    return true;
  }

  const pace = new WritePace({ rate: plan.rate, giveUpMs: trial.giveUpMs }, account, trySend);

  return {
    account,
    async open() {
      try {
        client = await connect(report);
      } catch (error) {
        if (error instanceof UserError) throw error;
        throw new UserError(
          `The writer ${plan.name} could not connect to the primary of ${trial.masterName}: ${messageOf(error)}.`,
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
      await client?.close();
    },
    sample: () => account.sample(pace.writes),
  };
}
