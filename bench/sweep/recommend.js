/**
 * Which configurations meet given limits. An interval meets a limit, or fails it, only as a whole.
 *
 * @import { Result } from '../../src/result/schema.js'
 * @import { Batch, DecisionRow, Survival } from './decision.js'
 * @import { FaultId } from '../experiments/decision-faults.js'
 */

import { count, duration, interval, percent, rate } from '../../src/format.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { FAULTS, faultNamed, isAvailable } from '../experiments/decision-faults.js';
import { clientText, settingsText } from './configuration.js';
import * as decision from './decision.js';
import { WORDS } from './words.js';

/**
 * @typedef {Object} Limits an absent limit is not judged
 * @property {readonly FaultId[]} [faults] that are judged, as far as they were tested; default: all
 * @property {{count: number} | {share: number}} [maxLoss] acknowledged writes that each fault may lose; share: 0 … 1
 * @property {number} [maxP99Ns]
 * @property {{perSecond: number} | {share: number}} [minThroughput] share: of async at the same depth
 * @property {number} [maxUnavailableMs] in each fault
 * @property {readonly Survival[]} [survive]
 * @property {Batch} [batch] pipeline depth at which throughput and p99 are judged, and configurations are sorted; default 1
 *
 * @typedef {'meets' | 'fails' | 'uncertain' | 'not measured'} CriterionVerdict uncertain: only a part of the interval meets the limit
 *
 * @typedef {Object} CriterionJudgement of one configuration by one criterion
 * @property {string} criterion id
 * @property {CriterionVerdict} verdict
 * @property {string} figure that decides, as text; empty when not measured
 *
 * @typedef {Object} Criterion
 * @property {string} id
 * @property {string} about such as `lost (primary killed)`
 * @property {string} text likewise with the limit: `lost (primary killed): at most 0`
 * @property {string} common the same for all faults: `lost in each fault: at most 0`
 *
 * @typedef {Object} JudgedMode
 * @property {DecisionRow} row
 * @property {CriterionJudgement[]} judgements one a criterion, in their order
 *
 * @typedef {Object} Recommendation
 * @property {Limits & {batch: Batch}} limits
 * @property {Criterion[]} criteria
 * @property {JudgedMode[]} meets every criterion; the highest throughput first
 * @property {JudgedMode[]} undecided fails no criterion, and at least one is uncertain or not measured; sorted like `meets`
 * @property {JudgedMode[]} fails sorted like `meets`
 * @property {Tally[]} tallies one a criterion
 * @property {FaultId[]} tested faults that were asked for and tested with at least one mode
 * @property {FaultId[]} notTested the others that were asked for and that the server has
 * @property {FaultId[]} notAvailable those that the server does not have
 * @property {JudgedMode | null} best the first that meets every criterion; else the closest one, see {@link nearest}; null: no mode went through a fault
 *
 * @typedef {Object} Tally of one criterion
 * @property {string} criterion id
 * @property {number} fails
 * @property {number} open uncertain or not measured
 * @property {{titles: string[], figure: string} | null} best measured; the figure belongs to the first of `titles`; null: nothing was
 *   measured
 */

/** Limits of the report. @type {Limits} */
export const DEFAULT_LIMITS = { maxLoss: { count: 0 } };
/** The same as options of the command. */
export const DEFAULT_OPTIONS = '--max-loss 0';

const SCHEMA = 'sentinel-bench/recommendation@2';
/** Share of acked writes from which on a mode keeps writing. */
const SURVIVES = 0.99;

/**
 * @typedef {Object} CriterionFigure
 * @property {number} unfavourable the worse end of the interval, or the worst trial
 * @property {number} favourable the better end; of trials the median
 * @property {string} figure
 *
 * @typedef {Criterion & {limit: number, atLeast: boolean, measure: (row: DecisionRow) => CriterionFigure | null}} JudgedCriterion
 *   atLeast: else at most
 */

/**
 * @param {Result} result
 * @param {Limits} [limits]
 * @param {readonly DecisionRow[]} [rows] default: the rows of the result
 * @returns {Recommendation}
 */
export function recommend(result, limits = DEFAULT_LIMITS, rows = decision.decisionRows(result)) {
  const batch = limits.batch ?? 1;
  const wantedFaults = limits.faults ?? FAULTS.map(({ id }) => id);
  const tested = decision.testedFaults(rows).filter((id) => wantedFaults.includes(id));
  const others = wantedFaults.filter((id) => !tested.includes(id));
  const [notTested, notAvailable] = [true, false].map((there) =>
    others.filter((id) => isAvailable(id, result.stack.server) === there),
  );
  // Without any trial no mode meets a limit of faults: each is not measured.
  const rules = rulesOf(limits, batch, tested.length > 0 ? tested : notTested);
  const judged = rows
    .toSorted(decision.cheaperFirst(batch))
    .map((row) => ({ row, judgements: rules.map((rule) => judge(rule, row)) }));
  const isFailing = (/** @type {JudgedMode} */ { judgements }) => judgements.some(({ verdict }) => verdict === 'fails');
  const isMeeting = (/** @type {JudgedMode} */ { judgements }) =>
    judgements.every(({ verdict }) => verdict === 'meets');
  const meets = judged.filter(isMeeting);
  return {
    limits: { ...limits, batch },
    criteria: rules.map(({ id, about, text, common }) => ({ id, about, text, common })),
    meets,
    undecided: judged.filter((each) => !isMeeting(each) && !isFailing(each)),
    fails: judged.filter(isFailing),
    tallies: rules.map((rule) => tallyOf(rule, judged)),
    tested,
    notTested,
    notAvailable,
    best: meets[0] ?? nearest(judged),
  };
}

/**
 * A mode that stops while a node is away is far from one that must go on. Of the others the one that meets the most criteria: one that was tested in a
 * single fault fails few of them, and shows little. Of these the one that fails the fewest, and of these the one that lost least.
 * @param {readonly JudgedMode[]} judged cheapest first
 * @returns {JudgedMode | null}
 */
function nearest(judged) {
  const number = (/** @type {JudgedMode} */ { judgements }, /** @type {CriterionVerdict} */ wanted) =>
    judgements.filter(({ verdict }) => verdict === wanted).length;
  const stops = (/** @type {JudgedMode} */ { judgements }) =>
    judgements.filter(({ criterion, verdict }) => criterion in decision.PAUSING && verdict === 'fails').length;
  const order = (/** @type {JudgedMode} */ a, /** @type {JudgedMode} */ b) =>
    stops(a) - stops(b) ||
    number(b, 'meets') - number(a, 'meets') ||
    number(a, 'fails') - number(b, 'fails') ||
    decision.saferFirst(a.row, b.row);
  return judged.filter(({ row }) => decision.isTested(row)).sort(order)[0] ?? null;
}

/** @param {JudgedCriterion} rule @param {DecisionRow} row @returns {CriterionJudgement} */
function judge({ id, limit, atLeast, measure }, row) {
  const measured = measure(row);
  if (!measured) return { criterion: id, verdict: 'not measured', figure: '' };
  const keeps = (/** @type {number} */ value) => (atLeast ? value >= limit : value <= limit);
  const { unfavourable, favourable, figure } = measured;
  const verdict = keeps(unfavourable) ? 'meets' : keeps(favourable) ? 'uncertain' : 'fails';
  return { criterion: id, verdict, figure };
}

/** @param {JudgedCriterion} rule @param {readonly JudgedMode[]} judged @returns {Tally} */
function tallyOf({ id, atLeast, measure }, judged) {
  const verdicts = judged.flatMap(({ judgements }) => judgements.filter(({ criterion }) => criterion === id));
  const number = (/** @type {CriterionVerdict[]} */ ...wanted) =>
    verdicts.filter(({ verdict }) => wanted.includes(verdict)).length;
  const measured = judged.flatMap(({ row }) => {
    const found = measure(row);
    return found ? { title: row.title, ...found } : [];
  });
  const best = measured.sort((a, b) =>
    atLeast ? b.unfavourable - a.unfavourable : a.unfavourable - b.unfavourable,
  )[0];
  const asGood = measured.filter(({ unfavourable }) => unfavourable === best.unfavourable);
  return {
    criterion: id,
    fails: number('fails'),
    open: number('uncertain', 'not measured'),
    best: best ? { titles: asGood.map(({ title }) => title), figure: best.figure } : null,
  };
}

/**
 * @param {Limits} limits
 * @param {Batch} batch
 * @param {readonly FaultId[]} faults that were tested
 * @returns {JudgedCriterion[]} faults first
 */
function rulesOf({ maxLoss, maxUnavailableMs, survive = [], maxP99Ns, minThroughput }, batch, faults) {
  return [
    ...(maxLoss === undefined ? [] : faults.map((fault) => lossRule(fault, maxLoss))),
    ...(maxUnavailableMs === undefined ? [] : faults.map((fault) => unavailableRule(fault, maxUnavailableMs))),
    ...[...new Set(survive)].map(survivalRule),
    ...(maxP99Ns === undefined ? [] : [p99Rule(maxP99Ns, batch)]),
    ...(minThroughput === undefined ? [] : [throughputRule(minThroughput, batch)]),
  ];
}

/**
 * @param {string} id
 * @param {string} what is limited
 * @param {{least: number} | {most: number}} bound
 * @param {(value: number) => string} format
 * @param {FaultId} [fault]
 * @returns {Omit<JudgedCriterion, 'measure'>}
 */
function ruleOf(id, what, bound, format, fault) {
  const atLeast = 'least' in bound;
  const limit = atLeast ? bound.least : bound.most;
  const text = `at ${atLeast ? 'least' : 'most'} ${format(limit)}`;
  const about = fault === undefined ? what : `${what} (${faultNamed(fault).title})`;
  const common = `${fault === undefined ? what : `${what} in each fault`}: ${text}`;
  return { id, about, text: `${about}: ${text}`, common, limit, atLeast };
}

/** @param {FaultId} fault @param {NonNullable<Limits['maxLoss']>} maxLoss @returns {JudgedCriterion} */
function lossRule(fault, maxLoss) {
  const [most, format] = 'share' in maxLoss ? [maxLoss.share, percent] : [maxLoss.count, count];
  return {
    ...ruleOf(`loss-${fault}`, 'lost', { most }, format, fault),
    measure: (row) => {
      const loss = decision.lossIn(row, fault);
      if (!loss) return null;
      // A loss in one trial counts, whatever the other trials lost.
      const worst = 'share' in maxLoss ? loss.share : loss.writes;
      return { unfavourable: worst, favourable: worst, figure: format(worst) };
    },
  };
}

/** @param {FaultId} fault @param {number} most @returns {JudgedCriterion} */
function unavailableRule(fault, most) {
  return {
    ...ruleOf(`unavailable-${fault}`, 'unavailable', { most }, milliseconds, fault),
    measure: ({ trials }) => {
      const found = trials.find((row) => row.fault.id === fault);
      if (!found) return null;
      const { medianMs, highMs } = found.outage;
      return { unfavourable: highMs, favourable: medianMs, figure: decision.outageText(found) };
    },
  };
}

/** @param {Survival} survival @returns {JudgedCriterion} */
function survivalRule(survival) {
  return {
    ...ruleOf(survival, `acked ${WORDS.survivals[survival]}`, { least: SURVIVES }, percent),
    measure: ({ down }) => {
      const share = down[survival]?.of['confirmed-at-fault-end'];
      if (!share) return null;
      const { median, low, high, worst } = share;
      const figure = interval({ median, low: Number(low), high: Number(high) }, percent);
      return { unfavourable: Number(worst), favourable: median, figure };
    },
  };
}

/** @param {number} most nanoseconds @param {Batch} batch @returns {JudgedCriterion} */
function p99Rule(most, batch) {
  return {
    ...ruleOf('p99', `p99 at depth ${batch}`, { most }, duration),
    measure: ({ healthy }) => {
      const p99 = healthy[batch]?.p99Ns;
      return p99 ? { unfavourable: p99.high, favourable: p99.low, figure: interval(p99, duration) } : null;
    },
  };
}

/** @param {NonNullable<Limits['minThroughput']>} wanted @param {Batch} batch @returns {JudgedCriterion} */
function throughputRule(wanted, batch) {
  const byShare = 'share' in wanted;
  const ofAsync = (/** @type {number} */ share) => `${percent(share)} of async`;
  const least = byShare ? wanted.share : wanted.perSecond;
  return {
    ...ruleOf('throughput', `throughput at depth ${batch}`, { least }, byShare ? ofAsync : rate),
    measure: ({ healthy }) => {
      const value = byShare ? healthy[batch]?.relative : healthy[batch]?.throughput;
      if (!value) return null;
      const figure = byShare ? `${interval(value, percent)} of async` : interval(value, rate);
      return { unfavourable: value.low, favourable: value.high, figure };
    },
  };
}

/**
 * @param {Recommendation} recommendation
 * @returns {object} for `recommend --json`: an endless time is `to the end`, null is not measured
 */
export function recommendationDocument({ limits, criteria, tallies, tested, notTested, notAvailable, ...groups }) {
  const describe = (/** @type {JudgedMode} */ { row, judgements }) => ({
    configuration: row.id,
    title: row.title,
    params: row.params,
    set: settingsText(row),
    client: clientText(row),
    throughput: row.healthy[limits.batch]?.throughput ?? null,
    ofAsync: row.healthy[limits.batch]?.relative ?? null,
    p99Ns: row.healthy[limits.batch]?.p99Ns ?? null,
    judgements: judgements.map(({ criterion, verdict, figure }) => ({ criterion, verdict, figure: figure || null })),
  });
  return {
    schema: SCHEMA,
    limits,
    faults: { tested, notTested, notAvailable },
    criteria: criteria.map(({ id, text }) => ({ id, text })),
    meets: groups.meets.map(describe),
    undecided: groups.undecided.map(describe),
    fails: groups.fails.map(describe),
    tallies,
  };
}
