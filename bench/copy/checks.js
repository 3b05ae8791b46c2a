/**
 * The checks of the benchmarks `copy` and `copy-shards`.
 *
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 */

import { count, plural } from '../../src/format.js';
import { checkMeasured } from '../../src/report/checks.js';
import { sum } from '../../src/stats/statistics.js';
import { differencesOf, figuresOf, isForeign, isIncremental, missesChanges, total } from './figures.js';

/** @param {CaseResult} result */
const isWritten = (result) => total(result, ({ sourceRate }) => sourceRate) > 0;
/** @param {CaseResult} result a mode of Redis or of this tool */
const noticesChanges = (result) => !missesChanges(result) && !isForeign(result);

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]} none when nothing was measured
 */
export function copyChecks({ cases }) {
  const measured = cases.filter((result) => figuresOf(result).length > 0);
  const ownTools = measured.filter((result) => !isForeign(result));
  const noticing = measured.filter(noticesChanges);
  const full = ownTools.filter((result) => !isIncremental(result));
  const written = measured.filter(isWritten);
  const of = (/** @type {readonly CaseResult[]} */ chosen, /** @type {Parameters<typeof total>[1]} */ value) =>
    count(sum(chosen.map((result) => total(result, value))));
  return [
    ...checkMeasured(
      'source and copy are equal, key by key, in every mode of Redis and of this tool that notices changes',
      noticing,
      (result) => {
        const found = total(result, differencesOf);
        return found === 0 ? null : plural(found, 'difference');
      },
      { well: () => `${of(noticing, ({ comparison }) => comparison.keys)} keys` },
    ),
    ...checkMeasured(
      'every copy by Redis or this tool was finished',
      ownTools,
      (result) => {
        const open = figuresOf(result).filter(({ behindSeconds }) => behindSeconds === null).length;
        return open === 0 ? null : `${plural(open, 'round')} not; ${errorsOf(result).join(', ')}`;
      },
      { well: () => `${of(ownTools, ({ pairs }) => pairs)} copies` },
    ),
    ...checkMeasured(
      'a full copy has as many keys as the source had',
      full,
      (result) => {
        const short = figuresOf(result).find(({ copiedKeys, keysBefore }) => copiedKeys < keysBefore);
        return short ? `${count(short.copiedKeys)} of ${count(short.keysBefore)}` : null;
      },
      { well: () => `${of(full, ({ copiedKeys }) => copiedKeys)} keys` },
    ),
    ...checkMeasured(
      'every write of the writers was acknowledged',
      written,
      (result) => {
        // A write that was due and did not leave was not refused; a finding counts those.
        const errors = errorsOf(result).filter((kind) => !kind.startsWith('MOVER') && !kind.startsWith('UNSENT'));
        return errors.length === 0 ? null : errors.join(', ');
      },
      { well: () => `${of(written, ({ writers }) => writers?.during.writes)} writes meanwhile` },
    ),
  ];
}

/**
 * @param {CaseResult} result
 * @returns {string[]}
 */
function errorsOf({ rounds }) {
  return [...new Set(rounds.flatMap(({ errors }) => Object.keys(errors)))];
}
