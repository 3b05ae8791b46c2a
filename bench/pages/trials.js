/** What pages show of trials: what cases lost, and in how many trials the machine was too busy. */
/** @import { CaseFigures, Chart } from '../types.js' */
import { figure, where } from '../../src/facts/query.js';
import { ALL } from '../../src/format.js';
import { gridChart } from '../../src/report/charts/grid.js';
import { FORMATS } from '../../src/report/specs.js';
import { sum } from '../../src/stats/statistics.js';

/**
 * @typedef {ReturnType<typeof lossOf>} LossOfRows of each trial the client that fared worst. all: everything from before the fault was lost; seconds: of
 *   acknowledged writes lost in the worst trial, null: their rate is unknown; writes: lost in the worst trial; losing: trials with a loss
 */

/** @param {readonly CaseFigures[]} rows at least one @returns of several cases the worst; their trials together */
export function lossOf(rows) {
  const worst = (/** @type {string} */ metric) => rows.map((row) => figure(row, metric, 'worst') ?? 0);
  const total = (/** @type {'n' | 'trialsWithLoss'} */ show) =>
    sum(rows.map((row) => figure(row, 'lost-writes', show) ?? 0));
  const isRateKnown = rows.some((row) => figure(row, 'lost-seconds', 'worst') !== null);
  return {
    all: worst('total-loss').includes(1),
    seconds: isRateKnown ? Math.max(...worst('lost-seconds')) : null,
    writes: Math.max(...worst('lost-writes')),
    losing: total('trialsWithLoss'),
    trials: total('n'),
  };
}

/** @param {LossOfRows} loss @returns {string} such as `25.7 s, 3/3`; `ALL, 3/3`; `0/3` */
export function lossCell(loss) {
  const part = `${loss.losing}/${loss.trials}`;
  return loss.losing === 0 ? part : `${worstText(loss)}, ${part}`;
}

/** @param {LossOfRows} loss @returns {string} where all cases have as many trials: such as `25.7 s`; `25.7 s, 2/3`; `ALL`; `0` */
export function worstCell(loss) {
  if (loss.losing === 0) return '0';
  return loss.losing === loss.trials ? worstText(loss) : lossCell(loss);
}

/** @param {LossOfRows} loss @returns {string} seconds in the worst trial: `25.7 s`; `ALL`; the number of writes where their rate is unknown */
export function worstText({ all, seconds, writes }) {
  if (all) return ALL;
  return seconds === null ? FORMATS.count(writes) : FORMATS.seconds(seconds);
}

/** @param {Pick<LossOfRows, 'writes' | 'all'>} loss @returns {string} writes in the worst trial, such as `17,952` or `ALL 1,501` */
export function mostText({ writes, all }) {
  return `${all ? `${ALL} ` : ''}${FORMATS.count(writes)}`;
}

const CONFIDENCE = 0.95;

/** @param {number} trials none with a loss @returns {number} upper limit of the part of all trials that lose writes, with 95% confidence */
export const unseenShare = (trials) => 1 - (1 - CONFIDENCE) ** (1 / Math.max(1, trials));

/** @param {readonly CaseFigures[]} rows @returns {{busy: number, trials: number}} busy: trials in which the machine was too busy for the writers */
export function busyTrials(rows) {
  const whole = where(rows, { writer: '' });
  return {
    busy: sum(whole.map((row) => figure(row, 'busy-machine', 'total') ?? 0)),
    trials: sum(whole.map((row) => figure(row, 'promotions', 'n') ?? 0)),
  };
}

/**
 * @template Row
 * @param {readonly Row[]} rows @param {(row: Row) => string} keyOf
 * @param {(a: Row, b: Row) => number} worseFirst for sorting @returns {Row[]} of each key the worst
 */
export function worstOfEach(rows, keyOf, worseFirst) {
  /** @type {Map<string, Row>} */
  const worst = new Map();
  for (const row of rows) {
    const known = worst.get(keyOf(row));
    if (known === undefined || worseFirst(row, known) < 0) worst.set(keyOf(row), row);
  }
  return [...worst.values()];
}

/**
 * Seconds of confirmed writes lost, the darker, the worse. writes: its table counts them; default: trials with a loss.
 * @template {CaseFigures} Row
 * @param {{id: string, title: string, alt: string, note?: string}} map @param {readonly Row[]} rows a square for each
 * @param {{scenario: (row: Row) => string, column: (row: Row) => string, writes?: boolean}} where @returns {Chart | null}
 */
export function lossMap({ note = '', ...map }, rows, { scenario, column, writes: counted }) {
  const chart = gridChart({
    ...map,
    note,
    value: { name: 'seconds lost', format: 'seconds' },
    more: [
      { name: counted ? 'writes lost' : 'trials with a loss', format: 'count' },
      { name: 'trials', format: 'count' },
    ],
    limits: [1, 3, 8],
    names: ['none', 'below 1 s', '1 to 3 s', '3 to 8 s', '8 s and more'],
    squares: rows.map((row) => {
      const { seconds, writes, losing, trials } = lossOf([row]);
      return {
        scenario: scenario(row),
        column: column(row),
        value: seconds ?? 0,
        text: losing === 0 ? '0' : FORMATS.seconds(seconds),
        more: [counted ? writes : losing, trials],
      };
    }),
  });
  return chart && { ...chart, note: note || undefined };
}
