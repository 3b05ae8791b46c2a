/**
 * What pages say about trials on a busy machine.
 *
 * @import { Result } from '../../src/result/schema.js'
 */
import { BEHIND_MS, fellBehind } from '../../src/audit/judgement.js';
import { isFailureBenchmark } from '../../src/audit/of-trials.js';
import { count, plural } from '../../src/format.js';

/**
 * @param {Pick<Result, 'benchmarks' | 'trials'>} result
 * @param {{least?: number, most?: number}} [shares] of the trials, least not included; default: any
 * @returns {string[]} a sentence if the machine was too busy for the writers in such a share of the trials
 */
export function busyText({ benchmarks, trials: run }, { least = 0, most = 1 } = {}) {
  const trials = benchmarks.filter(isFailureBenchmark).flatMap(({ timeline = [] }) => timeline);
  const behind = trials.filter(fellBehind).length;
  const share = trials.length === 0 ? 0 : behind / trials.length;
  if (share <= least || share > most) return [];
  return [
    `The machine was too busy in ${count(behind)} of ${plural(trials.length, 'trial')}: writes waited, or writers or answers stopped, for more than ${BEHIND_MS} ms. They count.${run?.lanes === 1 ? '' : ' Use fewer `--lanes`.'}`,
  ];
}
