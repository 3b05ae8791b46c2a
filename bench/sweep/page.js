/**
 * The front page of a configuration sweep: the best mode, the deciding table, what to paste, and what was not tested.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { Block } from '../../src/report/blocks.js'
 * @import { FrontPage } from '../../src/run/types.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 * @import { Column } from '../../src/table.js'
 * @import { DecisionRow, Spread } from './decision.js'
 * @import { Judged, Recommendation } from './recommend.js'
 */
import { chart, code, table, text } from '../../src/report/blocks.js';
import { costOf } from '../../src/report/charts/against.js';
import { headlineShare } from '../../src/report/findings.js';
import { count, percent, plural } from '../../src/report/format.js';
import { milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { ALL, ALL_NOTE, openRisk, trialsText, worstLoss } from '../../src/report/trials/losses.js';
import { emptiedIn, largestFirst, longestOf, lossPhrase, saferFirst, worstOf } from '../../src/report/trials/rows.js';
import { left, right } from '../../src/table.js';
import { PLANNED_FAILOVER } from '../failure/planned-failover.js';
import { decisionChart, sweepRisk } from './chart.js';
import { downCell, downWords, known } from './columns.js';
import { clientText, pasteOf } from './configuration.js';
import { cheaperFirst, decisionRows, HEALTHY, lossIn, SWEEP } from './decision.js';
import { explainedFaults, faultTitles } from './faults.js';
import { limitsOfTheTable, riskLimits } from './limits.js';
import { testedFaults } from './losses.js';
import { recommend } from './recommend.js';

const BASELINE = 'async';
/** Rows of the deciding table; details.md has every mode. */
const MOST_ROWS = 10;
const FROZEN = 'one-replica-down';
/**
 * @param {Result} result
 * @returns {FrontPage}
 */
export function sweepPage(result) {
  const all = decisionRows(result);
  const rows = all.filter(isTested);
  const recommendation = recommend(result);
  const figure = decisionChart(result) ?? sweepRisk(result);
  return {
    answer: sweepAnswer(result),
    evidence: [...(figure ? [chart(figure)] : []), ...decidingTable(rows)],
    actions: recommendation.best ? actionsOf(recommendation.best.row, result) : [],
    limits: [...trialLimits(rows, all), ...limitsOfTheTable(result, all)],
    covers: SWEEP.filter((name) => name !== HEALTHY),
  };
}

/**
 * @param {Result} result
 * @param {DecisionRow[]} [all] default: those of the result
 * @returns {string[]} the answer in sentences; empty: no mode went through a fault
 */
export function sweepAnswer(result, all = decisionRows(result)) {
  const rows = all.filter(isTested);
  return rows.length === 0 ? [] : answerOf(rows, recommend(result, undefined, all));
}

/**
 * @param {Result} result
 * @param {readonly DecisionRow[]} [all] default: those of the result
 * @returns {string[]} sentences: losses that the run cannot rule out
 */
export function sweepRisks(result, all = decisionRows(result)) {
  return [...trialLimits(all.filter(isTested), all), ...riskLimits(result, all)];
}

/** @param {DecisionRow} row of a mode that went through a fault, with Sentinel's usual settings */
function isTested(row) {
  return row.note === null && row.trials.length > 0;
}

/**
 * @param {readonly DecisionRow[]} rows at least one
 * @param {Recommendation} recommendation
 * @returns {string[]}
 */
function answerOf(rows, { best, meets, notTested }) {
  return [
    ...(best === null ? [] : meets.length > 0 ? bestAnswer(best, meets.slice(1), rows) : nearestAnswer(best, rows)),
    ...mostLost(rows),
    ...(notTested.length > 0 ? [`Not tested: ${faultTitles(notTested)}.`] : []),
  ];
}

/**
 * @param {readonly DecisionRow[]} rows
 * @returns {string[]} the largest loss, and who lost everything
 */
function mostLost(rows) {
  const losing = rows.flatMap((row) => {
    const worst = worstOf(row.trials);
    return worst ? [{ title: row.title, worst }] : [];
  });
  const [most] = losing.sort((a, b) => largestFirst(a.worst, b.worst));
  const emptied = rows.filter(({ trials }) => emptiedIn(trials).length > 0);
  const faults = [...new Set(emptied.flatMap(({ trials }) => emptiedIn(trials)))].map(({ title }) => title).join(', ');
  return [
    ...(emptied.length > 0
      ? [`${plural(emptied.length, 'mode')} without an append-only file lost everything in: ${faults}.`]
      : []),
    ...(most
      ? [`Most lost${emptied.length > 0 ? ' in other faults' : ''}: ${most.title}, ${lossPhrase(most.worst)}.`]
      : []),
  ];
}

/**
 * @param {Judged} best
 * @param {readonly Judged[]} others that met the same limits
 * @param {readonly DecisionRow[]} rows
 * @returns {string[]}
 */
function bestAnswer({ row }, others, rows) {
  const tested = row.trials;
  const losses = tested.map(({ loss }) => loss);
  const acked = losses.reduce((sum, loss) => sum + loss.acked, 0);
  const [second] = others;
  return [
    `Best of the ${rows.length} modes tested: ${row.title}. It lost 0 of ${count(acked)} acknowledged writes in ${tested.length} of ` +
      `${plural(tested.length, 'fault')} (${trialsText(losses)} each) and takes writes with one replica frozen. ${costSentence(row)}`,
    ...(second
      ? [
          `${plural(others.length, 'further mode')} met the same limits; the cheapest is ${second.row.title}, at a cost of ${costText(second.row)}.`,
        ]
      : []),
    ...withoutReplicas(row),
  ];
}

/**
 * @param {Judged} nearest
 * @param {readonly DecisionRow[]} rows
 * @returns {string[]}
 */
function nearestAnswer({ row }, rows) {
  const tested = row.trials;
  const losing = tested.filter(({ loss }) => loss.most > 0).sort(largestFirst);
  const lost =
    losing.length === 0
      ? `lost nothing in ${plural(tested.length, 'fault')}`
      : `lost ${losing.map(lossPhrase).join(', ')}, and nothing in ${plural(tested.length - losing.length, 'other fault')}`;
  const trials = trialsText(tested.map(({ loss }) => loss));
  const untested = testedFaults(rows).filter((id) => lossIn(row, id) === null);
  const runbook = lossIn(row, 'runbook');
  const lossless = rows.some((each) => each.trials.every(({ loss }) => loss.most === 0));
  return [
    `${rows.length === 1 ? 'The one mode tested did not keep' : `None of the ${rows.length} modes tested kept`} every acknowledged write in every fault${lossless ? ' and still took writes with one replica frozen' : ''}.`,
    `Closest: ${row.title}. It ${lost} (${trials} each). ${costSentence(row)}`,
    ...(untested.length > 0 ? [`${row.title} was not tested in: ${faultTitles(untested)}.`] : []),
    ...(losing.some(({ fault }) => fault.id === 'failover') && runbook?.most === 0
      ? [
          `With the runbook below, a planned failover in this mode lost 0 of ${count(runbook.acked)} acknowledged writes (${trialsText([runbook])}).`,
        ]
      : []),
    ...withoutReplicas(row),
  ];
}

/** @param {DecisionRow} row */
function costSentence(row) {
  return `Its cost in throughput ${row.healthy[1]?.relative ? `is ${costText(row)}` : 'was not measured'}.`;
}

/** @param {DecisionRow} row */
function costText({ healthy }) {
  return known(healthy[1]?.relative, (ratio) => headlineShare(costOf(ratio)));
}

/**
 * @param {DecisionRow} row
 * @returns {string[]} sentences: how much it acknowledges while replicas are frozen, if that is not everything
 */
function withoutReplicas({ title, down }) {
  return /** @type {const} */ ([
    [FROZEN, 'one replica'],
    ['both-replicas-down', 'both replicas'],
  ]).flatMap(([survival, what]) => {
    const share = down[survival]?.ackedAtEnd;
    return share === undefined || share.low > 0.99
      ? []
      : [`With ${what} frozen, ${title} acknowledges ${percent(share.median)} of the writes${worstText(share)}.`];
  });
}

/**
 * @param {Spread} share
 * @returns {string} the worst trial, where it differs from the median
 */
function worstText({ median, low }) {
  return percent(low) === percent(median) ? '' : ` (worst trial ${percent(low)})`;
}

/**
 * @param {readonly DecisionRow[]} rows
 * @returns {Block[]}
 */
function decidingTable(rows) {
  if (rows.length === 0) return [];
  const losses = rows.flatMap(({ trials }) => trials).map(({ loss }) => loss);
  const safest = rows.toSorted((a, b) => saferFirst(a.trials, b.trials) || cheaperFirst(1)(a, b));
  const kept = safest.filter(({ mode }, i) => mode === BASELINE || i < MOST_ROWS - 1).slice(0, MOST_ROWS);
  const left = rows.length - kept.length;
  const several = losses.some(({ trials }) => trials > 1);
  const all = losses.some(({ everything }) => everything) ? `; ${ALL_NOTE}` : '';
  return [
    table(DECIDING_COLUMNS, kept),
    text(
      `Worst loss: acknowledged writes in the worst trial (seconds of them)${several ? ', trials with a loss/trials' : ''}${all}; ${trialsText(losses)} each. ` +
        'Outage: longest time without an acknowledgement, median of the trials. Cost: throughput lost against async at pipeline depth 1; undecided: its interval is wider than ±10 points. ' +
        `${frozenNote(kept)} \`details.md\` has ${left > 0 ? `${plural(left, 'further mode')} and ` : ''}every fault.`,
    ),
    text(
      `Faults: ${explainedFaults(testedFaults(rows))}. min-replicas-max-lag is 10 s, or 1 s in modes with “lag 1”. ` +
        'The modes that never lost everything come first, then those with the smaller loss.',
    ),
  ];
}

/** Figures with names of faults: cells on the left may break their lines, and the table stays within the page. @type {Column<DecisionRow>[]} */
const DECIDING_COLUMNS = [
  left('mode', ({ title }) => title),
  left('worst loss', worstCell),
  right('faults with loss', ({ trials }) => `${trials.filter(({ loss }) => loss.most > 0).length} of ${trials.length}`),
  left('longest outage', outageCell),
  right('throughput cost', (row) => (row.mode === BASELINE ? '0%' : costText(row))),
  right('one replica frozen', frozenCell),
];

/** @param {DecisionRow} row */
function frozenCell({ down }) {
  return known(down[FROZEN], downCell);
}

/**
 * @param {readonly DecisionRow[]} rows of a table
 * @returns {string} what its cells about a frozen replica mean
 */
export function frozenNote(rows) {
  const cells = rows.map(frozenCell);
  const words = downWords(cells);
  const spread = cells.some((cell) => cell.includes('(')) ? ' (worst to best trial)' : '';
  return `One replica frozen: share of the writes acked at the end of its freeze${spread}.${words === '' ? '' : ` ${words}.`}`;
}

/** @param {DecisionRow} row */
function worstCell({ trials }) {
  const worst = worstOf(trials);
  const parts = [
    ...(worst ? [`${worstLoss(worst.loss)}, ${worst.fault.title}`] : []),
    ...emptiedIn(trials).map(({ title }) => `${ALL}, ${title}`),
  ];
  return parts.length === 0 ? '0' : parts.join('; ');
}

/**
 * @param {DecisionRow} row
 * @returns {string} the longest outage and its fault, such as `18.3 s, network partition`; after one to the end the longest of the others
 */
export function outageCell({ trials }) {
  const longest = longestOf(trials);
  if (longest === null) return NOT_MEASURED;
  const ended = longestOf(trials.filter(({ outage }) => Number.isFinite(outage.medianMs)));
  return (ended === null || ended === longest ? [longest] : [longest, ended]).map(outageText).join('; ');
}

/** @param {TrialRow} row */
function outageText({ fault, outage }) {
  return `${milliseconds(outage.medianMs)}, ${fault.title}`;
}

/**
 * @param {DecisionRow} row
 * @param {Result} result
 * @returns {Block[]}
 */
function actionsOf(row, { stack: { masterName } }) {
  const { redisConf, sentinelConf, client, runbook, coordinated } = pasteOf(row, masterName);
  return [
    code(`${redisConf}\n${sentinelConf}`, 'conf'),
    text(`Client: ${clientText(row)}. Move to the new primary at \`+switch-master\`.`),
    code(client, 'js'),
    text(PLANNED_FAILOVER),
    code(coordinated ? `${runbook}\n# Or in one command, which lost nothing here:\n${coordinated}` : runbook, 'sh'),
  ];
}

/**
 * @param {readonly DecisionRow[]} rows that were tested
 * @param {readonly DecisionRow[]} all
 * @returns {string[]}
 */
function trialLimits(rows, all) {
  const titles = all.filter((row) => row.note === null && row.trials.length === 0).map(({ title }) => title);
  const losses = rows.flatMap(({ trials }) => trials).map(({ loss }) => loss);
  return [
    ...(losses.length > 0 ? [openRisk(losses)] : []),
    ...(titles.length > 0 ? [`Faults not tested with: ${titles.join('; ')}.`] : []),
  ];
}
