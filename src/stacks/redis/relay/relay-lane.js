/** @import { LinkShape } from '../../types.js' */

/**
 * What the links between two nodes are like in one direction, shared by all their connections that way: how long bytes take,
 * and how many of them fit through.
 *
 * @typedef {Object} Lane
 * @property {boolean} held nothing passes: one of the two nodes is cut
 * @property {(shape: Required<LinkShape>) => void} reshape
 * @property {(bytes: number, now: number) => number} arrival when bytes that enter now come out, in ms as `performance.now()`
 *   has them; `now` itself when nothing slows them
 * @property {(now: number) => number} latest when bytes that entered before now come out at the latest
 * @property {() => number} room how many bytes may be under way on one connection
 * @property {() => number} slice at most so many bytes come out at once
 */

/** @type {Required<LinkShape>} */
export const UNSLOWED = Object.freeze({ latencyMs: 0, jitterMs: 0, bytesPerSecond: Number.POSITIVE_INFINITY });

/** What may wait on a connection beside what the latency keeps under way; a socket's own buffers are about as large. */
const WAITING_BYTES = 256 * 1024;

/**
 * And for so long on a lane with a limit: what waits has its time to leave already, so that a thread that is kept from running
 * meanwhile makes up for it, and nothing of the limit is lost.
 */
const WAITING_MS = 100;

/** Loopback's own throughput is below this: a lane without a limit must not become one by its size. */
const LOOPBACK_BYTES_PER_MS = 1024 * 1024;

const MOST_BYTES = 64 * 1024 * 1024;

/** Bytes of a limited lane come out in parts of this duration rather than in lumps as large as a read. */
const SLICE_MS = 5;
const LEAST_SLICE_BYTES = 1460;

/**
 * @returns {Lane} neither held nor slowed
 */
export function createLane() {
  let delayMs = 0;
  let jitterMs = 0;
  let bytesPerMs = Number.POSITIVE_INFINITY;
  /** When the last byte that entered has passed the bottleneck. */
  let freeAt = 0;

  return {
    held: false,
    reshape(shape) {
      delayMs = shape.latencyMs / 2;
      jitterMs = shape.jitterMs;
      bytesPerMs = shape.bytesPerSecond / 1000;
      freeAt = 0;
    },
    arrival(bytes, now) {
      if (delayMs === 0 && jitterMs === 0 && bytesPerMs === Number.POSITIVE_INFINITY) return now;
      freeAt = Math.max(freeAt, now) + bytes / bytesPerMs;
      return freeAt + Math.max(0, delayMs + jitterMs * (2 * Math.random() - 1));
    },
    latest: (now) => now + delayMs + jitterMs,
    room() {
      const rate = Math.min(bytesPerMs, LOOPBACK_BYTES_PER_MS);
      const waiting = rate < LOOPBACK_BYTES_PER_MS ? Math.max(WAITING_BYTES, rate * WAITING_MS) : WAITING_BYTES;
      return Math.min(MOST_BYTES, waiting + rate * (delayMs + jitterMs));
    },
    slice: () => Math.max(LEAST_SLICE_BYTES, bytesPerMs * SLICE_MS),
  };
}

/**
 * Shapes that lie on one link together.
 *
 * @param {(LinkShape | undefined)[]} shapes
 * @returns {Required<LinkShape>} delays add up, the narrowest limits
 */
export function combine(shapes) {
  const sum = { ...UNSLOWED };
  for (const shape of shapes) {
    sum.latencyMs += shape?.latencyMs ?? 0;
    sum.jitterMs += shape?.jitterMs ?? 0;
    sum.bytesPerSecond = Math.min(sum.bytesPerSecond, shape?.bytesPerSecond ?? Number.POSITIVE_INFINITY);
  }
  return sum;
}
