/**
 * How a relay passes bytes on. A line is one direction of one connection; lanes decide how long its bytes take; a rota delivers the
 * bytes of all lines of a thread when they are due.
 *
 * @import { LinkShape } from '../types.js'
 * @import { Socket } from 'node:net'
 *
 * The link from one node to another, shared by all their connections in that direction: how long bytes take, and how many fit through.
 *
 * @typedef {Object} Lane
 * @property {boolean} held nothing passes, because one of the two nodes is cut off
 * @property {number} passed bytes that have come out
 * @property {(shape: Required<LinkShape>) => void} reshape
 * @property {(bytes: number, now: number) => number} arrival when bytes that enter now come out, in ms of `performance.now()`; `now`
 *   itself if the link is not slowed
 * @property {(now: number) => number} latest the latest time at which bytes that entered before come out
 * @property {() => number} room how many bytes one connection may hold
 * @property {() => number} slice how many bytes come out at once at most
 */

/** @type {Required<LinkShape>} */
const UNSLOWED = Object.freeze({ latencyMs: 0, jitterMs: 0, bytesPerSecond: Number.POSITIVE_INFINITY });

/** How much one connection may hold in addition to the bytes that the latency keeps under way: about as much as a socket's own buffers. */
const WAITING_BYTES = 256 * 1024;

/**
 * How many milliseconds' worth of bytes may wait for a limited lane. Waiting bytes already have their time to leave, so a thread that
 * was kept from running catches up and loses nothing of the limit.
 */
const WAITING_MS = 100;

/** Above loopback's own throughput, so that the room of an unlimited lane limits nothing. */
const LOOPBACK_BYTES_PER_MS = 1024 * 1024;

const MOST_BYTES = 64 * 1024 * 1024;

/** Bytes of a limited lane come out in slices of this duration, rather than in lumps as large as a read. */
const SLICE_MS = 5;
const LEAST_SLICE_BYTES = 1460;

/** @returns {Lane} neither held nor slowed */
export function createLane() {
  let delayMs = 0;
  let jitterMs = 0;
  let bytesPerMs = Number.POSITIVE_INFINITY;
  /** When the last byte that entered has passed the bottleneck. */
  let freeAt = 0;

  return {
    held: false,
    passed: 0,
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

/** Shapes of one link: delays add up, the lowest limit counts. @param {(LinkShape | undefined)[]} shapes */
export function combine(shapes) {
  const sum = { ...UNSLOWED };
  for (const shape of shapes) {
    sum.latencyMs += shape?.latencyMs ?? 0;
    sum.jitterMs += shape?.jitterMs ?? 0;
    sum.bytesPerSecond = Math.min(sum.bytesPerSecond, shape?.bytesPerSecond ?? Number.POSITIVE_INFINITY);
  }
  return sum;
}

/**
 * One direction of one relayed connection: it passes bytes from one socket to another, in order, when its lane lets them.
 *
 * @typedef {Object} Line
 * @property {(now: number) => number} deliver sends what is due; returns when the next parcel is due, or Infinity
 * @property {() => void} refresh to be called when its lane has changed
 *
 * @typedef {{due: number, bytes: Buffer | null}} Parcel null: the end of the stream
 */

/** Parcels due within this are delivered at once: waiting would take longer. */
const SOON_MS = 0.03;

const KEPT_PARCELS = 256;

/** @param {Socket} from `allowHalfOpen`, paused @param {Socket} to @param {Lane} lane @param {(line: Line) => void} wake it is to deliver */
export function createLine(from, to, lane, wake) {
  /** The first `gone` of them are delivered. @type {Parcel[]} */
  let parcels = [];
  let gone = 0;
  let waitingBytes = 0;
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
    // Jitter may make it due before an earlier parcel; it still waits for that one.
    parcels.push({ due, bytes });
    waitingBytes += bytes?.length ?? 0;
    steer();
    wake(line);
  }

  /** @param {Buffer} bytes */
  function write(bytes) {
    // Bytes to a closed socket are lost, as on any connection.
    if (to.destroyed) return;
    lane.passed += bytes.length;
    if (to.write(bytes) || full) return;
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
  // Also after an orderly end: the other side must not stay open without end.
  from.on('close', () => push(null));
  return line;
}

/** Delivers parcels when they are due. @returns {(line: Line) => void} to be called when a line has something to deliver, now or later */
export function createRota() {
  /** Lines with a parcel that is due later. @type {Set<Line>} */
  const waiting = new Set();
  let soonest = Number.POSITIVE_INFINITY;

  const alarm = createAlarm(() => {
    const now = performance.now();
    soonest = Number.POSITIVE_INFINITY;
    for (const line of waiting) {
      const next = line.deliver(now);
      if (next === Number.POSITIVE_INFINITY) waiting.delete(line);
      soonest = Math.min(soonest, next);
    }
    alarm.set(soonest);
  });

  return (line) => {
    const next = line.deliver(performance.now());
    if (next === Number.POSITIVE_INFINITY) {
      waiting.delete(line);
      return;
    }
    waiting.add(line);
    if (next >= soonest) return;
    soonest = next;
    alarm.set(soonest);
  };
}

/**
 * A timer that is right to about a tenth of a millisecond; Node's timers count whole milliseconds and are often late. Only for a thread
 * that has nothing else to do.
 *
 * @typedef {Object} Alarm
 * @property {(time: number) => void} set when to ring, in ms of `performance.now()`; replaces the time set before. Infinity: never
 */

/** How late a timer of Node's may come; the last stretch is waited for in another way. */
const TIMER_LATE_MS = 2;

/** In the last stretch the event loop keeps turning, to take in what arrives, and naps in each turn, to leave the CPU to the servers. */
const NAP_MS = 0.1;

const NAP_LATE_MS = 0.07;

const bed = new Int32Array(new SharedArrayBuffer(4));

/** @param {() => void} ring called once each time it is set, at that time or right after @returns {Alarm} */
function createAlarm(ring) {
  let at = Number.POSITIVE_INFINITY;
  /** @type {NodeJS.Timeout | undefined} */
  let timer;
  /** @type {NodeJS.Immediate | undefined} */
  let turn;

  function arm() {
    const left = at - performance.now();
    if (left > TIMER_LATE_MS + 1) timer = setTimeout(arm, Math.floor(left - TIMER_LATE_MS));
    else turn = setImmediate(last);
  }

  function last() {
    const left = at - performance.now();
    if (left > NAP_LATE_MS) {
      Atomics.wait(bed, 0, 0, Math.min(NAP_MS, left - NAP_LATE_MS));
      turn = setImmediate(last);
    } else if (left > 0) {
      turn = setImmediate(last);
    } else {
      at = Number.POSITIVE_INFINITY;
      ring();
    }
  }

  return {
    set(time) {
      if (time === at) return;
      clearTimeout(timer);
      clearImmediate(turn);
      at = time;
      if (at < Number.POSITIVE_INFINITY) arm();
    },
  };
}
