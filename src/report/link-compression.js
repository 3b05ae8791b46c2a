/**
 * The figures of the benchmark `link-compression`, from its rounds.
 */
import { median } from '../measure/statistics.js';
import { TOO_FEW } from './columns.js';
import { bitRate, bytes, count, duration, percent, rate } from './format.js';

/**
 * @typedef {import('./schema.js').CaseResult} CaseResult
 * @typedef {import('../run/types.js').Column} Column
 *
 * @typedef {Object} Compression medians over the rounds of a case
 * @property {number} stream bytes a second of the replication stream
 * @property {number} wire bytes a second to the replica, on the wire
 * @property {number} back bytes a second to the primary
 * @property {number} ratio bytes of the stream for each byte to the replica; of rounds that are not all `whole` it tells nothing
 * @property {boolean} whole what the stream grew by is what the wire carried, in all rounds: the replica had everything in the end, and
 *   was not sent the data set in between
 * @property {'stream' | 'packets'} counts what the bytes on the wire are
 * @property {string | undefined} by what carried it
 * @property {number | null} primaryEndCpu CPU seconds a second of the tunnel’s processes; null: there are none, or not known
 * @property {number | null} replicaEndCpu
 * @property {number} requests answered a second
 * @property {boolean} kept the rate that was asked for, to a hundredth
 * @property {number | null} behindBytes when the load ended; null: in a round the replica was not connected
 * @property {number | null} catchUpMs from then until the replica had everything; null: in a round it did not
 * @property {number} waitP50 ns
 * @property {number} waitMax ns, of all rounds
 * @property {number} waits asked in all rounds
 * @property {number} waitsReached
 */

/** The article's minute, in bytes a second. */
export const SEED = Object.freeze({ before: 23.7e6 / 8, after: 1.94e6 / 8 });

const NS_A_MS = 1e6;
/** Less than this at the end is what was under way. */
const SOON_MS = 200;
/** As for other nodes and threads. */
const BUSY = 0.9;
/** Of the rate asked for. */
const KEPT = 0.99;

/**
 * @param {CaseResult} result
 * @returns {Compression | null} null: its rounds have no figures of a wire
 */
export function compressionOf({ params, rounds }) {
  const all = rounds.flatMap(({ link, seconds, operations }) =>
    link?.wire && link.waits && seconds > 0
      ? [{ ...link, wire: link.wire, waits: link.waits, rate: operations / seconds }]
      : [],
  );
  if (all.length === 0) return null;
  const middle = (/** @type {(one: (typeof all)[number]) => number} */ value) => median(all.map(value));
  const requests = middle(({ rate }) => rate);
  return {
    // In the time that the wire took, for the two to be compared.
    stream: middle(({ streamBytes, wire }) => streamBytes / wire.seconds),
    wire: middle(({ wire }) => wire.toReplicaBytes / wire.seconds),
    back: middle(({ wire }) => wire.toPrimaryBytes / wire.seconds),
    ratio: middle(({ streamBytes, wire }) => (wire.toReplicaBytes > 0 ? streamBytes / wire.toReplicaBytes : 0)),
    whole: all.every(({ catchUpMs = null, fullResyncs = 0 }) => catchUpMs !== null && fullResyncs === 0),
    counts: all[0].wire.counts,
    by: all[0].by,
    primaryEndCpu: medianUnlessNull(all.map(({ wire }) => wire.primaryEndCpu)),
    replicaEndCpu: medianUnlessNull(all.map(({ wire }) => wire.replicaEndCpu)),
    requests,
    kept: params.rate === undefined || requests >= KEPT * params.rate,
    behindBytes: medianUnlessNull(all.map(({ behindBytes = null }) => behindBytes)),
    catchUpMs: medianUnlessNull(all.map(({ catchUpMs = null }) => catchUpMs)),
    waitP50: middle(({ waits }) => waits.latencyNs.p50),
    waitMax: Math.max(...all.map(({ waits }) => waits.latencyNs.max)),
    waits: all.reduce((sum, { waits }) => sum + waits.asked, 0),
    waitsReached: all.reduce((sum, { waits }) => sum + waits.reached, 0),
  };
}

/** @param {readonly (number | null)[]} values */
function medianUnlessNull(values) {
  const known = values.filter((value) => value !== null);
  return known.length < values.length ? null : median(known);
}

/**
 * What kept the stream from being as fast as was asked, or the replica from keeping up: whoever was on a CPU all the while.
 *
 * @param {CaseResult} result
 * @returns {string} `nothing` when neither was so
 */
export function limitOf(result) {
  const figures = compressionOf(result);
  if (!figures) return '';
  const { kept, catchUpMs, primaryEndCpu, replicaEndCpu } = figures;
  if (kept && catchUpMs !== null && catchUpMs < SOON_MS) return 'nothing';
  if ((primaryEndCpu ?? 0) >= BUSY) return 'tunnel, primary’s end';
  if ((replicaEndCpu ?? 0) >= BUSY) return 'tunnel, replica’s end';
  const { limitedBy } = result.summary;
  return limitedBy === 'nothing' ? 'not known' : limitedBy;
}

/**
 * @param {CaseResult} result
 * @returns {string} with what there is to know of its level
 */
export function tunnelName({ params: { tunnel = 'none' } }) {
  return tunnel.replace(/^zstd-(\d+)$/, 'zstd level $1').replace(/^ssh-C$/, 'ssh -C');
}

/**
 * @param {string} title
 * @param {(figures: Compression) => string} text
 * @returns {Column}
 */
function column(title, text) {
  return {
    title,
    align: 'right',
    cell: (result) => {
      const figures = compressionOf(result);
      return figures ? text(figures) : TOO_FEW;
    },
  };
}

/** @param {number | null} cpu */
export function cpuShare(cpu) {
  return cpu === null ? '' : percent(cpu);
}

/** @type {Column[]} */
export const COMPRESSION_COLUMNS = [
  { title: 'tunnel', align: 'left', cell: tunnelName },
  { title: 'keys', align: 'left', cell: ({ params }) => params.pattern ?? '' },
  { title: 'pipeline', align: 'right', cell: ({ params }) => count(params.pipeline) },
  column('requests', ({ requests }) => rate(requests)),
  column('stream', ({ stream }) => bitRate(stream)),
  column('wire', ({ wire }) => bitRate(wire)),
  column('back', ({ back }) => bitRate(back)),
  column('ratio', ({ whole, ratio }) => (whole ? ratio.toFixed(ratio < 10 ? 2 : 1) : 'not known')),
  column('CPU, primary’s end', ({ primaryEndCpu }) => cpuShare(primaryEndCpu)),
  column('CPU, replica’s end', ({ replicaEndCpu }) => cpuShare(replicaEndCpu)),
  column('behind at the end', ({ behindBytes }) => (behindBytes === null ? 'not connected' : bytes(behindBytes))),
  column('in sync after', ({ catchUpMs }) => (catchUpMs === null ? 'never' : duration(catchUpMs * NS_A_MS))),
  column('WAIT p50', ({ waitP50 }) => duration(waitP50)),
  column('WAIT longest', ({ waitMax }) => duration(waitMax)),
  { title: 'limited by', align: 'left', cell: limitOf },
];
