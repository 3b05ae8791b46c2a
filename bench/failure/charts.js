/** Heat maps of faults and modes: losses for the page, outages for details.md. texts.yaml has their specifications. */
/** @import { CaseFigures, Chart } from '../types.js' */
/** @import { ModeLoss } from './queries.js' */
import { figure, where } from '../../src/facts/query.js';
import { NATIVE } from '../../src/facts/trials.js';
import { ALL } from '../../src/format.js';
import { EVERYTHING } from '../../src/report/charts/chart.js';
import { gridChart } from '../../src/report/charts/grid.js';
import { FORMATS } from '../../src/report/specs.js';
import { filled } from '../../src/sentences.js';
import { withoutLength } from '../experiments/cases.js';
import { scenarioTitle } from '../experiments/rows.js';
import { modeTitle } from '../modes.js';
import { worstOfEach } from '../pages/trials.js';
import { WORDS } from './words.js';

const { lost: LOSSES, unavailable: OUTAGES } = WORDS.charts;

/** @param {readonly ModeLoss[]} losses @param {{modes: readonly string[], faults: readonly string[], id?: string}} shown titles */
export function lossChart(losses, { modes, faults, id = 'failures.lost' }) {
  const squares = faults.flatMap((scenario) =>
    losses
      .filter(({ fault, title, seconds }) => fault === scenario && modes.includes(title) && seconds !== null)
      .map(({ title, all, seconds, writes, losing, trials }) => ({
        ...{ scenario, column: title },
        value: all ? EVERYTHING : Number(seconds),
        text: all ? ALL : FORMATS.seconds(seconds),
        more: [writes, losing, trials],
      })),
  );
  const losing = squares.filter(({ value }) => value > 0).length;
  if (losing === 0) return null;
  return gridChart({ ...LOSSES, id, alt: filled(LOSSES.alt, { losing, all: squares.length }), squares, order: modes });
}

/** @param {readonly CaseFigures[]} all @returns {Chart | null} null: fewer than two scenarios or modes were measured */
export function outageMap(all) {
  const squares = where(all, { writer: NATIVE }).flatMap((row) => {
    const seconds = figure(row, 'outage');
    if (seconds === null) return [];
    return {
      scenario: scenarioTitle(row.experiment, withoutLength(row.params)),
      column: modeTitle(row.params),
      value: Number.isFinite(seconds) ? seconds : EVERYTHING,
      text: FORMATS.seconds(seconds),
      more: [figure(row, 'lost-writes', 'trialsWithLoss'), figure(row, 'outage', 'n')],
    };
  });
  const longest = worstOfEach(
    squares,
    ({ scenario, column }) => `${scenario}\n${column}`,
    (a, b) => b.value - a.value,
  );
  const [most] = longest.toSorted((a, b) => b.value - a.value);
  return most ? gridChart({ ...OUTAGES, alt: filled(OUTAGES.alt, { ...most }), squares: longest }) : null;
}
