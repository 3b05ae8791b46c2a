/** Checks that the server did what each persistence case asks for. */
/** @import { BenchmarkResult, CaseResult, Check } from '../types.js' */
/** @import { NodeUse } from '../../src/result/schema.js' */

import { count, percent } from '../../src/format.js';
import { checkMeasured } from '../../src/report/checks.js';
import { median, sum } from '../../src/stats/statistics.js';
import { rewritesItself, thresholdSeconds } from './modes.js';

/** A rewrite or snapshot has to run for at least this share of a typical round. */
const LEAST_SHARE = 0.5;

/** @param {BenchmarkResult} benchmark @returns {Check[]} those that apply to the measured cases */
export function persistenceChecks({ cases }) {
  return [
    ...filesGrew(cases),
    ...workWentOn(cases),
    ...thresholdsReached(cases),
    ...readsFound(cases),
    ...nothingResynced(cases),
  ];
}

/** With AOF always every acknowledged write is in the file; with the other modes some may still be in memory. @param {CaseResult[]} cases */
function filesGrew(cases) {
  // A rewrite makes the file shorter.
  const writing = cases.filter(
    ({ params }) =>
      (params.operation ?? 'set') === 'set' && params.during !== 'rewrite' && !rewritesItself(params.settings),
  );
  const files = writing.flatMap(({ id, params, rounds }) =>
    rounds.flatMap(({ nodes, outcomes }, index) =>
      nodes
        .filter(({ role }) => role !== 'sentinel')
        .map((node) => {
          const settings = { ...params.settings, ...(node.role === 'replica' && params.replicaSettings) };
          const always = settings.appendfsync === 'always' && node.role === 'primary';
          const least = always ? outcomes.acked * params.payloadBytes : 1;
          const trouble = fileTrouble(node, settings.appendonly === 'yes' ? least : null);
          return { id: `${id}, round ${index + 1}, ${node.id}`, trouble };
        }),
    ),
  );
  return checkMeasured(
    'the append-only file grew where AOF was on, with always by every acknowledged write, and was off elsewhere',
    files,
    ({ trouble }) => trouble,
    { well: () => `${count(files.length)} files` },
  );
}

/** @param {NodeUse} node @param {number | null} least bytes; null: there must be no file */
function fileTrouble({ counters }, least) {
  if (!counters) return 'its counters are not known';
  const { aofBytes } = counters;
  if (least === null) return aofBytes === null ? null : 'AOF was on';
  if (aofBytes === null) return 'AOF was off';
  return aofBytes >= least ? null : `its file grew by ${count(aofBytes)} of at least ${count(least)} bytes`;
}

/** @param {CaseResult[]} cases */
function workWentOn(cases) {
  const busyCases = cases.filter(({ params, rounds }) => params.during !== undefined && rounds.length > 0);
  return checkMeasured(
    `the rewrite or snapshot of a case ran for at least ${percent(LEAST_SHARE)} of the time`,
    busyCases,
    ({ rounds }) => {
      const share = median(rounds.map(({ duringShare = 0 }) => duringShare));
      return share >= LEAST_SHARE ? null : `${percent(share)} of the time`;
    },
    { well: () => `${count(busyCases.length)} cases` },
  );
}

/** Redis 6.2 does not count its snapshots. Redis counts whole seconds, so a round needs one more. Reads reach no threshold. @param {CaseResult[]} cases */
function thresholdsReached(cases) {
  const writing = cases.filter(({ params }) => params.operation === 'set' || (params.backgroundConnections ?? 0) > 0);
  const expected = writing.flatMap(({ id, params, rounds }) =>
    /** @type {const} */ (['primary', 'replica']).flatMap((role) => {
      const settings = { ...params.settings, ...(role === 'replica' && params.replicaSettings) };
      const longRounds = rounds.filter(({ seconds }) => seconds > thresholdSeconds(settings) + 1);
      const saved = longRounds.flatMap(({ nodes }) =>
        nodes.flatMap((node) => (node.role === role ? (node.counters?.snapshots ?? []) : [])),
      );
      return saved.length === 0 ? [] : [{ id: `${id}, ${role}`, saved: Math.max(...saved) }];
    }),
  );
  return checkMeasured(
    'the thresholds started a snapshot',
    expected,
    ({ saved }) => (saved > 0 ? null : 'no snapshot'),
    {
      well: () => `${count(expected.length)} cases`,
    },
  );
}

/** @param {CaseResult[]} cases */
function readsFound(cases) {
  const reading = cases
    .filter(({ params }) => params.operation === 'get')
    .map(({ id, rounds }) => {
      const total = (/** @type {'answered' | 'misses' | 'failed'} */ name) =>
        sum(rounds.map(({ reads }) => reads?.[name] ?? 0));
      return { id, answered: total('answered'), misses: total('misses'), failed: total('failed') };
    });
  return checkMeasured(
    'every GET found a value',
    reading,
    ({ answered, misses, failed }) =>
      answered > 0 && misses + failed === 0
        ? null
        : `${count(answered)} answered, ${count(misses)} of them without a value, ${count(failed)} failed`,
    { well: () => `${count(sum(reading.map(({ answered }) => answered)))} reads` },
  );
}

/** @param {CaseResult[]} cases */
function nothingResynced(cases) {
  const paired = cases.filter(({ params }) => params.replicas !== 0);
  const rounds = paired.flatMap(({ id, rounds: measuredRounds }) =>
    measuredRounds.map((round, index) => ({
      id: `${id}, round ${index + 1}`,
      times: round.nodes.find(({ role }) => role === 'primary')?.counters?.fullResyncs,
    })),
  );
  return checkMeasured(
    'no replica needed a full resync during a round',
    rounds,
    ({ times }) => (times === undefined ? 'its counters are not known' : times === 0 ? null : `${times} times`),
    { well: () => `${count(paired.length)} cases` },
  );
}
