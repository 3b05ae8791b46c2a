/** Runs a search, or tries one schedule several times, and reports losses as they are found. */
import { setMaxListeners } from 'node:events';
import { settingsForBlocking } from '../../src/faults/settings.js';
import { count, plural } from '../../src/format.js';
import { harmOf } from './document.js';
import { explore, replay } from './explore.js';
import { scheduleText, USUAL_STEPS } from './schedule.js';
import { createTry, WRITERS } from './try.js';

/** @import { Progress } from '../../src/run/progress.js' */
/** @import { SearchEvent, SearchOptions } from './explore.js' */
/** @import { SearchResult } from './document.js' */
/** @import { Schedule, StepKind } from './schedule.js' */

/**
 * @typedef {Omit<SearchOptions, 'seconds' | 'tell' | 'downAfterSeconds' | 'kinds'> & Omit<Parameters<typeof createTry>[0], 'stack'> &
 *   {minutes: number, steps?: StepKind[], replay: Schedule | null, tries: number, server: {path: string, name: string, version: string},
 *   progress: Progress}} SearchRunOptions replay: only this one, so many times
 */

/** @param {SearchRunOptions} options @returns {Promise<Omit<SearchResult, 'schema' | 'startedAt' | 'command' | 'tool'>>} */
export async function runSearch(options) {
  // Each lane listens to it several times, and to the signals that end this process.
  setMaxListeners(0, options.signal, process);
  const { mode, workload, placement, faultyHosts, downAfterMs, lanes, seed, server, progress } = options;
  const { steps: kinds = USUAL_STEPS, replay: only } = options;
  const stack = { backend: /** @type {const} */ ('local'), server: server.path, settings: settingsForBlocking(server) };
  const attempt = createTry({ mode, workload, downAfterMs, placement, stack, folder: options.folder });
  const what = harmOf(workload) ?? 'lost acknowledged writes';
  const { failures, tell } = reporting(progress, what);
  const limits = { downAfterSeconds: downAfterMs / 1000, seconds: options.minutes * 60 };
  const { losing, found, ...counts } = only
    ? await replay(only, options.tries, attempt, { ...options, tell })
    : await explore(attempt, { ...options, kinds, ...limits, tell });
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
    kinds: only ? [...new Set(only.map(({ kind }) => kind))] : [...kinds],
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

/** @param {Progress} progress @param {string} what is searched for */
function reporting(progress, what) {
  /** How many tries failed, by reason. @type {Record<string, number>} */
  const failures = {};
  let [tried, losing] = [0, 0];
  /** @param {SearchEvent} event */
  function tell(event) {
    if (event.kind === 'found') {
      const { schedule, repeated } = event.found;
      progress.tell(`shortest: ${scheduleText(schedule)}: ${what} in ${repeated.losing} of ${repeated.tries} tries`);
    }
    if (event.kind !== 'tried') return;
    const { number, schedule } = event;
    const { failed, lost, broke } = event.attempt;
    if (failed === undefined) tried++;
    else {
      failures[failed] = (failures[failed] ?? 0) + 1;
      progress.tell(`schedule ${number} failed: ${failed}`);
    }
    if (lost > 0) {
      losing++;
      const harms = broke?.map(harmOf).join(', ') ?? what;
      progress.tell(`schedule ${number}, ${harms}: ${count(lost)}: ${scheduleText(schedule)}`);
    }
    progress.now(`${plural(tried, 'schedule')} tried, ${losing} with: ${what}`);
  }
  return { failures, tell };
}
