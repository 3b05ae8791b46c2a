/**
 * What each down-after-milliseconds did: how long writes stopped, and which failovers were needless.
 */
import { trialsOf } from '../../src/audit/of-trials.js';
import { rowsOf } from '../../src/report/trials/rows.js';
import { median, sum } from '../../src/stats/statistics.js';
import { NATIVE_WRITERS } from '../experiments/cases.js';
import { isSituation, situationOf } from './situations.js';

/**
 * @import { TrialResult } from '../../src/result/failure-schema.js'
 * @import { BenchmarkResult, CaseResult } from '../../src/result/schema.js'
 * @import { TrialRow } from '../../src/report/trials/rows.js'
 * @import { Situation } from './situations.js'
 *
 * @typedef {Object} Measured a case
 * @property {Situation} situation
 * @property {number} downAfterMs
 * @property {string} id of the case
 * @property {number} trials
 * @property {number} failedOver trials in which a replica was promoted
 * @property {boolean} chosenHung in every trial the replica that the Sentinels chose was frozen
 * @property {number} needless promotions that nothing called for: all of them, without the one after the primary was killed
 * @property {number} tilts how often a Sentinel entered TILT
 * @property {number} hours that all trials watched
 * @property {TrialRow} row
 *
 * @typedef {Object} Choice one down-after
 * @property {number} downAfterMs
 * @property {number | null} outageMs median after a kill, of the mode that stops longest; Infinity: to the end; null: not measured
 * @property {Measured[]} commands by length, one mode
 * @property {number | null} withstood seconds of the longest command without a failover, as all shorter ones; 0: the shortest led to one; null: not measured
 * @property {Measured[]} watched without a fault
 * @property {Measured[]} quiet trials without a command, those of killed primaries included
 * @property {number | null} mostLost acknowledged writes, in a trial with a promotion that nothing called for; null: there was none
 */

/** Milliseconds an hour. */
const HOUR_MS = 3_600_000;

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Measured[]} in the order of the cases; cases without an acknowledged write, or of an unknown situation, have none
 */
export function measuredIn(benchmark) {
  const rows = rowsOf(benchmark, { writers: NATIVE_WRITERS }).filter(({ one }) => isSituation(one.params));
  return rows.map((row) => {
    const { one } = row;
    const trials = trialsOf(benchmark, one);
    return {
      situation: situationOf(one.params),
      downAfterMs: one.params.downAfterMs ?? 0,
      id: one.id,
      trials: trials.length,
      failedOver: trials.filter((trial) => promotionsIn(trial) > 0).length,
      chosenHung: trials.every(choseFrozen),
      needless: sum(trials.map((trial) => Math.max(0, promotionsIn(trial) - wantedIn(one.params)))),
      tilts: sum(trials.map(({ events }) => events.filter(({ kind }) => kind === 'tilt').length)),
      hours: sum(trials.map(lengthMs)) / HOUR_MS,
      row,
    };
  });
}

/**
 * Only the Sentinel that leads says so.
 *
 * @param {Pick<TrialResult, 'events'>} trial
 */
function promotionsIn({ events }) {
  return events.filter(({ kind }) => kind === 'replica-promoted').length;
}

/**
 * Without it, another replica was promoted at once, and the trial shows nothing about failover-timeout.
 *
 * @param {Pick<TrialResult, 'events'>} trial
 * @returns {boolean}
 */
export function choseFrozen({ events }) {
  const chosen = events.filter(({ kind }) => kind === 'replica-chosen').map(({ node }) => node);
  return events.some(({ kind, node, fault }) => kind === 'fault-begun' && fault === 'pause' && chosen.includes(node));
}

/** @param {CaseResult['params']} params */
function wantedIn(params) {
  return ['killed', 'hung'].includes(situationOf(params).kind) ? 1 : 0;
}

/** @param {TrialResult} trial */
function lengthMs({ writers, stepMs }) {
  return stepMs * Math.max(0, ...writers.map(({ acked }) => acked.length));
}

/**
 * @param {readonly Measured[]} measured
 * @returns {Choice[]} the shortest down-after first
 */
export function choicesOf(measured) {
  const values = [...new Set(measured.map(({ downAfterMs }) => downAfterMs))].sort((a, b) => a - b);
  return values.map((downAfterMs) => {
    const choice = measured.filter((each) => each.downAfterMs === downAfterMs);
    const killed = choice.filter(({ situation: { kind, quorum } }) => kind === 'killed' && quorum === undefined);
    const commands = choice
      .filter(({ situation: { kind } }) => kind === 'blocked')
      .sort((a, b) => (a.situation.blockedSeconds ?? 0) - (b.situation.blockedSeconds ?? 0));
    const first = commands.findIndex(({ failedOver }) => failedOver > 0);
    const well = first === -1 ? commands : commands.slice(0, first);
    const replaced = choice.filter(({ needless }) => needless > 0);
    return {
      downAfterMs,
      outageMs: killed.length === 0 ? null : Math.max(...killed.map(({ row }) => row.outage.medianMs)),
      commands,
      withstood: commands.length === 0 ? null : (well.at(-1)?.situation.blockedSeconds ?? 0),
      watched: choice.filter(({ situation: { kind } }) => kind === 'idle' || kind === 'busy'),
      quiet: choice.filter(({ situation: { kind } }) => kind !== 'blocked'),
      mostLost: replaced.length === 0 ? null : Math.max(...replaced.map(({ row }) => row.loss.most)),
    };
  });
}

/** A command of an application, or a fork, may take this long without anybody noticing a fault. */
export const TOLERATED_SECONDS = 4;

/**
 * @param {readonly Choice[]} choices
 * @returns {Choice | null} the shortest down-after that withstood commands of {@link TOLERATED_SECONDS}, and had no other promotion that nothing called for;
 *   null: none did
 */
export function recommended(choices) {
  return (
    choices.find(
      ({ withstood, quiet }) => (withstood ?? 0) >= TOLERATED_SECONDS && quiet.every(({ needless }) => needless === 0),
    ) ?? null
  );
}

/**
 * @param {readonly Measured[]} measured
 * @returns {{failoverTimeoutSeconds: number, outageMs: number}[]} when the chosen replica hangs, the shortest failover-timeout first
 */
export function attemptsOf(measured) {
  const hung = measured.filter(({ situation: { kind }, chosenHung }) => kind === 'hung' && chosenHung);
  const values = [...new Set(hung.map(({ situation }) => situation.failoverTimeoutSeconds ?? 0))].sort((a, b) => a - b);
  return values.map((failoverTimeoutSeconds) => ({
    failoverTimeoutSeconds,
    outageMs: median(
      hung
        .filter(({ situation }) => situation.failoverTimeoutSeconds === failoverTimeoutSeconds)
        .map(({ row }) => row.outage.medianMs),
    ),
  }));
}

/**
 * @param {readonly Measured[]} measured
 * @returns {{quorum: number, outageMs: number, downAfterMs: number}[]}
 */
export function quorumsOf(measured) {
  return measured.flatMap(({ situation: { kind, quorum }, row, downAfterMs }) =>
    kind === 'killed' && quorum !== undefined ? [{ quorum, outageMs: row.outage.medianMs, downAfterMs }] : [],
  );
}

/** Poisson: where no event was seen, the mean number may still be as high as this, at 95%. */
const NONE_BOUND = 3;

/**
 * @param {readonly Measured[]} watched
 * @param {'needless' | 'tilts'} what
 * @returns {{seen: number, hours: number, anHour: number}} anHour: seen, or the most that seeing none leaves open
 */
export function rateOf(watched, what) {
  const seen = sum(watched.map((each) => each[what]));
  const hours = sum(watched.map((each) => each.hours));
  return { seen, hours, anHour: hours === 0 ? Number.POSITIVE_INFINITY : (seen || NONE_BOUND) / hours };
}
