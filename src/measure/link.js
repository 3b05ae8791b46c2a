/**
 * How much bandwidth replication needs, from the counters of a primary, and what a link of a given speed makes of that.
 * @typedef {Object} LinkSample from the primary's INFO, now
 * @property {number} atMs monotonic
 * @property {number} offset master_repl_offset: bytes of replication stream since the history began; each replica needs all of them
 * @property {number | null} sentBytes total_net_repl_output_bytes: sent to all replicas, full resyncs included; null: not counted (before Redis 7.0)
 * @property {number | null} bufferBytes mem_clients_slaves: bytes that wait to be sent to replicas; null: not reported
 * @property {number} backlogBytes repl_backlog_size
 * @property {{name: string, lagBytes: number, lagSeconds: number}[]} replicas that are connected; name: such as `replica 1`
 * @typedef {Object} OutputBuffer `client-output-buffer-limit replica`; 0: no limit
 * @property {number} hardBytes @property {number} softBytes @property {number} softSeconds
 * @typedef {Object} Demand bytes a second of the replication stream to each replica, without the overhead of TCP and IP
 * @property {number} seconds observed @property {number} mean
 * @property {number} peak of the busiest interval @property {{p50: number, p95: number, p99: number}} percentiles of the intervals
 * @property {number} monthBytes in a month of 30 days at the mean rate, to each replica
 * @property {number | null} sent bytes a second really sent to each connected replica; null: not counted, or no replica
 * @property {number} backlogSeconds how long a replica may be away and still catch up from the backlog, at the mean rate; Infinity: nothing is written
 * @property {number} bufferBytes at the end @property {LinkSample['replicas']} replicas at the end
 * @typedef {Object} Shortfall of a link
 * @property {number} use mean demand as a share of its speed @property {number} peakUse
 * @property {number} pilesUp bytes an hour that pile up in the primary for each replica behind such a link; 0: the link is fast enough
 * @property {number} limitAfterSeconds when the output buffer reaches its limit and the primary closes the connection; Infinity: never
 * @import { Stack, Control } from '../stacks/types.js'
 */
import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from 'simple-statistics';
import { UserError } from '../errors.js';
import { connectControl, loginFor } from '../stacks/redis/control.js';
import { countIn } from '../stacks/redis/usage.js';
import { SECONDS_A_MONTH, SECONDS_AN_HOUR } from '../units.js';

/**
 * @param {readonly LinkSample[]} samples at least two, in order, of the same primary @returns {Demand}
 * @throws {RangeError} fewer than two, or the primary began a new history in between
 */
export function linkDemand(samples) {
  const [first, last] = [samples[0], samples[samples.length - 1]];
  if (samples.length < 2 || last.atMs <= first.atMs) throw new RangeError('a rate takes two samples');
  const rates = samples
    .slice(1)
    .map((sample, i) => ((sample.offset - samples[i].offset) / (sample.atMs - samples[i].atMs)) * 1000);
  if (rates.some((rate) => rate < 0)) throw new RangeError('the primary began a new history meanwhile');
  const seconds = (last.atMs - first.atMs) / 1000;
  const mean = (last.offset - first.offset) / seconds;
  const [p50, p95, p99] = quantile(rates, [0.5, 0.95, 0.99]);
  const isCounted = first.sentBytes !== null && last.sentBytes !== null && last.replicas.length > 0;
  return {
    seconds,
    mean,
    peak: Math.max(...rates),
    percentiles: { p50, p95, p99 },
    monthBytes: mean * SECONDS_A_MONTH,
    sent: isCounted ? (Number(last.sentBytes) - Number(first.sentBytes)) / seconds / last.replicas.length : null,
    backlogSeconds: mean === 0 ? Number.POSITIVE_INFINITY : last.backlogBytes / mean,
    bufferBytes: last.bufferBytes ?? 0,
    replicas: last.replicas,
  };
}

/**
 * @param {Pick<Demand, 'mean' | 'peak'>} demand @param {number} linkBytesPerSecond > 0, of one replica's link
 * @param {OutputBuffer} limits @returns {Shortfall}
 */
export function shortfallOf({ mean, peak }, linkBytesPerSecond, { hardBytes, softBytes, softSeconds }) {
  const growth = Math.max(0, mean - linkBytesPerSecond);
  const after = (/** @type {number} */ bytes) =>
    growth === 0 || bytes === 0 ? Number.POSITIVE_INFINITY : bytes / growth;
  return {
    use: mean / linkBytesPerSecond,
    peakUse: peak / linkBytesPerSecond,
    pilesUp: growth * SECONDS_AN_HOUR,
    limitAfterSeconds: Math.min(after(hardBytes), after(softBytes) + softSeconds),
  };
}

/** One late answer must not end an observation of hours. */
const ANSWER_MS = 10_000;

/**
 * @param {Stack} stack @param {Object} options @param {number} options.seconds how long, ≥ 1
 * @param {number} [options.everyMs] between two samples; a peak is the mean of one interval
 * @param {AbortSignal} options.signal ends it early; the samples so far count @param {(samples: number) => void} [options.onSample]
 * @returns {Promise<Demand>} @throws {UserError} it ended before there were two samples, or another node became the primary
 */
export async function observeLink(stack, { seconds, everyMs = 1000, signal, onSample }) {
  const { id, kind, address } = await stack.database.primary();
  const control = await connectControl(address, loginFor(stack.access.credentials, kind), { timeoutMs: ANSWER_MS });
  /** @type {LinkSample[]} */
  const samples = [];
  try {
    const end = performance.now() + seconds * 1000;
    for (;;) {
      samples.push(await look(control, stack));
      onSample?.(samples.length);
      if (signal.aborted || performance.now() + everyMs / 2 > end) break;
      // Even intervals, however long a sample takes. A late sample is not caught up: a very short interval would exaggerate the peak.
      const beat = Math.ceil((performance.now() - samples[0].atMs) / everyMs + 0.5);
      const next = samples[0].atMs + beat * everyMs;
      await delay(Math.max(0, next - performance.now()), undefined, { signal }).catch(() => {});
    }
  } finally {
    control.close();
  }
  if (samples.length < 2) {
    throw new UserError('The observation was too short.', 'Let it run for two seconds or longer.');
  }
  const now = await stack.database.primary();
  if (now.id !== id) {
    throw new UserError(`${now.id} became the primary during the observation of ${id}.`, 'Start it again.');
  }
  return linkDemand(samples);
}

/** @param {Control} control @param {Stack} stack */
async function look(control, { nodes }) {
  const info = await control.info('replication', 'stats', 'memory');
  const offset = countIn(info, 'master_repl_offset');
  if (offset === null) {
    throw new UserError(
      'The INFO of the primary does not report its replication offset (master_repl_offset).',
      'Use a deployment whose primary reports it, without a proxy in between.',
    );
  }
  return {
    atMs: performance.now(),
    offset,
    sentBytes: countIn(info, 'total_net_repl_output_bytes'),
    bufferBytes: countIn(info, 'mem_clients_slaves'),
    backlogBytes: Number(info.repl_backlog_size),
    replicas: Object.entries(info)
      .filter(([name]) => /^slave\d+$/.test(name))
      .map(([, text]) => replicaOf(text, offset, nodes)),
  };
}

/** @param {string} text `ip=…,port=…,state=online,offset=…,lag=…` @param {number} offset of the primary @param {Stack['nodes']} nodes */
function replicaOf(text, offset, nodes) {
  const fields = Object.fromEntries(text.split(',').map((pair) => pair.split('=')));
  const node = nodes.find(({ announced: { host, port } }) => host === fields.ip && port === Number(fields.port));
  return {
    name: node?.id ?? `${fields.ip}:${fields.port}`,
    lagBytes: Math.max(0, offset - Number(fields.offset)),
    lagSeconds: Number(fields.lag),
  };
}
