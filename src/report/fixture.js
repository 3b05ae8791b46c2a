/** For tests only: a small result with realistic figures. */

import { inflateSync } from 'node:zlib';
import { SCHEMA_ID } from '../result/schema.js';
import { encodeHistogram, latencyOf, newHistogram } from '../stats/histogram.js';
import { randomFrom } from '../stats/random.js';
import { summarise } from '../stats/summary.js';

/**
 * @import { CaseParams, CaseResult, NodeCounters, Result, RoundResult } from '../result/schema.js'
 * @import { Figures } from './document.js'
 * @import { Chart } from './charts/chart.js'
 */

const STARTED_AT = Date.UTC(2025, 10, 20, 18, 24, 5);

/** @type {CaseParams} */
const PARAMS = {
  client: 'native',
  wait: 0,
  waitTimeoutMs: 1000,
  waitMode: 'pipelined',
  payloadBytes: 64,
  pipeline: 1,
  connections: 1,
};

/** Values in a histogram that differ. More would take long to record. */
const DISTINCT = 100;

/** Tests ask for the same rounds again. @type {Map<string, {latencyNs: RoundResult['latencyNs'], histogram: string}>} */
const histograms = new Map();

/** @param {number} writes @param {number} medianNs @param {number} seed */
function histogramOf(writes, medianNs, seed) {
  const key = `${writes} ${medianNs} ${seed}`;
  const cached = histograms.get(key);
  if (cached) return cached;
  const random = randomFrom(seed);
  const histogram = newHistogram();
  for (let i = 0; i < DISTINCT; i++) {
    const times = Math.floor((writes * (i + 1)) / DISTINCT) - Math.floor((writes * i) / DISTINCT);
    const ns = Math.round(medianNs * (0.5 + Math.log2(2 / (1 - random())) / 4));
    if (times > 0) histogram.recordValueWithCount(ns, times);
  }
  const made = { latencyNs: latencyOf(histogram), histogram: encodeHistogram(histogram) };
  histograms.set(key, made);
  return made;
}

/**
 * @param {Partial<RoundResult> & {writes?: number, medianNs?: number, seed?: number}} [what] writes: acked ones
 * @returns {RoundResult} of one second, with a skewed histogram of service times
 */
export function roundOf({ writes = 20_000, medianNs = 45_000, seed = 1, ...round } = {}) {
  const { latencyNs, histogram } = histogramOf(writes, medianNs, seed);
  return {
    startedAt: new Date(STARTED_AT + seed * 1100).toISOString(),
    seconds: 1,
    operations: writes,
    throughput: writes,
    outcomes: { acked: writes, underAcked: 0, rejected: 0, unknown: 0 },
    errors: {},
    latencyNs: { ...latencyNs },
    histogram,
    load: { cpu: 0.45, eventLoopUtilization: 0.5 },
    machineCpu: 0.6,
    nodes: [
      { id: 'redis-1', role: 'primary', cpu: 0.5, mainThreadCpu: 0.48, memoryBytes: 12_000_000 },
      { id: 'redis-2', role: 'replica', cpu: 0.12, mainThreadCpu: 0.1, memoryBytes: 11_000_000 },
    ],
    ...round,
  };
}

/**
 * @param {string} id
 * @param {Partial<CaseParams>} params
 * @param {RoundResult[]} rounds
 * @param {CaseResult} [baseline]
 * @returns {CaseResult}
 */
export function caseOf(id, params, rounds, baseline) {
  return {
    id,
    params: { ...PARAMS, ...params },
    rounds,
    summary: summarise(rounds, baseline?.rounds ?? null, { baselineId: baseline?.id, seed: 1 }),
  };
}

/** Five rounds whose throughput wavers by a few percent; WAIT 1 takes about 46% of it. @returns {Result} */
export function resultOf() {
  const wavering = [1, 0.97, 1.02, 0.99, 1.01];
  const rounds = (/** @type {number} */ writes, /** @type {Partial<RoundResult>} */ more = {}) =>
    wavering.map((factor, i) =>
      roundOf({ writes: Math.round(writes * factor) + i * 7, medianNs: 9e8 / writes, seed: i + 1, ...more }),
    );
  const none = caseOf('none', {}, rounds(20_000));
  const wait = caseOf('wait1', { wait: 1 }, rounds(10_800), none);
  return {
    schema: SCHEMA_ID,
    startedAt: new Date(STARTED_AT).toISOString(),
    finishedAt: new Date(STARTED_AT + 61_000).toISOString(),
    command: 'sentinel-bench run async-vs-wait --profile quick',
    suite: 'main',
    profile: { name: 'quick', rounds: 5, seconds: 1, warmUpSeconds: 0.1 },
    seed: 42,
    tool: { version: '0.1.0', commit: '0123456789abcdef0123456789abcdef01234567' },
    environment: {
      cpuModel: 'AMD EPYC',
      cores: 2,
      memoryBytes: 25_276_510_208,
      os: 'Debian GNU/Linux 12',
      kernel: 'Linux 6.1.0',
      architecture: 'x64',
      virtualization: 'KVM',
      node: '20.20.2',
      clients: { redis: '6.3.1', ioredis: '6.0.0' },
    },
    stack: {
      backend: 'local',
      why: 'no Docker engine answers; redis-server is installed',
      server: { name: 'redis', version: '7.0.15' },
      path: 'loopback',
      masterName: 'mymaster',
      nodes: [
        { id: 'redis-1', kind: 'redis', role: 'primary' },
        { id: 'redis-2', kind: 'redis', role: 'replica' },
        { id: 'sentinel-1', kind: 'sentinel', role: 'sentinel' },
      ],
      config: {
        'redis-1': { 'min-replicas-to-write': '1', appendonly: 'no', hz: '10', port: '6379' },
        'redis-2': { 'min-replicas-to-write': '1', appendonly: 'no', hz: '100', port: '6380' },
      },
    },
    benchmarks: [
      {
        name: 'async-vs-wait',
        question: 'What does waiting for replicas cost?',
        status: 'ok',
        cases: [none, wait],
        findings: [{ text: 'WAIT 1 costs 46% of throughput', evidence: ['none', 'wait1'] }],
        checks: [{ name: 'counts are read', ok: true, detail: 'every WAIT returned what was asked' }],
      },
    ],
  };
}

/** The counters of an idle node without an append-only file. @type {NodeCounters} */
export const NO_COUNTERS = Object.freeze({
  replicationOutBytes: 0,
  evictedKeys: 0,
  rejectedConnections: 0,
  errorReplies: 0,
  fullResyncs: 0,
  delayedFsyncs: null,
  aofBytes: null,
  rewrites: 0,
  snapshots: 0,
  latestForkUs: 0,
});

/** The charts of reports in tests of other things: each is named in its place. @type {Figures} */
export const NAMED_FIGURES = Object.freeze({ figure: ({ id }) => `[chart ${id}]` });

/**
 * @param {string} html a page
 * @returns {Pick<Chart, 'id' | 'title' | 'columns' | 'rows' | 'option' | 'height'>[]} its charts
 */
export function chartsIn(html) {
  const [, packed] = /<script type="text\/plain" id="charts">(.*?)<\/script>/s.exec(html) ?? [];
  return packed === undefined ? [] : JSON.parse(inflateSync(Buffer.from(packed, 'base64')).toString());
}
