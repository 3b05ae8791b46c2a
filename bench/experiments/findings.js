/**
 * Findings of failure benchmarks: one sentence a question, within 160 characters, computed from the audits and timelines.
 *
 * @import { BenchmarkResult, Finding } from '../../src/result/schema.js'
 * @import { AuditResult } from '../../src/result/failure-schema.js'
 * @import { Choice, Group } from '../../src/report/trials/figures.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 */

import { wasRestarted } from '../../src/audit/judgement.js';
import { longestSplitBrain, total, totalOrNull, trialsOf } from '../../src/audit/of-trials.js';
import { count, FINDING_CHARACTERS, oneFinding, percent, plural, range } from '../../src/format.js';
import { finding } from '../../src/report/findings.js';
import { groupsOf, milliseconds, partOf, TO_THE_END } from '../../src/report/trials/figures.js';
import { areMany, mostText, riskBound, timeText, trialsText, upToText } from '../../src/report/trials/losses.js';
import { largestFirst, rowsOf } from '../../src/report/trials/rows.js';
import { duringFault } from '../../src/report/trials/timeline.js';
import { variationName } from '../../src/result/variation.js';
import {
  CASE_TITLES,
  caseTitle,
  LIBRARY_WRITERS,
  MODE_TITLES,
  NATIVE_WRITERS,
  trialRows,
  variationTitle,
} from './cases.js';

const UNDER_ACKED = 'under-acked';
/** Modes that a finding about response times names; details.md has the others. */
const SLOWEST = 2;

/**
 * What was lost in a scenario, how long writes stopped, and for how long two primaries took writes.
 * @param {BenchmarkResult} result
 * @param {Choice & {start?: string}} [choice] start: comes first and tells the variation, which titles then leave out
 * @returns {Finding[]} empty: no write was acknowledged
 */
export function outcomeFindings(result, { start = '', ...choice } = {}) {
  const titles = start === '' ? CASE_TITLES : MODE_TITLES;
  const cases = trialRows(result, { ...choice, titles });
  if (cases.length === 0) return [];
  const outages = cases.filter(({ refused }) => refused === null).map(({ outage }) => outage.medianMs);
  const [low, high] = [Math.min(...outages), Math.max(...outages)];
  const splitMs = Math.max(0, ...cases.map(({ one }) => longestSplitBrain(trialsOf(result, one)) ?? 0));
  const several = Number.isFinite(high) ? range(low, high, milliseconds) : `${milliseconds(low)} or ${TO_THE_END}`;
  const outage =
    outages.length === 0 ? '' : `; outage ${milliseconds(low) === milliseconds(high) ? milliseconds(low) : several}`;
  const split = splitMs > 0 ? `, split brain up to ${milliseconds(splitMs)}` : '';
  const most = FINDING_CHARACTERS - start.length;
  // The tables have the split brain and the outage, too.
  const sentences = [`${outage}${split}`, outage, ''].map((more) => lossSentence(cases, { more, most }));
  const text = `${start}${sentences.find((each) => each.length <= most) ?? sentences[2]}`;
  const idOf = (/** @type {string} */ id) => [id, variationName(choice.variation ?? {})].filter(Boolean).join('-');
  const measured = cases.map(({ one }) => one);
  const trials = measured.flatMap((one) => trialsOf(result, one));
  const restarts = trials.filter(wasRestarted).length;
  const restarted = `${start}${restarts} of ${plural(trials.length, 'trial')}: a supervisor restarted the primary, and no replica was promoted`;
  return [
    finding(idOf('lost'), text, measured),
    ...(restarts > 0 ? [finding(idOf('restarted'), restarted, measured)] : []),
  ];
}

/**
 * @param {readonly Pick<TrialRow, 'mode' | 'loss' | 'fault'>[]} cases at least one
 * @param {{more?: string, most?: number, faults?: boolean}} [options] more: follows the losses; most: characters, default 160; faults: names those in which
 *   writes were lost
 * @returns {string} such as `async lost 17,952 acknowledged writes (18.0 s), min-replicas 1 lost 8,146 (8.15 s); WAIT 1 lost none (1 trial each)`
 */
export function lossSentence(cases, { more = '', most, faults = false } = {}) {
  const losses = cases.map(({ loss }) => loss);
  const many = areMany(losses);
  const fewest = Math.min(...losses.filter(({ most }) => most === 0).map(({ trials }) => trials));
  const bound = many ? `, risk ≤${percent(riskBound(fewest))}` : '';
  const losing = cases.filter(({ loss }) => loss.most > 0).sort(largestFirst);
  const safe = cases.filter(({ loss }) => loss.most === 0).map(({ mode }) => mode);
  // With many trials the counts of trials with a loss already say how many there were.
  const end = many && losing.length > 0 ? more : `${more} (${trialsText(losses)} each)`;
  if (losing.length === 0) {
    const acked = cases.reduce((sum, { loss }) => sum + loss.acked, 0);
    const lost = ` lost 0 of ${count(acked)} acknowledged writes${bound}${end}`;
    const named = `${safe.join(', ')}${lost}`;
    return named.length <= (most ?? FINDING_CHARACTERS) ? named : `${plural(safe.length, 'mode')}${lost}`;
  }
  const several = cases.some(({ loss }) => loss.trials > 1);
  const parts = losing.map(({ mode, loss, fault }, i) => {
    const often = many ? ` in ${loss.losing}/${loss.trials}` : '';
    const lost = `${several ? upToText(loss) : mostText(loss)}${i === 0 ? ' acknowledged writes' : ''}`;
    return `${mode} lost ${lost}${timeText(loss, faults ? fault.title : undefined)}${often}`;
  });
  const none = safe.length === 0 ? '' : `; ${safe.join(', ')} lost none${bound}`;
  const whole = `${parts.join(', ')}${none}${end}`;
  if (whole.length <= (most ?? FINDING_CHARACTERS)) return whole;
  const named = oneFinding('', parts, { end: `${none}${end}`, most });
  if (safe.length < 2 && named.length <= (most ?? FINDING_CHARACTERS)) return named;
  return oneFinding('', parts, { end: `; ${plural(safe.length, 'mode')} lost none${bound}${end}`, most });
}

/**
 * What each mode lost at the worst length of a fault.
 * @param {BenchmarkResult} result
 * @returns {Finding[]} one for each mode, the largest loss first
 */
export function lengthFindings(result) {
  return variationFindings(result, { id: 'lengths', noun: 'length', at: 'at' });
}

/**
 * What each mode lost in the worst variation of a benchmark.
 * @param {BenchmarkResult} result
 * @param {{id: string, noun: string, at: string}} words id: of the findings; noun: what a variation is; at: the preposition before it
 * @returns {Finding[]} one for each mode, the largest loss first
 */
export function variationFindings(result, { id, noun, at }) {
  const cases = trialRows(result, { titles: MODE_TITLES });
  const modes = [...new Set(cases.map(({ mode }) => mode))].map((mode) => {
    const modeRows = cases.filter((each) => each.mode === mode);
    return { mode, modeRows, worst: [...modeRows].sort(largestFirst)[0] };
  });
  return modes
    .sort((a, b) => largestFirst(a.worst, b.worst))
    .map(({ mode, modeRows, worst }) => {
      const { one, loss } = worst;
      const losing = modeRows.filter((each) => each.loss.most > 0).length;
      const trials = trialsText(modeRows.map((each) => each.loss));
      const text =
        losing === 0
          ? `${mode} lost none ${at} ${plural(modeRows.length, noun)} (${trials} each)`
          : `${mode} lost ${upToText(loss)} acknowledged writes${timeText(loss)} ${at} ${variationTitle(one.params)}; some ${at} ${losing} of ${plural(modeRows.length, noun)} (${trials} each)`;
      return { id: `${id}-${mode}`, text, evidence: modeRows.map((each) => each.one.id) };
    });
}

/**
 * What the Sentinel clients of the libraries lost, acknowledged falsely or applied twice, with their default options.
 * @param {BenchmarkResult} result
 * @returns {Finding[]} empty: no library wrote
 */
export function libraryFindings(result) {
  const choice = { writers: LIBRARY_WRITERS, titles: CASE_TITLES };
  const groups = groupsOf(result, choice);
  if (groups.length === 0) return [];
  const rows = rowsOf(result, { ...choice, each: true });
  const parts = groups
    .toSorted((a, b) => total(b.audits, 'ackedLost') - total(a.audits, 'ackedLost'))
    .flatMap(({ case: one, writer, audits }) => {
      const lost = total(audits, 'ackedLost');
      const falseAcks = totalOrNull(audits, 'falseAcks') ?? 0;
      const twice = totalOrNull(audits, 'appliedTwice') ?? 0;
      if (lost + falseAcks + twice === 0) return [];
      const mode = caseTitle(one.params);
      const name = CASE_TITLES.writer(writer);
      const row = rows.find((each) => each.one === one && each.writer === name);
      const texts = [
        ...(lost > 0 ? [`lost ${count(lost)}${audits.length === 1 && row ? timeText(row.loss) : ''}`] : []),
        ...(falseAcks > 0 ? [`had ${plural(falseAcks, 'false ack')}`] : []),
        ...(twice > 0 ? [`applied ${count(twice)} twice`] : []),
      ];
      return `\`${name}\` with ${mode} ${texts.join(', ')}`;
    });
  const trials = Math.max(...groups.map(({ audits }) => audits.length));
  const end = ` (${plural(trials, 'trial')} each)`;
  const none = 'Libraries lost no write, applied none twice and acknowledged none falsely';
  const text = parts.length === 0 ? `${none}${end}` : oneFinding('', parts, { joint: '; ', end });
  return [finding('libraries', text, casesOf(groups))];
}

/**
 * Writes answered OK whose WAIT counted too few replicas.
 * @param {BenchmarkResult} result
 * @returns {Finding[]} empty: no case waits
 */
export function underAckedFindings(result) {
  const groups = groupsOf(result, { writers: NATIVE_WRITERS }).filter(
    // Without a timeout every WAIT reaches its count, or never returns.
    ({ case: { params } }) => params.wait > 0 && params.waitTimeoutMs > 0,
  );
  const attempted = groups.reduce((sum, { audits }) => sum + total(audits, 'attempted'), 0);
  if (groups.length > 0 && groups.every(({ audits }) => total(audits, 'underAcked') === 0))
    return [
      finding(UNDER_ACKED, `Every WAIT count reached what was asked (${count(attempted)} writes)`, casesOf(groups)),
    ];
  return byCase('Redis said OK, but the WAIT count was too low (not confirmed): ', groups, (audits) => {
    const attempted = total(audits, 'attempted');
    return attempted === 0 ? 'had no writes' : `had ${partOf(total(audits, 'underAcked'), attempted)}`;
  });
}

/**
 * Response times before a fault and during it, the slowest mode first.
 * @param {BenchmarkResult} result
 * @returns {Finding[]} empty: there is no timeline
 */
export function slownessFindings({ cases, timeline = [] }) {
  if (timeline.length === 0) return [];
  const slowest = cases
    .map(({ id, params }) => ({ params, ...duringFault(timeline.filter((trial) => trial.case === id)) }))
    .sort((a, b) => (b.during ?? 0) - (a.during ?? 0));
  const parts = slowest
    .slice(0, SLOWEST)
    .map(
      ({ params, before, during }) => `${caseTitle(params)}: ${milliseconds(during)} (before: ${milliseconds(before)})`,
    );
  const start =
    slowest.length > SLOWEST
      ? 'p99 response time during the fault, slowest modes: '
      : 'p99 response time during the fault, median of steps. ';
  return [finding('slowness', oneFinding(start, parts, { joint: '; ' }), cases)];
}

/**
 * @param {string} start
 * @param {readonly Group[]} groups
 * @param {(audits: AuditResult[]) => string} figure of all writers of a case
 * @returns {Finding[]} empty: there is no group
 */
function byCase(start, groups, figure) {
  const cases = casesOf(groups);
  if (cases.length === 0) return [];
  const parts = cases.map((one) => {
    const caseGroups = groups.filter((group) => group.case === one);
    return `${caseTitle(one.params)} ${figure(caseGroups.flatMap(({ audits }) => audits))}`;
  });
  return [finding(UNDER_ACKED, oneFinding(start, parts), cases)];
}

/** @param {readonly Group[]} groups */
function casesOf(groups) {
  return [...new Set(groups.map((group) => group.case))];
}
