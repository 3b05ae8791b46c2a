/** What prevents a harm: the cheapest of the settings, leases and clients that were tried, its price, and what a fault search found. */
/** @import { CaseFigures } from '../types.js' */
/** @import { ModeName } from '../modes.js' */
import { figure, where } from '../../src/facts/query.js';
import { count } from '../../src/format.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { sum } from '../../src/stats/statistics.js';
import { MS_A_SECOND } from '../../src/units.js';
import { MODES, modeTitle } from '../modes.js';
import { ATTACKED } from '../workloads/attacked.js';
import { LONG_LEASE_MS, lock, longLock } from '../workloads/lock.js';
import { NATIVE_SOURCES } from '../workloads/native/source.js';
import { benchmarkNamed, outcomeOf } from './outcomes.js';
import { SUITE_MODES } from './scenarios.js';

/** @typedef {{words: string, workloads: readonly string[], metric: string}} Harm workloads: whose figures are added */
/** @typedef {{names: readonly string[], modes: readonly string[]}} Tried names: of benchmarks; modes: from the cheapest on */
/**
 * @typedef {{mode: string, priced: boolean, changes: readonly string[]}} Remedy priced: its mode is not the cheapest one; changes: of the
 *   defaults, in words; none: the defaults do
 */

const PRICED = 'counter';
const HEALTHY = 'healthy';
/** Half of the clients stay; in the other every client moves. */
const [USUAL, CAREFUL] = NATIVE_SOURCES;
const CLIENTS = [
  { source: USUAL.name, changes: [] },
  { source: CAREFUL.name, changes: ['all move'] },
];
const LONG_LEASE = { workloads: [longLock.name], changes: [`lease ${LONG_LEASE_MS / MS_A_SECOND} s`] };
/** The strongest mode, which searches attacked. */
const [SEARCHED_MODE] = SUITE_MODES.slice(-1);
export const SEARCHED = titleOf(SEARCHED_MODE);

/** @param {string} mode */
function titleOf(mode) {
  return modeTitle({ ...MODES[/** @type {ModeName} */ (mode)], mode });
}

/**
 * The first without the harm; null: none of them; undefined: not measured.
 * @type {(rows: readonly CaseFigures[], harm: Harm, tried: Tried) => Remedy | null | undefined}
 */
export function remedyOf(rows, { workloads, metric }, { names, modes }) {
  const leases = [{ workloads, changes: [] }, ...(workloads.includes(lock.name) ? [LONG_LEASE] : [])];
  const options = modes.flatMap((mode, i) =>
    leases.flatMap((lease) =>
      CLIENTS.map(({ source, changes }) => ({
        mode,
        priced: i > 0,
        changes: [...(i > 0 ? [titleOf(mode)] : []), ...changes, ...lease.changes],
        outcome: outcomeOf(rows, { workloads: lease.workloads, metric, names, mode, source }),
      })),
    ),
  );
  const tried = options.filter(({ outcome }) => outcome !== null);
  if (tried.length === 0) return undefined;
  return tried.find(({ outcome }) => outcome?.trials === 0) ?? null;
}

/** The most in a trial; 0: also if the defaults did it. @type {(rows: readonly CaseFigures[], harm: Harm, tried: Tried) => number} */
export function worseOf(rows, harm, { names, modes }) {
  const outcomes = modes.flatMap((mode) =>
    CLIENTS.map(({ source }) => outcomeOf(rows, { ...harm, names, mode, source })),
  );
  return outcomes[0]?.trials === 0 ? Math.max(...outcomes.map((each) => each?.worst ?? 0)) : 0;
}

/** @param {readonly CaseFigures[]} rows @param {Remedy | null | undefined} remedy */
export function remedyText(rows, remedy) {
  if (remedy === undefined) return NOT_MEASURED;
  if (remedy === null) return 'none found';
  const price = remedy.priced ? priceText(rows, remedy.mode) : null;
  return `${remedy.changes.join(', ') || 'defaults'}${price === null ? '' : `: ${price}`}`;
}

/** The median time of an operation while nothing fails; null: not measured. @param {readonly CaseFigures[]} rows @param {string} mode */
export function priceText(rows, mode) {
  const [row] = where(rows, { experiment: benchmarkNamed(HEALTHY), mode, writer: `${PRICED}.${USUAL.name}` });
  const median = row ? figure(row, 'median') : null;
  return median === null ? null : `${median.toFixed(2)} ms`;
}

/** Schedules of published searches that did it in the strongest mode, of its workload that was attacked most. @param {Harm} harm */
export function searchedText({ workloads }) {
  const [most] = workloads
    .map((name) => ATTACKED.filter(({ workload, mode }) => workload === name && mode === SEARCHED_MODE))
    .map((all) => ({ tried: sum(all.map(({ schedules }) => schedules)), broke: sum(all.map(({ broke }) => broke)) }))
    .sort((a, b) => b.tried - a.tried);
  return most.tried === 0 ? NOT_MEASURED : `${count(most.broke)} of ${count(most.tried)}`;
}
