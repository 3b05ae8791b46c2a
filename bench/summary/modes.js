/**
 * The rows of the executive page: four durability modes, with figures from the suites main, config-sweep and failure.
 *
 * @import { CaseResult, Result } from '../../src/result/schema.js'
 * @import { ModeName } from '../modes.js'
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { DecisionRow, FaultRow } from '../sweep/decision.js'
 */
import { duration, interval, percent, plural, rate } from '../../src/format.js';
import { milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { worstLoss } from '../../src/report/trials/losses.js';
import { HEALED_MARK } from '../../src/report/trials/outages.js';
import { largestFirst } from '../../src/report/trials/rows.js';
import { isSustained } from '../../src/stats/summary.js';
import { MODES, modeTitle } from '../modes.js';

/** Shown always. The last one gives way to the recommended mode, if that is another. @type {readonly ModeName[]} */
const SHOWN = Object.freeze(['async', 'wait1', 'wait1-min1', 'wait2']);
/** What the network adds to a round trip, if it was measured: about the way to another zone. */
const DISTANCE_MS = 1;
/** Losses that a cell names, the largest first. */
const MOST_LOSSES = 3;

/**
 * @typedef {Object} Latencies of the modes
 * @property {string} title of the column
 * @property {string} note explains the column; a sentence
 * @property {(mode: string, wait: number | null) => string} cell wait: what earlier results know the mode by; null: they lack it
 */

/**
 * @param {DecisionRow | null} best the recommended mode
 * @returns {string[]} ids of the four modes to show
 */
export function shownModes(best) {
  if (best === null || SHOWN.some((mode) => mode === best.mode)) return [...SHOWN];
  return [...SHOWN.slice(0, -1), best.mode];
}

/**
 * @param {readonly DecisionRow[]} rows measured ones; may be empty
 * @param {readonly string[]} modes ids
 * @param {readonly Latencies[]} latencies
 * @returns {string[][]} cells, the losses first
 */
export function modeCells(rows, modes, latencies) {
  return modes.map((mode) => {
    const row = rows.find((each) => each.mode === mode && each.note === null);
    const params = row?.params ?? MODES[/** @type {ModeName} */ (mode)];
    // Earlier results of the suite main are of WAIT alone, without an append-only file.
    const isComparable = params.waitLocal === undefined && params.settings?.appendonly !== 'yes';
    return [
      row?.title ?? modeTitle(params),
      ...(row
        ? [lossesCell(row), outageCell(row), measuredCell(row.down['one-replica-down'], confirmedCell)]
        : NOTHING),
      ...latencies.map(({ cell }) => cell(mode, isComparable ? params.wait : null)),
    ];
  });
}

/**
 * @template T
 * @param {T | null | undefined} value
 * @param {(value: T) => string} cell
 * @returns {string}
 */
function measuredCell(value, cell) {
  return value == null ? NOT_MEASURED : cell(value);
}

/** @param {CaseFigures} row of a freeze */
function confirmedCell({ of }) {
  return percent(of['confirmed-at-fault-end'].median);
}

/** @param {DecisionRow} row @returns {string} the longest outage and its fault, such as `18.3 s, network partition`; after one to the end the longest of the others */
function outageCell({ trials }) {
  const sorted = trials.toSorted((a, b) => b.outage.medianMs - a.outage.medianMs);
  const [longest] = sorted;
  if (longest === undefined) return NOT_MEASURED;
  const ended = sorted.find(({ outage }) => Number.isFinite(outage.medianMs));
  return (ended === undefined || ended === longest ? [longest] : [longest, ended]).map(outageText).join('; ');
}

/** @param {FaultRow} row */
function outageText({ fault, outage, untilHealed }) {
  return `${milliseconds(outage.medianMs)}${untilHealed ? ` ${HEALED_MARK}` : ''}, ${fault.title}`;
}

const NOTHING = Object.freeze([NOT_MEASURED, NOT_MEASURED, NOT_MEASURED]);

/**
 * @param {DecisionRow} row
 * @returns {string} such as `18,091 (18.1 s) network partition; 0 in 8 of 9 faults`
 */
function lossesCell({ trials: tested }) {
  if (tested.length === 0) return NOT_MEASURED;
  const losing = tested.filter(({ loss }) => loss.most > 0).sort(largestFirst);
  const more = losing.length - MOST_LOSSES;
  return [
    ...losing.slice(0, MOST_LOSSES).map(({ fault, loss }) => `${worstLoss(loss)} ${fault.title}`),
    ...(more > 0 ? [`less in ${more} more`] : []),
    `0 in ${tested.length - losing.length} of ${plural(tested.length, 'fault')}`,
  ].join('; ');
}

/**
 * @param {Result | undefined} main
 * @returns {Latencies[]} at a distance, and at one rate for all modes; empty: neither was measured
 */
export function latenciesOf(main) {
  const casesOf = (/** @type {string} */ name) =>
    (main?.benchmarks.find((each) => each.name === name)?.cases ?? []).filter(
      ({ params, rounds }) => params.waitMode === 'pipelined' && params.pipeline === 1 && rounds.length > 0,
    );
  return [...atDistance(casesOf('distance')), ...atOneRate([...casesOf('durable-modes'), ...casesOf('response-time')])];
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Latencies[]}
 */
function atDistance(cases) {
  const distances = cases.map(({ params }) => params.linkLatencyMs ?? 0);
  if (distances.length === 0) return [];
  const added = distances.includes(DISTANCE_MS) ? DISTANCE_MS : Math.max(...distances);
  const there = cases.filter(({ params }) => (params.linkLatencyMs ?? 0) === added);
  return [
    {
      title: `p50 at +${added} ms`,
      note: `p50 at +${added} ms: median service time of one write and its WAIT when the network adds ${added} ms to a round trip between nodes (${roundsText(there)}).`,
      cell: (mode, wait) => measuredCell(ofMode(there, mode, wait), ({ summary }) => interval(summary.p50Ns, duration)),
    },
  ];
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Latencies[]}
 */
function atOneRate(cases) {
  const paced = cases.filter(({ params }) => params.rate !== undefined && !params.linkLatencyMs);
  if (paced.length === 0) return [];
  const offered = rate(paced[0].params.rate ?? 0).replace(/ ?\/s$/, ' writes/s');
  return [
    {
      title: 'p99',
      note: `p99: response time at ${offered} without added distance (${roundsText(paced)}).`,
      cell: (mode, wait) =>
        measuredCell(ofMode(paced, mode, wait), ({ summary, rounds }) =>
          isSustained(rounds) ? interval(summary.p99Ns, duration) : 'rate not sustained',
        ),
    },
  ];
}

/** @param {readonly CaseResult[]} cases at least one */
function roundsText(cases) {
  return plural(Math.min(...cases.map(({ rounds }) => rounds.length)), 'round');
}

/**
 * @param {readonly CaseResult[]} cases
 * @param {string} mode
 * @param {number | null} wait as in {@link Latencies}
 */
function ofMode(cases, mode, wait) {
  const named = cases.find(({ params }) => params.mode === mode);
  return named ?? cases.find(({ params }) => params.mode === undefined && params.wait === wait) ?? null;
}
