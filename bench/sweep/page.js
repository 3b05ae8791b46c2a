/**
 * The front page of a configuration sweep: the best mode, the deciding table, what to paste, and what was not tested.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { Block } from '../../src/report/blocks.js'
 * @import { FrontPage } from '../../src/run/types.js'
 * @import { DecisionRow, Spread } from './decision.js'
 * @import { Tested } from './losses.js'
 * @import { Judged, Recommendation } from './recommend.js'
 */
import { chart, code, table, text } from '../../src/report/blocks.js';
import { costOf } from '../../src/report/charts/against.js';
import { headlineShare } from '../../src/report/findings.js';
import { count, percent, plural } from '../../src/report/format.js';
import { milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { riskBound, trialsText } from '../failure/figures.js';
import { PLANNED_FAILOVER } from '../failure/planned-failover.js';
import { decisionChart, sweepRisk } from './chart.js';
import { clientText, pasteOf } from './configuration.js';
import { cheaperFirst, decisionRows, HEALTHY, SWEEP } from './decision.js';
import { downCell, downWords, known } from './details.js';
import { explainedFaults, faultTitles } from './faults.js';
import { limitsOfTheTable, riskLimits } from './limits.js';
import { emptiedIn, longestOf, lossCell, lossPhrase, saferFirst, testedFaults, testedOf, worstOf } from './losses.js';
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
 * @returns {string[]} the answer in sentences; empty: no mode went through a fault
 */
export function sweepAnswer(result) {
  const rows = decisionRows(result).filter(isTested);
  return rows.length === 0 ? [] : answerOf(rows, recommend(result));
}

/**
 * @param {Result} result
 * @returns {string[]} sentences: losses that the run cannot rule out
 */
export function sweepRisks(result) {
  const all = decisionRows(result);
  return [...trialLimits(all.filter(isTested), all), ...riskLimits(result, all)];
}

/** @param {DecisionRow} row of a mode that went through a fault, with Sentinel's usual settings */
function isTested(row) {
  return row.note === null && testedOf(row).length > 0;
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
    const worst = worstOf(row);
    return worst ? [{ title: row.title, worst }] : [];
  });
  const [most] = losing.sort((a, b) => b.worst.loss.most - a.worst.loss.most);
  const emptied = rows.filter((row) => emptiedIn(row).length > 0);
  const faults = [...new Set(emptied.flatMap(emptiedIn))].map(({ title }) => title).join(', ');
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
  const tested = testedOf(row);
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
  const tested = testedOf(row);
  const losing = tested.filter(({ loss }) => loss.most > 0).sort((a, b) => b.loss.most - a.loss.most);
  const lost =
    losing.length === 0
      ? `lost nothing in ${plural(tested.length, 'fault')}`
      : `lost ${losing.map(lossPhrase).join(', ')}, and nothing in ${plural(tested.length - losing.length, 'other fault')}`;
  const trials = trialsText(tested.map(({ loss }) => loss));
  const untested = testedFaults(rows).filter((id) => row.lost[id] === null);
  const lossless = rows.some((each) => testedOf(each).every(({ loss }) => loss.most === 0));
  return [
    `${rows.length === 1 ? 'The one mode tested did not keep' : `None of the ${rows.length} modes tested kept`} every acknowledged write in every fault${lossless ? ' and still took writes with one replica frozen' : ''}.`,
    `Closest: ${row.title}. It ${lost} (${trials} each). ${costSentence(row)}`,
    ...(untested.length > 0 ? [`${row.title} was not tested in: ${faultTitles(untested)}.`] : []),
    ...(losing.some(({ fault }) => fault.id === 'failover') && row.lost.runbook?.most === 0
      ? [
          `With the runbook below, a planned failover in this mode lost 0 of ${count(row.lost.runbook.acked)} acknowledged writes (${trialsText([row.lost.runbook])}).`,
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
  const losses = rows.flatMap(testedOf).map(({ loss }) => loss);
  const safest = rows.toSorted((a, b) => saferFirst(a, b) || cheaperFirst(1)(a, b));
  const kept = safest.filter(({ mode }, i) => mode === BASELINE || i < MOST_ROWS - 1).slice(0, MOST_ROWS);
  const left = rows.length - kept.length;
  const several = losses.some(({ trials }) => trials > 1);
  const all = losses.some(({ everything }) => everything) ? '; all: everything before the fault' : '';
  const right = (/** @type {string} */ title) => ({ title, align: /** @type {const} */ ('right') });
  // Figures with names of faults: cells on the left may break their lines, and the table stays within the page.
  return [
    table(
      [
        'mode',
        'worst loss',
        right('faults with loss'),
        'longest outage',
        right('throughput cost'),
        right('one replica frozen'),
      ],
      kept.map((row) => [
        row.title,
        worstCell(row),
        `${testedOf(row).filter(({ loss }) => loss.most > 0).length} of ${testedOf(row).length}`,
        outageCell(row),
        row.mode === BASELINE ? '0%' : costText(row),
        frozenCell(row),
      ]),
    ),
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
function worstCell(row) {
  const worst = worstOf(row);
  const parts = [
    ...(worst ? [`${lossCell(worst.loss)}, ${worst.fault.title}`] : []),
    ...emptiedIn(row).map(({ title }) => `all, ${title}`),
  ];
  return parts.length === 0 ? '0' : parts.join('; ');
}

/**
 * @param {DecisionRow} row
 * @returns {string} the longest outage and its fault, such as `18.3 s, network partition`; after one to the end the longest of the others
 */
export function outageCell(row) {
  const tested = testedOf(row);
  const longest = longestOf(tested);
  if (longest === null) return NOT_MEASURED;
  const ended = longestOf(tested.filter(({ loss }) => Number.isFinite(loss.unavailable.medianMs)));
  return (ended === null || ended === longest ? [longest] : [longest, ended]).map(outageText).join('; ');
}

/** @param {Tested} tested */
function outageText({ fault, loss }) {
  return `${milliseconds(loss.unavailable.medianMs)}, ${fault.title}`;
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
  const titles = all.filter((row) => row.note === null && testedOf(row).length === 0).map(({ title }) => title);
  const trials = Math.min(...rows.flatMap(testedOf).map(({ loss }) => loss.trials));
  return [
    ...(Number.isFinite(trials)
      ? [
          `${plural(trials, 'trial')} without a loss ${trials === 1 ? 'leaves' : 'leave'} a risk of loss of up to ${percent(riskBound(trials))} in each fault (95% confidence).`,
        ]
      : []),
    ...(titles.length > 0 ? [`Faults not tested with: ${titles.join('; ')}.`] : []),
  ];
}
