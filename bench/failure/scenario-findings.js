/**
 * What scenarios of the suite show and no table does. texts.yaml has the words.
 * @import { EventKind } from '../../src/result/events.js'
 * @import { TrialResult } from '../../src/result/failure-schema.js'
 * @import { BenchmarkResult, Check, Finding } from '../../src/result/schema.js'
 */
import { firstAt, firstStep, happened, sawFailover } from '../../src/audit/judgement.js';
import { total } from '../../src/audit/of-trials.js';
import { pause } from '../../src/faults/index.js';
import { count, duration, oneFinding, plural, range } from '../../src/format.js';
import { checkEach } from '../../src/report/checks.js';
import { finding } from '../../src/report/findings.js';
import { groupsOf, milliseconds, partOf } from '../../src/report/trials/figures.js';
import { rowsOf } from '../../src/report/trials/rows.js';
import { duringFault } from '../../src/report/trials/timeline.js';
import { filled } from '../../src/sentences.js';
import { median } from '../../src/stats/statistics.js';
import { CASE_TITLES, caseTitle, NATIVE_WRITERS } from '../experiments/cases.js';
import { DOWN_AFTER_MS } from '../experiments/primary-loading.js';
import { WORDS } from './words.js';

const SAYS = WORDS.findings;
const MAX_LAG = 'min-replicas-max-lag';
/** Modes that a finding about response times names; details.md has the others. */
const SLOWEST = 2;

/** @param {BenchmarkResult} result @returns {Finding[]} empty: no write was rejected */
export function rejectionBegins({ cases, timeline = [] }) {
  const measured = cases.flatMap(({ id, params }) => {
    const trials = timeline.filter((trial) => trial.case === id);
    const after = trials.flatMap((trial) => firstStep(trial, 'rejected') ?? []);
    return after.length === 0 ? [] : { id, text: `${caseTitle(params)}: ${duration(median(after) * 1e6)}` };
  });
  if (measured.length === 0) return [];
  const parts = measured.map(({ text }) => text);
  return [finding('rejection-begins', oneFinding(SAYS.refused, parts, { joint: '; ' }), measured)];
}

/** @type {ReadonlyMap<EventKind, string>} */
const RESYNCS = new Map([
  ['full-resync', 'full'],
  ['partial-resync', 'partial'],
]);

/** @param {BenchmarkResult} result @returns {Finding} */
export function resyncs({ cases, timeline = [] }) {
  const parts = cases.map(({ id, params }) => {
    const events = timeline.filter((trial) => trial.case === id).flatMap((trial) => trial.events);
    const words = new Set(events.flatMap(({ kind }) => RESYNCS.get(kind) ?? []));
    return `${caseTitle(params)}: ${[...words].join(' and ') || 'none seen'}`;
  });
  return finding('resync', oneFinding(SAYS.resync, parts, { joint: '; ' }), cases);
}

/** @param {BenchmarkResult} result @returns {Check} */
export function noneWithoutMajority({ cases, timeline = [] }) {
  const ids = cases.filter(({ params }) => params.setting === 'two').map(({ id }) => id);
  const trials = timeline.filter((trial) => ids.includes(trial.case));
  const { majority, early, late } = WORDS.checks;
  return checkEach(majority, trials, (trial) => (happened(trial, 'no-failover-yet') ? null : early), {
    title: (trial) => `${trial.case}, trial ${trial.round}`,
    well: () => filled(late, { trials: trials.length }),
  });
}

/** @param {BenchmarkResult} result @returns {Finding[]} one for each mode that lost more than its max-lag */
export function lagFindings(result) {
  return rowsOf(result, { writers: NATIVE_WRITERS, titles: CASE_TITLES }).flatMap(({ one, mode, loss }) => {
    const { settings = {}, wait } = one.params;
    const lag = Number(settings[MAX_LAG] ?? 0);
    if (wait > 0 || lag === 0 || loss.seconds === null || loss.seconds <= lag) return [];
    const text = filled(SAYS.lag, { mode, lost: milliseconds(loss.seconds * 1000) });
    return [finding(`lag-${one.id}`, text, [one])];
  });
}

/** @param {BenchmarkResult} result @returns {Finding[]} empty: no script ran */
export function killedFindings({ cases, timeline = [] }) {
  const scripts = cases.filter(({ params }) => params.setting === 'lua');
  const trials = timeline.filter((trial) => scripts.some(({ id }) => id === trial.case));
  if (trials.length === 0) return [];
  const killed = trials.filter((trial) => happened(trial, 'script-killed')).length;
  const text = filled(SAYS.killed, { killed, trials: plural(trials.length, 'trial') });
  return [finding('script-killed', text, scripts)];
}

/**
 * @param {BenchmarkResult} result of trials in which a replica was frozen
 * @returns {Finding[]} how often that one was promoted; empty: no trial tells
 */
export function chosenFindings({ cases, timeline = [] }) {
  const trials = timeline.flatMap(({ events }) => {
    const frozen = events.find(({ kind, fault }) => kind === 'fault-begun' && fault === pause.name);
    const promoted = events.find(({ kind }) => kind === 'promoted');
    return frozen && promoted ? [{ chosen: frozen.node === promoted.node }] : [];
  });
  if (trials.length === 0) return [];
  const chosen = trials.filter((trial) => trial.chosen).length;
  const text = filled(SAYS.chosen, { chosen, trials: plural(trials.length, 'trial') });
  return [finding('chosen', text, cases)];
}

/** @param {TrialResult} trial @returns {number} milliseconds from the crash until the file was loaded; 0: it was not seen */
function loadingMs(trial) {
  const begun = firstAt(trial, 'fault-begun') ?? 0;
  return (firstAt(trial, 'file-loaded') ?? begun) - begun;
}

/** @param {BenchmarkResult} result @returns {Finding[]} empty: no file took longer than down-after */
export function replacedFindings({ cases, timeline = [] }) {
  const long = timeline.filter((trial) => loadingMs(trial) > DOWN_AFTER_MS);
  if (long.length === 0) return [];
  const times = long.map(loadingMs);
  const loaded = range(Math.min(...times), Math.max(...times), milliseconds);
  const replaced = long.filter(sawFailover).length;
  const trials = plural(long.length, 'trial');
  const text = filled(SAYS.replaced, { replaced, trials, loaded, downAfter: DOWN_AFTER_MS / 1000 });
  return [finding('replaced', text, cases)];
}

/** Writes answered OK whose WAIT counted too few replicas. @param {BenchmarkResult} result @returns {Finding[]} empty: no case waits */
export function underAckedFindings(result) {
  const groups = groupsOf(result, { writers: NATIVE_WRITERS }).filter(
    // Without a timeout every WAIT reaches its count, or never returns.
    ({ case: { params } }) => params.wait > 0 && params.waitTimeoutMs > 0,
  );
  if (groups.length === 0) return [];
  const cases = [...new Set(groups.map((group) => group.case))];
  const audits = groups.flatMap((group) => group.audits);
  const every = filled(SAYS.everyCount, { writes: count(total(audits, 'attempted')) });
  if (total(audits, 'underAcked') === 0) return [finding('under-acked', every, cases)];
  const parts = cases.map((one) => {
    const own = groups.filter((group) => group.case === one).flatMap((group) => group.audits);
    const attempted = total(own, 'attempted');
    const text = attempted === 0 ? 'had no writes' : `had ${partOf(total(own, 'underAcked'), attempted)}`;
    return `${caseTitle(one.params)} ${text}`;
  });
  return [finding('under-acked', oneFinding(SAYS.underAcked, parts), cases)];
}

/** Response times before a fault and during it, the slowest mode first. @param {BenchmarkResult} result @returns {Finding[]} */
export function slownessFindings({ cases, timeline = [] }) {
  if (timeline.length === 0) return [];
  const slowest = cases
    .map(({ id, params }) => ({ params, ...duringFault(timeline.filter((trial) => trial.case === id)) }))
    .sort((a, b) => (b.during ?? 0) - (a.during ?? 0));
  const parts = slowest.slice(0, SLOWEST).map(({ params, before, during }) => {
    const [usual, slow] = [before, during].map(milliseconds);
    return filled(SAYS.slowOf, { title: caseTitle(params), before: usual, during: slow });
  });
  const start = slowest.length > SLOWEST ? SAYS.slowest : SAYS.slow;
  return [finding('slowness', oneFinding(start, parts, { joint: '; ' }), cases)];
}
