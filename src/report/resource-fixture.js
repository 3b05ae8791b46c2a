/** For tests only: what the nodes used, with figures that add up. */
import { caseOf, NO_COUNTERS, roundOf } from './fixture.js';

/** @import { BenchmarkResult, NodeCounters, NodeUse, RoundResult } from '../result/schema.js' */

const PAYLOAD_BYTES = 1024;
const MIB = 1024 ** 2;

/**
 * @param {string} id
 * @param {Partial<Omit<NodeUse, 'counters'>> & {counters?: Partial<NodeCounters> | null}} [use]
 * @returns {NodeUse}
 */
export function nodeOf(id, { counters, ...use } = {}) {
  const sentinel = id.startsWith('sentinel');
  return {
    id,
    role: sentinel ? 'sentinel' : id === 'redis-1' ? 'primary' : 'replica',
    cpu: 0.01,
    mainThreadCpu: sentinel ? null : 0.01,
    memoryBytes: 10 * MIB,
    networkInBytes: 1000,
    networkOutBytes: 2000,
    blockInBytes: 0,
    blockOutBytes: 0,
    pids: 5,
    ...(!sentinel && { counters: counters === null ? null : { ...NO_COUNTERS, ...counters } }),
    ...use,
  };
}

/** @type {NonNullable<RoundResult['load']['process']>} */
const PROCESS = {
  cpu: 0.8,
  memoryBytes: 90 * MIB,
  bytesRead: 5000,
  bytesWritten: 6000,
  blockInBytes: 0,
  blockOutBytes: 4096,
  pids: 12,
};

/**
 * @param {NodeUse[]} nodes
 * @param {Partial<RoundResult> & {writes?: number}} [round]
 * @returns {RoundResult} of one second, with the load process
 */
export function usedRound(nodes, round) {
  return roundOf({ nodes, load: { cpu: 0.7, eventLoopUtilization: 0.75, process: PROCESS }, ...round });
}

/** Reads are answered by the primary alone, or by all replicas alike. */
const TOPOLOGIES = [
  { replicas: 0, wait: 0, writes: 4000, reads: 5000, readingCpu: 0.9 },
  { replicas: 1, wait: 0, writes: 3200, reads: 4500, readingCpu: 0.02 },
  { replicas: 2, wait: 1, writes: 2000, reads: 6000, readingCpu: 0.02 },
];

/** @returns {BenchmarkResult} of the benchmark `resources`, before checks and findings */
export function resourcesOf() {
  const cases = TOPOLOGIES.flatMap(({ replicas, wait, writes, reads, readingCpu }) => {
    const ids = ['redis-2', 'redis-3'].slice(0, replicas);
    const sentinel = nodeOf('sentinel-1', { cpu: 0.004 });
    const shape = { replicas, payloadBytes: PAYLOAD_BYTES, connections: 50 };
    const stream = writes * (PAYLOAD_BYTES + 60);
    const read = reads * PAYLOAD_BYTES;

    const idle = [nodeOf('redis-1'), ...ids.map((id) => nodeOf(id)), sentinel];
    const writing = [
      nodeOf('redis-1', { cpu: 0.8, networkInBytes: stream, counters: { replicationOutBytes: stream * replicas } }),
      ...ids.map((id) => nodeOf(id, { cpu: 0.3, networkInBytes: stream })),
      sentinel,
    ];
    const reading = [
      nodeOf('redis-1', { cpu: readingCpu, networkOutBytes: replicas === 0 ? read : 3000 }),
      ...ids.map((id) => nodeOf(id, { cpu: 0.9 / replicas, networkOutBytes: read / replicas })),
      sentinel,
    ];
    const none = { acked: 0, underAcked: 0, rejected: 0, unknown: 0 };
    return [
      caseOf(`idle-${replicas}`, { ...shape, operation: 'idle' }, [
        usedRound(idle, { writes: 0, outcomes: none, operations: 0, throughput: 0 }),
      ]),
      caseOf(`set-${replicas}`, { ...shape, operation: 'set', wait }, [usedRound(writing, { writes })]),
      caseOf(`get-${replicas}`, { ...shape, operation: 'get', readFrom: replicas > 0 ? 'replicas' : 'primary' }, [
        usedRound(reading, { writes: reads, reads: { answered: reads, misses: 0, failed: 0 } }),
      ]),
    ];
  });
  return { name: 'resources', question: 'What is used?', status: 'ok', cases, findings: [], checks: [] };
}
