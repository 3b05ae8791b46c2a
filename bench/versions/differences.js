/** Differences between the servers of a run. A difference that may be chance does not count. */
/** @import { CaseFigures } from '../types.js' */
import { figure, where } from '../../src/facts/query.js';
import { NATIVE } from '../../src/facts/trials.js';
import { interval, percent } from '../../src/format.js';
import { ms } from '../../src/report/costs.js';
import { FORMATS } from '../../src/report/specs.js';
import { caseTitle } from '../experiments/cases.js';
import { modeTitle } from '../modes.js';
import { lossCell, lossOf } from '../pages/trials.js';
import { faultBenchmarks, PREFIX } from './faults.js';
import { AGAIN, COST, SPEED } from './rounds.js';

/**
 * @typedef {'loss' | 'outage' | 'speed' | 'cost'} FigureKind
 * @typedef {Object} ComparedFigure one figure of every server
 * @property {FigureKind} kind
 * @property {string} title such as `network partition, async`
 * @property {ReadonlyMap<string, string>} shown server → its figure as text
 * @property {'yes' | 'no' | 'undecided'} differs undecided: too few trials in which the machine kept up, or intervals too wide
 * @property {number} [depth] of the pipeline
 * @typedef {{low: number, high: number}} FigureRange
 * @typedef {{title: string, rows: CaseFigures[]}} ServerCases the same case on several servers, in their order
 */

/** With fewer trials, ranges that do not overlap show little. */
export const LEAST_TRIALS = 3;
/** Two ranges differ when the gap between them is at least this share of the larger one's lower end … */
export const LEAST_GAP = 0.25;
/** … and at least this number of seconds. */
const LEAST_GAP_SECONDS = 0.2;
/** Costs and throughputs differ when the gap between their intervals is at least this; throughputs also have to differ by more than noise. */
export const LEAST_COST_GAP = 0.05;
/** Intervals wider than this do not show that servers are alike. */
export const WIDEST_COST = 0.2;

/**
 * @param {readonly FigureRange[]} ranges @param {(gap: number, upper: number) => boolean} matters upper: the lower end of the higher range
 * @returns {boolean} two of them do not overlap, and the gap matters
 */
export function differ(ranges, matters) {
  return ranges.some((a) => ranges.some((b) => b.low > a.high && matters(b.low - a.high, b.low)));
}

/** @param {number} gap seconds @param {number} upper seconds */
const mattersInTime = (gap, upper) => gap >= LEAST_GAP_SECONDS && (!Number.isFinite(upper) || gap >= LEAST_GAP * upper);

/** @param {readonly CaseFigures[]} rows of the suite @param {readonly string[]} servers @returns {ComparedFigure[]} */
export function comparisons(rows, servers) {
  const depthOf = (/** @type {CaseFigures} */ { params }) => `depth ${params.pipeline}`;
  const costTitle = (/** @type {CaseFigures} */ row) => `${modeTitle(row.params)}, ${depthOf(row)}`;
  return [
    ...groupsOf(faultRows(rows), servers, titleOf).flatMap((group) => [lossIn(group, rows), outageIn(group, rows)]),
    ...groupsOf(where(rows, { experiment: SPEED }), servers, depthOf).flatMap(speedIn),
    ...groupsOf(where(rows, { experiment: COST }), servers, costTitle).flatMap(costIn),
  ];
}

/** @param {readonly CaseFigures[]} rows @returns {CaseFigures[]} of faults, of each trial the client that fared worst */
export function faultRows(rows) {
  return where(rows, { writer: NATIVE }).filter(({ experiment }) => ![COST, SPEED].includes(experiment));
}

/** @param {CaseFigures} row @returns {string} such as `network partition, async` */
export function titleOf({ experiment, params }) {
  const title = faultBenchmarks.find(({ name }) => name === experiment)?.title ?? experiment;
  return `${title}, ${caseTitle(params)}`;
}

/** A write that WAITAOF confirmed as synced may never be lost in a power loss: one is proof. @param {readonly CaseFigures[]} rows of the suite */
export function promisedRows(rows) {
  return where(faultRows(rows), { experiment: `${PREFIX}power` }).filter(({ params }) => params.waitLocal === 1);
}

/** Cases of at least two servers. @param {readonly CaseFigures[]} rows @param {readonly string[]} servers @param {(row: CaseFigures) => string} title */
function groupsOf(rows, servers, title) {
  return [...new Set(rows.map(title))]
    .map((each) => {
      const own = rows.filter((row) => title(row) === each);
      return { title: each, rows: servers.flatMap((server) => where(own, { server })) };
    })
    .filter((group) => new Set(group.rows.map(({ server }) => server)).size > 1);
}

/** @param {readonly CaseFigures[]} rows @param {(row: CaseFigures) => string} text */
const shownOf = (rows, text) => new Map(rows.map((row) => [row.server, text(row)]));

/** @param {CaseFigures} row @param {string} metric @returns {FigureRange} */
const rangeIn = ({ of }, metric) => ({ low: of[metric]?.low ?? 0, high: of[metric]?.high ?? 0 });

/** @param {ServerCases} group @param {readonly CaseFigures[]} all @returns {ComparedFigure} */
function lossIn({ title, rows }, all) {
  const losing = rows.filter((row) => lossOf([row]).losing > 0);
  const isPromised = rows.every((row) => promisedRows([row]).length > 0);
  const range = (/** @type {CaseFigures} */ row) => {
    const { low, high } = rangeIn(row, 'lost-seconds');
    return { low, high: lossOf([row]).all ? Number.POSITIVE_INFINITY : high };
  };
  const isBroken = isPromised && losing.length > 0 && losing.length < rows.length;
  const shown = shownOf(rows, (row) => lossCell(lossOf([row])));
  return { kind: 'loss', title, shown, differs: isBroken ? 'yes' : verdictOf(rows, all, range) };
}

/** @param {ServerCases} group @param {readonly CaseFigures[]} all @returns {ComparedFigure} */
function outageIn({ title, rows }, all) {
  const shown = shownOf(rows, (row) => FORMATS.seconds(figure(row, 'outage')));
  return { kind: 'outage', title, shown, differs: verdictOf(rows, all, (row) => rangeIn(row, 'outage')) };
}

/** @param {readonly CaseFigures[]} rows @param {readonly CaseFigures[]} all @param {(row: CaseFigures) => FigureRange} range in seconds @returns {ComparedFigure['differs']} */
function verdictOf(rows, all, range) {
  const isEnough = rows.every(({ experiment, caseId }) => {
    const [whole] = where(all, { experiment, caseId, writer: '' });
    const kept = whole ? (figure(whole, 'promotions', 'n') ?? 0) - (figure(whole, 'busy-machine', 'total') ?? 0) : 0;
    return kept >= LEAST_TRIALS;
  });
  return isEnough ? (differ(rows.map(range), mattersInTime) ? 'yes' : 'no') : 'undecided';
}

/**
 * Throughput without a durability setting, against the first server, which is measured again: that is noise.
 * @param {ServerCases} group @returns {ComparedFigure[]} empty: too few rounds, or no measure of noise
 */
function speedIn({ title, rows }) {
  const gains = rows.flatMap((row) => {
    const ratio = row.of['throughput-ratio'];
    const gain = ratio && { median: ratio.median - 1, low: Number(ratio.low) - 1, high: Number(ratio.high) - 1 };
    return gain && ratio.n > 1 ? [{ row, gain }] : [];
  });
  const noise = gains.find(({ row }) => row.setting === AGAIN)?.gain;
  const others = gains.filter(({ row }) => row.setting !== AGAIN);
  if (noise === undefined || others.length === 0) return [];
  const least = Math.max(LEAST_COST_GAP, Math.abs(noise.low), Math.abs(noise.high));
  const ranges = others.map(({ gain }) => gain);
  const text = (/** @type {typeof noise} */ gain) => `${gain.median > 0 ? '+' : ''}${interval(gain, percent)}`;
  const shown = new Map([[rows[0].server, text(noise)]]);
  for (const { row, gain } of others) shown.set(row.server, text(gain));
  const control = { low: Math.min(0, noise.low), high: Math.max(0, noise.high) };
  const isApart = differ([{ low: 0, high: 0 }, ...ranges], (gap) => gap >= least);
  return [{ kind: 'speed', title, shown, differs: decided([control, ...ranges], isApart) }];
}

/** @param {ServerCases} group @returns {ComparedFigure[]} empty: too few rounds */
function costIn({ title, rows }) {
  const costs = rows.filter(({ of }) => of.cost !== undefined && of.cost.n > 1);
  if (costs.length < 2) return [];
  const shown = shownOf(costs, ({ of: { cost, 'added-time': added } }) => {
    const share = interval({ median: cost.median, low: Number(cost.low), high: Number(cost.high) }, percent);
    return added === undefined ? share : `${ms(added.median)}, ${share}`;
  });
  const ranges = costs.map((row) => rangeIn(row, 'cost'));
  const isApart = differ(ranges, (gap) => gap >= LEAST_COST_GAP);
  return [{ kind: 'cost', title, depth: rows[0].params.pipeline, shown, differs: decided(ranges, isApart) }];
}

/** @param {readonly FigureRange[]} ranges shares of a throughput @param {boolean} differs @returns {ComparedFigure['differs']} */
function decided(ranges, differs) {
  if (differs) return 'yes';
  return ranges.some(({ low, high }) => high - low > WIDEST_COST) ? 'undecided' : 'no';
}
