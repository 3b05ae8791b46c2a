/** Runs a search, or tries one schedule several times, and reports losses as they are found. */
import { setMaxListeners } from 'node:events';
import pLimit from 'p-limit';
import { settingsForBlocking } from '../../src/faults/blocking-command.js';
import { count, plural } from '../../src/format.js';
import { addCounts } from '../../src/stats/statistics.js';
import { harmOf } from './document.js';
import { explore, repeatedOf } from './explore.js';
import { scheduleText, USUAL_STEPS } from './schedule.js';
import { createTry, WRITERS } from './try.js';

/**
 * @import { Placement } from '../../src/stacks/network/hosts.js'
 * @import { Progress } from '../../src/run/progress.js'
 * @import { ModeName } from '../modes.js'
 * @import { Attempt, SearchOutcome, SearchEvent, Try } from './explore.js'
 * @import { SearchResult } from './document.js'
 * @import { Schedule, StepKind } from './schedule.js'
 */

/**
 * @typedef {Object} SearchRunOptions
 * @property {ModeName} mode
 * @property {string} [workload] whose invariants a schedule has to break, with commas between them; default: a schedule has to lose writes
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
 * @property {{path: string, name: string, version: string}} server
 * @property {string} folder
 * @property {Progress} progress
 * @property {AbortSignal} signal
 * @property {() => number} now seconds
 */

/** @param {SearchRunOptions} options @returns {Promise<Omit<SearchResult, 'schema' | 'startedAt' | 'command' | 'tool'>>} */
export async function runSearch(options) {
  // Each lane listens to it several times, and to the signals that end this process.
  setMaxListeners(0, options.signal, process);
  const { mode, workload, placement, faultyHosts, downAfterMs, lanes, seed, server, progress } = options;
  const { steps: kinds = USUAL_STEPS } = options;
  const stack = { backend: /** @type {const} */ ('local'), server: server.path, settings: settingsForBlocking(server) };
  const attempt = createTry({ mode, workload, downAfterMs, placement, stack, folder: options.folder });
  /** @type {Record<string, number>} */
  let failures = {};
  /** @param {Attempt} result */
  const countFailure = ({ failed }) => {
    if (failed !== undefined) failures = addCounts(failures, { [failed]: 1 });
  };
  const totals = { tried: 0, losing: 0 };
  const what = harmOf(workload) ?? 'lost acknowledged writes';

  /** @param {SearchEvent} event */
  function tell(event) {
    if (event.kind === 'found') {
      const { schedule, repeated } = event.found;
      progress.tell(`shortest: ${scheduleText(schedule)}: ${what} in ${repeated.losing} of ${repeated.tries} tries`);
      return;
    }
    if (event.kind === 'shorter') return;
    const { number, schedule, attempt: result } = event;
    countFailure(result);
    if (result.failed !== undefined) progress.tell(`schedule ${number} failed: ${result.failed}`);
    else totals.tried++;
    if (result.lost > 0) {
      totals.losing++;
      const harms = result.broke?.map(harmOf).join(', ') ?? what;
      progress.tell(`schedule ${number}, ${harms}: ${count(result.lost)}: ${scheduleText(schedule)}`);
    }
    progress.now(`${plural(totals.tried, 'schedule')} tried, ${totals.losing} with: ${what}`);
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
    server: { name: server.name, version: server.version },
    mode,
    ...(workload !== undefined && { workload }),
    placement,
    faultyHosts,
    downAfterMs,
    seed,
    lanes,
    writers: [...WRITERS],
    kinds: options.replay ? [...new Set(options.replay.map(({ kind }) => kind))] : [...kinds],
    ...counts,
    failures,
    losing: losing.map(({ number, schedule, attempt: { acked, lost, seconds, broke } }) => ({
      number,
      schedule: scheduleText(schedule),
      acked,
      lost,
      seconds,
      ...(broke && { broke: [...broke] }),
    })),
    found: found.map(({ from, schedule, repeated: { acked: _, ...repeated }, alike }) => ({
      number: from.number,
      schedule: scheduleText(schedule),
      ...repeated,
      alike,
    })),
  };
}

/**
 * @param {Schedule} schedule
 * @param {Try} attempt
 * @param {Pick<SearchRunOptions, 'tries' | 'lanes' | 'signal' | 'now'> & {tell: (event: SearchEvent) => void}} options
 * @returns {Promise<SearchOutcome>}
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
  const repeated = repeatedOf(good.map((each) => each.attempt));
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
