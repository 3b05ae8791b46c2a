/**
 * Checks that the server did what each persistence case asks for.
 *
 * @import { BenchmarkResult, CaseResult, Check, NodeUse } from '../../src/result/schema.js'
 */
import { count, percent } from '../../src/report/format.js';
import { median } from '../../src/stats/statistics.js';
import { primaryOf } from './figures.js';
import { thresholdSeconds } from './modes.js';

/** A rewrite or snapshot has to run for at least this share of a typical round. */
const LEAST_SHARE = 0.5;
/** A failed check names at most this many cases. */
const SHOWN = 3;

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]} those that apply to the measured cases
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
 * @param {number} looked how many were checked
 * @param {string} what was checked, plural
 * @param {string[]} wrong
 * @returns {Check | null} null: nothing to check
 */
function checkOf(name, looked, what, wrong) {
  if (looked === 0) return null;
  const more = wrong.length - SHOWN;
  const detail = [...wrong.slice(0, SHOWN), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
  return { name, ok: wrong.length === 0, detail: wrong.length === 0 ? `${count(looked)} ${what}` : detail };
}

/**
 * With AOF always every acknowledged write is in the file; with the other modes some may still be in memory.
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
    'the append-only file grew where AOF was on, with always by every acknowledged write, and was off elsewhere',
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
    `the rewrite or snapshot of a case ran for at least ${percent(LEAST_SHARE)} of the time`,
    asked.length,
    'cases',
    wrong,
  );
}

/**
 * Redis 6.2 does not count its snapshots, and a round shorter than the threshold has none.
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
  return checkOf('the thresholds started a snapshot', asked.length, 'cases', wrong);
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
  return checkOf('no replica needed a full resync during a round', paired.length, 'cases', wrong);
}
