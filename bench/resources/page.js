/** @import { CaseFigures, ColumnSpec, Result, TableBlock, TemplateData } from '../types.js' */
import { figure, rowsOf } from '../../src/facts/query.js';
import { plural } from '../../src/format.js';
import { othersShare } from '../../src/report/resources.js';
import { FORMATS, tableOf } from '../../src/report/specs.js';
import { NOT_MEASURED } from '../../src/report/trials/figures.js';
import { suiteTerms } from '../facts.js';

/** A share of all cores. An idle system and rounding use far less. */
const MUCH = 0.15;
/** From this share of all cores on nodes and load wait for a core. */
const FULL = 0.9;
/** By operation. @type {Readonly<Record<string, string>>} */
const ACTIVITIES = Object.freeze({ idle: 'idle', set: 'writing', get: 'reading' });

/** @param {Pick<CaseFigures, 'params'>} row @returns {string} such as `2 replicas, WAIT 1` */
export function nodesTitle({ params: { replicas = 0, wait, operation = 'set' } }) {
  const nodes = replicas === 0 ? 'primary alone' : plural(replicas, 'replica');
  return operation === 'set' && wait > 0 ? `${nodes}, WAIT ${wait}` : nodes;
}

/** @type {readonly ColumnSpec[]} */
export const COLUMNS = [
  { title: 'nodes', text: nodesTitle },
  { title: '', text: ({ params }) => ACTIVITIES[params.operation ?? 'set'] },
  { title: 'operations/s', text: (row) => FORMATS.rate(loaded(row, 'throughput')), align: 'right' },
  { title: 'p99', text: (row) => FORMATS.ms(loaded(row, 'p99-service-time-all')), align: 'right' },
  { title: 'primary CPU', metric: 'primary-cpu', format: 'percent' },
  { title: 'replicas CPU', metric: 'replica-cpu', format: 'percent' },
  { title: 'machine CPU', metric: 'machine-cpu', format: 'percent' },
  { title: 'primary sent/s', text: (row) => FORMATS.bytes(aSecond(row, 'primary-network-out')), align: 'right' },
  { title: 'replicas sent/s', text: (row) => FORMATS.bytes(aSecond(row, 'replica-network-out')), align: 'right' },
  { title: 'primary memory', metric: 'primary-memory', format: 'bytes' },
];

/** @param {Result} result @returns {TemplateData & {tables: Record<string, TableBlock>}} */
export function pageData(result) {
  const [benchmark] = result.benchmarks;
  const rows = rowsOf(result, suiteTerms);
  const [alone, ...replicated] = doing(rows, 'set');
  const others = Math.max(0, ...benchmark.cases.map((one) => othersShare(one, result.environment.cores) ?? 0));
  return {
    measured: rows.length,
    reading: movedReads(rows),
    alone: alone && alone.params.replicas === 0 ? writing(alone) : null,
    writes: replicated.map(writing),
    stream: streamOf(replicated),
    payload: rows[0]?.params.payloadBytes ?? null,
    others: others < MUCH ? null : others,
    full: doing(rows, 'set').some((row) => (figure(row, 'machine-cpu') ?? 0) >= FULL),
    tables: { use: tableOf(COLUMNS, rows) },
  };
}

/** @param {readonly CaseFigures[]} rows @param {'set' | 'get' | 'idle'} operation @returns {CaseFigures[]} the fewest replicas first */
function doing(rows, operation) {
  return rows
    .filter(({ params }) => (params.operation ?? 'set') === operation)
    .sort((a, b) => (a.params.replicas ?? 0) - (b.params.replicas ?? 0));
}

/** @param {CaseFigures} row @param {string} metric @returns {number | null} null: idle, or not measured */
const loaded = (row, metric) => (row.params.operation === 'idle' ? null : figure(row, metric));

/** @param {CaseFigures} row @param {string} metric of bytes in a round */
function aSecond(row, metric) {
  const [bytes, seconds] = [figure(row, metric), figure(row, 'seconds')];
  return bytes === null || !seconds ? null : bytes / seconds;
}

/** CPU of the primary before and after reads moved to the replicas; undecided: the rates’ intervals overlap. @param {readonly CaseFigures[]} rows */
function movedReads(rows) {
  const [alone, routed] = doing(rows, 'get');
  if (alone?.params.replicas !== 0 || routed === undefined) return null;
  const [before, after] = [alone, routed].map((row) => figure(row, 'primary-cpu'));
  const [base, rate] = [alone, routed].map((row) => FORMATS.rate(figure(row, 'throughput')));
  const [{ low, high }, other] = [alone, routed].map(({ of }) => of.throughput);
  const undecided = Number(low) <= Number(other.high) && Number(other.low) <= Number(high);
  return { replicas: routed.params.replicas ?? 0, before, after, rate, base, undecided };
}

/** @param {CaseFigures} row */
function writing(row) {
  const [rate, cpu] = [figure(row, 'throughput'), figure(row, 'primary-cpu')];
  const ms = rate === null || cpu === null || rate === 0 ? null : (1000 * cpu) / rate;
  return { title: nodesTitle(row), rate, cpuMs: ms === null ? NOT_MEASURED : FORMATS.ms(ms) };
}

/** @param {readonly CaseFigures[]} rows @returns {number | null} bytes that a write sends to each replica; null: the server does not count them */
function streamOf(rows) {
  const each = rows.flatMap((row) => {
    const [sent, writes] = [figure(row, 'primary-replication-out'), figure(row, 'acked')];
    return sent === null || !writes ? [] : sent / writes / (row.params.replicas ?? 1);
  });
  return each.length === 0 ? null : Math.round(Math.max(...each));
}
