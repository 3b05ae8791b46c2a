/** What cases of copying are, and the columns of their tables. */
/** @import { CopyFigures } from './document.js' */
/** @import { BenchmarkResult, CaseFigures, CaseResult, Check, ColumnSpec } from '../types.js' */
import { figure } from '../../src/facts/query.js';
import { count, plural } from '../../src/format.js';
import { checkMeasured } from '../../src/report/checks.js';
import { FORMATS, figures } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { sum } from '../../src/stats/statistics.js';
import { ENOUGH_BEYOND } from '../../src/stats/summary.js';
import { totalOf } from '../pages/fact-table.js';
import { differencesIn } from './compare.js';
import { MODES } from './modes.js';

/** @param {Pick<CaseResult, 'params'>} result @returns {boolean} an existing data set was copied; else new writes were */
export const isFull = ({ params }) => MODES.find(({ name }) => name === params.copyMode)?.what === 'full';
/** @param {Pick<CaseResult, 'params'>} result @returns {boolean} Redis copies by itself. What another program leaves different is shown, and fails no check */
export const isSync = ({ params }) => params.mover === 'sync';
/** @param {Pick<CaseResult, 'params'>} result @returns {boolean} plain SCAN misses changes behind its cursor */
export const missesChanges = ({ params }) => params.copyMode?.endsWith('scan-writes') ?? false;
/** @param {CaseFigures} row @returns {boolean} clients wrote to the sources meanwhile */
export const isWritten = (row) => (figure(row, 'copy-source-rate') ?? 0) > 0;
/** @param {CaseFigures} row @returns {boolean} the copies had everything in each round; a mover that failed early has no meaningful rate */
export const isFinished = ({ of }) => of['copy-behind']?.n === of['copy-rate']?.n;
/** @param {CaseFigures} row @returns {number | null} keys or writes a second */
export const rateOf = (row) => (isFinished(row) ? figure(row, 'copy-rate') : null);

/** @param {CaseFigures} row @returns {string} `none`, because a column of zeros is left out */
function differentText(row) {
  const different = totalOf(row, 'copy-differences');
  return different === 0 ? 'none' : count(different);
}

/** @param {CaseFigures} row @param {'before' | 'during' | 'after'} phase @returns {string} –: no writers, or too few values beyond it */
function p99Text(row, phase) {
  const writes = figure(row, `copy-writers-${phase}-writes`) ?? 0;
  return writes * 0.01 < ENOUGH_BEYOND ? NOT_MEASURED : FORMATS.ms(figure(row, `copy-writers-${phase}-p99`));
}

/** Of details.md and of the page. @satisfies {Record<string, ColumnSpec>} */
export const COLUMNS = {
  mode: { title: 'mode', text: ({ params }) => params.copyMode ?? '' },
  movers: {
    title: 'movers',
    text: ({ params: { movers } }) => (movers === 1 ? 'one for all shards' : 'one for each shard'),
  },
  rate: figures('keys/s', (row) => FORMATS.rate(rateOf(row))),
  reported: { title: 'by its own status', metric: 'copy-reported-rate', format: 'rate' },
  took: figures('took', (row) => (isFinished(row) ? FORMATS.seconds(figure(row, 'copy-seconds')) : 'never finished')),
  written: { title: 'source writes', metric: 'copy-source-rate', format: 'rate' },
  pace: { title: 'copied of written', metric: 'copy-pace', format: 'percent' },
  ratio: { title: 'to its baseline', metric: 'throughput-ratio', format: 'times' },
  behind: { title: 'behind after the last write', metric: 'copy-behind', format: 'seconds' },
  before: figures('writers’ p99 before', (row) => p99Text(row, 'before')),
  during: figures('during', (row) => p99Text(row, 'during')),
  after: figures('after', (row) => p99Text(row, 'after')),
  different: figures('keys different', differentText),
  expiry: figures('expiry off by', ({ of }) => FORMATS.ms(of['copy-comparison-ttl-most']?.high || null)),
};

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
