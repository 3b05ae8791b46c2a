/**
 * What a trial shows: its fault, its promotion, its outage, and whether the machine kept up. Pure functions of what is stored.
 * @import { EventKind } from '../result/events.js'
 * @import { AuditResult, TrialResult } from '../result/failure-schema.js'
 * @typedef {Pick<TrialResult, 'events'>} Told
 */

/** @param {AuditResult} audit @returns {number} milliseconds; Infinity: it lasted until the writers stopped */
export function outageOf({ unavailableMs }) {
  return unavailableMs ?? Number.POSITIVE_INFINITY;
}

/** A longer stall distorts what a trial with a detection of 1 s finds. */
export const BEHIND_MS = 250;

/** The machine was too busy for the writers, before the fault. @param {Pick<TrialResult, 'pace'>} trial */
export function fellBehind({ pace }) {
  return pace !== undefined && (pace.unsent > 0 || pace.stallMs > BEHIND_MS || pace.lateMs > BEHIND_MS);
}

/**
 * @param {Told} trial
 * @returns {{from: number, to: number, planned: boolean} | null} from the first fault to the last undoing, in milliseconds since the
 *   writers began; to: Infinity if none was undone; planned: the first is a planned failover; null: no fault
 */
export function faultOf({ events }) {
  const begun = events.find(({ kind }) => kind === 'fault-begun');
  const to = events.findLast(({ kind }) => kind === 'fault-undone')?.at;
  return begun ? { from: begun.at, to: to ?? Number.POSITIVE_INFINITY, planned: begun.planned ?? false } : null;
}

/** @param {Told} trial @param {EventKind} wanted */
export function happened({ events }, wanted) {
  return events.some(({ kind }) => kind === wanted);
}

/** @param {Told} trial @param {EventKind} wanted @returns {number | null} milliseconds since the writers began; null: never */
export function firstAt({ events }, wanted) {
  return events.find(({ kind }) => kind === wanted)?.at ?? null;
}

/** A replica was promoted. @param {Told} trial */
export function sawFailover(trial) {
  return happened(trial, 'promoted');
}

/** A supervisor restarted the primary, and no replica was promoted. @param {Told} trial */
export function wasRestarted(trial) {
  return happened(trial, 'restarted') && !sawFailover(trial);
}

/** False: its script found that nobody could promote a replica, or the primary was back before. @param {Told} trial */
export function isPromotionDue(trial) {
  return !happened(trial, 'no-promotion-due') && !happened(trial, 'restarted');
}

/**
 * Sentinels that start an election at the same moment can split the votes. They try again after twice their failover-timeout
 * (`sentinelStartFailoverIfNeeded` in Redis's src/sentinel.c). @param {Told} trial
 */
export function electedNobody(trial) {
  return happened(trial, 'nobody-elected') && !sawFailover(trial);
}

/**
 * @param {TrialResult} trial @param {'rejected' | 'underAcked' | 'unknown' | 'unsent'} outcome
 * @returns {number | null} milliseconds from the fault to the first step with such a write; null: no such step
 */
export function firstStep(trial, outcome) {
  const fault = faultOf(trial);
  if (!fault) return null;
  const firsts = trial.writers.flatMap((writer) => {
    const index = writer[outcome].findIndex((number, step) => number > 0 && (step + 1) * trial.stepMs > fault.from);
    return index < 0 ? [] : Math.max(0, index * trial.stepMs - fault.from);
  });
  return firsts.length === 0 ? null : Math.min(...firsts);
}

/** A replica that was frozen. Otherwise the trial shows nothing about a second attempt. @param {Told} trial */
export function choseFrozen({ events }) {
  const chosen = events.filter(({ kind }) => kind === 'replica-chosen').map(({ node }) => node);
  return events.some(({ kind, node, fault }) => kind === 'fault-begun' && fault === 'pause' && chosen.includes(node));
}
