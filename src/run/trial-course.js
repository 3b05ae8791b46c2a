/**
 * Trials as whoever watches sees them: what is planned, and what happens in each lane as it happens.
 */

/**
 * @import { MarkValue as Mark } from '../result/failure-schema.js'
 * @import { Piece } from './estimate.js'
 * @import { Progress } from './progress.js'
 * @import { TrialBenchmark } from './types.js'
 */

/** What a trial takes, roughly; only for the first estimate. */
const TRIAL_SECONDS = 18;

/** Of what the Sentinels say, what moves a failure on. */
const MOVES_ON = new Set(['+odown', '+switch-master', '+convert-to-slave', '-failover-abort-not-elected']);
const FAULT_BEGUN = 'fault begun';

/**
 * @param {Pick<TrialBenchmark, 'name' | 'alone'>} benchmark
 * @param {number} sideBySide trials of benchmarks that do not run alone
 * @returns {{piece: Piece, lanes: number}}
 */
export function trialPiece({ name, alone }, sideBySide) {
  const lanes = alone ? 1 : sideBySide;
  return { piece: { kind: 'trials', of: name, seconds: TRIAL_SECONDS / lanes }, lanes };
}

/**
 * @param {Progress} progress
 * @param {number} lane
 * @param {string} title of the trial
 * @returns {{says: (text: string) => void, mark: (mark: Omit<Mark, 'afterMs'> & {at: number}) => void}} says: what is done now, until
 *   something else is said or happens; mark: what happened, at `clockMs()`
 */
export function courseTeller({ happens }, lane, title) {
  /** @type {string[]} */
  const events = [];
  /** @type {Set<string>} */
  const told = new Set();
  /** @type {number | null} */
  let faultAt = null;
  return {
    says: (text) => happens?.(lane, title, [...events, text]),
    mark({ at, who, what, detail }) {
      if (who !== 'harness') {
        // Each of the Sentinels says so.
        if (!MOVES_ON.has(what) || told.has(`${what} ${detail}`)) return;
        told.add(`${what} ${detail}`);
      }
      if (what === FAULT_BEGUN) faultAt ??= at;
      const text = [what, detail].filter((part) => part !== '').join(' ');
      events.push(faultAt === null || at === faultAt ? text : `${text} ${((at - faultAt) / 1000).toFixed(1)} s`);
      happens?.(lane, title, events);
    },
  };
}
