/**
 * The writers `stays` and `follows`: an open loop over connections of the `native` client, which are replaced when they are
 * lost. When and where to is home.js's business.
 *
 * No time-out on a write: with a primary that stands still, `stays` hangs until it hears an error, as clients do that
 * trust TCP.
 */
import { valueMaker } from '../../audit/value.js';
import { clockMs } from '../../stats/clock.js';
import { Account } from './writer.js';
import { Home } from './primary-connections.js';
import { Pace } from './pace.js';

/** @import { TrialPlan, WriterPlan, WriterSample } from '../trial-types.js' */

/**
 * @typedef {Object} Writer one of a trial
 * @property {Account} account
 * @property {() => Promise<void>} open connects; rejects with a UserError when it cannot. `close` must follow in any case
 * @property {() => void} begin write 0 is due at `account.beganAt`
 * @property {(now: number) => void} tick sends what is due; called about every millisecond
 * @property {(now: number) => void} end no more writes become due
 * @property {(now: number) => boolean} isDone after `end`: nothing is under way and nothing overdue
 * @property {() => Promise<void>} close idempotent; what is under way is `unknown` when it resolves, what was due and has not
 *   left `unsent`
 * @property {() => WriterSample} sample after `close`
 */

/**
 * @param {WriterPlan} plan
 * @param {TrialPlan} trial
 * @returns {Writer}
 */
export function createNativeWriter(plan, trial) {
  const account = new Account(plan);
  const value = valueMaker(plan.shape.keyPrefix, plan.shape.payloadBytes);
  /** The number of the write under way on each place. */
  const numbers = new Int32Array(plan.connections);
  let underWay = 0;
  let closed = false;

  const home = new Home(trial, {
    shape: plan.shape,
    places: plan.connections,
    follows: plan.name === 'follows',
    onMove: (node) => account.moved(node),
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
    const place = home.take();
    if (place === null) return false;
    numbers[place.index] = number;
    underWay++;
    // Entered before it is sent: whatever happens afterwards, it may have been applied.
    account.sent(number, place.node);
    place.connection.keys[0] = number;
    place.connection.setValue(value(number));
    place.connection.write();
    return true;
  }

  const pace = new Pace({ rate: plan.rate, giveUpMs: trial.giveUpMs }, account, trySend);

  return {
    account,
    open: () => home.open(),
    begin: () => pace.begin(),
    tick(now) {
      home.notice();
      pace.look(now);
    },
    end: (now) => pace.end(now),
    isDone: (now) => underWay === 0 && !pace.overdue(now),
    async close() {
      // What is answered from here on is what this side gives up.
      closed = true;
      pace.giveUp(clockMs());
      home.close();
    },
    sample: () => account.sample(pace.writes),
  };
}
