/** The benchmark `link-compression`: bytes that `ssh -C` saves, and the CPU and delay that it costs. */
/** @import { BenchmarkResult, CaseParams, CaseResult, ColumnSpec, RoundSite, Traffic } from '../types.js' */
/** @import { Ends } from './replication.js' */
/** @import { Link } from './round.js' */
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { count, percent } from '../../src/format.js';
import { Requests } from '../../src/load/traffic-requests.js';
import { repeatedly } from '../../src/repeat.js';
import { checkMeasured } from '../../src/report/checks.js';
import { figures } from '../../src/report/specs.js';
import { clockMs } from '../../src/stats/clock.js';
import { addCounts } from '../../src/stats/statistics.js';
import { MIB, MS_A_SECOND } from '../../src/units.js';
import { checkRounds, everyRequestAnswered, figuresOf, linkBenchmark, linksOf, tunnelName } from './benchmark.js';
import { catchesUp, lagIn, lookAt } from './replication.js';
import { measureStream, pass, sampleOfTraffic, startWaitProber, wireBetween, withTraffic } from './round.js';

/** Without a tunnel the wire carries the stream, give or take bytes under way and the replica’s heartbeat. */
const METER = 0.01;
/** A writer with WAIT: often enough to measure WAIT, seldom enough not to load the link. */
const PROBE = Object.freeze({ key: 'prober', everyMs: 50, timeoutMs: 1000 });
const LOOK_MS = 100;
const CLOSE_LOOK_MS = 5;
/** Of the file of write commands: much longer than the window of any compressor that a file of gigabytes would meet. */
const FILE_BYTES = 8 * MIB;
/** The default of gzip and of ssh. */
const USUAL_LEVEL = 6;
const LEVELS = [1, 5, USUAL_LEVEL, 9];
const CATCH_UP_MS = 15_000;

export const FIGURES = figuresOf('link-compression');
/** Of details.md and of the page. @satisfies {Record<string, ColumnSpec>} */
export const COLUMNS = {
  tunnel: { title: 'tunnel', text: tunnelName },
  keys: { title: 'keys', text: ({ params }) => params.pattern ?? '' },
  depth: figures('pipeline depth', ({ params }) => count(params.pipeline)),
  ...FIGURES,
};

/** @param {BenchmarkResult} benchmark */
export function compressionChecks({ cases }) {
  const compressed = cases.filter(({ params }) => params.tunnel === 'ssh-C');
  return [
    everyRequestAnswered(cases),
    checkRounds('the replica had everything after each round, without a full resync', cases, (link) =>
      link.catchUpMs != null && !link.fullResyncs ? null : 'it did not catch up, or had a full resync',
    ),
    ...checkMeasured(
      'without a tunnel the wire carried the stream and little else',
      cases.filter(({ params }) => params.tunnel === 'none'),
      (plain) => {
        const wrong = sharesOf(plain).find((share) => Math.abs(share - 1) > METER);
        return wrong === undefined ? null : `${percent(wrong)} of it`;
      },
    ),
    ...checkMeasured(
      'regular keys compressed better than random ones',
      compressed.filter(({ params }) => params.pattern === 'random'),
      (random) => {
        const most = Math.max(...sharesOf(random));
        const regular = compressed.filter(({ params }) => params.pattern !== 'random').flatMap(sharesOf);
        return regular.every((share) => share < most) ? null : `to ${percent(most)} of the stream`;
      },
    ),
  ];
}

/** @param {CaseResult} result @returns {number[]} of each round: the share of the stream that was on the wire */
const sharesOf = (result) => linksOf(result).map(({ wire, streamBytes }) => (wire?.toReplicaBytes ?? 0) / streamBytes);

/** The stream and the wire are read in sync, before and after the load, so both have grown by the same writes. @param {RoundSite} site @param {Link} link */
async function compress(site, { path, ends }) {
  const { testbed, theCase, now } = site;
  const { profile, signal, random } = testbed;
  now(`${theCase.id}: traffic for ${profile.seconds} s`);
  const before = await path.use();
  const prober = await startWaitProber(testbed, PROBE);
  try {
    const { traffic, endedAt, ...lag } = await withTraffic(site, (running) =>
      load(running, ends, { seconds: profile.seconds, signal }),
    );
    const { waits, errors } = await prober.stop();
    const back = await catchesUp(ends, { deadlineMs: CATCH_UP_MS, pollMs: CLOSE_LOOK_MS, signal });
    const catchUpMs = back && Math.max(0, back.atMs - endedAt);
    const sample = sampleOfTraffic(traffic);
    // Without the time to prepare the requests.
    const seconds = sample.seconds + (catchUpMs ?? CATCH_UP_MS) / MS_A_SECOND;
    return {
      ...sample,
      errors: addCounts(sample.errors, errors),
      link: {
        writes: sample.link.writes + waits.asked,
        wire: wireBetween(before, await path.use(), seconds),
        ...(theCase.params.tunnel === 'none' && { file: await compressFile(theCase.params, random) }),
        ...lag,
        catchUpMs,
        waits,
      },
    };
  } finally {
    prober.close();
  }
}

/** @param {Traffic} running @param {Ends} ends @param {{seconds: number, signal: AbortSignal}} options */
async function load(running, ends, { seconds, signal }) {
  let [maxLagBytes, behindBytes] = [0, /** @type {number | null} */ (null)];
  const look = async () => {
    behindBytes = lagIn(await lookAt(ends));
    maxLagBytes = Math.max(maxLagBytes, behindBytes ?? 0);
  };
  const stop = repeatedly(look, LOOK_MS, signal);
  await pass(seconds * MS_A_SECOND, signal);
  await stop();
  const traffic = await running.stop();
  const endedAt = clockMs();
  await look();
  return { traffic, endedAt, behindBytes, maxLagBytes };
}

/**
 * How a file of write commands compresses through zlib, which ssh uses: the commands of the traffic, as Redis sends them to a replica.
 * @param {CaseParams} params
 * @param {() => number} random
 */
async function compressFile({ pattern = 'regular', keyspace: keys = 1, payloadBytes }, random) {
  const seed = Math.floor(random() * 2 ** 32);
  const plan = { pattern, keys, payloadBytes, seed, keyPrefix: '', writeShare: 1, batch: 1000 };
  const requests = new Requests(plan);
  const file = Buffer.alloc(FILE_BYTES);
  const batch = Buffer.alloc(requests.longest);
  let bytes = 0;
  for (let filled = requests.fill(batch); bytes + filled <= FILE_BYTES; filled = requests.fill(batch)) {
    batch.copy(file, bytes, 0, filled);
    bytes += filled;
  }
  const levels = [];
  for (const level of LEVELS) {
    const before = process.cpuUsage();
    const { length: compressedBytes } = await promisify(deflate)(file.subarray(0, bytes), { level });
    const { user, system } = process.cpuUsage(before);
    levels.push({ level, compressedBytes, cpuMs: (user + system) / 1000 });
  }
  const compressedBytes = Number(levels.find(({ level }) => level === USUAL_LEVEL)?.compressedBytes);
  return { bytes, compressedBytes, levels };
}

export default linkBenchmark('link-compression', {
  measure: measureStream(compress),
  columns: COLUMNS,
  checks: compressionChecks,
});
