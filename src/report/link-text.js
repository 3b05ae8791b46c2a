/**
 * What replication asks of a link, for people.
 */
import { bitRate, bytes, duration, percent } from './format.js';

/** @import { Demand, Shortfall } from '../measure/link.js' */

const NS_A_SECOND = 1e9;
/** A link that is fuller than this on average has nothing left for a burst or a resync. */
const TIGHT = 0.7;

/** @param {number} seconds @returns {string} such as `64.0 s`, `2.4 h` */
function time(seconds) {
  return seconds < 3600 ? duration(seconds * NS_A_SECOND) : `${(seconds / 3600).toPrecision(2)} h`;
}

/**
 * @param {Demand} demand
 * @param {{speed: number, shortfall: Shortfall} | null} link bytes a second of the link that is asked about; null: none is
 * @returns {string} lines
 */
export function linkText(demand, link) {
  const { seconds, mean, peak, sent, backlogSeconds, bufferBytes, replicas } = demand;
  const lines = [
    `The replication stream took ${bitRate(mean)} on average and ${bitRate(peak)} at its peak, to each replica (${seconds.toFixed(1)} s, looked at once a second; what TCP and IP add is not in it).`,
  ];
  if (sent !== null) lines.push(`Counted on its way out: ${bitRate(sent)} to each replica, full resyncs included.`);
  lines.push(
    Number.isFinite(backlogSeconds)
      ? `A replica that is away for up to ${time(backlogSeconds)} catches up from the backlog; after that it needs a full resync.`
      : 'Nothing is written: a replica that is away misses nothing.',
  );
  lines.push(
    replicas.length === 0
      ? 'No replica is connected.'
      : `Behind: ${replicas.map(({ name, lagBytes, lagSeconds }) => `${name} ${bytes(lagBytes)}, last heard of ${lagSeconds} s ago`).join('; ')}. Output buffers of replicas: ${bytes(bufferBytes)}.`,
  );
  if (link) lines.push(...shortfallLines(demand, link));
  return lines.join('\n');
}

/**
 * @param {Demand} demand
 * @param {{speed: number, shortfall: Shortfall}} link
 */
function shortfallLines({ mean }, { speed, shortfall }) {
  const { use, peakUse, pilesUp, limitAfterSeconds } = shortfall;
  const lines = [
    `Of a link of ${bitRate(speed)} that is ${percent(use)} on average and ${percent(peakUse)} at the peak.`,
  ];
  if (pilesUp > 0) {
    const end = Number.isFinite(limitAfterSeconds)
      ? `the replica output buffer limit is reached after ${time(limitAfterSeconds)}, the replica is cut off, and its full resync does not fit through the link either while writes go on`
      : 'and no limit of the output buffer ends that';
    lines.push(
      `It is too slow: ${bytes(pilesUp)} an hour pile up in the primary’s memory for each such replica; ${end}.`,
    );
  } else if (use > TIGHT) {
    lines.push(`It is tight: ${bitRate(speed - mean)} are left for bursts and for a full resync.`);
  } else {
    lines.push(`It is enough: ${bitRate(speed - mean)} are left.`);
  }
  return lines;
}
