/**
 * @import { Lane } from './relay-lane.js'
 * @import { Socket } from 'node:net'
 */

/**
 * One direction of one relayed connection: what comes out of one socket goes into another, in order, when its lane lets it.
 *
 * @typedef {Object} Line
 * @property {(now: number) => number} deliver what is due; returns when the next is due, Infinity: nothing waits for a time
 * @property {() => void} refresh its lane has changed
 *
 * @typedef {{due: number, bytes: Buffer | null}} Parcel null: the end of the stream
 */

/** What is due within this is delivered: waiting would take longer. */
const SOON_MS = 0.03;

/** Delivered parcels are let go of so many at a time, not each by itself. */
const KEPT_PARCELS = 256;

/**
 * @param {Socket} from `allowHalfOpen`, and paused
 * @param {Socket} to
 * @param {Lane} lane
 * @param {(line: Line) => void} wake there is something to deliver, now or later
 * @returns {Line}
 */
export function createLine(from, to, lane, wake) {
  /** @type {Parcel[]} the first `gone` of them are delivered */
  let parcels = [];
  let gone = 0;
  let waitingBytes = 0;
  /** `to` takes no more for now. */
  let full = false;

  function steer() {
    if (lane.held || full || waitingBytes > lane.room()) from.pause();
    else from.resume();
  }

  /** @param {Buffer | null} bytes */
  function push(bytes) {
    const now = performance.now();
    const due = lane.arrival(bytes?.length ?? 0, now);
    if (bytes && gone === parcels.length && due <= now && !lane.held && !full) {
      write(bytes);
      return;
    }
    // With jitter it may be due before those it follows; it waits for them all the same.
    parcels.push({ due, bytes });
    waitingBytes += bytes?.length ?? 0;
    steer();
    wake(line);
  }

  /** @param {Buffer} bytes */
  function write(bytes) {
    // What was sent to somebody who has gone is lost, as it is on any connection.
    if (to.destroyed || to.write(bytes) || full) return;
    full = true;
    steer();
    to.once('drain', () => {
      full = false;
      steer();
      wake(line);
    });
  }

  /** @param {Parcel} parcel */
  function hand({ bytes }) {
    if (bytes) {
      waitingBytes -= bytes.length;
      write(bytes);
    } else if (from.destroyed) {
      to.destroySoon();
    } else {
      to.end();
    }
  }

  /** @type {Line} */
  const line = {
    deliver(now) {
      if (lane.held) return Number.POSITIVE_INFINITY;
      const before = gone;
      to.cork();
      while (gone < parcels.length && !full && parcels[gone].due <= now + SOON_MS) hand(parcels[gone++]);
      to.uncork();
      if (gone > before) steer();
      if (gone > KEPT_PARCELS || gone === parcels.length) {
        parcels = parcels.slice(gone);
        gone = 0;
      }
      return parcels.length > 0 && !full ? parcels[gone].due : Number.POSITIVE_INFINITY;
    },
    refresh() {
      const latest = lane.latest(performance.now());
      for (const parcel of parcels) parcel.due = Math.min(parcel.due, latest);
      steer();
      wake(line);
    },
  };

  from.on('data', (/** @type {Buffer} */ bytes) => {
    const slice = lane.slice();
    for (let at = 0; at < bytes.length; at += slice) push(bytes.subarray(at, at + slice));
  });
  from.on('end', () => push(null));
  // After an orderly end too: the other side of a connection that is gone must not stay open for good.
  from.on('close', () => push(null));
  return line;
}
