/** What `sentinel-bench recommend` prints: recommend.md with these figures. */
/** @import { Block, ColumnSpec, Result } from '../types.js' */
/** @import { FaultId } from '../experiments/decision-faults.js' */
/** @import { DecisionRow } from './decision.js' */
/** @import { JudgedMode, Limits, Recommendation, CriterionVerdict } from './recommend.js' */
/** @import { FaultsPerYear, YearlyLoss } from './risk.js' */

import { interval, percent, rate } from '../../src/format.js';
import { code, text } from '../../src/report/blocks.js';
import { FORMATS, figures, tableOf } from '../../src/report/specs.js';
import { renderPlain } from '../../src/report/template.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { FAULTS, faultNamed, sinceTitles } from '../experiments/decision-faults.js';
import { clientText, pasteOf, settingsText } from './configuration.js';
import { decisionRows, isTested, PAUSING } from './decision.js';
import { briefTable, yearText } from './page.js';
import { DEFAULT_LIMITS, DEFAULT_OPTIONS, recommend, recommendationDocument } from './recommend.js';
import { ASSUMED_PER_YEAR, yearlyLosses } from './risk.js';

const OF_FAULTS = /^(loss|unavailable)-/;
const TEMPLATE = new URL('recommend.md', import.meta.url);

/** @typedef {{faultsPerYear: FaultsPerYear, writesPerSecond: number}} Weights */

/** What the command needs of the sweep. @param {readonly string[]} benchmarks of the suite */
export function recommenderOf(benchmarks) {
  return Object.freeze({
    survivals: /** @type {(keyof typeof PAUSING)[]} */ (Object.keys(PAUSING)),
    defaultOptions: DEFAULT_OPTIONS,
    faults: /** @type {readonly FaultId[]} */ (FAULTS.map(({ id }) => id)),
    benchmarks,
    answer,
  });
}

/**
 * @param {Result} result @param {Limits} limits without any limit the default ones
 * @param {Weights} [weights] how common each fault is; default: faults are not weighed
 * @returns {{found: boolean, tested: boolean, blocks: Block[], document: object} | null} found: a configuration meets every limit; tested: at least one of
 *   the faults was tested; null: the result has no configuration
 */
function answer(result, { batch, faults, ...given }, weights) {
  const rows = decisionRows(result);
  if (rows.length === 0) return null;
  const byDefault = Object.keys(given).length === 0;
  const recommendation = recommend(result, { ...(byDefault ? DEFAULT_LIMITS : given), batch, faults }, rows);
  const { best, tested } = recommendation;
  const paste = best && pasteOf(best.row, result.stack.masterName);
  const yearly = weights
    ? yearlyLosses(rows.filter(isTested), { faultsPerYear: weights.faultsPerYear, faults: tested })
    : [];
  const data = {
    ...textOf(recommendation),
    origin: byDefault ? DEFAULT_OPTIONS : null,
    weighed: weights && yearly.length > 0 ? weighedOf(yearly, tested, weights) : null,
    tables: { modes: briefTable(rows), yearly: tableOf(yearlyColumns(weights), /** @type {any} */ (yearly)) },
  };
  return {
    found: recommendation.meets.length > 0,
    tested: tested.length > 0,
    blocks: [
      text(renderPlain(TEMPLATE, data)),
      // Lines to paste are never broken.
      ...(paste ? [paste.rollOut, paste.client, paste.runbook, paste.coordinated] : []).flatMap((each) =>
        each ? code(each) : [],
      ),
    ],
    document: {
      ...recommendationDocument(recommendation),
      paste: best && { configuration: best.row.id, ...paste },
      ...(weights && { weighed: weighedDocument(yearly, weights) }),
    },
  };
}

/** @param {Recommendation} recommendation */
function textOf({ meets, undecided, fails, tallies, criteria, best, limits, ...faults }) {
  const aboutOf = (/** @type {string} */ wanted) => criteria.find(({ id }) => id === wanted)?.about ?? wanted;
  const titled = (/** @type {JudgedMode} */ { row, judgements }) => {
    const healthy = row.healthy[limits.batch];
    const of = (/** @type {CriterionVerdict[]} */ ...wanted) =>
      judgements
        .filter(({ verdict }) => wanted.includes(verdict))
        .map(({ criterion, figure }) => ({ criterion, about: aboutOf(criterion), figure }));
    return {
      title: row.title,
      throughput: healthy ? interval(healthy.throughput, rate) : NOT_MEASURED,
      ofAsync: healthy?.relative ? interval(healthy.relative, percent) : NOT_MEASURED,
      untested: row.trials.length === 0,
      open: of('uncertain', 'not measured').filter(
        ({ criterion }) => row.trials.length > 0 || !OF_FAULTS.test(criterion),
      ),
      failed: of('fails'),
    };
  };
  return {
    limits: [...new Set(criteria.map(({ common }) => common))],
    batch: limits.batch,
    notTested: faults.notTested.map((id) => faultNamed(id).title),
    notAvailable: sinceTitles(faults.notAvailable),
    all: meets.length + undecided.length + fails.length,
    ...{ meets: meets.map(titled), undecided: undecided.map(titled), fails: fails.map(titled) },
    tallies: tallies
      .filter((tally) => tally.fails > 0 || tally.best === null)
      .map((tally) => ({ ...tally, text: criteria.find(({ id }) => id === tally.criterion)?.text })),
    best: best && summaryOf(best.row, faults.tested),
  };
}

/** @param {DecisionRow} row @param {readonly FaultId[]} tested */
function summaryOf(row, tested) {
  const losses = row.trials.filter(({ fault }) => tested.includes(fault.id)).map(({ loss }) => loss);
  return {
    title: row.title,
    kept: losses.filter(({ losing }) => losing === 0).length,
    trials: losses.length,
    each: losses.length === 0 ? 0 : Math.min(...losses.map(({ trials }) => trials)),
    set: settingsText(row),
    client: clientText(row),
  };
}

/** @param {readonly YearlyLoss[]} yearly @param {readonly FaultId[]} faults @param {Weights} weights */
function weighedOf(yearly, faults, { faultsPerYear, writesPerSecond }) {
  const often = { ...ASSUMED_PER_YEAR, ...faultsPerYear };
  return {
    rate: writesPerSecond,
    often: faults.map((id) => ({ title: faultNamed(id).title, often: often[id] })),
    untested: yearly.filter(({ untested }) => untested.length > 0).map(({ row }) => row.title),
  };
}

/** @param {Weights} [weights] @returns {ColumnSpec[]} */
function yearlyColumns({ writesPerSecond } = { writesPerSecond: 0, faultsPerYear: {} }) {
  return [
    { title: 'mode', text: ({ row }) => row.title },
    figures('lost a year', yearText),
    figures('writes', ({ seconds }) => FORMATS.count(seconds * writesPerSecond)),
  ];
}

/** @param {readonly YearlyLoss[]} yearly @param {Weights} weights */
function weighedDocument(yearly, { faultsPerYear, writesPerSecond }) {
  return {
    writesPerSecond,
    faultsPerYear: { ...ASSUMED_PER_YEAR, ...faultsPerYear },
    modes: yearly.map(({ row, seconds, everything, untested }) => ({
      configuration: row.id,
      writes: seconds * writesPerSecond,
      ...{ seconds, everything, untested },
    })),
  };
}
