/**
 * The front page of a configuration sweep: the best mode, the deciding table, what to paste, and what was not tested.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { Block } from '../../src/report/blocks.js'
 * @import { FrontPage } from '../../src/run/types.js'
 * @import { Loss } from '../../src/report/trials/losses.js'
 * @import { EndlessCause } from '../../src/report/trials/outages.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 * @import { Column } from '../../src/table.js'
 * @import { DecisionRow, Response, Spread } from './decision.js'
 * @import { FaultId } from '../experiments/decision-faults.js'
 * @import { Judged, Recommendation } from './recommend.js'
 */

import { ALL, count, duration, interval, percent, plural, rate } from '../../src/format.js';
import { chart, code, list, table, text } from '../../src/report/blocks.js';
import { RANGE_MEANING } from '../../src/report/findings.js';
import { milliseconds, NOT_MEASURED } from '../../src/report/trials/figures.js';
import { ALL_NOTE, openRisk, riskBound, trialsText, worstLoss } from '../../src/report/trials/losses.js';
import { HEALED_MARK, HEALED_NOTE } from '../../src/report/trials/outages.js';
import { emptiedIn, largestFirst, longestOf, lossPhrase, saferFirst, worstOf } from '../../src/report/trials/rows.js';
import { left, right } from '../../src/table.js';
import { explainedFaults, faultNamed, faultTitles } from '../experiments/decision-faults.js';
import { COLOCATED } from '../experiments/placement.js';
import { asksAll, MODES, refusesAway, USUAL_REPLICAS } from '../modes.js';
import { clientStep, pastedName, rollOutBlocks, settingsStep } from '../pages/paste.js';
import { failoverCommand, PLANNED_FAILOVER } from '../pages/planned-failover.js';
import { WITH_DISTANCE } from '../pages/published-costs.js';
import { decisionChart, sweepRisk } from './chart.js';
import { costCell, downCell, downWords, measuredCell } from './columns.js';
import { clientText, pasteOf } from './configuration.js';
import { BATCHES, cheaperFirst, decisionRows, lossIn, SWEEP } from './decision.js';
import { limitsOfThePage, riskLimits } from './limits.js';
import { testedFaults } from './losses.js';
import { recommend } from './recommend.js';
import { NOT_SUSTAINED } from './response-time.js';
import { sweepTrials } from './trials.js';

const BASELINE = 'async';
/** Rows of the deciding table; details.md has every mode. */
const MOST_ROWS = 10;
const FROZEN = 'one-replica-down';
const FROZEN_TITLE = 'One replica frozen';

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
    limits: [...trialLimits(rows, all, recommendation), ...limitsOfThePage(result, all)],
    // The answer and the tables have the costs, too.
    covers: SWEEP,
  };
}

/**
 * @param {Result} result
 * @param {DecisionRow[]} [all] default: the rows of the result
 * @returns {string[]} the answer in sentences; empty: no mode went through a fault
 */
export function sweepAnswer(result, all = decisionRows(result)) {
  const rows = all.filter(isTested);
  return rows.length === 0 ? [] : answerOf(rows, recommend(result, undefined, all), result);
}

/**
 * @param {Result} result
 * @param {readonly DecisionRow[]} [all] default: the rows of the result
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
 * @param {Result} result
 * @returns {string[]}
 */
function answerOf(rows, { best, meets, tested, notTested }, result) {
  const larger = result.profile.name === 'quick' ? notTested.filter((id) => faultNamed(id).larger) : [];
  const missing = notTested.filter((id) => !larger.includes(id));
  const yes = best !== null && meets.length > 0;
  return [
    ...(yes ? bestAnswer(best, rows, tested, result) : best ? nearestAnswer(best, rows, tested) : []),
    // With a mode that lost nothing, the largest loss decides nothing, and the table has it.
    ...(yes ? [] : mostLost(rows)),
    ...(missing.length > 0 ? [`Not tested: ${faultTitles(missing)}.`] : []),
    ...(larger.length > 0 ? [`Not tested here. \`--profile standard\` adds: ${faultTitles(larger)}.`] : []),
  ];
}

/**
 * @param {readonly DecisionRow[]} rows
 * @returns {string[]} the modes that lost everything, and the largest loss
 */
function mostLost(rows) {
  const losing = rows.flatMap((row) => {
    const worst = worstOf(row.trials);
    return worst ? [{ title: row.title, worst }] : [];
  });
  const [most] = losing.sort((a, b) => largestFirst(a.worst, b.worst));
  const emptied = rows.filter(({ trials }) => emptiedIn(trials).length > 0);
  const withoutFile = emptied.every(({ params }) => params.settings?.appendonly !== 'yes');
  const faults = [...new Set(emptied.flatMap(({ trials }) => emptiedIn(trials)))].map(({ title }) => title).join(', ');
  const sentences = [
    ...(emptied.length > 0
      ? [
          `${plural(emptied.length, 'mode')}${withoutFile ? ' without an append-only file' : ''} lost everything in: ${faults}.`,
        ]
      : []),
    ...(most
      ? [`Most lost${emptied.length > 0 ? ' in other faults' : ''}: ${most.title}, ${lossPhrase(most.worst)}.`]
      : []),
  ];
  return sentences.length === 0 ? [] : [sentences.join(' ')];
}

/**
 * @param {DecisionRow} row that lost nothing
 * @param {Result} result
 * @returns {string} on what condition to use it; empty: none that this page knows
 */
function conditionOf({ params }, { stack }) {
  return asksAll(params, stack) ? ' if no confirmed write may be lost and writes may stop while any node is away' : '';
}

/** Cheaper modes that the answer names. */
const CHEAPER = 2;

/**
 * @param {Judged} best
 * @param {readonly DecisionRow[]} rows
 * @param {readonly FaultId[]} tested
 * @param {Result} result
 * @returns {string[]}
 */
function bestAnswer({ row }, rows, tested, result) {
  const losses = row.trials.map(({ loss }) => loss);
  const acked = losses.reduce((sum, loss) => sum + loss.acked, 0);
  const lossless = rows.filter((each) => tested.every((id) => lossIn(each, id)?.most === 0));
  const least = Math.min(...losses.map(({ trials }) => trials));
  const doubt =
    least > 1
      ? `, so a fault may still lose some in up to ${percent(riskBound(least))} of cases`
      : ': a screening, no proof';
  return [
    `Use ${row.title}${conditionOf(row, result)}. Of ${plural(rows.length, 'mode')} ${lossless.length === 1 ? 'it alone' : lossless.length} lost nothing in ` +
      `${tested.length === 1 ? 'the one fault' : `all ${tested.length} faults`}${lossless.length === 1 ? '' : '; it is the cheapest'} ` +
      `(0 of ${count(acked)} acknowledged writes; ${trialsText(losses)} each${doubt}).`,
    ...withoutReplicas(row),
    costSentence(row, rows),
    ...responseSentence(row, rows),
    ...givenUp(row, rows, result.stack),
    ...withSentinelsBeside(row, rows, result),
    `What breaks this: ${breaking(row, tested, result).join('; ')}.`,
  ];
}

/**
 * @param {Judged} nearest
 * @param {readonly DecisionRow[]} rows
 * @param {readonly FaultId[]} tested
 * @returns {string[]}
 */
function nearestAnswer({ row }, rows, tested) {
  const losing = row.trials.filter(({ loss }) => loss.most > 0).sort(largestFirst);
  const others = row.trials.length - losing.length;
  const lost =
    losing.length === 0
      ? `lost nothing in ${plural(others, 'fault')}`
      : `lost ${losing.map(lossPhrase).join(', ')}, and nothing in ${plural(others, 'other fault')}`;
  const trials = trialsText(row.trials.map(({ loss }) => loss));
  const untested = tested.filter((id) => lossIn(row, id) === null);
  const runbook = lossIn(row, 'runbook');
  return [
    `${rows.length === 1 ? 'The one mode tested did not keep' : `None of the ${rows.length} modes tested kept`} every acknowledged write in every fault.`,
    `Closest: ${row.title}. It ${lost} (${trials} each).`,
    costSentence(row, rows),
    ...responseSentence(row, rows),
    ...(untested.length > 0 ? [`${row.title} was not tested in: ${faultTitles(untested)}.`] : []),
    ...(losing.some(({ fault }) => fault.id === 'failover') && runbook?.most === 0
      ? [
          `With the runbook below, a planned failover in this mode lost 0 of ${count(runbook.acked)} acknowledged writes (${trialsText([runbook])}).`,
        ]
      : []),
    ...withoutReplicas(row),
  ];
}

/**
 * @param {DecisionRow} best
 * @param {readonly DecisionRow[]} rows
 * @param {Result['stack']} stack
 * @returns {string[]} what modes that cost less have lost: the safest of them
 */
function givenUp(best, rows, stack) {
  return rows
    .filter(
      (row) =>
        row.mode !== BASELINE &&
        row.trials.some(({ loss }) => loss.most > 0) &&
        cheaperFirst(1)(row, best) < 0 &&
        isApart(row, best),
    )
    .toSorted((a, b) => saferFirst(a.trials, b.trials))
    .slice(0, CHEAPER)
    .map((row) => {
      const losing = row.trials.filter(({ loss }) => loss.most > 0).sort(largestFirst);
      const others = losing.length - 1;
      const [{ fault }] = losing;
      const unflushed = fault.id === 'power' ? ': what was not flushed when the power failed' : '';
      const only = `${unflushed}; nothing in the other faults`;
      return `Cheaper, ${row.title} (costs ${costCell(row)}): lost ${lossPhrase(losing[0])}${others === 0 ? only : `, and some in ${plural(others, 'other fault')}`}. ${awayText(row, stack)}.`;
    });
}

/**
 * @param {DecisionRow} row
 * @param {Result['stack']} stack
 */
function awayText({ params }, stack) {
  if (refusesAway(params, stack)) return 'It refuses every write while a node is away';
  return asksAll(params, stack)
    ? 'It confirms nothing while a node is away'
    : 'It takes writes while one replica is away';
}

/** They need two nodes on the side of a minority of the Sentinels, which is impossible with one Sentinel beside each of three nodes. @type {FaultId[]} */
const NEED_APART = ['partition-with-replica', 'one-way', 'flapping'];
/** Also tried with one Sentinel beside each node. */
const [TRIED_BESIDE] = NEED_APART;

/**
 * @param {DecisionRow} best
 * @param {readonly DecisionRow[]} rows
 * @param {Result} result
 * @returns {string[]} what a cheaper mode lost without the fault that such a placement prevents; empty: no mode lost less for it
 */
function withSentinelsBeside(best, rows, result) {
  if (result.stack.nodes.filter(({ kind }) => kind === 'redis').length !== 3) return [];
  const without = rows
    .filter(
      (row) =>
        row.params.wait > 0 &&
        row.params.wait < best.params.wait &&
        (lossIn(row, TRIED_BESIDE)?.most ?? 0) > 0 &&
        isApart(row, best),
    )
    .map((row) => ({ row, trials: row.trials.filter(({ fault }) => !NEED_APART.includes(fault.id)) }))
    .filter(({ trials }) => emptiedIn(trials).length === 0)
    .sort((a, b) => saferFirst(a.trials, b.trials));
  return without.slice(0, 1).flatMap(({ row, trials }) => {
    const tried = triedBeside(row, result);
    if (tried && tried.most > 0) return [];
    const danger = tried
      ? `is no danger: it lost 0 of ${count(tried.acked)} acknowledged writes there (${trialsText([tried])})`
      : 'should be no danger, because most Sentinels stay with the primary (`sentinel-bench run partition-with-replica --placement colocated` tries it)';
    const losing = trials.filter(({ loss }) => loss.most > 0).sort(largestFirst);
    const lost = losing.length === 0 ? 'lost nothing else' : `lost ${losing.map(lossPhrase).join(', ')}`;
    return [
      `With one Sentinel beside each of the three nodes a ${faultTitles([TRIED_BESIDE])} ${danger}. In the other faults, most of them measured with Sentinels apart, ${row.title} (cost ${costCell(row)}) ${lost}, but it takes writes while one replica is away.`,
    ];
  });
}

/**
 * @param {DecisionRow} row
 * @param {Result} result
 * @returns {Loss | null} of its mode in a partition with a replica, with one Sentinel beside each node; null: not measured
 */
function triedBeside({ mode }, result) {
  const isTried = (/** @type {TrialRow} */ { one: { params } }) =>
    params.mode === mode && params.placement === COLOCATED;
  return sweepTrials(faultNamed(TRIED_BESIDE), result).find(isTried)?.loss ?? null;
}

/**
 * @param {DecisionRow} row
 * @param {DecisionRow} best
 * @returns {boolean} the intervals of their costs do not overlap; true also if one has none
 */
function isApart({ healthy: { 1: cheaper } }, { healthy: { 1: dearer } }) {
  return !cheaper?.relative || !dearer?.relative || cheaper.relative.low > dearer.relative.high;
}

/**
 * @param {DecisionRow} row that lost nothing
 * @param {readonly FaultId[]} tested
 * @param {Result} result
 * @returns {string[]} what would end that
 */
function breaking({ params: { wait, settings } }, tested, { stack }) {
  const replicas = stack.nodes.filter(({ kind }) => kind === 'redis').length - 1;
  const synced = settings?.appendonly === 'yes' && settings.appendfsync === 'always';
  return [
    ...(wait > 0 && wait === replicas ? [`a further replica, unless WAIT asks for it too`] : []),
    // Of several replicas that need not confirm a write, a partition with one is not the worst.
    ...(wait < replicas && (replicas > USUAL_REPLICAS || !tested.includes('partition-with-replica'))
      ? [
          wait < 2
            ? 'a partition that takes a confirming replica along with the primary'
            : `a partition that takes ${wait} of the ${replicas} replicas along with the primary, if they confirmed the write`,
        ]
      : []),
    ...(settings?.appendonly === 'yes' ? [] : ['a primary that restarts before a Sentinel notices']),
    ...(synced ? [] : ['a power loss of all nodes at once']),
    '`replica-priority` that prefers an empty replica',
    'a client that ignores the count of WAIT',
  ];
}

/**
 * @param {DecisionRow} row
 * @param {readonly DecisionRow[]} rows
 */
function costSentence(row, rows) {
  if (!row.healthy[1]?.relative) return 'Its cost in throughput was not measured.';
  const base = rows.find(({ mode }) => mode === BASELINE);
  const parts = BATCHES.flatMap((depth) => {
    const healthy = row.healthy[depth];
    if (!healthy?.relative) return [];
    const of = base?.healthy[depth];
    const rates = of ? ` (${rate(healthy.throughput.median)} of ${rate(of.throughput.median)})` : '';
    return [`${costCell(row, depth)} at pipeline depth ${depth}${rates}`];
  });
  const apart = row.params.wait > 0 ? ` On a network it is higher: ${WITH_DISTANCE}.` : '';
  return `Cost in throughput of one connection, against async: ${parts.join('; ')}. That is its speed, not the capacity of the server.${apart}`;
}

/**
 * @param {DecisionRow} row
 * @param {readonly DecisionRow[]} rows
 * @returns {string[]} one sentence; empty: no response time was measured
 */
function responseSentence(row, rows) {
  if (row.response === null) return [];
  const base = rows.find(({ mode }) => mode === BASELINE);
  const than = base?.response ? `, async ${responseCell(base)}` : '';
  const included = row.params.wait > 0 ? ', its WAIT included' : '';
  return [`p99 response time at ${responseLoad(row.response)}${included}: ${responseCell(row)}${than}.`];
}

/**
 * @param {DecisionRow} row
 * @returns {string[]} sentences: how much it acknowledges while replicas are frozen, if that is not everything
 */
function withoutReplicas({ title, down, trials, params }) {
  const survivals = /** @type {const} */ ([
    [FROZEN, 'one replica is'],
    ['both-replicas-down', 'both replicas are'],
  ]).flatMap(([survival, what]) => {
    const share = down[survival]?.ackedAtEnd;
    return share === undefined || share.low > 0.99 ? [] : [{ what, share }];
  });
  const stopping = survivals.find(({ share }) => share.high < 0.01);
  if (stopping) {
    const away =
      stopping.what === 'one replica is'
        ? ', or any node is away (crash, reboot, upgrade), until that node is in sync again'
        : '';
    const minimum = Number(params.settings?.['min-replicas-to-write'] ?? 0);
    const refused =
      minimum > 0
        ? ` The primary then refuses the writes of all clients, also after a failover. \`CONFIG SET min-replicas-to-write ${minimum - 1}\` on it lets writes without WAIT go on; WAIT ${params.wait} still confirms none. Set ${minimum} again when the replicas are in sync.`
        : '';
    return [`Its price: no write is confirmed while ${stopping.what} frozen${away}${untilBack(trials)}.${refused}`];
  }
  return survivals.map(({ what, share }) => `While ${what} frozen, ${title} acknowledges ${ackedText(share)}.`);
}

/**
 * @param {DecisionRow['trials']} trials
 * @returns {string} the faults that it sat out, until the lost node was back or to the end
 */
function untilBack(trials) {
  const [longest] = trials
    .filter(({ outage, untilHealed }) => untilHealed && Number.isFinite(outage.medianMs))
    .toSorted((a, b) => b.outage.medianMs - a.outage.medianMs);
  const endless = trials.filter(({ outage }) => !Number.isFinite(outage.medianMs)).map(({ fault }) => fault.title);
  const parts = [
    ...(longest ? [`${milliseconds(longest.outage.medianMs)} in ${longest.fault.title}, when we ended the fault`] : []),
    ...(endless.length > 0 ? [`in ${endless.join(', ')} it lasted to the end of the load`] : []),
  ];
  return parts.length === 0 ? '' : `. Here that took ${parts.join('; ')}`;
}

/**
 * @param {Spread} share of the writes that are acknowledged
 * @returns {string} such as `90% of the writes`; where trials differ, it says which trial has which share
 */
function ackedText({ median, low }) {
  const [usual, worst] = [percent(median), percent(low)];
  return usual === worst
    ? `${usual} of the writes`
    : `${usual} of the writes in the median trial, ${worst} in the worst one`;
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
  const healed = kept.some((row) => outageCell(row).includes(HEALED_MARK));
  const several = losses.some(({ trials }) => trials > 1);
  const all = losses.some(({ everything }) => everything)
    ? ` ${ALL_NOTE}: the primary came back empty, and its replicas copied that.`
    : '';
  const faster = kept.some(({ mode, healthy }) => mode !== BASELINE && Number(healthy[1]?.relative?.high) > 1);
  return [
    table(decidingColumns(kept), kept),
    list([
      item(
        'worst loss',
        `acknowledged writes in the worst trial (seconds of them)${several ? ', trials with a loss/trials' : ''}; ${trialsText(losses)} each.${all}`,
      ),
      item(
        'outage',
        `longest time without an acknowledgement, of the client that waited longer${several ? ' (median of the trials)' : ''}; another may have gone on, at a primary whose writes were lost.${healed ? ` ${HEALED_NOTE}.` : ''}${endlessText(kept)}`,
      ),
      item(
        'cost',
        'throughput of one connection lost against async at pipeline depth 1: the median of ratios paired by round, so it may differ from the ratio of two rates of this table. ' +
          `${RANGE_MEANING}.${faster ? ' Below 0: faster than async. No mode saves work, so that, like a p99 below that of async, is chance or this machine, whose busy cores wake sooner.' : ''}`,
      ),
    ]),
    ...lossTable(kept, left),
  ];
}

/**
 * @param {string} name
 * @param {string} meaning
 * @returns {{name: string, text: string, details: string[]}}
 */
function item(name, meaning) {
  return { name, text: meaning, details: [] };
}

/**
 * @param {readonly DecisionRow[]} rows
 * @param {number} hidden modes that have no row
 * @returns {Block[]} seconds lost by mode and fault, of the faults in which any mode lost a write
 */
function lossTable(rows, hidden) {
  const faults = testedFaults(rows).filter((id) => rows.some((row) => (lossIn(row, id)?.most ?? 0) > 0));
  if (faults.length === 0) return [];
  const safe = testedFaults(rows).filter((id) => !faults.includes(id));
  const none = safe.length === 0 ? '' : ` No mode that was tried lost a write in: ${faultTitles(safe)}.`;
  const more = hidden === 0 ? '' : ` \`details.md\` has ${plural(hidden, 'further mode')}.`;
  const columns = faults.map((id) =>
    right(faultNamed(id).title, (/** @type {DecisionRow} */ row) => lossCell(lossIn(row, id))),
  );
  return [
    text(`Seconds of acknowledged writes lost in the worst trial, by fault. ALL: the whole data set.${none}${more}`),
    table([left('mode', (/** @type {DecisionRow} */ { title }) => title), ...columns], rows),
    list(explainedFaults(faults)),
  ];
}

/** @param {Loss | null} loss */
function lossCell(loss) {
  if (loss === null) return NOT_MEASURED;
  if (loss.everything) return ALL;
  return loss.most === 0 ? '0' : loss.seconds === null ? count(loss.most) : milliseconds(loss.seconds * 1000);
}

/**
 * Figures with names of faults: cells on the left may break their lines, and the table stays within the page.
 *
 * @param {readonly DecisionRow[]} rows
 * @returns {Column<DecisionRow>[]}
 */
function decidingColumns(rows) {
  const response = rows.find((row) => row.response !== null)?.response;
  return [
    left('mode', ({ title }) => title),
    left('worst loss', worstCell),
    // Within the width of a phone.
    right('throughput cost', (row) => costCell(row)),
    right('writes/s', ({ healthy }) => measuredCell(healthy[1], ({ throughput }) => rate(throughput.median))),
    ...(response ? [right(`p99 at ${rate(response.rate)}`, responseCell)] : []),
    left('longest outage', outageCell),
  ];
}

/** @param {DecisionRow} row */
function responseCell({ response }) {
  if (response === null) return NOT_MEASURED;
  return response.p99Ns === null ? NOT_SUSTAINED : interval(response.p99Ns, duration);
}

/** @param {Response} response */
function responseLoad({ rate: offered, connections }) {
  return `${rate(offered)} on ${plural(connections, 'connection')}`;
}

/** @param {DecisionRow} row */
function frozenCell({ down }) {
  return measuredCell(down[FROZEN], downCell);
}

/**
 * @param {readonly DecisionRow[]} rows of a table
 * @returns {string} what its cells about a frozen replica mean
 */
export function frozenNote(rows) {
  const cells = rows.map(frozenCell);
  const words = downWords(cells);
  const spread = cells.some((cell) => cell.includes('(')) ? ' (worst to best trial)' : '';
  return `${FROZEN_TITLE}: share of the writes acked at the end of its freeze${spread}.${words === '' ? '' : ` ${words}.`}`;
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

/** Why an outage lasted to the end. @type {Readonly<Record<EndlessCause, string>>} */
const CAUSES = Object.freeze({
  'too few': 'too few replicas were left for the mode',
  silent: 'nothing told a sticky client that its connection was dead',
});

/**
 * @param {readonly DecisionRow[]} rows of the table
 * @returns {string} a sentence after a space: which of the two causes applies to which fault; empty: each outage that the table shows has ended
 */
function endlessText(rows) {
  const endless = rows.flatMap((row) => {
    const longest = longestOf(row.trials);
    return longest?.endless && !Number.isFinite(longest.outage.medianMs) ? [{ row, longest }] : [];
  });
  const parts = Object.entries(CAUSES).flatMap(([cause, words]) => {
    const such = endless.filter(({ longest }) => longest.endless === cause);
    const titles = [...new Set(such.map(({ longest }) => longest.fault.title))];
    const places = titles.map((title) => {
      const inFault = (/** @type {typeof endless} */ some) =>
        some.filter(({ longest }) => longest.fault.title === title);
      // The other cause applies to other modes in this fault.
      const others = inFault(endless).length > inFault(such).length;
      return `${title}${
        others
          ? ` with ${inFault(such)
              .map(({ row }) => row.title)
              .join(', ')}`
          : ''
      }`;
    });
    return places.length === 0 ? [] : [`${words} (${places.join('; ')})`];
  });
  return parts.length === 0 ? '' : ` To the end: until the load ended, because ${parts.join(', or ')}.`;
}

/** @param {TrialRow} row */
function outageText({ fault, outage, untilHealed }) {
  return `${milliseconds(outage.medianMs)}${untilHealed ? ` ${HEALED_MARK}` : ''}, ${fault.title}`;
}

/**
 * @param {DecisionRow} row
 * @param {Result} result
 * @returns {Block[]}
 */
function actionsOf(row, { stack: { masterName } }) {
  const { rollOut, client, runbook, coordinated } = pasteOf(row, masterName);
  return [
    text(`${clientStep(row.params)} ${clientText(row)}. Move to the new primary at \`+switch-master\`.`),
    code(client, 'js'),
    ...rollOutBlocks(rollOut, settingsStep(row.params.settings?.['min-replicas-to-write'])),
    ...(lossIn(row, 'failover')?.most === 0
      ? [text(briefRunbook(failoverCommand(pastedName(masterName))))]
      : [
          text(PLANNED_FAILOVER),
          code(
            coordinated ? `${runbook}\n# Or in one command, which lost nothing here:\n${coordinated}` : runbook,
            'sh',
          ),
        ]),
  ];
}

/**
 * For a mode that lost nothing in a bare failover.
 *
 * @param {string} command
 */
function briefRunbook(command) {
  return `Planned failover (not part of the set-up: it fails over at once): \`${command}\` has the primary hold writes first (see \`--help\`). A bare \`SENTINEL FAILOVER\` lost nothing in this mode, but it loses what clients without \`WAIT\` write.`;
}

/**
 * @param {readonly DecisionRow[]} rows that were tested
 * @param {readonly DecisionRow[]} all
 * @param {Recommendation} [recommendation] says how to attack its mode
 * @returns {string[]}
 */
function trialLimits(rows, all, recommendation) {
  const titles = all.filter((row) => row.note === null && row.trials.length === 0).map(({ title }) => title);
  const losses = rows.flatMap(({ trials }) => trials).map(({ loss }) => loss);
  return [
    ...(losses.length > 0 ? [`${openRisk(losses)}${attackOf(recommendation?.best?.row.id)}`] : []),
    ...(titles.length > 0 ? [`Faults not tested with: ${titles.join('; ')}.`] : []),
  ];
}

/**
 * @param {string} [mode]
 * @returns {string} how to try to prove the answer wrong; empty: the search does not know this mode
 */
function attackOf(mode) {
  if (mode === undefined || !(mode in MODES)) return '';
  return ` \`sentinel-bench search --mode ${mode}\` attacks it with random sequences of faults; \`docs/search.md\` has published searches.`;
}
