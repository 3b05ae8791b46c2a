/**
 * What replication asks of a link, from the counters of a primary, and what a link of a given speed makes of it. Pure.
 *
 * @typedef {Object} LinkSample the primary's INFO, now
 * @property {number} atMs on a monotonic clock
 * @property {number} offset master_repl_offset: bytes that every replica has to be sent, since the history began
 * @property {number | null} sentBytes total_net_repl_output_bytes: sent to all replicas, full resyncs included; null: not counted (before Redis 7.0)
 * @property {number | null} bufferBytes mem_clients_slaves: what waits to be sent to replicas; null: not told
 * @property {number} backlogBytes repl_backlog_size
 * @property {{name: string, lagBytes: number, lagSeconds: number}[]} replicas that are connected; name: such as `replica 1`
 *
 * @typedef {Object} OutputBuffer `client-output-buffer-limit replica`; a limit of 0 is none
 * @property {number} hardBytes
 * @property {number} softBytes
 * @property {number} softSeconds
 *
 * @typedef {Object} Demand bytes a second of the replication stream, to each replica; what TCP and IP add is not in it
 * @property {number} seconds observed
 * @property {number} mean
 * @property {number} peak of the busiest time between two samples
 * @property {number | null} sent as counted on the way out, to each replica that is connected; null: not counted, or there is none
 * @property {number} backlogSeconds for so long a replica may be away at the mean rate and still catch up from the backlog; Infinity: nothing is written
 * @property {number} bufferBytes at the end
 * @property {LinkSample['replicas']} replicas at the end
 *
 * @typedef {Object} Shortfall of a link
 * @property {number} use mean demand as a share of its speed
 * @property {number} peakUse
 * @property {number} pilesUp bytes an hour that the primary has to keep for each replica that is behind such a link; 0: it keeps up
 * @property {number} limitAfterSeconds when the primary closes the connection for its output buffer; Infinity: never
 */

const SECONDS_AN_HOUR = 3600;

/**
 * @param {readonly LinkSample[]} samples at least two, in order, of the same primary
 * @returns {Demand}
 * @throws {RangeError} fewer, or the primary began a new history in between
 */
export function linkDemand(samples) {
  const [first, last] = [samples[0], samples[samples.length - 1]];
  if (samples.length < 2 || last.atMs <= first.atMs) throw new RangeError('a rate takes two samples');
  const steps = samples.slice(1).map((sample, i) => ({
    bytes: sample.offset - samples[i].offset,
    seconds: (sample.atMs - samples[i].atMs) / 1000,
  }));
  if (steps.some(({ bytes }) => bytes < 0)) throw new RangeError('the primary began a new history meanwhile');
  const seconds = (last.atMs - first.atMs) / 1000;
  const mean = (last.offset - first.offset) / seconds;
  const counted = first.sentBytes === null || last.sentBytes === null || last.replicas.length === 0;
  return {
    seconds,
    mean,
    peak: Math.max(...steps.map((step) => step.bytes / step.seconds)),
    sent: counted ? null : (Number(last.sentBytes) - Number(first.sentBytes)) / seconds / last.replicas.length,
    backlogSeconds: mean === 0 ? Number.POSITIVE_INFINITY : last.backlogBytes / mean,
    bufferBytes: last.bufferBytes ?? 0,
    replicas: last.replicas,
  };
}

/**
 * @param {Pick<Demand, 'mean' | 'peak'>} demand
 * @param {number} linkBytesPerSecond > 0, of one replica's link
 * @param {OutputBuffer} limits
 * @returns {Shortfall}
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
