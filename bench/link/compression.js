/**
 * The benchmark `link-compression`: bytes that `ssh -C` saves, and the CPU and delay that it costs.
 *
 * @import { BenchmarkResult, CaseResult, Check } from '../../src/result/schema.js'
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { Benchmark } from '../../src/run/types.js'
 */
import { count, percent } from '../../src/format.js';
import { checkEach, checkMeasured } from '../../src/report/checks.js';
import { factTable } from '../pages/fact-table.js';
import { measureCompression } from './compression-round.js';
import { everyRequestAnswered, linksOf, tunnelName } from './figures.js';
import { mixCase, ON_A_PATH, paceOf } from './round.js';
import { TEXTS } from './texts.js';

const TUNNELS = ['none', 'ssh', 'ssh-C'];
/** @type {readonly ('regular' | 'random')[]} */
const PATTERNS = ['regular', 'random'];
/** Longer pipelines arrive together and are compressed together. */
const LONG = 100;
/** Without a tunnel the wire carries the stream, give or take bytes under way and the replica’s heartbeat. */
const METER = 0.01;

/** Of details.md and of the page. @satisfies {Record<string, ColumnSpec>} */
export const COLUMNS = {
  tunnel: { title: 'tunnel', text: tunnelName },
  keys: { title: 'keys', text: ({ params }) => params.pattern ?? '' },
  depth: { title: 'pipeline depth', text: ({ params }) => count(params.pipeline), align: 'right' },
  requests: { title: 'requests', metric: 'throughput', format: 'rate' },
  stream: { title: 'stream', metric: 'link-stream-rate', format: 'bits' },
  wire: { title: 'on the wire', metric: 'link-wire-rate', format: 'bits' },
  back: { title: 'back', metric: 'link-wire-back-rate', format: 'bits' },
  ratio: { title: 'less', metric: 'link-ratio', format: 'times' },
  cpu: { title: 'CPU', metric: 'link-wire-primary-end-cpu', format: 'percent' },
  replicaCpu: { title: 'CPU, replica’s end', metric: 'link-wire-replica-end-cpu', format: 'percent' },
  behind: { title: 'behind at the end', metric: 'link-behind', format: 'bytes' },
  caughtUp: { title: 'in sync after', metric: 'link-catch-up', format: 'ms' },
  wait: { title: 'SET + WAIT 1', metric: 'link-waits-latency-p50', format: 'ms' },
  longest: { title: 'longest', metric: 'link-waits-latency-max', show: 'high', format: 'ms' },
};

/** @param {BenchmarkResult} benchmark @returns {Check[]} */
export function compressionChecks({ cases }) {
  const compressed = cases.filter(({ params }) => params.tunnel === 'ssh-C');
  return [
    everyRequestAnswered(cases),
    checkEach('the replica had everything after each round, without a full resync', cases, (result) =>
      linksOf(result).every(({ catchUpMs, fullResyncs }) => catchUpMs != null && !fullResyncs)
        ? null
        : 'it did not catch up, or had a full resync',
    ),
    ...checkMeasured(
      'without a tunnel the wire carried the stream and little else',
      cases.filter(({ params }) => params.tunnel === 'none'),
      otherThanStream,
    ),
    ...checkMeasured(
      'regular keys compressed better than random ones',
      compressed.filter(({ params }) => params.pattern === 'random'),
      (random) =>
        compressed.every((other) => other.params.pattern === 'random' || shareOf(other) < shareOf(random))
          ? null
          : `to ${percent(shareOf(random))} of the stream`,
    ),
  ];
}

/** @param {CaseResult} result @returns {number} of the stream that was on the wire, at most of its rounds */
function shareOf(result) {
  return Math.max(...linksOf(result).map(({ wire, streamBytes }) => (wire?.toReplicaBytes ?? 0) / streamBytes));
}

/** @param {CaseResult} plain */
function otherThanStream(plain) {
  const wrong = linksOf(plain).find(({ wire, streamBytes }) => {
    const share = (wire?.toReplicaBytes ?? 0) / streamBytes;
    return share < 1 - METER || (wire?.counts === 'stream' && share > 1 + METER);
  });
  return wrong ? `${percent((wrong.wire?.toReplicaBytes ?? 0) / wrong.streamBytes)} of it` : null;
}

/** @type {Benchmark} */
export default {
  name: 'link-compression',
  ...TEXTS['link-compression'],
  ...ON_A_PATH,
  pace: paceOf({ quick: [1, 3], standard: [5, 6], full: [5, 30] }),
  cases: () => [
    ...PATTERNS.flatMap((pattern) => TUNNELS.map((tunnel) => mixCase(`${tunnel}-${pattern}`, { pattern, tunnel }))),
    mixCase('ssh-C-regular-long', { pattern: 'regular', tunnel: 'ssh-C', pipeline: LONG }),
  ],
  measure: measureCompression,
  ...factTable(Object.values(COLUMNS)),
  findings: () => [],
  checks: compressionChecks,
};
