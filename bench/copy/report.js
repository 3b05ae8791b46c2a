/**
 * The findings and checks of the benchmark `copy`.
 *
 * @import { BenchmarkResult, CaseResult, Check, Finding } from '../../src/result/schema.js'
 */

import { bytes, count, duration, interval, percent, plural, rate } from '../../src/format.js';
import { checkMeasured } from '../../src/report/checks.js';
import { finding, oneFinding, roundsText } from '../../src/report/findings.js';
import { sum } from '../../src/stats/statistics.js';
import { NS_A_SECOND } from '../../src/units.js';
import {
  differencesOf,
  differencesText,
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

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]}
 */
export function copyFindings({ cases }) {
  const copied = cases.filter((result) => figuresOf(result).length > 0);
  return [
    fillingFinding(fastest({ cases })),
    ...copied.filter(missesChanges).map(missedFinding),
    noticedFinding(copied.filter((result) => noticesChanges(result) && isWritten(result))),
    ...copied.filter((result) => isIncremental(result) && result.params.pairs === 1).map(keepingUpFinding),
    effectFinding(alone({ cases }, (result) => !isIncremental(result) && isWritten(result))),
    costFinding(fastest({ cases })),
    scalingFinding(cases),
    ...copied.filter((result) => isForeign(result) && total(result, differencesOf) > 0).map(foreignFinding),
    unsentFinding(cases),
  ].filter((each) => each !== null);
}

/** @param {CaseResult} result */
const isScan = ({ params }) => params.mover?.includes('scan') ?? false;
/** @param {CaseResult} result */
const isWritten = (result) => total(result, ({ sourceRate }) => sourceRate) > 0;
/** @param {CaseResult} result a mode of Redis or of this tool */
const noticesChanges = (result) => !missesChanges(result) && !isForeign(result);
/** @param {CaseResult} result */
const comparedIn = (result) => total(result, ({ comparison }) => comparison.keys);

/**
 * @param {Pick<BenchmarkResult, 'cases'>} benchmark
 * @param {(result: CaseResult) => boolean} choose
 * @returns {CaseResult[]} finished ones of one pair, the fastest first
 */
function alone({ cases }, choose) {
  return cases
    .filter(
      (result) => result.params.pairs === 1 && figuresOf(result).length > 0 && isFinished(result) && choose(result),
    )
    .sort((a, b) => rateOf(b) - rateOf(a));
}

/**
 * @param {Pick<BenchmarkResult, 'cases'>} benchmark
 * @returns {CaseResult[]} the fastest full sync and the fastest SCAN without writers
 */
export function fastest(benchmark) {
  const candidates = alone(benchmark, (result) => !isIncremental(result) && !isWritten(result) && !isForeign(result));
  return [candidates.find((result) => !isScan(result)), candidates.find(isScan)].flatMap((result) => result ?? []);
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null}
 */
function fillingFinding(cases) {
  if (cases.length < 2) return null;
  const speeds = cases.map((result) => {
    const speed = spread(result, ({ copyRate }) => copyRate);
    return `${modeTitle(result)} at ${speed ? interval(speed, rate) : ''}`;
  });
  const keys = count(typical(cases[0], ({ keysBefore }) => keysBefore) ?? 0);
  return finding(
    'filling',
    `Fastest ways to fill an empty node with ${keys} keys: ${speeds.join(', ')} (${roundsText(cases[0].rounds.length)})`,
    cases,
  );
}

/** @param {CaseResult} result of a mode that does not notice changes */
function missedFinding(result) {
  const missed = total(result, differencesOf);
  const found = missed === 0 ? 'no key' : `${count(missed)} of ${count(comparedIn(result))} keys`;
  const writes = count(total(result, ({ writers }) => writers?.during.writes));
  const why = missed === 0 ? '; it cannot see changes behind its cursor' : '';
  return finding(
    `missed-${result.id}`,
    `SCAN without notifications left ${found} different while ${writes} writes were made${why}`,
    [result],
  );
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null}
 */
function noticedFinding(cases) {
  if (cases.length === 0) return null;
  const wrong = cases.filter((result) => total(result, differencesOf) > 0).map(({ id }) => id);
  const keys = count(sum(cases.map(comparedIn)));
  return finding(
    'noticed',
    wrong.length === 0
      ? `Full sync, replication and SCAN with notifications of this tool left 0 of ${keys} keys different under writes`
      : oneFinding('Modes that notice changes and still left differences: ', wrong),
    cases,
  );
}

/** @param {CaseResult} result of new writes */
function keepingUpFinding(result) {
  const ratio = ratioOf(result);
  const written = rate(typical(result, ({ sourceRate }) => sourceRate) ?? 0).replace(/ ?\/s$/, ' writes/s');
  const behind = typical(result, ({ behindSeconds }) => behindSeconds) ?? 0;
  const last = isFinished(result)
    ? `the last arrived ${duration(behind * NS_A_SECOND)} after the writers stopped`
    : 'the rest never arrived';
  const share = ratio === null ? rate(rateOf(result)) : percent(ratio);
  const n = roundsText(result.rounds.length);
  return finding(
    `keeping-up-${result.id}`,
    `${result.params.copyMode} copied ${share} of ${written} in the same time; ${last} (${n})`,
    [result],
  );
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null}
 */
function effectFinding(cases) {
  const effects = cases.flatMap((result) => {
    const [before, during] = [p99Of(result, 'before'), p99Of(result, 'during')];
    return before === null || during === null ? [] : { result, before, during };
  });
  const [worst] = effects.toSorted((a, b) => b.during - a.during);
  if (!worst) return null;
  const { result, before, during } = worst;
  const written = rate(typical(result, ({ sourceRate }) => sourceRate) ?? 0);
  const longest = Math.max(...figuresOf(result).map(({ writers }) => writers?.during.maxNs ?? 0));
  return finding(
    'effect',
    `Writers at ${written} notice ${modeTitle(result)} most: response-time p99 ${duration(before)} before, ${duration(during)} during, ` +
      `longest ${duration(longest)}`,
    cases,
  );
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null} for each key, because modes take different times
 */
function costFinding(cases) {
  if (cases.length === 0) return null;
  const costs = cases.map((result) => {
    const cpu = /** @type {const} */ (['source', 'copy', 'mover']).map(
      (side) =>
        typical(result, ({ use, seconds, copiedKeys }) => {
          const share = use[side]?.cpu;
          return share == null || copiedKeys === 0 ? null : (share * seconds) / copiedKeys;
        }) ?? 0,
    );
    const sent = sentForEach(result);
    const network = sent === null ? '' : ` and ${bytes(Math.round(sent))} sent by the source`;
    return `${modeTitle(result)} ${duration(sum(cpu) * NS_A_SECOND)} of CPU${network}`;
  });
  return finding('cost', `A key costs: ${costs.join('; ')}`, cases);
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null}
 */
function scalingFinding(cases) {
  const most = Math.max(...cases.map(({ params }) => params.pairs ?? 1));
  const scaled = cases.flatMap((result) => {
    const ratio = result.summary.relativeToBaseline?.throughput.median;
    const base = cases.find(({ params }) => params.copyMode === result.params.copyMode && params.pairs === 1);
    const whole = result.rounds.length > 0 && isFinished(result) && (!base || isFinished(base));
    return ratio !== undefined && whole && result.params.pairs === most ? { result, ratio } : [];
  });
  if (scaled.length === 0) return null;
  const results = scaled.map(({ result }) => result);
  const limits = [...new Set(results.map(limitOf))].join(', ');
  const ratios = scaled.map(({ result, ratio }) => `${result.params.copyMode} ${ratio.toFixed(2)}×`);
  return finding(
    'scaling',
    `${most} pairs on one machine copy, against one: ${ratios.join(', ')} (limited by: ${limits})`,
    results,
  );
}

/** @param {CaseResult} result of another program */
function foreignFinding(result) {
  return finding(
    `foreign-${result.id}`,
    `${modeTitle(result)} left differences in ${count(comparedIn(result))} keys: ${differencesText(result)}`,
    [result],
  );
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {Finding | null} writes that are in no percentile
 */
function unsentFinding(cases) {
  const unsent = (/** @type {CaseResult} */ { rounds }) => sum(rounds.map(({ errors }) => errors.UNSENT ?? 0));
  const lateCases = cases.filter((result) => unsent(result) > 0);
  if (lateCases.length === 0) return null;
  return finding(
    'unsent',
    `${plural(sum(lateCases.map(unsent)), 'write')} were due and had not left when a copy ended; they are in no percentile`,
    lateCases,
  );
}

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
