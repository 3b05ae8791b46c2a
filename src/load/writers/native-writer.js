/**
 * Writers over connections of the `native` client, in an open loop. primary-connections.js decides when and where they connect.
 *
 * Writes have no time-out. When the primary hangs, a writer hangs until it gets an error, as clients do that trust TCP.
 */
import { valueMaker } from '../../audit/value.js';
import { native } from '../../clients/native.js';
import { clockMs } from '../../stats/clock.js';
import { PrimaryConnections } from './primary-connections.js';
import { Account, WritePace } from './writer.js';

/**
 * @import { NativeConnection } from '../../clients/native.js'
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 * @import { Writer } from './writer.js'
 */

/**
 * @param {WriterPlan} plan
 * @param {TrialPlan} trial
 * @param {{failoverAware: boolean, behindProxy?: boolean}} options failoverAware: it leaves its node as soon as a Sentinel says
 *   `+switch-master`; behindProxy: it does not know which node it reaches
 * @returns {Writer}
 */
export function createWriter(plan, trial, { failoverAware, behindProxy = false }) {
  const account = new Account(plan);
  const value = valueMaker(plan.shape.keyPrefix, plan.shape.payloadBytes);
  /** The number of the write under way on each place. */
  const numbers = new Int32Array(plan.connections);
  let underWay = 0;
  let closed = false;

  const connections = new PrimaryConnections(trial, {
    connect: async (target) => /** @type {NativeConnection} */ (await native.connect(target, plan.shape)),
    places: plan.connections,
    failoverAware,
    onMove(node) {
      if (!behindProxy) account.moved(node);
    },
    onError(text) {
      if (!closed) account.error(text);
    },
    onAnswer(place, { outcomes, waitCount }) {
      underWay--;
      account.answered(numbers[place], { outcome: outcomes[0], waitCount });
    },
    onFree() {
      if (!closed) pace.look(clockMs());
    },
  });

  /** @param {number} number */
  function trySend(number) {
    const place = connections.take();
    if (place === null) return false;
    numbers[place.index] = number;
    underWay++;
    // Entered before it is sent: from then on it may have been applied.
    account.sent(number, behindProxy ? 0 : place.node);
    place.connection.keys[0] = number;
    place.connection.setValue(value(number));
    place.connection.write();
    return true;
  }

  const pace = new WritePace({ rate: plan.rate, giveUpMs: trial.giveUpMs }, account, trySend);

  return {
    account,
    open: () => connections.open(),
    begin: () => pace.begin(),
    tick(now) {
      connections.notice();
      pace.look(now);
    },
    end: (now) => pace.end(now),
    isDone: (now) => underWay === 0 && !pace.overdue(now),
    async close() {
      // Answers from here on come from closing the connections.
      closed = true;
      pace.giveUp(clockMs());
      connections.close();
    },
    sample: () => account.sample(pace.writes),
  };
}
