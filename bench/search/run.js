/** Runs a search, or tries one schedule several times, and reports losses as they are found. */
import { setMaxListeners } from 'node:events';
import pLimit from 'p-limit';
import { UserError } from '../../src/errors.js';
import { settingsForBlocking } from '../../src/faults/blocking-command.js';
import { count, plural } from '../../src/format.js';
import { findServer, INSTALL_SERVER } from '../../src/stacks/redis/local/server.js';
import { addCounts } from '../../src/stats/statistics.js';
import { openAgentsTry } from './agents.js';
import { harmOf } from './document.js';
import { explore, repeatedOf } from './explore.js';
import { scheduleText, USUAL_STEPS } from './schedule.js';
import { createTry, WRITERS } from './try.js';

/**
 * @import { WantedAgents } from '../../src/agents/agents-load.js'
 * @import { Placement } from '../../src/stacks/network/hosts.js'
 * @import { Progress } from '../../src/run/progress.js'
 * @import { ModeName } from '../modes.js'
 * @import { AgentsTry } from './agents.js'
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
 * @property {number} [lanes] of this process, or of each agent; default for agents: as many as suit their machines
 * @property {WantedAgents} [agents] try the schedules on their machines
 * @property {boolean} disks schedules need disks of their own
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
 * @param {SearchRunOptions} options
 * @returns {Promise<Omit<SearchResult, 'schema' | 'startedAt' | 'command' | 'tool'>>}
 */
export async function runSearch(options) {
  // Each lane listens to it several times, and to the signals that end this process.
  setMaxListeners(0, options.signal, process);
  const { mode, workload, placement, downAfterMs, lanes, agents: wanted, disks, progress } = options;
  if (!wanted) {
    const program = await findServer(options.server);
    if (!program) throw new UserError('There is no Redis or Valkey server on this machine.', `${INSTALL_SERVER}.`);
    const stack = {
      backend: /** @type {const} */ ('local'),
      server: options.server,
      settings: settingsForBlocking(program),
    };
    const attempt = createTry({ mode, workload, downAfterMs, placement, stack, folder: options.folder });
    const { name, version } = program;
    return { server: { name, version }, ...(await searchWith(attempt, lanes ?? 1, options)) };
  }
  const { agents, attempt, close } = await openAgentsTry(
    wanted,
    { mode, placement, downAfterMs, lanes, disks },
    progress.tell,
  );
  try {
    const { counted, shares } = countShares(attempt, agents);
    const sum = agents.reduce((total, agent) => total + agent.lanes, 0);
    const outcome = await searchWith(counted, sum, options);
    return { server: agents[0].server, ...outcome, agents: shares };
  } finally {
    await close();
  }
}

/** @param {Try} attempt @param {AgentsTry['agents']} agents */
function countShares(attempt, agents) {
  const shares = agents.map(({ name, lanes }) => ({ name, lanes, tries: 0, failed: 0, losing: 0, acked: 0 }));
  return {
    shares,
    /** @type {Try} */
    async counted(schedule, signal) {
      const result = await attempt(schedule, signal);
      const share = shares.find(({ name }) => name === result.by);
      if (share) {
        share.tries++;
        share.acked += result.acked;
        if (result.failed !== undefined) share.failed++;
        if (result.lost > 0) share.losing++;
      }
      return result;
    },
  };
}

/** @param {Try} attempt @param {number} lanes @param {SearchRunOptions} options */
async function searchWith(attempt, lanes, options) {
  const { mode, workload, placement, faultyHosts, downAfterMs, seed, steps: kinds = USUAL_STEPS, progress } = options;
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
    ? await again(options.replay, attempt, { ...options, lanes, tell })
    : await explore(attempt, {
        ...options,
        lanes,
        kinds,
        downAfterSeconds: downAfterMs / 1000,
        seconds: options.minutes * 60,
        tell,
      });
  const { losing, found, ...counts } = outcome;
  return {
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
    losing: losing.map(({ number, schedule, attempt: { acked, lost, seconds, broke, by } }) => ({
      number,
      schedule: scheduleText(schedule),
      acked,
      lost,
      seconds,
      ...(broke && { broke: [...broke] }),
      ...(by !== undefined && { by }),
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
 * @param {Pick<SearchRunOptions, 'tries' | 'signal' | 'now'> & {lanes: number, tell: (event: SearchEvent) => void}} options
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
