/**
 * The benchmark `link-compression`: bytes that `ssh -C` saves, and the CPU and delay that it costs. Traffic on the primary, while its replica follows
 * through a tunnel.
 *
 * @import { Traffic } from '../../src/load/traffic.js'
 * @import { BenchmarkResult, CaseParams, CaseResult, Check } from '../../src/result/schema.js'
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { Measure } from '../../src/run/types.js'
 * @import { Path } from './paths/path.js'
 * @import { Ends } from './replication.js'
 */
import { count, percent } from '../../src/format.js';
import { checkEach, checkMeasured } from '../../src/report/checks.js';
import { roundAround } from '../../src/run/round.js';
import { addCounts } from '../../src/stats/statistics.js';
import { MS_A_SECOND } from '../../src/units.js';
import { linkBenchmark, MIX, mixCase } from './benchmark.js';
import { compressFile } from './command-file.js';
import { everyRequestAnswered, linksOf, tunnelName } from './figures.js';
import { catchesUp, lagIn, lookAt, resyncsBetween } from './replication.js';
import { linkSample, onPath, pass, startWaitProber, wireBetween, withTraffic } from './round.js';

const TUNNELS = ['none', 'ssh', 'ssh-C'];
/** @type {readonly ('regular' | 'random')[]} */
const PATTERNS = ['regular', 'random'];
/** Longer pipelines arrive together and are compressed together. */
const LONG = 100;
/** Without a tunnel the wire carries the stream, give or take bytes under way and the replica’s heartbeat. */
const METER = 0.01;
/** A writer with WAIT: often enough to measure WAIT, seldom enough not to load the link. */
const PROBE = Object.freeze({ key: 'prober', everyMs: 50, timeoutMs: 1000 });
/** Between two samples of the replica's lag. */
const LOOK_MS = 100;
/** The same while the lag is small. */
const CLOSE_LOOK_MS = 5;
/** How long a slow tunnel may take to carry the rest after the load. */
const CATCH_UP_MS = 15_000;

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

/**
 * The stream and the wire are read in sync, before and after the load, so both have grown by the same writes.
 * @type {Measure}
 */
function measureCompression(site) {
  const { testbed, theCase, now } = site;
  const { profile, signal, random } = testbed;
  return onPath(site, async ({ path, ends }) =>
    roundAround(testbed, async () => {
      now(`${theCase.id}: traffic for ${profile.seconds} s`);
      const before = await take(path, ends);
      const prober = await startWaitProber(testbed, PROBE);
      try {
        const { traffic, ...lag } = await withTraffic(site, (running) =>
          load(running, ends, { seconds: profile.seconds, signal }),
        );
        const { waits, errors } = await prober.stop();
        const isBack = await catchesUp(ends, { deadlineMs: CATCH_UP_MS, pollMs: CLOSE_LOOK_MS, signal });
        const catchUpMs = isBack ? performance.now() - lag.endedAt : null;
        const after = await take(path, ends);
        const sample = linkSample(traffic, path, after.written - before.written);
        // Without the time to prepare the requests.
        const seconds = sample.seconds + (catchUpMs ?? CATCH_UP_MS) / MS_A_SECOND;
        return {
          ...sample,
          errors: addCounts(sample.errors, errors),
          link: {
            ...sample.link,
            writes: sample.link.writes + waits.asked,
            wire: wireBetween(before.use, after.use, seconds),
            ...(theCase.params.tunnel === 'none' && { file: await fileOf(theCase.params, random) }),
            maxLagBytes: lag.maxLagBytes,
            behindBytes: lag.behindBytes,
            catchUpMs,
            fullResyncs: resyncsBetween(before, after).fullResyncs,
            waits,
          },
        };
      } finally {
        prober.close();
      }
    }),
  );
}

/** @param {CaseParams} params @param {() => number} random */
function fileOf({ pattern = 'regular', keyspace: keys = MIX.keyspace, payloadBytes }, random) {
  return compressFile({ pattern, keys, payloadBytes, seed: Math.floor(random() * 2 ** 32) });
}

/** @param {Traffic} running @param {Ends} ends @param {{seconds: number, signal: AbortSignal}} options */
async function load(running, ends, { seconds, signal }) {
  const lag = async () => lagIn(await lookAt(ends));
  const end = performance.now() + seconds * MS_A_SECOND;
  let maxLagBytes = 0;
  while (performance.now() < end) {
    await pass(Math.min(LOOK_MS, end - performance.now()), signal);
    maxLagBytes = Math.max(maxLagBytes, (await lag()) ?? 0);
  }
  const traffic = await running.stop();
  const endedAt = performance.now();
  const behindBytes = await lag();
  return { traffic, endedAt, behindBytes, maxLagBytes: Math.max(maxLagBytes, behindBytes ?? 0) };
}

/** @param {Path} path @param {Ends} ends */
async function take(path, ends) {
  const [use, look] = await Promise.all([path.use(), lookAt(ends)]);
  return { use, ...look };
}

export default linkBenchmark('link-compression', {
  paces: { quick: [1, 3], standard: [5, 6], full: [5, 30] },
  cases: () => [
    ...PATTERNS.flatMap((pattern) => TUNNELS.map((tunnel) => mixCase(`${tunnel}-${pattern}`, { pattern, tunnel }))),
    mixCase('ssh-C-regular-long', { pattern: 'regular', tunnel: 'ssh-C', pipeline: LONG }),
  ],
  measure: measureCompression,
  columns: COLUMNS,
  checks: compressionChecks,
});
