/** Repeats the audit of a run from its files, and compares it with the result. */
import { readdir } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { badInput } from '../errors.js';
import { isResultFile, readResult } from '../result/read.js';
import { listWriters, loadWriter } from './files.js';
import { readHistory } from './histories.js';
import { State } from './ledger.js';
import { auditOf } from './verdict.js';

/**
 * @import { ZodType } from 'zod'
 * @import { Ledger } from './ledger.js'
 * @import { AuditResult } from '../result/failure-schema.js'
 * @import { Result } from '../result/schema.js'
 * @import { Suite } from '../run/types.js'
 *
 * @typedef {Object} Rechecked one writer of one trial
 * @property {string} benchmark
 * @property {string} case
 * @property {number} round
 * @property {string} writer
 * @property {AuditResult | null} audit made from the files; null: the nodes were not read, or files are missing
 * @property {LedgerCounts | null} answers that its ledger holds; null: it is missing
 * @property {AuditResult | null} recorded in result.json; null: missing there
 * @property {{field: string, recorded: unknown, audited: unknown}[]} differences `field` is empty if one side is missing altogether;
 *   without a result.json the list is empty
 * @property {string[]} broken safety claims that do not hold
 *
 * @typedef {Pick<AuditResult, 'due' | 'acked' | 'underAcked' | 'rejected' | 'unknown' | 'unsent'>} LedgerCounts
 */

/** Safety claims: fields of the audit that have to be 0 whatever fails, and what another value means. */
const CLAIMS = /** @type {const} */ ({
  rejectedPresent: 'rejected but present',
  unsentPresent: 'never sent but present',
  wrongValue: 'with a wrong value',
  surplus: 'keys that were never written',
});

/**
 * @param {string} folder of a run
 * @param {ZodType<Result>} schema of its result
 * @returns {Promise<{compared: boolean, writers: Rechecked[]}>} compared: there is a result.json; writers: sorted by file name
 * @throws {UserError} exit status 2: the run has no audit, or a file is damaged
 */
export async function recheck(folder, schema) {
  const names = await listWriters(folder);
  if (names.length === 0) {
    throw badInput(
      `${folder} has no audit.`,
      'Name the folder of a run of failure benchmarks, such as results/latest.',
    );
  }
  const recorded = await recordedAudits(folder, schema);
  /** @type {Rechecked[]} */
  const writers = [];
  // One at a time: each may have hundreds of megabytes.
  for (const name of names) {
    const { benchmark, facts, ledger, readings } = await loadWriter(folder, name);
    const audit = readings && auditOf({ ledger, ...readings, ...facts });
    const key = keyOf(benchmark, facts);
    const answers = answersIn(ledger, facts.writes);
    writers.push({
      ...compare({ benchmark, ...facts }, audit, recorded?.get(key) ?? null, recorded !== null),
      answers,
    });
    recorded?.delete(key);
  }
  for (const [key, one] of recorded ?? [])
    writers.push({ ...compare({ ...one, benchmark: key.split('/')[0] }, null, one, true), answers: null });
  return { compared: recorded !== null, writers };
}

/**
 * @param {Pick<Rechecked, 'benchmark' | 'case' | 'round' | 'writer'>} which @param {AuditResult | null} audit
 * @param {AuditResult | null} recorded @param {boolean} compared
 */
function compare({ benchmark, case: id, round, writer }, audit, recorded, compared) {
  const shown = audit ?? recorded;
  return {
    benchmark,
    case: id,
    round,
    writer,
    audit,
    recorded,
    differences: compared ? differencesOf(audit, recorded) : [],
    broken: shown ? brokenClaims(shown) : [],
  };
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
  return Object.entries(CLAIMS)
    .filter(([field]) => audit[/** @type {keyof typeof CLAIMS} */ (field)] > 0)
    .map(([field, what]) => `${audit[/** @type {keyof typeof CLAIMS} */ (field)]} ${what}`);
}

/**
 * @param {string} folder @param {ZodType<Result>} schema
 * @returns {Promise<Map<string, AuditResult> | null>} null: the run did not finish, so it has no result.json
 */
async function recordedAudits(folder, schema) {
  if (!(await readdir(folder)).some(isResultFile)) return null;
  const { benchmarks } = await readResult(folder, schema);
  return new Map(
    benchmarks.flatMap(({ name, audit = [] }) =>
      audit.map((one) => /** @type {[string, AuditResult]} */ ([keyOf(name, one), one])),
    ),
  );
}

/** @param {string} benchmark without a slash @param {Pick<AuditResult, 'case' | 'round' | 'writer'>} facts */
function keyOf(benchmark, { case: id, round, writer }) {
  return `${benchmark}/${id}/${round}/${writer}`;
}

/** @param {Ledger} ledger @param {number} writes */
function answersIn({ states }, writes) {
  const times = new Uint32Array(Object.keys(State).length);
  for (const state of states.subarray(0, writes)) times[state]++;
  return {
    due: writes,
    acked: times[State.acked],
    underAcked: times[State.underAcked],
    rejected: times[State.rejected],
    unknown: times[State.unknown],
    unsent: times[State.unsent] + times[State.none],
  };
}

/**
 * @typedef {Object} RecheckedHistories
 * @property {number} counted histories whose figures were counted again
 * @property {string[]} differ what differs, each with its place
 */

/**
 * Counts again what worked beside the writers, from its histories.
 * @param {string} folder of a run with a result
 * @param {ZodType<Result>} schema of its result
 * @param {readonly Pick<Suite, 'benchmarks' | 'histories'>[]} suites
 * @returns {Promise<RecheckedHistories>}
 * @throws {UserError} exit status 2: a history is damaged
 */
export async function recheckHistories(folder, schema, suites) {
  const { benchmarks } = await readResult(folder, schema);
  /** @type {RecheckedHistories} */
  const found = { counted: 0, differ: [] };
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
          if (!isDeepStrictEqual(again, figures))
            found.differ.push(
              `${benchmark}/${id}, round ${index + 1}, ${name}: ${again ? 'figures differ' : 'missing'}`,
            );
        }
  }
  return found;
}
