/**
 * The benchmark `copy` in sentences.
 */
import { copyClaims } from './copy-claims.js';
import {
  differencesOf,
  differencesText,
  evidenceOf,
  figuresOf,
  isFinished,
  isForeign,
  isIncremental,
  limitText,
  missesChanges,
  p99Of,
  rateOf,
  ratioOf,
  sentForEach,
  total,
  typical,
} from './copy-figures.js';
import { bytes, count, duration, percent, plural, rate } from './format.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').CopyFigures} CopyFigures
 * @typedef {import('./schema.js').Finding} Finding
 */

const SECOND_NS = 1e9;

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
export function copyFindings(benchmark) {
  return [
    fillingFinding(benchmark),
    ...incrementalFindings(benchmark),
    costFinding(benchmark),
    effectFinding(benchmark),
    scalingFinding(benchmark),
    missedFinding(benchmark),
    foreignFinding(benchmark),
    ...copyClaims(benchmark),
  ].filter((finding) => finding !== null);
}

/** @param {CaseResult} result */
const titleOf = ({ params: { mode, scanCount } }) => (scanCount === undefined ? mode : `${mode} (COUNT ${scanCount})`);

/** @param {CaseResult} result */
const isQuiet = (result) => !isIncremental(result) && total(result, ({ sourceRate }) => sourceRate) === 0;

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
 * @returns {Finding | null}
 */
function fillingFinding(benchmark) {
  const own = alone(benchmark, isQuiet);
  if (own.length < 2) return null;
  const told = own.map((result) => {
    const took = typical(result, ({ seconds }) => seconds) ?? 0;
    return `${titleOf(result)} ${duration(took * SECOND_NS)} (${rate(rateOf(result))}, limited by ${limitText(result)})`;
  });
  const keys = typical(own[0], ({ keysBefore }) => keysBefore) ?? 0;
  return {
    text: `Filling an empty node with ${count(keys)} keys that nobody writes to takes, from the quickest: ${told.join('; ')}${roundsText(own)}`,
    evidence: evidenceOf(own),
  };
}

/** @param {readonly CaseResult[]} results */
function roundsText([{ rounds }]) {
  return rounds.length === 1 ? ' (one round each, so no interval)' : ` (medians of ${rounds.length} rounds)`;
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
function incrementalFindings({ cases }) {
  const modes = [...new Set(cases.filter(isIncremental).map(({ params }) => params.mode))];
  return modes.flatMap((mode) => {
    const own = cases.filter((result) => result.params.mode === mode && figuresOf(result).length > 0);
    if (own.length === 0) return [];
    const told = own.map((result) => {
      const { params } = result;
      const ratio = ratioOf(result);
      const behind = typical(result, ({ behindSeconds }) => behindSeconds);
      // Who keeps up with writers that it slows down has not kept up with them.
      const unhindered = typical(result, ({ writers }) =>
        writers && writers.before.seconds > 0 ? writers.before.writes / writers.before.seconds : null,
      );
      const last = isFinished(result)
        ? `the last of it ${duration((behind ?? 0) * SECOND_NS)} after the last write`
        : 'not all of it ever';
      return (
        `with ${plural(params.pairs ?? 1, 'pair')} ${rate(typical(result, ({ sourceRate }) => sourceRate) ?? 0)} written${unhindered === null ? '' : ` (${rate(unhindered)} before)`} and ` +
        `${rate(rateOf(result))} brought over${ratio === null ? '' : ` (${percent(ratio)})`}, ${last}, limited by ${limitText(result)}`
      );
    });
    const once = mode === 'scan-ksn' ? '. A key that is written again before it is read is brought over once' : '';
    return [
      {
        text: `How ${mode} keeps up with the heaviest writing: ${told.join('; ')}${once}${roundsText(own)}`,
        evidence: evidenceOf(own),
      },
    ];
  });
}

/**
 * What each key costs, because modes take different times.
 *
 * @param {BenchmarkResult} benchmark
 * @returns {Finding | null}
 */
function costFinding(benchmark) {
  const own = alone(benchmark, isQuiet);
  if (own.length === 0) return null;
  const told = own.map((result) => {
    const cpu = ['source', 'copy', 'mover'].flatMap((side) => {
      const spent = typical(result, ({ use, seconds, copiedKeys }) => {
        const share = use[/** @type {'source' | 'copy' | 'mover'} */ (side)]?.cpu;
        return share == null || copiedKeys === 0 ? null : (share * seconds) / copiedKeys;
      });
      return spent === null ? [] : `${duration(spent * SECOND_NS)} of the ${side}’s`;
    });
    const sent = sentForEach(result);
    return `${titleOf(result)} ${cpu.join(', ')}${sent === null ? '' : `, and ${bytes(Math.round(sent))} sent by the source`}`;
  });
  return { text: `CPU time and network for each key brought over: ${told.join('; ')}`, evidence: evidenceOf(own) };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding | null}
 */
function effectFinding(benchmark) {
  const own = alone(benchmark, (result) => !isIncremental(result) && !isQuiet(result));
  if (own.length === 0) return null;
  const told = own.map((result) => {
    const [before, during, after] = /** @type {const} */ (['before', 'during', 'after']).map((phase) => {
      const p99 = p99Of(result, phase);
      return p99 === null ? 'too few values to tell' : duration(p99);
    });
    const longest = duration(Math.max(...figuresOf(result).map(({ writers }) => writers?.during.maxNs ?? 0)));
    const copied = typical(result, ({ copyOnWriteBytes }) => copyOnWriteBytes);
    const unsent = result.rounds.reduce((sum, { errors }) => sum + (errors.UNSENT ?? 0), 0);
    return (
      `${titleOf(result)} ${before} before, ${during} during (the longest ${longest}), ${after} after` +
      `${copied === null ? '' : `, ${bytes(copied)} copied on write`}` +
      `${unsent === 0 ? '' : ` (${plural(unsent, 'write')} had been due and not left when it ended, and are in no percentile)`}`
    );
  });
  const asked = typical(own[0], ({ sourceRate }) => sourceRate) ?? 0;
  return {
    text: `What writers of the source notice of a full copy, their p99 at about ${rate(asked)}: ${told.join('; ')}${roundsText(own)}`,
    evidence: evidenceOf(own),
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding | null}
 */
function scalingFinding({ cases }) {
  const scaled = cases.filter((result) => {
    const base = cases.find(({ params }) => params.mode === result.params.mode && params.pairs === 1);
    const whole = isFinished(result) && (base === undefined || isFinished(base));
    return result.summary.relativeToBaseline && result.rounds.length > 0 && whole;
  });
  if (scaled.length === 0) return null;
  const modes = [...new Set(scaled.map(({ params }) => params.mode))];
  const told = modes.map((mode) => {
    const own = scaled.filter(({ params }) => params.mode === mode);
    const each = own.map((result) => {
      const times = result.summary.relativeToBaseline?.throughput.median ?? 0;
      return `${times.toFixed(2)} times with ${result.params.pairs} (limited by ${limitText(result)})`;
    });
    return `${mode} ${each.join(', ')}`;
  });
  return {
    text: `Pairs side by side bring over, of what one pair does: ${told.join('; ')}. All of them share one machine${roundsText(scaled)}`,
    evidence: evidenceOf(scaled),
  };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding | null}
 */
function missedFinding({ cases }) {
  const plain = cases.filter((result) => missesChanges(result) && figuresOf(result).length > 0);
  if (plain.length === 0) return null;
  const told = plain.map((result) => {
    const missed = total(result, differencesOf);
    const keys = total(result, ({ comparison }) => comparison.keys);
    const writes = total(result, ({ writers }) => writers?.during.writes ?? 0);
    return missed === 0
      ? `${titleOf(result)} missed none of ${count(writes)} writes that were made meanwhile, by luck: it notices none`
      : `${titleOf(result)} left ${count(missed)} of ${count(keys)} keys different, of ${count(writes)} writes made meanwhile`;
  });
  const noticing = cases.filter(
    (result) =>
      !missesChanges(result) && figuresOf(result).length > 0 && total(result, ({ sourceRate }) => sourceRate) > 0,
  );
  const wrong = noticing.filter((result) => total(result, differencesOf) > 0);
  const others =
    noticing.length === 0
      ? ''
      : wrong.length === 0
        ? `; every mode that notices changes ended equal (${[...new Set(noticing.map(({ params }) => params.mode))].join(', ')})`
        : `; of the modes that notice changes these did not end equal: ${wrong.map(({ id }) => id).join(', ')}`;
  return { text: `${told.join('; ')}${others}`, evidence: evidenceOf([...plain, ...noticing]) };
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding | null}
 */
function foreignFinding({ cases }) {
  const own = cases.filter((result) => isForeign(result) && total(result, differencesOf) > 0);
  if (own.length === 0) return null;
  const told = own.map((result) => {
    const keys = total(result, ({ comparison }) => comparison.keys);
    return `${titleOf(result)} ${differencesText(result)} of ${count(keys)} keys`;
  });
  return {
    text: `What a program of others copied is not what the source holds: ${told.join('; ')}. By how much an expiry is off was not measured`,
    evidence: evidenceOf(own),
  };
}
