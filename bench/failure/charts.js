/**
 * Heat maps of faults and modes: losses for the page; outages and the age of stale reads for details.md. texts.yaml has their specifications.
 * @import { CaseFigures } from '../../src/facts/query.js'
 * @import { Chart } from '../../src/report/charts/chart.js'
 * @import { Square } from '../../src/report/charts/grid.js'
 * @import { Result } from '../../src/result/schema.js'
 * @import { ModeLoss } from './queries.js'
 */
import { figure, rowsOf, where } from '../../src/facts/query.js';
import { NATIVE } from '../../src/facts/trials.js';
import { ALL } from '../../src/format.js';
import { EVERYTHING } from '../../src/report/charts/chart.js';
import { gridChart } from '../../src/report/charts/grid.js';
import { FORMATS } from '../../src/report/specs.js';
import { filled } from '../../src/sentences.js';
import { withoutLength } from '../experiments/cases.js';
import { scenarioTitle } from '../experiments/rows.js';
import { suiteTerms } from '../facts.js';
import { modeTitle } from '../modes.js';
import { worstOfEach } from '../pages/trials.js';
import { WORDS } from './words.js';

const { lost: LOSSES, unavailable: OUTAGES, stale: STALE } = WORDS.charts;

/** @param {readonly ModeLoss[]} losses @param {{modes: readonly string[], faults: readonly string[], id?: string}} shown titles */
export function lossChart(losses, { modes, faults, id = 'failures.lost' }) {
  const squares = faults.flatMap((scenario) =>
    losses
      .filter(({ fault, title, seconds }) => fault === scenario && modes.includes(title) && seconds !== null)
      .map(({ title, all, seconds, writes, losing, trials }) => ({
        ...{ scenario, writer: '', column: title },
        value: all ? EVERYTHING : Number(seconds),
        text: all ? ALL : FORMATS.seconds(seconds),
        more: [writes, losing, trials],
      })),
  );
  const losing = squares.filter(({ value }) => value > 0).length;
  if (losing === 0) return null;
  return gridChart({ ...LOSSES, id, alt: filled(LOSSES.alt, { losing, all: squares.length }), squares, order: modes });
}

/** @param {Result} result @returns {Chart[]} outages and stale reads; empty when fewer than two scenarios or modes were measured */
export function failureOverview(result) {
  const rows = rowsOf(result, suiteTerms);
  const outages = where(rows, { writer: NATIVE }).flatMap((row) => {
    const seconds = figure(row, 'outage');
    if (seconds === null) return [];
    const value = Number.isFinite(seconds) ? seconds : EVERYTHING;
    const losing = figure(row, 'lost-writes', 'trialsWithLoss');
    return [squareOf(row, value, FORMATS.seconds(seconds), [losing, figure(row, 'outage', 'n')])];
  });
  const stale = where(rows, { writer: '' }).flatMap((row) => {
    const ms = figure(row, 'longest-stale-read', 'worst');
    if (ms === null || row.params.client !== 'native') return [];
    return [
      squareOf(
        row,
        ms,
        FORMATS.ms(ms),
        ['stale-reads', 'reads'].map((metric) => figure(row, metric, 'total')),
      ),
    ];
  });
  return [mapOf(OUTAGES, outages), mapOf(STALE, stale)].filter((chart) => chart !== null);
}

/** @param {CaseFigures} row @param {number} value @param {string} text @param {Square['more']} more @returns {Square} the same for every length of the fault */
function squareOf({ experiment, params }, value, text, more) {
  const scenario = scenarioTitle(experiment, withoutLength(params));
  return { scenario, writer: '', column: modeTitle(params), value, text, more };
}

/** @param {any} spec from texts.yaml @param {readonly Square[]} all of several lengths of a fault the worst is shown */
function mapOf(spec, all) {
  const squares = worstOfEach(
    all,
    ({ scenario, column }) => `${scenario}\n${column}`,
    (a, b) => b.value - a.value,
  );
  const [most] = squares.toSorted((a, b) => b.value - a.value);
  return most ? gridChart({ ...spec, alt: filled(spec.alt, { ...most }), squares }) : null;
}
