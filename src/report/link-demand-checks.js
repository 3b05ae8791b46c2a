/**
 * What the benchmark `link-demand` claims of its own rounds, and what can fail.
 */
import { count, percent } from './format.js';
import { demandOf, exactBytes, isMix } from './link-demand.js';

/**
 * @typedef {import('./schema.js').BenchmarkResult} BenchmarkResult
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('./schema.js').Check} Check
 */

/** So much of a difference between rates is chance: which write comes last. */
const SAME_SHARE = 0.01;
/** The stream and the wire are not read in the same instant: a PING that comes between is less than this a write. */
const PING_BYTES = 0.05;
/** Commands of the stream that are a write of the client's each. EXPIRE is replicated as the time it stands for. */
const WRITE_COMMANDS = ['set', 'incr', 'incrby', 'hincrby', 'expire', 'expireat', 'pexpire', 'pexpireat'];

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Check[]}
 */
export function demandChecks({ cases }) {
  return [
    check('the stream has at least what was written', cases, (result) => {
      if (isMix(result)) return null;
      const demand = demandOf(result);
      const least = result.params.payloadBytes;
      return !demand ? 'nothing was replicated' : demand.perWrite >= least ? null : exactBytes(demand.perWrite);
    }),
    check('the replica executed every write', cases, (result) => {
      const { executed = {}, writes = 0 } = demandOf(result) ?? {};
      const calls = WRITE_COMMANDS.reduce((sum, name) => sum + (executed[name] ?? 0), 0);
      return calls === writes && writes > 0 ? null : `${count(calls)} of ${count(writes)}`;
    }),
    check('the wire carried the stream', cases, (result) => {
      const { wirePerWrite = null, perWrite = 0 } = demandOf(result) ?? {};
      if (wirePerWrite === null) return 'the wire was not counted';
      return wirePerWrite > perWrite - PING_BYTES ? null : `${percent(wirePerWrite / perWrite)} of it`;
    }),
    sameAtEveryRate(cases),
  ];
}

/**
 * Else what is told for other rates would not follow from the bytes of a write.
 *
 * @param {readonly CaseResult[]} cases
 * @returns {Check}
 */
function sameAtEveryRate(cases) {
  const perWrite = cases.filter(isMix).flatMap((result) => demandOf(result)?.perWrite ?? []);
  const [low, high] = [Math.min(...perWrite), Math.max(...perWrite)];
  return {
    name: 'a write of the mix takes the same at every rate',
    ok: perWrite.length > 0 && high <= low * (1 + SAME_SHARE),
    detail: perWrite.length === 0 ? 'nothing was measured' : perWrite.map(exactBytes).join(', '),
  };
}

/**
 * @param {string} name
 * @param {readonly CaseResult[]} cases
 * @param {(result: CaseResult) => string | null} wrong null: nothing
 * @returns {Check}
 */
function check(name, cases, wrong) {
  const failed = cases.flatMap((result) => {
    const what = wrong(result);
    return what === null ? [] : [`${result.id}: ${what}`];
  });
  return {
    name,
    ok: cases.length > 0 && failed.length === 0,
    detail:
      failed.length > 0 ? failed.join('; ') : cases.length === 0 ? 'nothing was measured' : `${cases.length} cases`,
  };
}
