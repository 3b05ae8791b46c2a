/**
 * The findings and checks of the benchmark `copy`.
 *
 * @import { BenchmarkResult, CaseResult, Check, Finding } from '../../src/result/schema.js'
 */
import { roundsText } from '../../src/report/findings.js';
import { bytes, count, duration, interval, percent, plural, rate } from '../../src/report/format.js';
import {
  differencesOf,
  differencesText,
  evidenceOf,
  figuresOf,
  isFinished,
  isForeign,
  isIncremental,
  limitOf,
  missesChanges,
  modeTitle,
  p99Of,
  rateOf,
  ratioOf,
  sentForEach,
  spread,
  total,
  typical,
} from './figures.js';

const SECOND_NS = 1e9;
/** Enough to see what is wrong; the table has the others. */
const SHOWN_CASES = 3;

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
export function copyFindings(benchmark) {
  return [
    fillingFinding(benchmark),
    ...missedFindings(benchmark),
    ...keepingUpFindings(benchmark),
    effectFinding(benchmark),
    costFinding(benchmark),
    scalingFinding(benchmark),
    ...foreignFindings(benchmark),
    unsentFinding(benchmark),
  ].filter((finding) => finding !== null);
}

/** @param {CaseResult} result */
const isQuiet = (result) => !isIncremental(result) && total(result, ({ sourceRate }) => sourceRate) === 0;

/** @param {CaseResult} result */
const isScan = ({ params }) => params.mover?.includes('scan') ?? false;

/**
 * @param {BenchmarkResult} benchmark
 * @param {(result: CaseResult) => boolean} choose
 * @returns {CaseResult[]} of one pair, those that were finished, the fastest first
 */
function alone({ cases }, choose) {
  return cases
    .filter(
      (result) => result.params.pairs === 1 && figuresOf(result).length > 0 && isFinished(result) && choose(result),
    )
    .sort((a, b) => rateOf(b) - rateOf(a));
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {CaseResult[]} the fastest full sync and the fastest SCAN without writers
 */
export function fastest(benchmark) {
  const own = alone(benchmark, (result) => isQuiet(result) && !isForeign(result));
  return [own.find((result) => !isScan(result)), own.find(isScan)].flatMap((result) => result ?? []);
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding | null}
 */
function fillingFinding(benchmark) {
  const own = fastest(benchmark);
  if (own.length < 2) return null;
  const told = own.map((result) => {
    const speed = spread(result, ({ copyRate }) => copyRate);
    return `${modeTitle(result)} at ${speed ? interval(speed, rate) : ''}`;
  });
  const keys = typical(own[0], ({ keysBefore }) => keysBefore) ?? 0;
  return {
    text: `Fastest ways to fill an empty node with ${count(keys)} keys: ${told.join(', ')} (${roundsText(own[0].rounds.length)})`,
    evidence: evidenceOf(own),
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]} whether copies are equal to a source that is written to
 */
function missedFindings({ cases }) {
  const copied = cases.filter((result) => figuresOf(result).length > 0);
  const plain = copied.filter(missesChanges).map((result) => {
    const missed = total(result, differencesOf);
    const keys = total(result, ({ comparison }) => comparison.keys);
    const writes = total(result, ({ writers }) => writers?.during.writes ?? 0);
    const found = missed === 0 ? 'no key' : `${count(missed)} of ${count(keys)} keys`;
    const why = missed === 0 ? '; it cannot see changes behind its cursor' : '';
    return {
      text: `SCAN without notifications left ${found} different while ${count(writes)} writes were made${why}`,
      evidence: [result.id],
    };
  });
  const noticing = copied.filter(
    (result) => !missesChanges(result) && !isForeign(result) && total(result, ({ sourceRate }) => sourceRate) > 0,
  );
  if (noticing.length === 0) return plain;
  const wrong = noticing.filter((result) => total(result, differencesOf) > 0);
  const keys = noticing.reduce((sum, result) => sum + total(result, ({ comparison }) => comparison.keys), 0);
  const text =
    wrong.length === 0
      ? `Full sync, replication and SCAN with notifications left 0 of ${count(keys)} keys different under writes`
      : `Modes that notice changes and still left differences: ${wrong.map(({ id }) => id).join(', ')}`;
  return [...plain, { text, evidence: evidenceOf(noticing) }];
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
function keepingUpFindings({ cases }) {
  return cases
    .filter((result) => isIncremental(result) && result.params.pairs === 1 && figuresOf(result).length > 0)
    .map((result) => {
      const ratio = ratioOf(result);
      const written = typical(result, ({ sourceRate }) => sourceRate) ?? 0;
      const behind = typical(result, ({ behindSeconds }) => behindSeconds) ?? 0;
      const last = isFinished(result)
        ? `the last arrived ${duration(behind * SECOND_NS)} after the writers stopped`
        : 'the rest never arrived';
      const share = ratio === null ? rate(rateOf(result)) : percent(ratio);
      const n = roundsText(result.rounds.length);
      return {
        text: `${result.params.mode} copied ${share} of ${rate(written).replace(/ ?\/s$/, ' writes/s')} in the same time; ${last} (${n})`,
        evidence: [result.id],
      };
    });
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding | null}
 */
function effectFinding(benchmark) {
  const own = alone(benchmark, (result) => !isIncremental(result) && !isQuiet(result));
  const known = own.flatMap((result) => {
    const [before, during] = [p99Of(result, 'before'), p99Of(result, 'during')];
    return before === null || during === null ? [] : [{ result, before, during }];
  });
  known.sort((a, b) => b.during - a.during);
  const [worst] = known;
  if (!worst) return null;
  const { result, before, during } = worst;
  const asked = typical(result, ({ sourceRate }) => sourceRate) ?? 0;
  const longest = Math.max(...figuresOf(result).map(({ writers }) => writers?.during.maxNs ?? 0));
  return {
    text:
      `Writers at ${rate(asked)} notice ${modeTitle(result)} most: response-time p99 ${duration(before)} before, ${duration(during)} during, ` +
      `longest ${duration(longest)}`,
    evidence: evidenceOf(own),
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding | null} what each key costs, because modes take different times
 */
function costFinding(benchmark) {
  const own = fastest(benchmark);
  const told = own.map((result) => {
    const spent = ['source', 'copy', 'mover'].map((side) =>
      typical(result, ({ use, seconds, copiedKeys }) => {
        const share = use[/** @type {'source' | 'copy' | 'mover'} */ (side)]?.cpu;
        return share == null || copiedKeys === 0 ? null : (share * seconds) / copiedKeys;
      }),
    );
    const known = spent.filter((value) => value !== null);
    const sent = sentForEach(result);
    const cpu = known.reduce((sum, value) => sum + value, 0);
    return `${modeTitle(result)} ${duration(cpu * SECOND_NS)} of CPU${sent === null ? '' : ` and ${bytes(Math.round(sent))} sent by the source`}`;
  });
  return told.length === 0 ? null : { text: `A key costs: ${told.join('; ')}`, evidence: evidenceOf(own) };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding | null}
 */
function scalingFinding({ cases }) {
  const most = Math.max(...cases.map(({ params }) => params.pairs ?? 1));
  const scaled = cases.filter((result) => {
    const base = cases.find(({ params }) => params.mode === result.params.mode && params.pairs === 1);
    const whole = isFinished(result) && (base === undefined || isFinished(base));
    return result.params.pairs === most && result.summary.relativeToBaseline && result.rounds.length > 0 && whole;
  });
  if (scaled.length === 0) return null;
  const told = scaled.map((result) => {
    const ratio = result.summary.relativeToBaseline?.throughput.median ?? 0;
    return `${result.params.mode} ${ratio.toFixed(2)}×`;
  });
  const limits = [...new Set(scaled.map(limitOf))].join(', ');
  return {
    text: `${most} pairs on one machine copy, against one: ${told.join(', ')} (limited by: ${limits})`,
    evidence: evidenceOf(scaled),
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
function foreignFindings({ cases }) {
  return cases
    .filter((result) => isForeign(result) && total(result, differencesOf) > 0)
    .map((result) => ({
      text: `${modeTitle(result)} left differences in ${count(total(result, ({ comparison }) => comparison.keys))} keys: ${differencesText(result)}`,
      evidence: [result.id],
    }));
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding | null} writes that are in no percentile
 */
function unsentFinding({ cases }) {
  const unsent = (/** @type {CaseResult} */ { rounds }) =>
    rounds.reduce((sum, { errors }) => sum + (errors.UNSENT ?? 0), 0);
  const own = cases.filter((result) => unsent(result) > 0);
  if (own.length === 0) return null;
  const sum = own.reduce((all, result) => all + unsent(result), 0);
  return {
    text: `${plural(sum, 'write')} were due and had not left when a copy ended; they are in no percentile`,
    evidence: evidenceOf(own),
  };
}

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
      'source and copy are equal, key by key, in every mode of Redis and of this tool that notices changes',
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
    check('a full copy has as many keys as the source had', full, {
      wrong: (result) => {
        const short = figuresOf(result).find(({ copiedKeys, keysBefore }) => copiedKeys < keysBefore);
        return short ? `${count(short.copiedKeys)} of ${count(short.keysBefore)}` : null;
      },
      well: (results) => `${count(sum(results, ({ copiedKeys }) => copiedKeys))} keys`,
    }),
    check('every write of the writers was acknowledged', writing, {
      wrong: (result) => {
        // A write that was due and did not leave was not refused; a finding counts those.
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
