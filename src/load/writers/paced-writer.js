/**
 * A writer in an open loop over a client. Up to `connections` writes are under way at once.
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 * @import { Writer } from './writer.js'
 * @typedef {Object} WriteAnswer
 * @property {number} outcome an `Outcome` @property {number} waitCount -1: none
 * @property {boolean} [falseAck] the count that acknowledged it does not cover it
 * @property {number} [node] that answered it, counted from 1; absent or 0: unknown, or as `free` said
 * @typedef {Object} WriterClient
 * @property {() => Promise<void>} [open] connects; absent: it is connected
 * @property {() => number | null} free the node of the next write, counted from 1 (0: unknown); null: no connection is free
 * @property {(number: number) => void} write follows `free`; ends in `report.answered`, which is not called from within
 * @property {() => void} [notice] called about every millisecond @property {() => void | Promise<void>} close idempotent
 * @typedef {Object} PromiseClient
 * @property {(number: number) => Promise<WriteAnswer>} write never rejects
 * @property {() => boolean} [isFree] it can take a write now; default: always
 * @property {() => number} node to which it is connected, counted from 1; 0: unknown
 * @property {() => void | Promise<void>} close idempotent
 * @typedef {Pick<Account, 'error' | 'appliedTwice' | 'moved'>} ClientReport what a client tells its writer
 * @typedef {Object} WriterReport
 * @property {(number: number, answer: WriteAnswer) => void} answered @property {() => void} free a connection can take a write
 */
import { Outcome } from '../../clients/types.js';
import { messageOf, UserError } from '../../errors.js';
import { clockMs } from '../../stats/clock.js';
import { problem } from '../sentences.js';
import { Account, WritePace } from './writer.js';

/**
 * @param {WriterPlan} plan @param {TrialPlan} trial @param {(report: ClientReport & WriterReport) => Promise<WriterClient>} connect
 * @returns {Writer}
 */
export function createPacedWriter(plan, trial, connect) {
  const account = new Account(plan);
  const underWay = /** @type {Set<number>} */ (new Set());
  let closed = false;
  let client = /** @type {WriterClient | undefined} */ (undefined);

  /** @type {ClientReport & WriterReport} */
  const report = {
    error: (text) => closed || account.error(text),
    appliedTwice: () => closed || account.appliedTwice(),
    moved: (node) => closed || account.moved(node),
    free: () => closed || pace.look(clockMs()),
    answered(number, { node = 0, ...answer }) {
      // It is no longer under way if the writer was closed.
      if (!underWay.delete(number)) return;
      // The client may have sent it to another node than it had at first.
      if (node > 0) account.sent(number, node);
      account.answered(number, answer);
    },
  };

  function trySend(/** @type {number} */ number) {
    if (underWay.size >= plan.connections || !client) return false;
    const node = client.free();
    if (node === null) return false;
    underWay.add(number);
    // Entered before it is sent: from then on it may have been applied.
    account.sent(number, node);
    client.write(number);
    return true;
  }

  const pace = new WritePace({ rate: plan.rate, giveUpMs: trial.giveUpMs }, account, trySend);

  return {
    account,
    async open() {
      try {
        client = await connect(report);
        await client.open?.();
      } catch (error) {
        if (error instanceof UserError) throw error;
        throw problem('no-primary', { name: plan.name, master: trial.masterName, why: messageOf(error) });
      }
    },
    begin: () => pace.begin(),
    tick(now) {
      client?.notice?.();
      pace.look(now);
    },
    end: (now) => pace.end(now),
    isDone: (now) => underWay.size === 0 && !pace.overdue(now),
    async close() {
      if (closed) return;
      closed = true;
      pace.giveUp(clockMs());
      // Some clients settle what is under way before this returns.
      const closing = client?.close();
      for (const number of underWay) account.answered(number, { outcome: Outcome.unknown, waitCount: -1 });
      underWay.clear();
      await closing;
    },
    sample: () => account.sample(pace.writes),
  };
}

/** @param {WriterPlan} plan @param {TrialPlan} trial @param {(report: ClientReport) => Promise<PromiseClient>} connect */
export function createPromiseWriter(plan, trial, connect) {
  return createPacedWriter(plan, trial, async (report) => {
    const client = await connect(report);
    return {
      free: () => (client.isFree?.() === false ? null : client.node()),
      async write(number) {
        report.answered(number, await client.write(number));
        report.free();
      },
      close: () => client.close(),
    };
  });
}
