/**
 * A rate limit with fixed windows: INCR counts in a key that is named after the window, and PEXPIRE lets the key end after the window.
 *
 * Invariant: in no window more is allowed than the limit. A library may not say when a window begins. So the checker counts only what must have been in one window,
 * whenever that began.
 * @import { Counted, Operation, Workload } from './types.js'
 */
import { acknowledged, groupBy, nowUs, US_A_MS } from './history.js';

const KEYS = 5;
const LIMIT = 20;
const WINDOW_MS = 4000;
const KEPT_MS = 2 * WINDOW_MS;
const EVERY_MS = 25;

/** @type {Workload} */
export const limiter = {
  name: 'limiter',
  title: 'rate limit',
  roles: {
    client: {
      processes: 4,
      async run(site) {
        for (let turn = site.index; !site.stopped(); turn++) {
          const window = Math.floor(nowUs() / US_A_MS / WINDOW_MS);
          const key = `${site.prefix}limit:${turn % KEYS}:${window}`;
          await site.write(
            { op: 'allow', key, limit: LIMIT, windowMs: KEPT_MS },
            [
              ['INCR', key],
              ['PEXPIRE', key, String(KEPT_MS)],
            ],
            (replies) => (Array.isArray(replies) && Number(replies[0]) > LIMIT ? { outcome: 'no' } : {}),
          );
          await site.pause(EVERY_MS);
        }
      },
    },
  },
  check: checkLimits,
  timed: 'allow',
  harms: { overLimit: 'limit exceeded' },
};

/** @param {readonly Operation[]} history @returns {Counted} `overLimit`: windows in which more was allowed */
function checkLimits(history) {
  const sent = history.filter(({ op, outcome }) => op === 'allow' && outcome !== 'refused');
  const over = [...groupBy(sent, ({ key }) => key).values()].flatMap(excessesIn);
  return { acknowledged: acknowledged(history, 'allow').length, overLimit: over.length };
}

/** @param {readonly Operation[]} sent with one key @returns what was allowed beyond the limit, for each window with such an excess */
function excessesIn(sent) {
  const [{ limit = Infinity, windowMs = 0 }] = sent;
  const excesses = [];
  // The window before ended between these two times at the earliest and at the latest.
  let [earliest, latest] = [-Infinity, -Infinity];
  for (;;) {
    // An operation that began a window was under way then, or began later.
    const candidates = sent.filter(({ end }) => (end ?? Infinity) >= earliest);
    if (candidates.length === 0) return excesses;
    const begins = Math.max(earliest, Math.min(...candidates.map(({ begin }) => begin)));
    const answered = sent.filter(({ begin, end, outcome }) => begin >= latest && end !== null && outcome !== 'unknown');
    const begunBy = Math.min(...answered.map(({ end }) => Number(end)));
    const ends = begins + windowMs * US_A_MS;
    const within = answered.filter(({ end, outcome }) => outcome === 'ok' && Number(end) <= ends);
    if (within.length > limit) excesses.push(within.length - limit);
    if (begunBy === Infinity) return excesses;
    [earliest, latest] = [ends, begunBy + windowMs * US_A_MS];
  }
}
