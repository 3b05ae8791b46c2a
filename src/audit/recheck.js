/**
 * Repeats the audit of a run from its files, and compares it with the result.
 * @import { ZodType } from 'zod'
 * @import { AuditResult } from '../result/failure-schema.js'
 * @import { Result } from '../result/schema.js'
 * @import { Suite } from '../run/types.js'
 * @import { LedgerCounts } from './ledger.js'
 * @typedef {Pick<AuditResult, 'case' | 'round' | 'writer'>} Place
 * @typedef {Object} Rechecking of one writer of one trial
 * @property {string} benchmark
 * @property {AuditResult | null} audit made from the files; null: the nodes were not read, or files are missing
 * @property {LedgerCounts | null} answers that its ledger holds; null: it is missing
 * @property {AuditResult | null} recorded in result.json; null: missing there
 * @property {{field: string, recorded: unknown, audited: unknown}[]} differences `field` is empty if one side is missing altogether;
 *   without a result.json the list is empty
 * @property {string[]} broken safety claims that do not hold
 * @typedef {Place & Rechecking} Rechecked
 */
import { readdir } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { badInput } from '../errors.js';
import { isResultFile, readResult } from '../result/read.js';
import { listWriters, loadWriter } from './files.js';
import { readHistory } from './histories.js';
import { countStates } from './ledger.js';
import { auditOf } from './verdict.js';

/** Safety claims: fields of the audit that have to be 0 whatever fails, and what another value means. */
const CLAIMS = /** @type {const} */ ({
  rejectedPresent: 'rejected but present',
  unsentPresent: 'never sent but present',
  wrongValue: 'with a wrong value',
  surplus: 'keys that were never written',
});

/**
 * @param {string} folder of a run @param {ZodType<Result>} schema of its result
 * @returns {Promise<{compared: boolean, writers: Rechecked[]}>} compared: there is a result.json; writers: sorted by file name
 * @throws {UserError} exit status 2: the run has no audit, or a file is damaged
 */
export async function recheck(folder, schema) {
  const names = await listWriters(folder);
  if (names.length === 0) {
    const remedy = 'Name the folder of a run of failure benchmarks, such as results/latest.';
    throw badInput(`${folder} has no audit.`, remedy);
  }
  const recorded = await recordedAudits(folder, schema);
  /** @type {Rechecked[]} */
  const writers = [];
  // One at a time: each may have hundreds of megabytes.
  for (const name of names) {
    const { benchmark, facts, ledger, readings } = await loadWriter(folder, name);
    const audit = readings && auditOf({ ledger, ...readings, ...facts });
    const key = keyOf(benchmark, facts);
    const compared = compare(audit, recorded?.get(key) ?? null, recorded !== null);
    writers.push({ benchmark, ...placeOf(facts), ...compared, answers: countStates(ledger, facts.writes) });
    recorded?.delete(key);
  }
  for (const [key, one] of recorded ?? [])
    writers.push({ benchmark: key.split('/')[0], ...placeOf(one), ...compare(null, one, true), answers: null });
  return { compared: recorded !== null, writers };
}

/** @param {Place} facts @returns {Place} */
function placeOf({ case: id, round, writer }) {
  return { case: id, round, writer };
}

/** @param {AuditResult | null} audit @param {AuditResult | null} recorded @param {boolean} hasResult */
function compare(audit, recorded, hasResult) {
  const shown = audit ?? recorded;
  const differences = hasResult ? differencesOf(audit, recorded) : [];
  return { audit, recorded, differences, broken: shown ? brokenClaims(shown) : [] };
}

/** @param {AuditResult | null} audit @param {AuditResult | null} recorded */
function differencesOf(audit, recorded) {
  if (!audit || !recorded) {
    return audit === recorded ? [] : [{ field: '', recorded: recorded !== null, audited: audit !== null }];
  }
  // Through JSON, as the recorded one was.
  const audited = /** @type {Record<string, unknown>} */ (JSON.parse(JSON.stringify(audit)));
  return Object.entries(recorded)
    .filter(([field, value]) => !isDeepStrictEqual(value, audited[field]))
    .map(([field, value]) => ({ field, recorded: value, audited: audited[field] }));
}

/** @param {AuditResult} audit */
function brokenClaims(audit) {
  const claims = /** @type {[keyof typeof CLAIMS, string][]} */ (Object.entries(CLAIMS));
  return claims.flatMap(([field, what]) => (audit[field] > 0 ? `${audit[field]} ${what}` : []));
}

/**
 * @param {string} folder @param {ZodType<Result>} schema
 * @returns {Promise<Map<string, AuditResult> | null>} null: the run did not finish, so it has no result.json
 */
async function recordedAudits(folder, schema) {
  if (!(await readdir(folder)).some(isResultFile)) return null;
  const { benchmarks } = await readResult(folder, schema);
  const all = benchmarks.flatMap(({ name, audit = [] }) => audit.map((one) => ({ key: keyOf(name, one), one })));
  return new Map(all.map(({ key, one }) => [key, one]));
}

/** @param {string} benchmark without a slash @param {Place} facts */
function keyOf(benchmark, { case: id, round, writer }) {
  return `${benchmark}/${id}/${round}/${writer}`;
}

/**
 * Counts again what worked beside the writers, from its histories. @param {string} folder of a run with a result
 * @param {ZodType<Result>} schema of its result @param {readonly Pick<Suite, 'benchmarks' | 'histories'>[]} suites
 * @returns {Promise<{counted: number, differ: string[]}>} counted: histories whose figures were counted again; differ: the places that do
 * @throws {UserError} exit status 2: a history is damaged
 */
export async function recheckHistories(folder, schema, suites) {
  const { benchmarks } = await readResult(folder, schema);
  const found = { counted: 0, differ: /** @type {string[]} */ ([]) };
  for (const { name: benchmark, cases } of benchmarks) {
    const histories = suites.find((suite) => suite.benchmarks.some(({ name }) => name === benchmark))?.histories;
    if (!histories) continue;
    for (const { id, rounds } of cases)
      for (const [index, round] of rounds.entries())
        for (const { name, figures } of histories.recorded(round)) {
          const which = { benchmark, case: id, round: index + 1, name };
          const lines = await readHistory(folder, which);
          const again = lines && histories.count(name, lines);
          found.counted++;
          if (isDeepStrictEqual(again, figures)) continue;
          found.differ.push(`${benchmark}/${id}, round ${index + 1}, ${name}: ${again ? 'figures differ' : 'missing'}`);
        }
  }
  return found;
}
