/**
 * What must be so for the persistence benchmark's figures to mean what they say.
 */
import { median } from '../measure/statistics.js';
import { count, percent } from './format.js';
import { primaryOf } from './persistence-figures.js';
import { thresholdSeconds } from './persistence-words.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').NodeUse} NodeUse
 * @typedef {import('./schema.js').Check} Check
 */

/** Work that was to go on all the while did so at least for this share of a typical round. */
const LEAST_SHARE = 0.5;
/** Enough to see what is wrong. */
const SHOWN = 3;

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]} those that say something of what was measured
 */
export function persistenceChecks({ cases }) {
  return [
    filesGrew(cases),
    workWentOn(cases),
    thresholdsReached(cases),
    readsFound(cases),
    nothingResynced(cases),
  ].filter((check) => check !== null);
}

/**
 * @param {string} name
 * @param {number} looked at how many there were
 * @param {string} what they are, plural
 * @param {string[]} wrong
 * @returns {Check | null} null: there were none
 */
function checkOf(name, looked, what, wrong) {
  if (looked === 0) return null;
  const more = wrong.length - SHOWN;
  const detail = [...wrong.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
  return { name, ok: wrong.length === 0, detail: wrong.length === 0 ? `${count(looked)} ${what}` : detail };
}

/**
 * With AOF always what was acknowledged is in the file; else some of it may still be on its way there.
 *
 * @param {CaseResult[]} cases
 */
function filesGrew(cases) {
  const wrong = [];
  let looked = 0;
  for (const { id, params, rounds } of cases) {
    // A rewrite makes the file shorter.
    if ((params.operation ?? 'set') !== 'set' || params.during === 'rewrite') continue;
    for (const [index, { nodes, outcomes }] of rounds.entries()) {
      for (const node of nodes.filter(({ role }) => role !== 'sentinel')) {
        looked++;
        const settings = { ...params.settings, ...(node.role === 'replica' && params.replicaSettings) };
        const least =
          settings.appendonly !== 'yes'
            ? null
            : settings.appendfsync === 'always' && node.role === 'primary'
              ? outcomes.acked * params.payloadBytes
              : 1;
        const trouble = fileTrouble(node, least);
        if (trouble) wrong.push(`${id}, round ${index + 1}, ${node.id}: ${trouble}`);
      }
    }
  }
  return checkOf(
    'with AOF the file grew, with always by at least what was acknowledged, and without AOF it was off',
    looked,
    'files',
    wrong,
  );
}

/**
 * @param {NodeUse} node
 * @param {number | null} least bytes; null: there must be no file
 * @returns {string | null}
 */
function fileTrouble({ counters }, least) {
  if (!counters) return 'its counters are not known';
  const { aofBytes } = counters;
  if (least === null) return aofBytes === null ? null : 'AOF was on';
  if (aofBytes === null) return 'AOF was off';
  return aofBytes >= least ? null : `its file grew by ${count(aofBytes)} of at least ${count(least)} bytes`;
}

/** @param {CaseResult[]} cases */
function workWentOn(cases) {
  const asked = cases.filter(({ params, rounds }) => params.during !== undefined && rounds.length > 0);
  const wrong = asked.flatMap(({ id, rounds }) => {
    const share = median(rounds.map(({ duringShare = 0 }) => duringShare));
    return share >= LEAST_SHARE ? [] : `${id}: ${percent(share)} of the time`;
  });
  return checkOf(
    `a rewrite or snapshot that was to be running ran for at least ${percent(LEAST_SHARE)} of the time`,
    asked.length,
    'cases',
    wrong,
  );
}

/**
 * Redis 6.2 does not count its snapshots, and a round that is shorter than the threshold sees none.
 *
 * @param {CaseResult[]} cases
 */
function thresholdsReached(cases) {
  const asked = cases.flatMap(({ id, params, rounds }) =>
    /** @type {const} */ (['primary', 'replica']).flatMap((role) => {
      const settings = { ...params.settings, ...(role === 'replica' && params.replicaSettings) };
      const own = rounds.filter(({ seconds }) => seconds > thresholdSeconds(settings));
      const saved = own.flatMap(({ nodes }) =>
        nodes.flatMap((node) => (node.role === role ? (node.counters?.snapshots ?? []) : [])),
      );
      return saved.length === 0 ? [] : [{ id: `${id}, ${role}`, saved: Math.max(...saved) }];
    }),
  );
  const wrong = asked.flatMap(({ id, saved }) => (saved > 0 ? [] : id));
  return checkOf('thresholds brought about a snapshot', asked.length, 'cases', wrong);
}

/** @param {CaseResult[]} cases */
function readsFound(cases) {
  const reading = cases.filter(({ params }) => params.operation === 'get');
  let answered = 0;
  const wrong = reading.flatMap(({ id, rounds }) => {
    const own = rounds.map(({ reads }) => reads ?? { answered: 0, misses: 0, failed: 0 });
    const total = (/** @type {'answered' | 'misses' | 'failed'} */ name) =>
      own.reduce((sum, each) => sum + each[name], 0);
    answered += total('answered');
    if (total('answered') > 0 && total('misses') + total('failed') === 0) return [];
    return `${id}: ${count(total('answered'))} answered, ${count(total('misses'))} of them without a value, ${count(total('failed'))} failed`;
  });
  return reading.length === 0 ? null : checkOf('every GET found a value', Math.max(answered, 1), 'reads', wrong);
}

/** @param {CaseResult[]} cases */
function nothingResynced(cases) {
  const paired = cases.filter(({ params }) => params.replicas !== 0);
  const wrong = paired.flatMap(({ id, rounds }) =>
    rounds.flatMap((round, index) => {
      const times = primaryOf(round)?.counters?.fullResyncs;
      if (times === undefined) return `${id}, round ${index + 1}: its counters are not known`;
      return times === 0 ? [] : `${id}, round ${index + 1}: ${times} times`;
    }),
  );
  return checkOf('no replica had to be sent the whole data set during a round', paired.length, 'cases', wrong);
}
