/**
 * What must be so for a data set to have been copied.
 */
import { differencesOf, figuresOf, isForeign, isIncremental, missesChanges, total } from './copy-figures.js';
import { count, plural } from './format.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').Check} Check
 */

/** Enough to see what is wrong; the table has the others. */
const SHOWN_CASES = 3;

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]} none where nothing was measured
 */
export function copyChecks({ cases }) {
  const measured = cases.filter((result) => figuresOf(result).length > 0);
  if (measured.length === 0) return [];
  const noticing = measured.filter((result) => !missesChanges(result) && !isForeign(result));
  const full = measured.filter((result) => !isIncremental(result));
  const writing = measured.filter((result) => total(result, ({ sourceRate }) => sourceRate) > 0);
  return [
    check(
      'source and copy are equal, key by key, in every mode of Redis’s and of this tool’s that notices changes',
      noticing,
      {
        wrong: (result) => {
          const found = total(result, differencesOf);
          return found === 0 ? null : plural(found, 'difference');
        },
        well: (results) => `${count(sum(results, ({ comparison }) => comparison.keys))} keys`,
      },
    ),
    check('every copy was finished', measured, {
      wrong: (result) => {
        const left = figuresOf(result).filter(({ behindSeconds }) => behindSeconds === null).length;
        return left === 0 ? null : `${plural(left, 'round')} not; ${errorsOf(result).join(', ')}`;
      },
      well: (results) => `${count(sum(results, ({ pairs }) => pairs))} copies`,
    }),
    check('a full copy brought over as many keys as there were', full, {
      wrong: (result) => {
        const short = figuresOf(result).find(({ copiedKeys, keysBefore }) => copiedKeys < keysBefore);
        return short ? `${count(short.copiedKeys)} of ${count(short.keysBefore)}` : null;
      },
      well: (results) => `${count(sum(results, ({ copiedKeys }) => copiedKeys))} keys`,
    }),
    check('every write of the writers was acknowledged', writing, {
      wrong: (result) => {
        // What was due and did not leave was refused by nobody: the findings tell of it.
        const errors = errorsOf(result).filter((kind) => !kind.startsWith('MOVER') && !kind.startsWith('UNSENT'));
        return errors.length === 0 ? null : errors.join(', ');
      },
      well: (results) => `${count(sum(results, ({ writers }) => writers?.during.writes ?? 0))} writes meanwhile`,
    }),
  ].filter((one) => one !== null);
}

/**
 * @param {string} name
 * @param {CaseResult[]} results
 * @param {{wrong: (result: CaseResult) => string | null, well: (results: CaseResult[]) => string}} judge
 * @returns {Check | null} null: there is nothing to judge
 */
function check(name, results, { wrong, well }) {
  if (results.length === 0) return null;
  const lacking = results.flatMap((result) => {
    const what = wrong(result);
    return what === null ? [] : `${result.id}: ${what}`;
  });
  if (lacking.length === 0) return { name, ok: true, detail: well(results) };
  const more = lacking.length - SHOWN_CASES;
  const shown = [...lacking.slice(0, SHOWN_CASES), ...(more > 0 ? [`and ${more} more cases`] : [])];
  return { name, ok: false, detail: shown.join('; ') };
}

/**
 * @param {CaseResult[]} results
 * @param {Parameters<typeof total>[1]} value
 */
function sum(results, value) {
  return results.reduce((all, result) => all + total(result, value), 0);
}

/**
 * @param {CaseResult} result
 * @returns {string[]}
 */
function errorsOf({ rounds }) {
  return [...new Set(rounds.flatMap(({ errors }) => Object.keys(errors)))];
}
