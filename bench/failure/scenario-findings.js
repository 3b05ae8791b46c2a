/**
 * What scenarios of the suite show beyond losses and outages.
 *
 * @import { TrialResult } from '../../src/result/failure-schema.js'
 * @import { BenchmarkResult, Check, Finding } from '../../src/result/schema.js'
 */
import { pause } from '../../src/faults/index.js';
import { finding, oneFinding } from '../../src/report/findings.js';
import { duration, plural, range } from '../../src/report/format.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { firstStep, sawFailover } from '../../src/report/trials/timeline.js';
import { median } from '../../src/stats/statistics.js';
import { caseTitle, trialRows } from '../experiments/cases.js';
import { KILLED, LUA } from '../experiments/primary-blocked.js';
import { DOWN_AFTER_MS, LOADED } from '../experiments/primary-loading.js';
import { NOTHING_YET, TWO } from '../experiments/sentinels-lost.js';

const MAX_LAG = 'min-replicas-max-lag';

/**
 * @param {BenchmarkResult} result
 * @returns {Finding[]} empty: no write was rejected
 */
export function rejectionBegins({ cases, timeline = [] }) {
  const measured = cases.flatMap(({ id, params }) => {
    const trials = timeline.filter((trial) => trial.case === id);
    const after = trials.flatMap((trial) => firstStep(trial, 'rejected') ?? []);
    return after.length === 0 ? [] : { id, text: `${caseTitle(params)}: ${duration(median(after) * 1e6)}` };
  });
  if (measured.length === 0) return [];
  const parts = measured.map(({ text }) => text);
  const start = 'Time from the freeze to the first refused write. ';
  return [finding('rejection-begins', oneFinding(start, parts, { joint: '; ' }), measured)];
}

/**
 * @param {BenchmarkResult} result
 * @returns {Finding}
 */
export function resyncs({ cases, timeline = [] }) {
  const parts = cases.map(({ id, params }) => {
    const marks = timeline.filter((trial) => trial.case === id).flatMap((trial) => trial.marks);
    const kinds = new Set(marks.filter(({ what }) => what.endsWith(' resync')).map(({ what }) => what.split(' ')[0]));
    return `${caseTitle(params)}: ${[...kinds].join(' and ') || 'none seen'}`;
  });
  return finding('resync', oneFinding('Resync of the replica. ', parts, { joint: '; ' }), cases);
}

/**
 * @param {BenchmarkResult} result
 * @returns {Check}
 */
export function noneWithoutMajority({ cases, timeline = [] }) {
  const ids = cases.filter(({ params }) => params.variant === TWO).map(({ id }) => id);
  const trials = timeline.filter((trial) => ids.includes(trial.case));
  const quiet = trials.filter(({ marks }) => marks.some(({ what }) => what === NOTHING_YET));
  return {
    name: 'no failover without a majority of the Sentinels',
    ok: trials.length > 0 && quiet.length === trials.length,
    detail: `${quiet.length} of ${trials.length} trials had no failover until Sentinels came back`,
  };
}

/**
 * @param {BenchmarkResult} result
 * @returns {Finding[]} one for each mode that lost more than its max-lag
 */
export function lagFindings(result) {
  return trialRows(result).flatMap(({ one, mode, loss }) => {
    const { settings = {}, wait } = one.params;
    const lag = Number(settings[MAX_LAG] ?? 0);
    if (wait > 0 || lag === 0 || loss.seconds === null || loss.seconds <= lag) return [];
    const text = `${mode} lost ${milliseconds(loss.seconds * 1000)} of acknowledged writes: max-lag is the age of the last ACK, not the data behind`;
    return [finding(`lag-${one.id}`, text, [one])];
  });
}

/**
 * @param {BenchmarkResult} result
 * @returns {Finding[]} empty: no script ran
 */
export function killedFindings({ cases, timeline = [] }) {
  const scripts = cases.filter(({ params }) => params.variant === LUA);
  const trials = timeline.filter((trial) => scripts.some(({ id }) => id === trial.case));
  if (trials.length === 0) return [];
  const killed = trials.filter(({ marks }) => marks.some(({ what }) => what === KILLED)).length;
  return [
    finding(
      'script-killed',
      `Sentinels sent SCRIPT KILL to the primary in ${killed} of ${plural(trials.length, 'trial')} with a Lua script`,
      scripts,
    ),
  ];
}

/**
 * @param {BenchmarkResult} result of trials in which a replica was frozen
 * @returns {Finding[]} how often that one was promoted; empty: no trial tells
 */
export function chosenFindings({ cases, timeline = [] }) {
  const trials = timeline.flatMap(({ marks }) => {
    const frozen = marks.find(({ what, detail }) => what === 'fault begun' && detail.endsWith(`: ${pause.name}`));
    const promoted = marks.find(({ what }) => what === '+switch-master');
    return frozen && promoted ? [{ chosen: frozen.detail === `${promoted.detail}: ${pause.name}` }] : [];
  });
  if (trials.length === 0) return [];
  const chosen = trials.filter((trial) => trial.chosen).length;
  const text = `The Sentinels promoted the replica that had been frozen in ${chosen} of ${plural(trials.length, 'trial')}`;
  return [finding('chosen', text, cases)];
}

/**
 * @param {TrialResult} trial
 * @returns {number} milliseconds from the crash until the file was loaded; 0: it was not seen
 */
function loadingMs({ marks }) {
  const begun = marks.find(({ what }) => what === 'fault begun')?.afterMs ?? 0;
  const loaded = marks.find(({ what }) => what === LOADED)?.afterMs ?? begun;
  return loaded - begun;
}

/**
 * @param {BenchmarkResult} result
 * @returns {Finding[]} empty: no file took longer than down-after
 */
export function replacedFindings({ cases, timeline = [] }) {
  const long = timeline.filter((trial) => loadingMs(trial) > DOWN_AFTER_MS);
  if (long.length === 0) return [];
  const times = long.map(loadingMs);
  const loaded = range(Math.min(...times), Math.max(...times), milliseconds);
  const replaced = long.filter(sawFailover).length;
  const text = `Sentinels replaced the loading primary in ${replaced} of ${plural(long.length, 'trial')}; it loaded for ${loaded}, with down-after ${DOWN_AFTER_MS / 1000} s`;
  return [finding('replaced', text, cases)];
}
