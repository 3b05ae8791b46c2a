/**
 * Runs a search, or tries one schedule several times, and reports losses as they are found.
 */
import { setMaxListeners } from 'node:events';
import pLimit from 'p-limit';
import { settingsForBlocking } from '../../src/faults/blocking-command.js';
import { count, plural } from '../../src/report/format.js';
import { findServer } from '../../src/stacks/redis/local/server.js';
import { addCounts } from '../../src/stats/statistics.js';
import { explore } from './explore.js';
import { scheduleText, USUAL_STEPS } from './schedule.js';
import { createTry, WRITERS } from './try.js';

/**
 * @import { Placement } from '../../src/stacks/network/hosts.js'
 * @import { Progress } from '../../src/run/progress.js'
 * @import { TrialMode } from '../failure/modes.js'
 * @import { Attempt, Outcome, SearchEvent, Try } from './explore.js'
 * @import { SearchResult } from './page.js'
 * @import { Schedule, StepKind } from './schedule.js'
 */

/**
 * @typedef {Object} RunOptions
 * @property {TrialMode} mode
 * @property {number} minutes
 * @property {number} [schedules]
 * @property {number} hosts
 * @property {number} faultyHosts
 * @property {Placement} placement
 * @property {number} downAfterMs
 * @property {number} lanes
 * @property {boolean} [first]
 * @property {StepKind[]} [steps]
 * @property {number} seed
 * @property {Schedule | null} replay only this one
 * @property {number} tries of the replayed schedule
 * @property {string} [server]
 * @property {string} folder
 * @property {Progress} progress
 * @property {AbortSignal} signal
 * @property {() => number} now seconds
 */

/**
 * @param {RunOptions} options
 * @returns {Promise<Omit<SearchResult, 'schema' | 'startedAt' | 'command' | 'tool' | 'server'>>}
 */
export async function runSearch(options) {
  const {
    mode,
    placement,
    faultyHosts,
    downAfterMs,
    seed,
    lanes,
    steps: kinds = USUAL_STEPS,
    progress,
    server,
  } = options;
  // Each lane listens to it several times.
  setMaxListeners(0, options.signal);
  /** @type {Record<string, number>} */
  let failures = {};
  // Without one the first try says so.
  const program = await findServer(server);
  const attempt = createTry({
    mode,
    downAfterMs,
    placement,
    stack: { backend: 'local', server, settings: program ? settingsForBlocking(program) : {} },
    folder: options.folder,
  });
  /** @param {Attempt} result */
  const countFailure = ({ failed }) => {
    if (failed !== undefined) failures = addCounts(failures, { [failed]: 1 });
  };
  const totals = { tried: 0, losing: 0 };

  /** @param {SearchEvent} event */
  function tell(event) {
    if (event.kind === 'found') {
      const { schedule, repeated } = event.found;
      progress.tell(`shortest: ${scheduleText(schedule)} lost in ${repeated.losing} of ${repeated.tries} tries`);
      return;
    }
    if (event.kind === 'shorter') return;
    const { number, schedule, attempt: result } = event;
    countFailure(result);
    if (result.failed !== undefined) progress.tell(`schedule ${number} failed: ${result.failed}`);
    else totals.tried++;
    if (result.lost > 0) {
      totals.losing++;
      progress.tell(
        `schedule ${number} lost ${count(result.lost)} of ${count(result.acked)} acknowledged writes: ${scheduleText(schedule)}`,
      );
    }
    progress.now(`${plural(totals.tried, 'schedule')} tried, ${totals.losing} lost writes`);
  }

  const outcome = options.replay
    ? await again(options.replay, attempt, { ...options, tell })
    : await explore(attempt, {
        ...options,
        kinds,
        downAfterSeconds: downAfterMs / 1000,
        seconds: options.minutes * 60,
        tell,
      });
  const { losing, found, ...counts } = outcome;
  return {
    mode,
    placement,
    faultyHosts,
    downAfterMs,
    seed,
    lanes,
    writers: [...WRITERS],
    kinds: options.replay ? [...new Set(options.replay.map(({ kind }) => kind))] : [...kinds],
    ...counts,
    failures,
    losing: losing.map(({ number, schedule, attempt: { acked, lost, seconds } }) => ({
      number,
      schedule: scheduleText(schedule),
      acked,
      lost,
      seconds,
    })),
    found: found.map(({ from, schedule, repeated: { tries, losing, mostLost, mostSeconds }, alike }) => ({
      number: from.number,
      schedule: scheduleText(schedule),
      tries,
      losing,
      mostLost,
      mostSeconds,
      alike,
    })),
  };
}

/**
 * @param {Schedule} schedule
 * @param {Try} attempt
 * @param {Pick<RunOptions, 'tries' | 'lanes' | 'signal' | 'now'> & {tell: (event: SearchEvent) => void}} options
 * @returns {Promise<Outcome>}
 */
async function again(schedule, attempt, { tries, lanes, signal, now, tell }) {
  const began = now();
  const limit = pLimit(lanes);
  const all = await Promise.all(
    Array.from({ length: tries }, (_, index) =>
      limit(async () => {
        if (signal.aborted) return null;
        const result = await attempt(schedule, signal);
        if (signal.aborted && result.failed !== undefined) return null;
        tell({ kind: 'tried', number: index + 1, schedule, attempt: result });
        return { number: index + 1, schedule, attempt: result };
      }),
    ),
  );
  const done = all.filter((each) => each !== null);
  const good = done.filter((each) => each.attempt.failed === undefined);
  const losing = good.filter((each) => each.attempt.lost > 0);
  const repeated = {
    tries: good.length,
    losing: losing.length,
    mostLost: Math.max(0, ...losing.map((each) => each.attempt.lost)),
    mostSeconds: Math.max(0, ...losing.map((each) => each.attempt.seconds)),
    acked: good.reduce((sum, each) => sum + each.attempt.acked, 0),
  };
  return {
    tried: good.length,
    failed: done.length - good.length,
    shortening: 0,
    acked: repeated.acked,
    losing,
    found: losing.length > 0 ? [{ from: losing[0], schedule, repeated, alike: losing.length }] : [],
    notShortened: 0,
    seconds: now() - began,
  };
}
