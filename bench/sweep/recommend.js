/** Which configurations meet given limits. An interval meets a limit, or fails it, only as a whole. */
/** @import { Result } from '../types.js' */
/** @import { Batch, DecisionRow, Survival } from './decision.js' */
/** @import { FaultId } from '../experiments/decision-faults.js' */
/**
 * @typedef {Object} Limits an absent limit is not judged
 * @property {readonly FaultId[]} [faults] that are judged, as far as they were tested; default: all
 * @property {{count: number} | {share: number}} [maxLoss] acknowledged writes that each fault may lose; share: 0 … 1
 * @property {number} [maxP99Ns]
 * @property {{perSecond: number} | {share: number}} [minThroughput] share: of async at the same depth
 * @property {number} [maxUnavailableMs] in each fault
 * @property {readonly Survival[]} [survive]
 * @property {Batch} [batch] pipeline depth at which throughput and p99 are judged, and configurations are sorted; default 1
 * @typedef {'meets' | 'fails' | 'uncertain' | 'not measured'} CriterionVerdict uncertain: only a part of the interval meets the limit
 * @typedef {ReturnType<typeof ruleOf>} Rule
 * @typedef {{row: DecisionRow, judgements: ReturnType<typeof judge>[]}} JudgedMode judgements: one a criterion, in their order
 * @typedef {ReturnType<typeof recommend>} Recommendation
 */
import { count, duration, interval, percent, rate } from '../../src/format.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { FAULTS, faultNamed, isAvailable } from '../experiments/decision-faults.js';
import { clientText, settingsText } from './configuration.js';
import * as decision from './decision.js';
import { WORDS } from './words.js';

/** Limits of the report. @type {Limits} */
export const DEFAULT_LIMITS = { maxLoss: { count: 0 } };
/** The same as options of the command. */
export const DEFAULT_OPTIONS = '--max-loss 0';

const SCHEMA = 'sentinel-bench/recommendation@2';
/** Share of acked writes from which on a mode keeps writing. */
const SURVIVES = 0.99;

/**
 * @param {Result} result @param {Limits} [limits] @param {readonly DecisionRow[]} [rows] default: the rows of the result
 * @returns meets: every criterion; undecided: fail none, and at least one is uncertain or not measured; tested: faults that were asked for and tested
 *   with at least one mode; notTested: the others that the server has; best: the first that meets every criterion, else {@link nearest}, null: no mode
 *   went through a fault. The highest throughput first
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
  const meets = judged.filter((each) => numberOf(each, 'meets') === rules.length);
  const fails = judged.filter((each) => numberOf(each, 'fails') > 0);
  return {
    limits: { ...limits, batch },
    criteria: rules.map(({ id, about, text, common }) => ({ id, about, text, common })),
    meets,
    fails,
    undecided: judged.filter((each) => !meets.includes(each) && !fails.includes(each)),
    tallies: rules.map((rule) => tallyOf(rule, judged)),
    tested,
    notTested,
    notAvailable,
    best: meets[0] ?? nearest(judged),
  };
}

/** @param {Pick<JudgedMode, 'judgements'>} judged @param {...CriterionVerdict} wanted @returns {number} of its criteria */
const numberOf = ({ judgements }, ...wanted) => judgements.filter(({ verdict }) => wanted.includes(verdict)).length;

/** A mode that stops is far from one that must go on; then by criteria met, then by criteria failed, then by loss. @param {readonly JudgedMode[]} judged cheapest first @returns {JudgedMode | null} */
function nearest(judged) {
  const stops = (/** @type {JudgedMode} */ { judgements }) =>
    judgements.filter(({ criterion, verdict }) => criterion in decision.PAUSING && verdict === 'fails').length;
  const order = (/** @type {JudgedMode} */ a, /** @type {JudgedMode} */ b) =>
    stops(a) - stops(b) ||
    numberOf(b, 'meets') - numberOf(a, 'meets') ||
    numberOf(a, 'fails') - numberOf(b, 'fails') ||
    decision.saferFirst(a.row, b.row);
  return judged.filter(({ row }) => decision.isTested(row)).sort(order)[0] ?? null;
}

/** @param {Rule} rule @param {DecisionRow} row figure: what decides; empty: not measured */
function judge({ id, limit, atLeast, measure }, row) {
  const measured = measure(row);
  const keeps = (/** @type {number} */ value) => (atLeast ? value >= limit : value <= limit);
  /** @type {CriterionVerdict} */
  const verdict = !measured
    ? 'not measured'
    : keeps(measured.unfavourable)
      ? 'meets'
      : keeps(measured.favourable)
        ? 'uncertain'
        : 'fails';
  return { criterion: id, verdict, figure: measured?.figure ?? '' };
}

/** @param {Rule} rule @param {readonly JudgedMode[]} judged best: measured; its figure is that of the first of its titles; null: nothing was measured */
function tallyOf({ id, atLeast, measure }, judged) {
  const verdicts = {
    judgements: judged.flatMap(({ judgements }) => judgements.filter(({ criterion }) => criterion === id)),
  };
  const measured = judged.flatMap(({ row }) => {
    const found = measure(row);
    return found ? { title: row.title, ...found } : [];
  });
  const [best] = measured.sort((a, b) => (atLeast ? -1 : 1) * (a.unfavourable - b.unfavourable));
  const asGood = measured.filter(({ unfavourable }) => unfavourable === best.unfavourable);
  return {
    criterion: id,
    fails: numberOf(verdicts, 'fails'),
    open: numberOf(verdicts, 'uncertain', 'not measured'),
    best: best ? { titles: asGood.map(({ title }) => title), figure: best.figure } : null,
  };
}

/** @param {Limits} limits @param {Batch} batch @param {readonly FaultId[]} faults that were tested @returns {Rule[]} faults first */
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
 * @param {Object} criterion @param {string} criterion.id @param {string} criterion.what is limited
 * @param {number} [criterion.least] @param {number} [criterion.most] @param {FaultId} [criterion.fault]
 * @param {(value: number) => string} criterion.format
 * @param {(row: DecisionRow) => {unfavourable: number, favourable: number, figure: string} | null} criterion.measure unfavourable: the worse end of the
 *   interval, or the worst trial; favourable: the better end; of trials the median
 * @returns about: such as `lost (primary killed)`; text: with the limit: `lost (primary killed): at most 0`; common: the same for all faults: `lost in each
 *   fault: at most 0`
 */
function ruleOf({ id, what, least, most = 0, fault, format, measure }) {
  const atLeast = least !== undefined;
  const limit = least ?? most;
  const text = `at ${atLeast ? 'least' : 'most'} ${format(limit)}`;
  const about = fault === undefined ? what : `${what} (${faultNamed(fault).title})`;
  const common = `${fault === undefined ? what : `${what} in each fault`}: ${text}`;
  return { id, about, text: `${about}: ${text}`, common, limit, atLeast, measure };
}

/** @param {FaultId} fault @param {NonNullable<Limits['maxLoss']>} maxLoss */
function lossRule(fault, maxLoss) {
  const [most, format] = 'share' in maxLoss ? [maxLoss.share, percent] : [maxLoss.count, count];
  return ruleOf({
    id: `loss-${fault}`,
    what: 'lost',
    fault,
    most,
    format,
    measure(row) {
      const loss = decision.lossIn(row, fault);
      if (!loss) return null;
      // A loss in one trial counts, whatever the other trials lost.
      const worst = 'share' in maxLoss ? loss.share : loss.writes;
      return { unfavourable: worst, favourable: worst, figure: format(worst) };
    },
  });
}

/** @param {FaultId} fault @param {number} most */
function unavailableRule(fault, most) {
  return ruleOf({
    id: `unavailable-${fault}`,
    what: 'unavailable',
    fault,
    most,
    format: milliseconds,
    measure({ trials }) {
      const found = trials.find((row) => row.fault.id === fault);
      if (!found) return null;
      const { medianMs, highMs } = found.outage;
      return { unfavourable: highMs, favourable: medianMs, figure: decision.outageText(found) };
    },
  });
}

/** @param {Survival} survival */
function survivalRule(survival) {
  return ruleOf({
    id: survival,
    what: `acked ${WORDS.survivals[survival]}`,
    least: SURVIVES,
    format: percent,
    measure({ down }) {
      const share = down[survival]?.of['confirmed-at-fault-end'];
      if (!share) return null;
      const { median, low, high, worst } = share;
      const figure = interval({ median, low: Number(low), high: Number(high) }, percent);
      return { unfavourable: Number(worst), favourable: median, figure };
    },
  });
}

/** @param {number} most nanoseconds @param {Batch} batch */
function p99Rule(most, batch) {
  return ruleOf({
    id: 'p99',
    what: `p99 at depth ${batch}`,
    most,
    format: duration,
    measure({ healthy }) {
      const p99 = healthy[batch]?.p99Ns;
      return p99 ? { unfavourable: p99.high, favourable: p99.low, figure: interval(p99, duration) } : null;
    },
  });
}

/** @param {NonNullable<Limits['minThroughput']>} wanted @param {Batch} batch */
function throughputRule(wanted, batch) {
  const byShare = 'share' in wanted;
  const suffix = byShare ? ' of async' : '';
  return ruleOf({
    id: 'throughput',
    what: `throughput at depth ${batch}`,
    least: byShare ? wanted.share : wanted.perSecond,
    format: (value) => `${(byShare ? percent : rate)(value)}${suffix}`,
    measure({ healthy }) {
      const value = byShare ? healthy[batch]?.relative : healthy[batch]?.throughput;
      if (!value) return null;
      const figure = `${interval(value, byShare ? percent : rate)}${suffix}`;
      return { unfavourable: value.low, favourable: value.high, figure };
    },
  });
}

/** @param {Recommendation} recommendation @returns {object} for `recommend --json`: an endless time is `to the end`, null is not measured */
export function recommendationDocument({ limits, criteria, tallies, tested, notTested, notAvailable, ...groups }) {
  const describe = (/** @type {JudgedMode} */ { row, judgements }) => {
    const { throughput = null, relative: ofAsync = null, p99Ns = null } = row.healthy[limits.batch] ?? {};
    return {
      configuration: row.id,
      title: row.title,
      params: row.params,
      set: settingsText(row),
      client: clientText(row),
      throughput,
      ofAsync,
      p99Ns,
      judgements: judgements.map((each) => ({ ...each, figure: each.figure || null })),
    };
  };
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
