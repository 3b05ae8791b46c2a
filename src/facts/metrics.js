/**
 * The list of metrics: what each figure of a round or a trial is called, and its unit. A figure that is not in the list is named after its
 * place in result.json, and its unit is in the name of its field; so a figure that a suite adds is a fact without a change here.
 */
import { MS_A_SECOND, NS_A_MS } from '../units.js';

/**
 * @typedef {Object} Metric
 * @property {string} metric its name: lower case words joined by hyphens
 * @property {string} unit such as `ms`, `writes`, `share` (0 … 1)
 * @property {number} [divisor] of the figure of result.json, which gives the unit; default 1
 * @property {'more' | 'less'} [better] what is better; absent: neither, so no value of it is the worst
 */

/** Percentiles of a round, by their field. */
const TIMES = Object.freeze({
  p50: 'p50',
  p90: 'p90',
  p95: 'p95',
  p99: 'p99',
  p999: 'p99.9',
  max: 'longest',
  min: 'shortest',
  mean: 'mean',
});

/** Of a round, by place. @type {Readonly<Record<string, Metric>>} */
export const ROUND_METRICS = Object.freeze({
  throughput: { metric: 'throughput', unit: 'operations/s', better: 'more' },
  operations: { metric: 'operations', unit: 'operations' },
  errors: { metric: 'errors', unit: 'errors', better: 'less' },
  'load.process.bytesRead': { metric: 'load-process-read', unit: 'bytes' },
  'load.process.bytesWritten': { metric: 'load-process-written', unit: 'bytes' },
  'openLoop.askedRate': { metric: 'offered-rate', unit: 'operations/s' },
  'openLoop.achievedRate': { metric: 'sent-rate', unit: 'operations/s', better: 'more' },
  'openLoop.due': { metric: 'due', unit: 'operations' },
  'openLoop.unsent': { metric: 'unsent', unit: 'operations', better: 'less' },
  'openLoop.sustained': { metric: 'sustained', unit: 'rounds', better: 'more' },
  'outcomes.acked': { metric: 'acked', unit: 'operations' },
  'outcomes.underAcked': { metric: 'under-acked', unit: 'operations', better: 'less' },
  'outcomes.rejected': { metric: 'rejected', unit: 'operations', better: 'less' },
  'outcomes.unknown': { metric: 'unknown', unit: 'operations', better: 'less' },
  'consistency.immediate': { metric: 'reads-immediate', unit: 'reads', better: 'more' },
  'consistency.afterWait': { metric: 'reads-after-wait', unit: 'reads', better: 'less' },
  'consistency.stale': { metric: 'stale-reads', unit: 'reads', better: 'less' },
  'consistency.reads': { metric: 'reads', unit: 'reads' },
  ...times('latencyNs', 'service-time'),
  ...times('openLoop.serviceNs', 'service-time'),
  ...times('openLoop.latenessNs', 'lateness'),
});

/** Of a round in open loop: its time counts from the scheduled send. */
export const RESPONSE_METRICS = Object.freeze({ ...ROUND_METRICS, ...times('latencyNs', 'response-time') });

/** Of a writer in a trial, by place. @type {Readonly<Record<string, Metric>>} */
export const AUDIT_METRICS = Object.freeze({
  due: { metric: 'due', unit: 'writes' },
  unsent: { metric: 'unsent', unit: 'writes', better: 'less' },
  attempted: { metric: 'attempted', unit: 'writes' },
  acked: { metric: 'acked', unit: 'writes' },
  underAcked: { metric: 'under-acked', unit: 'writes', better: 'less' },
  rejected: { metric: 'rejected', unit: 'writes', better: 'less' },
  noReplicas: { metric: 'rejected-noreplicas', unit: 'writes', better: 'less' },
  unknown: { metric: 'unknown', unit: 'writes', better: 'less' },
  ackedLost: { metric: 'lost-writes', unit: 'writes', better: 'less' },
  underAckedLost: { metric: 'under-acked-lost', unit: 'writes', better: 'less' },
  rejectedPresent: { metric: 'rejected-present', unit: 'writes', better: 'less' },
  unknownPresent: { metric: 'unknown-present', unit: 'writes' },
  unknownAbsent: { metric: 'unknown-absent', unit: 'writes' },
  unsentPresent: { metric: 'unsent-present', unit: 'writes', better: 'less' },
  wrongValue: { metric: 'wrong-value', unit: 'writes', better: 'less' },
  appliedTwice: { metric: 'applied-twice', unit: 'writes', better: 'less' },
  surplus: { metric: 'surplus', unit: 'writes', better: 'less' },
  falseAcks: { metric: 'false-acks', unit: 'writes', better: 'less' },
  falseAcksLost: { metric: 'false-acks-lost', unit: 'writes', better: 'less' },
  'formerPrimary.extra': { metric: 'former-primary-extra', unit: 'writes', better: 'less' },
  'formerPrimary.extraAcked': { metric: 'former-primary-extra-acked', unit: 'writes', better: 'less' },
  acceptedShare: { metric: 'accepted-during-fault', unit: 'share', better: 'more' },
  lostSeconds: { metric: 'lost-seconds', unit: 's', better: 'less' },
  lostShare: { metric: 'lost-share', unit: 'share', better: 'less' },
  errors: { metric: 'errors', unit: 'errors' },
  totalLoss: { metric: 'total-loss', unit: 'trials', better: 'less' },
  outageMs: { metric: 'outage', unit: 's', divisor: MS_A_SECOND, better: 'less' },
  missingOnNode: { metric: 'missing-on-a-node', unit: 'writes', better: 'less' },
  tooFew: { metric: 'outage-too-few-replicas', unit: 'trials', better: 'less' },
  otherRefusals: { metric: 'refused-otherwise', unit: 'trials', better: 'less' },
  'atEnd.acked': { metric: 'confirmed-at-fault-end', unit: 'share', better: 'more' },
  'atEnd.underAcked': { metric: 'under-acked-at-fault-end', unit: 'share', better: 'less' },
  'atEnd.rejected': { metric: 'refused-at-fault-end', unit: 'share', better: 'less' },
  'atEnd.unknown': { metric: 'unknown-at-fault-end', unit: 'share', better: 'less' },
  'atEnd.unsent': { metric: 'unsent-at-fault-end', unit: 'share', better: 'less' },
  'atEnd.p99': { metric: 'p99-at-fault-end', unit: 'ms', better: 'less' },
  endedByHarness: { metric: 'outage-until-healed', unit: 'trials', better: 'less' },
});

/** Of a trial as a whole, by place. @type {Readonly<Record<string, Metric>>} */
export const TRIAL_METRICS = Object.freeze({
  'windows.detectionMs': { metric: 'detection', unit: 's', divisor: MS_A_SECOND, better: 'less' },
  'windows.failoverMs': { metric: 'failover', unit: 's', divisor: MS_A_SECOND, better: 'less' },
  'windows.splitBrainMs': { metric: 'split-brain', unit: 's', divisor: MS_A_SECOND, better: 'less' },
  'windows.recoveryMs': { metric: 'recovery', unit: 's', divisor: MS_A_SECOND, better: 'less' },
  'converged.afterMs': { metric: 'convergence', unit: 's', divisor: MS_A_SECOND, better: 'less' },
  'reads.reads': { metric: 'reads', unit: 'reads' },
  'reads.stale': { metric: 'stale-reads', unit: 'reads', better: 'less' },
  'reads.failed': { metric: 'failed-reads', unit: 'reads' },
  'reads.longestMs': { metric: 'longest-stale-read', unit: 'ms', better: 'less' },
  lagWarning: { metric: 'lag-warning-before-rejection', unit: 's', divisor: MS_A_SECOND, better: 'more' },
  linkMs: { metric: 'link-round-trip', unit: 'ms' },
  promoted: { metric: 'promotions', unit: 'trials' },
  restarted: { metric: 'restarts', unit: 'trials' },
  demotedMs: { metric: 'demotion', unit: 's', divisor: MS_A_SECOND, better: 'less' },
  followed: { metric: 'followed', unit: 'trials', better: 'more' },
  promotedReplicas: { metric: 'promoted-replicas', unit: 'replicas' },
  tilts: { metric: 'tilts', unit: 'count', better: 'less' },
  choseFrozen: { metric: 'frozen-replica-chosen', unit: 'trials' },
  lengthMs: { metric: 'trial-length', unit: 's', divisor: MS_A_SECOND },
  refusalMs: { metric: 'first-refusal', unit: 's', divisor: MS_A_SECOND },
  'replicas.before': { metric: 'replicas-before', unit: 'replicas' },
  'replicas.least': { metric: 'replicas-least', unit: 'replicas' },
  'replicas.after': { metric: 'replicas-after', unit: 'replicas' },
  fellBehind: { metric: 'busy-machine', unit: 'trials', better: 'less' },
});

/** What a figure of several rounds is called that no single round has. @type {Readonly<Record<string, Metric>>} */
export const CASE_METRICS = Object.freeze({
  ratio: { metric: 'throughput-ratio', unit: 'share', better: 'more' },
  cost: { metric: 'cost', unit: 'share', better: 'less' },
  added: { metric: 'added-time', unit: 'ms', better: 'less' },
});

/** Endings of names that say the unit. The longest that fits counts. @type {[string, {unit: string, divisor?: number}][]} */
const ENDINGS = [
  ['BytesPerSecond', { unit: 'bytes/s' }],
  ['Bytes', { unit: 'bytes' }],
  ['Seconds', { unit: 's' }],
  ['Ns', { unit: 'ms', divisor: NS_A_MS }],
  ['Us', { unit: 'ms', divisor: 1000 }],
  ['Ms', { unit: 'ms' }],
];
/** Endings that stay in the name. */
const KINDS = Object.freeze({ Cpu: 'cores', Rate: '/s', Share: 'share', Utilization: 'share' });
/** Last words of a place that say a unit. */
const WORDS = Object.freeze({ bytes: 'bytes', seconds: 's', cpu: 'cores', machineCpu: 'share', rate: '/s' });

/**
 * @param {string} place of a figure, such as `load.cpuPerOperationNs`
 * @returns {Metric} such as `load-cpu-per-operation` in `ms`; a figure without a unit in its name is a `count`
 */
export function metricNamed(place) {
  const path = place.split('.');
  let [unit, divisor] = ['count', 1];
  const words = path.flatMap((part) => {
    const [ending, found] = ENDINGS.find(([each]) => part.endsWith(each) && part !== each) ?? ['', null];
    const kind = Object.entries(KINDS).find(([each]) => part.endsWith(each));
    if (found) [unit, divisor] = [found.unit, found.divisor ?? 1];
    else if (Object.hasOwn(WORDS, part)) unit = WORDS[/** @type {keyof typeof WORDS} */ (part)];
    else if (kind) unit = kind[1];
    return hyphenated(part.slice(0, part.length - ending.length)).split('-');
  });
  return { metric: words.filter((word, i) => word !== words[i - 1]).join('-'), unit, divisor };
}

/** @param {string} name */
function hyphenated(name) {
  return name.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/**
 * @param {string} place of the percentiles
 * @param {string} time
 * @returns {Record<string, Metric>}
 */
function times(place, time) {
  return Object.fromEntries(
    Object.entries(TIMES).map(([field, word]) => [
      `${place}.${field}`,
      { metric: `${word}-${time}`, unit: 'ms', divisor: NS_A_MS, better: /** @type {const} */ ('less') },
    ]),
  );
}

/**
 * @param {unknown} value
 * @param {string} [place]
 * @returns {[place: string, figure: number][]} each number in it, at any depth; not those in lists. true counts as 1, false as 0
 */
export function figuresIn(value, place = '') {
  if (typeof value === 'number') return [[place, value]];
  if (typeof value === 'boolean') return [[place, Number(value)]];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => figuresIn(each, place === '' ? name : `${place}.${name}`));
}
