/** A line is one direction of one connection; lanes decide how long its bytes take; a rota delivers them. Times: `performance.now()`. */
/** @import { LinkShape } from '../../types.js' */
/** @import { Socket } from 'node:net' */

const NEVER = Number.POSITIVE_INFINITY;
const NO_LIMIT = Number.POSITIVE_INFINITY;

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

/** The link from one node to another, shared by all their connections in that direction: how long bytes take, and how many fit through. */
export class Lane {
  /** Nothing passes, because one of the two nodes is cut off. */
  held = false;
  /** Bytes that have come out. */
  passed = 0;
  #delayMs = 0;
  #jitterMs = 0;
  #bytesPerMs = NO_LIMIT;
  /** When the last byte that entered has passed the bottleneck. */
  #freeAt = 0;

  reshape(/** @type {Required<LinkShape>} */ { latencyMs, jitterMs, bytesPerSecond }) {
    this.#delayMs = latencyMs / 2;
    this.#jitterMs = jitterMs;
    this.#bytesPerMs = bytesPerSecond / 1000;
    this.#freeAt = 0;
  }

  /** @param {number} bytes that enter now @param {number} now @returns when they come out; `now` itself if the link is not slowed */
  arrival(bytes, now) {
    if (this.#delayMs === 0 && this.#jitterMs === 0 && this.#bytesPerMs === NO_LIMIT) return now;
    this.#freeAt = Math.max(this.#freeAt, now) + bytes / this.#bytesPerMs;
    return this.#freeAt + Math.max(0, this.#delayMs + this.#jitterMs * (2 * Math.random() - 1));
  }

  /** @param {number} now @returns the latest time at which bytes that entered before come out */
  latest(now) {
    return now + this.#delayMs + this.#jitterMs;
  }

  room() {
    const rate = Math.min(this.#bytesPerMs, LOOPBACK_BYTES_PER_MS);
    const waiting = rate < LOOPBACK_BYTES_PER_MS ? Math.max(WAITING_BYTES, rate * WAITING_MS) : WAITING_BYTES;
    return Math.min(MOST_BYTES, waiting + rate * (this.#delayMs + this.#jitterMs));
  }

  slice() {
    return Math.max(LEAST_SLICE_BYTES, this.#bytesPerMs * SLICE_MS);
  }
}

/** Shapes of one link: delays add up, the lowest limit counts. @param {(LinkShape | undefined)[]} shapes @returns {Required<LinkShape>} */
export function combine(shapes) {
  const sum = { latencyMs: 0, jitterMs: 0, bytesPerSecond: NO_LIMIT };
  for (const shape of shapes) {
    sum.latencyMs += shape?.latencyMs ?? 0;
    sum.jitterMs += shape?.jitterMs ?? 0;
    sum.bytesPerSecond = Math.min(sum.bytesPerSecond, shape?.bytesPerSecond ?? NO_LIMIT);
  }
  return sum;
}

/** Parcels due within this are delivered at once: waiting would take longer. */
const SOON_MS = 0.03;

const KEPT_PARCELS = 256;

/** One direction of one relayed connection: it passes bytes from one socket to another, in order, when its lane lets them. */
export class Line {
  #from;
  #to;
  #lane;
  #wake;
  /** Without bytes: the end of the stream. The first `#gone` of them are delivered. @type {{due: number, bytes: Buffer | null}[]} */
  #parcels = [];
  #gone = 0;
  #waitingBytes = 0;
  #full = false;

  /** @param {Socket} from `allowHalfOpen`, paused @param {Socket} to @param {Lane} lane @param {(line: Line) => void} wake it is to deliver */
  constructor(from, to, lane, wake) {
    this.#from = from;
    this.#to = to;
    this.#lane = lane;
    this.#wake = wake;
    from.on('data', (/** @type {Buffer} */ bytes) => {
      const slice = lane.slice();
      for (let at = 0; at < bytes.length; at += slice) this.#push(bytes.subarray(at, at + slice));
    });
    from.on('end', () => this.#push(null));
    // Also after an orderly end: the other side must not stay open without end.
    from.on('close', () => this.#push(null));
  }

  /** Sends what is due. @param {number} now @returns when the next parcel is due */
  deliver(now) {
    if (this.#lane.held) return NEVER;
    const before = this.#gone;
    this.#to.cork();
    while (this.#gone < this.#parcels.length && !this.#full && this.#parcels[this.#gone].due <= now + SOON_MS) {
      this.#hand(this.#parcels[this.#gone++].bytes);
    }
    this.#to.uncork();
    if (this.#gone > before) this.#steer();
    if (this.#gone > KEPT_PARCELS || this.#gone === this.#parcels.length) {
      this.#parcels = this.#parcels.slice(this.#gone);
      this.#gone = 0;
    }
    return this.#parcels.length > 0 && !this.#full ? this.#parcels[this.#gone].due : NEVER;
  }

  refresh() {
    const latest = this.#lane.latest(performance.now());
    for (const parcel of this.#parcels) parcel.due = Math.min(parcel.due, latest);
    this.#changed();
  }

  #changed() {
    this.#steer();
    this.#wake(this);
  }

  #steer() {
    if (this.#lane.held || this.#full || this.#waitingBytes > this.#lane.room()) this.#from.pause();
    else this.#from.resume();
  }

  #push(/** @type {Buffer | null} */ bytes) {
    const now = performance.now();
    const due = this.#lane.arrival(bytes?.length ?? 0, now);
    if (bytes && this.#gone === this.#parcels.length && due <= now && !this.#lane.held && !this.#full) {
      this.#write(bytes);
      return;
    }
    // Jitter may make it due before an earlier parcel; it still waits for that one.
    this.#parcels.push({ due, bytes });
    this.#waitingBytes += bytes?.length ?? 0;
    this.#changed();
  }

  #hand(/** @type {Buffer | null} */ bytes) {
    if (bytes) {
      this.#waitingBytes -= bytes.length;
      this.#write(bytes);
    } else if (this.#from.destroyed) {
      this.#to.destroySoon();
    } else {
      this.#to.end();
    }
  }

  #write(/** @type {Buffer} */ bytes) {
    // Bytes to a closed socket are lost, as on any connection.
    if (this.#to.destroyed) return;
    this.#lane.passed += bytes.length;
    if (this.#to.write(bytes) || this.#full) return;
    this.#full = true;
    this.#steer();
    this.#to.once('drain', () => {
      this.#full = false;
      this.#changed();
    });
  }
}

/** Delivers parcels when they are due. @returns {(line: Line) => void} to be called when a line has something to deliver, now or later */
export function createRota() {
  /** Lines with a parcel that is due later. @type {Set<Line>} */
  const waiting = new Set();
  let soonest = NEVER;

  const alarm = new Alarm(() => {
    const now = performance.now();
    soonest = NEVER;
    for (const line of waiting) {
      const next = line.deliver(now);
      if (next === NEVER) waiting.delete(line);
      soonest = Math.min(soonest, next);
    }
    alarm.set(soonest);
  });

  return (line) => {
    const next = line.deliver(performance.now());
    if (next === NEVER) {
      waiting.delete(line);
      return;
    }
    waiting.add(line);
    if (next >= soonest) return;
    soonest = next;
    alarm.set(soonest);
  };
}

/** How late a timer of Node's may come; the last stretch is waited for in another way. */
const TIMER_LATE_MS = 2;

/** In the last stretch the event loop keeps turning, to take in what arrives, and naps in each turn, to leave the CPU to the servers. */
const NAP_MS = 0.1;

const NAP_LATE_MS = 0.07;

const bed = new Int32Array(new SharedArrayBuffer(4));

/**
 * A timer that is right to about a tenth of a millisecond; Node's timers count whole milliseconds and are often late. Only for a thread
 * that has nothing else to do.
 */
class Alarm {
  #ring;
  #at = NEVER;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {NodeJS.Immediate | undefined} */
  #turn;

  /** @param {() => void} ring called once each time it is set, at that time or right after */
  constructor(ring) {
    this.#ring = ring;
  }

  /** @param {number} time when to ring; replaces the time set before */
  set(time) {
    if (time === this.#at) return;
    clearTimeout(this.#timer);
    clearImmediate(this.#turn);
    this.#at = time;
    if (time < NEVER) this.#arm();
  }

  #arm() {
    const left = this.#at - performance.now();
    if (left > TIMER_LATE_MS + 1) this.#timer = setTimeout(() => this.#arm(), Math.floor(left - TIMER_LATE_MS));
    else this.#turn = setImmediate(() => this.#last());
  }

  #last() {
    const left = this.#at - performance.now();
    if (left > NAP_LATE_MS) Atomics.wait(bed, 0, 0, Math.min(NAP_MS, left - NAP_LATE_MS));
    if (left > 0) {
      this.#turn = setImmediate(() => this.#last());
      return;
    }
    this.#at = NEVER;
    this.#ring();
  }
}
