/**
 * What claims about failures are judged by: the trials of one mode, and figures of them.
 *
 * @import { AuditResult, TrialResult } from '../../src/result/failure-schema.js'
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { ModeName } from '../modes.js'
 *
 * @typedef {Object} Trials of one mode, with the writers of the native client
 * @property {string} title of the mode
 * @property {AuditResult[]} audits at least one
 * @property {TrialResult[]} trials
 * @property {number} rounds number of trials
 * @property {number | undefined} rate writes a second of each writer
 * @property {number | undefined} downAfterMs of the Sentinels
 * @property {number | undefined} maxLagMs min-replicas-max-lag of the nodes
 * @property {string[]} evidence
 */
import { duration, plural } from '../../src/report/format.js';
import { secondsLost } from '../../src/report/trials/lost-steps.js';
import { isPlain } from '../../src/result/variation.js';
import { sum } from '../../src/stats/statistics.js';
import { MS_A_SECOND, NS_A_MS } from '../../src/units.js';
import { ownAudits } from '../experiments/cases.js';
import { askedIn } from '../experiments/placement.js';
import { FOREVER } from '../experiments/replicas-paused.js';
import { modeTitle } from '../modes.js';

/**
 * @param {BenchmarkResult} result
 * @param {ModeName} mode
 * @param {string} [way] of failing over; default: the usual case, or WAIT without a timeout
 * @returns {Trials | null} null: it was not measured
 */
export function trialsIn(result, mode, way) {
  const placement = askedIn(result.cases);
  const cases = result.cases.filter(
    ({ params }) =>
      params.mode === mode &&
      params.client === 'native' &&
      params.placement === placement &&
      (way === undefined ? isPlain(params) || params.setting === FOREVER : params.way === way),
  );
  const audits = cases.flatMap((one) => ownAudits(result, one));
  if (audits.length === 0) return null;
  const evidence = cases.map(({ id }) => id);
  const maxLag = cases[0].params.settings?.['min-replicas-max-lag'];
  return {
    title: modeTitle(cases[0].params),
    audits,
    trials: (result.timeline ?? []).filter((trial) => evidence.includes(trial.case)),
    rounds: Math.max(...cases.map((one) => new Set(ownAudits(result, one).map(({ round }) => round)).size)),
    rate: cases[0].params.rate,
    downAfterMs: cases[0].params.downAfterMs,
    maxLagMs: maxLag === undefined ? undefined : Number(maxLag) * MS_A_SECOND,
    evidence,
  };
}

/**
 * @param {readonly AuditResult[]} audits
 * @param {(audit: AuditResult) => number | null} value
 * @returns {number[]} a trial each: the mean of its writers; without those that do not know it
 */
export function perTrial(audits, value) {
  return [...new Set(audits.map(({ round }) => round))].flatMap((round) => {
    const values = audits.filter((audit) => audit.round === round).flatMap((audit) => value(audit) ?? []);
    return values.length === 0 ? [] : sum(values) / values.length;
  });
}

/** @param {number} ms */
export const shownMs = (ms) => duration(ms * NS_A_MS);

/** @param {number} trials */
export const trialsText = (trials) => plural(trials, 'trial');

/**
 * @param {number | undefined} ms
 * @returns {string} empty: the run does not tell
 */
export const downAfterText = (ms) => (ms === undefined ? '' : `down-after ${shownMs(ms)} (theirs: not stated)`);

/**
 * @param {Trials} found
 * @returns {number[]} seconds of acknowledged writes that each writer lost in each trial; empty: the rate is unknown
 */
export function lostSeconds({ audits, trials, rate }) {
  if (rate === undefined) return [];
  const trialOf = (/** @type {AuditResult} */ { case: id, round }) =>
    trials.find((trial) => trial.case === id && trial.round === round);
  return audits.map((audit) => secondsLost(audit, trialOf(audit), rate));
}

/** @param {Trials | null} found @returns {number[]} milliseconds, a trial each */
export const splitTimes = (found) => found?.trials.map(({ windows }) => windows.splitBrainMs) ?? [];
