/** Compares what a driver reports with what the scripted primary saw. Pure functions of a play. */
import { classifyWriteError } from '../../clients/outcome.js';
import { Outcome } from '../../clients/types.js';

/**
 * @import { OutcomeReport } from '../lines.js'
 * @import { ArrivedWrite } from './deployment.js'
 * @import { Play } from './play.js'
 */

/** Both processes read the same clock, and an answer is noted before it is sent, a write after it was received. This is for rounding. */
const CLOCK_MS = 1;
/** A library that loses its connection may lose answers that were just sent. */
const LOST_WITH_CONNECTION_MS = 300;
/** Half of the writes may be later than this on a busy machine; a driver that writes one after the other is later. */
const MOST_LATE_MS = 500;

/** @param {Play} play @returns {Map<number, ArrivedWrite[]>} in the order of arrival */
function attemptsByNumber({ attempts }) {
  const found = /** @type {Map<number, ArrivedWrite[]>} */ (new Map());
  for (const attempt of attempts) found.set(attempt.number, [...(found.get(attempt.number) ?? []), attempt]);
  return found;
}

/** @param {Play} play @returns {string[]} numbers that were reported twice, are missing or were never due */
export function wrongNumbers({ reports, ended, scenario, startAt, endAt, attempts }) {
  const wrong = [];
  const seen = /** @type {Set<number>} */ (new Set());
  for (const { number } of reports) {
    if (seen.has(number)) wrong.push(`write ${number} was reported twice`);
    seen.add(number);
  }
  const due = ended.due ?? seen.size;
  for (let number = 0; number < due; number++) if (!seen.has(number)) wrong.push(`write ${number} was not reported`);
  for (const number of seen) if (number >= due) wrong.push(`write ${number} was reported, and \`done\` says ${due}`);
  for (const { number } of attempts) if (number >= due) wrong.push(`write ${number} arrived, and \`done\` says ${due}`);
  const expected = Math.floor(((endAt - startAt) / 1000) * scenario.rate);
  // It may learn of the end late.
  if (due < expected - 1 || due > expected + scenario.rate) {
    wrong.push(`${due} writes were due at the end, and the schedule says ${expected}`);
  }
  return wrong;
}

/**
 * @param {Play} play without WAIT
 * @returns {{lies: string[], early: string[], hidden: number, kinds: string[]}} lies: outcomes that the answers contradict; early: reported
 *   as answered before the primary answered; hidden: rejected writes whose error reply it could not see; kinds: wrong kinds of errors
 */
export function wrongOutcomes(play) {
  const attempts = attemptsByNumber(play);
  /** @type {ReturnType<typeof wrongOutcomes>} */
  const found = { lies: [], early: [], hidden: 0, kinds: [] };
  for (const report of play.reports) {
    const tried = attempts.get(report.number) ?? [];
    const lie = lieOf(report, tried);
    if (lie !== null) found.lies.push(`write ${report.number}: ${lie}`);
    const early = lie === null && earlyBy(play, report, tried);
    if (early) found.early.push(`write ${report.number} by ${early.toFixed(1)} ms`);
    const error = tried.findLast(({ answer }) => answer !== '' && answer !== 'OK')?.answer;
    if (report.outcome === 'unknown' && error !== undefined && isRejected(tried)) found.hidden++;
    const kind = error?.split(' ')[0];
    if (report.outcome === 'rejected' && kind !== undefined && report.kind !== kind) {
      found.kinds.push(`write ${report.number}: ${report.kind}, and the reply was ${kind}`);
    }
  }
  return found;
}

function isRejected(/** @type {readonly ArrivedWrite[]} */ tried) {
  return (
    tried.length > 0 &&
    tried.every(({ answer }) => answer !== '' && answer !== 'OK' && classifyWriteError(answer) === Outcome.rejected)
  );
}

/** @param {OutcomeReport} report @param {readonly ArrivedWrite[]} tried @returns {string | null} null: the outcome fits the answers */
function lieOf({ outcome, kind }, tried) {
  const answered = tried.filter(({ answer }) => answer === 'OK');
  if (outcome === 'unsent') return tried.length > 0 ? 'unsent, and it arrived' : null;
  if (outcome === 'acked' || outcome === 'under-acked') {
    if (tried.length === 0) return `${outcome}, and it never arrived`;
    return answered.length === 0 ? `${outcome}, and it was not answered with OK` : null;
  }
  if (outcome === 'rejected') {
    if (answered.length > 0) return 'rejected, and it was answered with OK';
    // A library may refuse a write that it could not send; nothing was written then.
    if (tried.length === 0)
      return classifyWriteError(kind) === Outcome.rejected ? `rejected with ${kind}, and it never arrived` : null;
    return isRejected(tried) ? null : 'rejected, and no error reply says so';
  }
  const visible = answered.some(
    ({ answeredAt, lostAt }) => lostAt === 0 || Math.abs(lostAt - answeredAt) > LOST_WITH_CONNECTION_MS,
  );
  return visible ? 'unknown, and it was answered with OK' : null;
}

/**
 * @param {Play} play @param {OutcomeReport} report @param {readonly ArrivedWrite[]} tried
 * @returns {number | null} milliseconds by which the answer was reported before it was sent; null: it was not
 */
function earlyBy({ startAt }, { outcome, answeredUs }, tried) {
  if (outcome === 'unknown' || outcome === 'unsent') return null;
  const answers = tried.filter(({ answeredAt }) => answeredAt > 0).map(({ answeredAt }) => answeredAt);
  const by = Math.min(...answers) - (startAt + answeredUs / 1000);
  return by > CLOCK_MS ? by : null;
}

/** @param {Play} play @returns {string[]} how it breaks the schedule */
export function wrongSchedule(play) {
  const { reports, scenario, startAt } = play;
  const attempts = attemptsByNumber(play);
  const dueAt = (/** @type {number} */ number) => startAt + (number * 1000) / scenario.rate;
  const wrong = [];
  const late = [];
  for (const { number, outcome, sentUs } of reports) {
    if (outcome === 'unsent') {
      late.push(Number.POSITIVE_INFINITY);
      continue;
    }
    const sentAt = startAt + sentUs / 1000;
    const arrivedAt = attempts.get(number)?.[0].at;
    late.push(Math.max(sentAt, arrivedAt ?? sentAt) - dueAt(number));
    if (sentAt < dueAt(number) - CLOCK_MS) wrong.push(`write ${number} was sent before it was due`);
    else if (arrivedAt !== undefined && arrivedAt < dueAt(number) - CLOCK_MS) {
      wrong.push(`write ${number} arrived before it was due`);
    } else if (arrivedAt !== undefined && sentAt > arrivedAt + CLOCK_MS) {
      wrong.push(`write ${number} arrived before the time of its sending`);
    }
  }
  const middle = late.sort((a, b) => a - b)[Math.floor(late.length / 2)] ?? 0;
  if (middle > MOST_LATE_MS) {
    const shown = Number.isFinite(middle) ? `${Math.round(middle)} ms late or later` : 'never sent';
    wrong.push(`half of the writes were ${shown}`);
  }
  return wrong;
}

/** @param {Play} play @returns {number[]} how often each write arrived that arrived more than once */
export function repeated(play) {
  return [...attemptsByNumber(play).values()].map(({ length }) => length).filter((count) => count > 1);
}

/**
 * @param {Play} play with WAIT
 * @returns {{lies: string[], onSame: number, judged: number}} lies: outcomes that no answer explains; onSame: of `judged` writes, those
 *   whose reported count is that of a later WAIT on their connection
 */
export function wrongWaits(play) {
  const { reports, waits, startAt, ready, scenario } = play;
  const attempts = attemptsByNumber(play);
  const askedReplicas = scenario.wait?.replicas ?? 0;
  const lies = [];
  let onSame = 0;
  let judged = 0;
  for (const report of reports) {
    const { number, outcome, count, answeredUs } = report;
    const tried = attempts.get(number) ?? [];
    const last = tried.findLast(({ answer }) => answer === 'OK');
    // A library that sends both at once may show only the error of the WAIT.
    const isHidden =
      outcome === 'unknown' &&
      waits.some(({ client, at, count: none }) => none === -1 && client === last?.client && at >= last.at);
    if (isHidden) continue;
    const lie = lieOf(report, tried);
    if (lie !== null) lies.push(`write ${number}: ${lie}`);
    if (lie !== null || last === undefined || outcome === 'unknown') continue;
    judged++;
    const right = count >= askedReplicas ? 'acked' : 'under-acked';
    if (outcome !== right) lies.push(`write ${number}: ${outcome}, and its count of WAIT is ${count}`);
    const answeredAt = startAt + answeredUs / 1000;
    const possible = waits.filter(
      (each) => each.at >= last.at && each.answeredAt <= answeredAt + CLOCK_MS && each.count === count,
    );
    const isSame = possible.some(({ client }) => client === last.client);
    if (isSame) onSame++;
    const isExplained = ready?.wait === 'same-connection' ? isSame : possible.length > 0;
    // A count of -1 is also right for a WAIT that was never sent or answered, on a connection that was lost.
    if (!isExplained && !(count === -1 && last.lostAt > 0)) {
      lies.push(`write ${number}: no WAIT was answered with ${count}${answeredUs === 0 ? '' : ' before its answer'}`);
    }
  }
  return { lies, onSame, judged };
}
