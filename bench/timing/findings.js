/**
 * What Sentinel's timing did, in sentences.
 *
 * @import { BenchmarkResult, Finding } from '../../src/result/schema.js'
 * @import { Choice } from './figures.js'
 */

import { count } from '../../src/format.js';
import { finding } from '../../src/report/findings.js';
import { milliseconds } from '../../src/report/trials/figures.js';
import { sum } from '../../src/stats/statistics.js';
import { attemptsOf, choicesOf, measuredIn, quorumsOf, rateOf, recommended, TOLERATED_SECONDS } from './figures.js';

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]} empty: nothing was measured
 */
export function timingFindings(benchmark) {
  const measured = measuredIn(benchmark);
  const choices = choicesOf(measured);
  const { cases } = benchmark;
  const killed = choices.filter(({ outageMs }) => outageMs !== null);
  const commands = choices.filter(({ withstood }) => withstood !== null);
  const attempts = attemptsOf(measured);
  const quorums = quorumsOf(measured);
  const best = recommended(choices);
  const lost = Math.max(0, ...commands.map(({ mostLost }) => mostLost ?? 0));
  return [
    ...(best === null ? [] : [finding('recommended', recommendation(best), cases)]),
    ...(killed.length === 0
      ? []
      : [
          finding(
            'outage',
            `Primary killed: writes stop for ${killed.map((each) => `${milliseconds(each.outageMs)} with down-after ${seconds(each)}`).join(', ')}`,
            cases,
          ),
        ]),
    ...(commands.length === 0
      ? []
      : [
          finding(
            'needless',
            `Longest of the commands tried that led to no failover: ${commands.map((each, index) => `${each.withstood || '–'}${each.withstood ? ' s' : ''} (${index === 0 ? 'down-after ' : ''}${seconds(each)})`).join(', ')}${lost > 0 ? `; needless failovers lost up to ${count(lost)} writes` : ''}`,
            cases,
          ),
        ]),
    ...(attempts.length === 0
      ? []
      : [
          finding(
            'attempts',
            `When the chosen replica hangs, writes stop for ${attempts.map((each) => `${milliseconds(each.outageMs)} with failover-timeout ${each.failoverTimeoutSeconds} s`).join(', ')}`,
            cases,
          ),
        ]),
    ...(quorums.length === 0
      ? []
      : [
          finding(
            'quorum',
            `Quorum: writes stop for ${quorums.map((each) => `${milliseconds(each.outageMs)} with ${each.quorum}`).join(', ')} (down-after ${quorums[0].downAfterMs / 1000} s)`,
            cases,
          ),
        ]),
    ...watchFindings(choices, cases),
    ...extraFindings(choices, cases),
  ];
}

/**
 * @param {readonly Choice[]} choices
 * @param {BenchmarkResult['cases']} cases
 */
function watchFindings(choices, cases) {
  const watched = choices.flatMap((choice) => choice.watched);
  if (watched.length === 0) return [];
  const failovers = rateOf(watched, 'needless');
  const tilts = rateOf(watched, 'tilts');
  const minutes = Math.round(failovers.hours * 60);
  return [
    finding(
      'healthy',
      `While nothing was done to the nodes, idle and busy: ${count(failovers.seen)} failovers and ${count(tilts.seen)} times TILT in ${count(minutes)} minutes, all values of down-after together`,
      cases,
    ),
  ];
}

/**
 * @param {readonly Choice[]} choices
 * @param {BenchmarkResult['cases']} cases
 * @returns {Finding[]} promotions after the one that a killed primary calls for; empty: none was seen
 */
function extraFindings(choices, cases) {
  const extra = choices.flatMap((choice) => {
    const needless = sum(choice.quiet.map((each) => each.needless));
    return needless === 0 ? [] : `${count(needless)} with down-after ${seconds(choice)}`;
  });
  if (extra.length === 0) return [];
  return [finding('extra', `A failover too many, such as a second one after a kill: ${extra.join(', ')}`, cases)];
}

/** @param {Choice} choice */
export function recommendation(choice) {
  return `down-after ${seconds(choice)} is the shortest that withstood commands of ${TOLERATED_SECONDS} s; writes stop for ${milliseconds(choice.outageMs)} when the primary is killed`;
}

/** @param {Pick<Choice, 'downAfterMs'>} choice */
export function seconds({ downAfterMs }) {
  return `${downAfterMs / 1000} s`;
}
