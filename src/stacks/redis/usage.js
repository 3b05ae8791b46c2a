import { KNOWN } from './known.js';

/** @import { CounterTotals } from '../../measure/nodes.js' */
/** @import { Control, MemoryRoom, RemovalCounters } from '../types.js' */

/** @param {Readonly<Record<string, string>>} info @param {string} field @returns ≥ 0; null: the server does not report a number */
export function countIn(info, field) {
  // A managed service may leave fields out, and a server may say anything.
  const count = /^\d+$/.test(info[field] ?? '') ? Number(info[field]) : Number.NaN;
  return Number.isSafeInteger(count) ? count : null;
}

/** @param {Readonly<Record<string, string>>} info all of INFO @returns {CounterTotals} */
export function readCounters(info) {
  const totals = Object.entries(KNOWN.counters).map(([name, field]) => [name, countIn(info, field)]);
  return Object.fromEntries(totals);
}

/** Null: unknown. @param {Pick<Control, 'info'>} control */
export async function sampleCpu(control) {
  const info = await control.info('cpu');
  return {
    cpuSeconds: sum(info.used_cpu_user, info.used_cpu_sys),
    mainThreadCpuSeconds: sum(info.used_cpu_user_main_thread, info.used_cpu_sys_main_thread),
  };
}

/** @param {Pick<Control, 'info'>} control @returns {Promise<{runId: string, memoryBytes: number | null, counters: CounterTotals}>} */
export async function sampleState(control) {
  const info = await control.info();
  return { runId: info.run_id, memoryBytes: countIn(info, 'used_memory_rss'), counters: readCounters(info) };
}

const FLUSHES = ['cmdstat_flushall', 'cmdstat_flushdb'];

/** @param {Pick<Control, 'info'>} control @returns {Promise<RemovalCounters>} */
export async function sampleRemovals(control) {
  const info = await control.info('server', 'stats', 'commandstats', 'keyspace');
  const number = (/** @type {string} */ text = '', /** @type {string} */ field) =>
    Number(new RegExp(`(?:^|,)${field}=(\\d+)`).exec(text)?.[1] ?? 0);
  const databases = Object.keys(info).filter((name) => /^db\d+$/.test(name));
  return {
    runId: info.run_id,
    evicted: countIn(info, 'evicted_keys'),
    expired: countIn(info, 'expired_keys'),
    flushes: FLUSHES.reduce((all, name) => all + number(info[name], 'calls'), 0),
    expiring: databases.reduce((all, name) => all + number(info[name], 'expires'), 0),
  };
}

/** @param {Pick<Control, 'info'>} control @returns {Promise<MemoryRoom>} */
export async function sampleRoom(control) {
  const info = await control.info('memory');
  // The server compares without what it buffers for replicas and for its append-only file.
  const buffered = countIn(info, 'mem_not_counted_for_evict') ?? 0;
  return {
    maxBytes: countIn(info, 'maxmemory') ?? 0,
    usedBytes: Math.max(0, (countIn(info, 'used_memory') ?? 0) - buffered),
    policy: info.maxmemory_policy ?? '',
  };
}

function sum(/** @type {string | undefined} */ user, /** @type {string | undefined} */ system) {
  const seconds = Number(user) + Number(system);
  return Number.isFinite(seconds) ? seconds : null;
}
