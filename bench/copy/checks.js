/** @import { BenchmarkResult, CaseResult, Check } from '../types.js' */
/** @import { CopyFigures } from './document.js' */
import { count, plural } from '../../src/format.js';
import { checkMeasured } from '../../src/report/checks.js';
import { sum } from '../../src/stats/statistics.js';
import { differencesIn } from './compare.js';
import { isFull, isSync } from './figures.js';

/** @param {CaseResult} result @returns {CopyFigures[]} of each round */
const copiesOf = ({ rounds }) => rounds.flatMap(({ copy }) => copy ?? []);
/** @param {CaseResult} result @returns {string[]} kinds of errors */
const errorsOf = ({ rounds }) => [...new Set(rounds.flatMap(({ errors }) => Object.keys(errors)))];

/** @param {BenchmarkResult} benchmark @returns {Check[]} none when nothing was measured */
export function copyChecks({ cases }) {
  const measured = cases.filter((result) => copiesOf(result).length > 0);
  const synced = measured.filter(isSync);
  const keys = sum(synced.flatMap((result) => copiesOf(result).map(({ comparison }) => comparison.keys)));
  return [
    ...checkMeasured(
      'source and copy are equal, key by key, in every mode of Redis',
      synced,
      (result) => {
        const found = sum(copiesOf(result).map(({ comparison }) => differencesIn(comparison)));
        return found === 0 ? null : plural(found, 'difference');
      },
      { well: () => `${count(keys)} keys` },
    ),
    ...checkMeasured('every copy by Redis was finished', synced, (result) => {
      const open = copiesOf(result).filter(({ behindSeconds }) => behindSeconds === null).length;
      return open === 0 ? null : `${plural(open, 'round')} not; ${errorsOf(result).join(', ')}`;
    }),
    ...checkMeasured('a full copy has as many keys as the source had', synced.filter(isFull), (result) => {
      const short = copiesOf(result).find(({ copiedKeys, keysBefore }) => copiedKeys < keysBefore);
      return short ? `${count(short.copiedKeys)} of ${count(short.keysBefore)}` : null;
    }),
    ...checkMeasured(
      'every write of the writers was acknowledged',
      measured.filter((result) => copiesOf(result).some(({ sourceRate }) => sourceRate > 0)),
      (result) => {
        const errors = errorsOf(result).filter((kind) => !kind.startsWith('MOVER') && !kind.startsWith('UNSENT'));
        return errors.length === 0 ? null : errors.join(', ');
      },
    ),
  ];
}
