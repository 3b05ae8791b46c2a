/**
 * What a trial shows: its fault, its promotion, its outage, and whether the machine kept up. Pure functions of what is stored.
 *
 * @import { AuditResult, TrialResult } from '../result/failure-schema.js'
 */

/**
 * @param {AuditResult} audit
 * @returns {number} milliseconds; Infinity: it lasted until the writers stopped
 */
export function outageOf({ unavailableMs }) {
  return unavailableMs ?? Number.POSITIVE_INFINITY;
}

/** A longer stall distorts what a trial with a detection of 1 s finds. */
export const BEHIND_MS = 250;

/**
 * @param {Pick<TrialResult, 'pace'>} trial
 * @returns {boolean} the machine was too busy for the writers: before the fault writes waited or answers stopped, or their thread
 *   could not run
 */
export function fellBehind({ pace }) {
  return pace !== undefined && (pace.unsent > 0 || pace.stallMs > BEHIND_MS || pace.lateMs > BEHIND_MS);
}

/**
 * @param {Pick<TrialResult, 'marks'>} trial
 * @returns {{from: number, to: number, detail: string} | null} from the first fault, with its detail, to the last undoing, in
 *   milliseconds since the writers began; `to` is Infinity if no fault was undone; null: no fault
 */
export function faultOf({ marks }) {
  const begun = marks.find(({ what }) => what === 'fault begun');
  const to = marks.findLast(({ what }) => what === 'fault undone')?.afterMs;
  return begun ? { from: begun.afterMs, to: to ?? Number.POSITIVE_INFINITY, detail: begun.detail } : null;
}

/**
 * @param {Pick<TrialResult, 'marks'>} trial
 * @returns {boolean} true: a Sentinel reported a promotion
 */
export function sawFailover({ marks }) {
  return marks.some(({ what }) => what === '+switch-master');
}

/** A script marks a fault that leaves no side able to promote a replica. Such a trial counts without a promotion, whatever its benchmark needs. */
export const NO_PROMOTION_DUE = 'no promotion is due';

/**
 * @param {Pick<TrialResult, 'marks'>} trial
 * @returns {boolean} false: its script found that nobody could promote a replica
 */
export function isPromotionDue({ marks }) {
  return !marks.some(({ who, what }) => who === 'harness' && what === NO_PROMOTION_DUE);
}

const NOT_ELECTED = '-failover-abort-not-elected';

/**
 * Sentinels that start an election at the same moment can split the votes. Then no one has a majority, and they try again after
 * twice their failover-timeout (`sentinelStartFailoverIfNeeded` in Redis's src/sentinel.c).
 *
 * @param {Pick<TrialResult, 'marks'>} trial
 * @returns {boolean} true: Sentinels tried, but none was elected while the writers wrote
 */
export function electedNobody(trial) {
  return trial.marks.some(({ what }) => what === NOT_ELECTED) && !sawFailover(trial);
}
