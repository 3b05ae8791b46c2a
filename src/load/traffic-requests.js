/**
 * The requests of a {@link TrafficPlan}, written batch by batch into existing memory. Each has an answer of one line. Numbers, names and
 * values are drawn anew for each request, so that a compressor finds the redundancy of the pattern and no repeated batches.
 *
 * `regular` is what an API management backend writes. Each call of an application increments counters of calls and bytes, of its service
 * and of itself, one for each period; and it reads some counters.
 * @import { TrafficPlan } from './traffic.js'
 */
import { encodeCommand } from '../resp/writer.js';

/** Placeholders for the bytes that change; no key prefix contains them. */
const MARKS = Object.freeze({
  service: 1,
  app: 2,
  metric: 3,
  amount: 4,
  number: 5,
  letter: 6,
  bytesMetric: 7,
  name: 8,
});
const MARK = /** @param {number} mark @param {number} times */ (mark, times) => String.fromCharCode(mark).repeat(times);

const SERVICE_DIGITS = 10;
const APP_DIGITS = 8;
const METRIC_DIGITS = 10;
const AMOUNT_DIGITS = 5;
/** Services that share the applications. */
const SERVICES = 100;
/** Metrics of a service that count calls. */
const METRICS = 8;
/** Odd, so that no two numbers get the same name. Metrics are numbered from FIRST_METRIC, beyond all services. */
const NAMES = 0x9e3779b1;
const FIRST_METRIC = 1_000_000;
/** Time to live of a minute's counter. */
const MINUTE_KEPT_SECONDS = '180';

const RANDOM_KEY_LETTERS = 24;
const DIGIT_ZERO = 0x30;
const HEX = Buffer.from('0123456789abcdef');
/** Six bits of a random number each. */
const LETTERS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');

/**
 * @typedef {Pick<TrafficPlan, 'keyPrefix' | 'pattern' | 'keys' | 'payloadBytes' | 'writeShare' | 'batch' | 'seed'>} RequestsPlan
 * @typedef {{bytes: Buffer, parts: {mark: number, from: number, length: number}[]}} Template a command, and its changing parts in order
 */

/** What one connection sends. */
export class Requests {
  /** How many requests of the last batch write. */
  writes = 0;
  #plan;
  #commands;
  #random;
  /** The next write of the call that is being reported. */
  #step = 0;
  #reported = 0;
  /** A random number that gives the metric of the call and its bytes. */
  #call = 0;
  #read = 0;
  /** Fraction of a write that is due. */
  #owed = 0;

  /** @param {RequestsPlan} plan @param {Date} [now] the time of the periods */
  constructor(plan, now = new Date()) {
    const { keyPrefix, pattern, payloadBytes, batch, seed } = plan;
    this.#plan = plan;
    this.#commands =
      pattern === 'regular' ? regularCommands(keyPrefix, payloadBytes, now) : randomCommands(keyPrefix, payloadBytes);
    this.#random = ((seed ^ 0x6d2b79f5) >>> 0) % 0xffffffff || 1;
    const { writes, reads } = this.#commands;
    /** Bytes of the longest batch. */
    this.longest = batch * Math.max(...[...writes, ...reads].map(({ bytes }) => bytes.length));
  }

  /** Writes the next batch; returns its length. @param {Buffer} into */
  fill(into) {
    const { writes, reads } = this.#commands;
    const { batch, keys, writeShare } = this.#plan;
    let at = 0;
    this.writes = 0;
    for (let i = 0; i < batch; i++) {
      this.#owed += writeShare;
      // The rounding error of adding shares is far smaller.
      if (this.#owed > 1 - 1e-9) {
        this.#owed -= 1;
        if (this.#step === 0) {
          this.#reported = this.#draw() % keys;
          this.#call = this.#draw();
        }
        at = this.#put(writes[this.#step], this.#reported, into, at);
        this.#step = (this.#step + 1) % writes.length;
        this.writes++;
      } else {
        at = this.#put(reads[this.#read], this.#draw() % keys, into, at);
        this.#read = (this.#read + 1) % reads.length;
      }
    }
    return at;
  }

  /** @param {Template} template @param {number} key @param {Buffer} into @param {number} at */
  #put({ bytes, parts }, key, into, at) {
    bytes.copy(into, at);
    for (const { mark, from, length } of parts) this.#putPart(mark, key, into, at + from, length);
    return at + bytes.length;
  }

  /** @param {number} mark @param {number} key @param {Buffer} into @param {number} at @param {number} length */
  #putPart(mark, key, into, at, length) {
    switch (mark) {
      case MARKS.service:
        return putDigits(into, at, length, nameOf(key % SERVICES));
      case MARKS.app:
        return putHex(into, at, nameOf(key));
      case MARKS.metric:
        return putDigits(into, at, length, nameOf(FIRST_METRIC + (key % SERVICES) * METRICS + (this.#call % METRICS)));
      case MARKS.bytesMetric:
        return putDigits(into, at, length, nameOf(2 * FIRST_METRIC + (key % SERVICES)));
      case MARKS.amount:
        // Redis rejects numbers with leading zeros.
        return putDigits(into, at, length, 10_000 + (this.#call % 90_000));
      case MARKS.number:
        for (let i = 0; i < length; i++) into[at + i] = DIGIT_ZERO + (this.#draw() % 10);
        return;
      case MARKS.letter:
        return this.#putLetters(into, at, length);
      default:
        return this.#putName(key, into, at, length);
    }
  }

  /** A key has the same name each time. @param {number} key @param {Buffer} into @param {number} at @param {number} length */
  #putName(key, into, at, length) {
    const former = this.#random;
    this.#random = (Math.imul(key + 1, NAMES) ^ this.#plan.seed) | 0 || 1;
    this.#draw();
    this.#putLetters(into, at, length);
    this.#random = former;
  }

  /** @param {Buffer} into @param {number} at @param {number} count */
  #putLetters(into, at, count) {
    for (let i = 0; i < count; ) {
      let bits = this.#draw();
      for (const end = Math.min(i + 4, count); i < end; i++) {
        into[at + i] = LETTERS[bits & 63];
        bits >>>= 6;
      }
    }
  }

  /** Xorshift, 32 bits: repeats after 2^32 - 1 draws, 16 GB of letters. */
  #draw() {
    let random = this.#random;
    random ^= random << 13;
    random ^= random >>> 17;
    random ^= random << 5;
    this.#random = random;
    return random >>> 0;
  }
}

/** @param {string} prefix of keys @param {number} payloadBytes @param {Date} now */
function regularCommands(prefix, payloadBytes, now) {
  const service = `${prefix}stats/{service:${MARK(MARKS.service, SERVICE_DIGITS)}}`;
  const app = `${service}/app:${MARK(MARKS.app, APP_DIGITS)}`;
  const calls = `/metric:${MARK(MARKS.metric, METRIC_DIGITS)}`;
  const traffic = `/metric:${MARK(MARKS.bytesMetric, METRIC_DIGITS)}`;
  const amount = MARK(MARKS.amount, AMOUNT_DIGITS);
  const digits = now.toISOString().replace(/\D/g, '');
  const [month, day, hour, minute] = [6, 8, 10, 12].map((length) => digits.slice(0, length));
  const monday = new Date(now.getTime() - ((now.getUTCDay() + 6) % 7) * 86_400_000);
  const week = monday.toISOString().slice(0, 10).replaceAll('-', '');
  const periods = ['eternity', `month:${month}`, `week:${week}`, `day:${day}`, `hour:${hour}`];
  const ofMinute = `minute:${minute}`;
  const report = `${app}/report`;
  const counters = (/** @type {string} */ metric) => [
    ...periods.map((period) => `${service}${metric}/${period}`),
    ...[...periods, ofMinute].map((period) => `${app}${metric}/${period}`),
  ];
  return {
    writes: [
      ...counters(calls).map((key) => template(['INCR', key])),
      template(['EXPIRE', `${app}${calls}/${ofMinute}`, MINUTE_KEPT_SECONDS]),
      ...counters(traffic).map((key) => template(['INCRBY', key, amount])),
      template(['EXPIRE', `${app}${traffic}/${ofMinute}`, MINUTE_KEPT_SECONDS]),
      template(['HINCRBY', `${service}/apps/day:${day}`, MARK(MARKS.app, APP_DIGITS), amount]),
      template(['SET', report, regularValue(payloadBytes)]),
    ],
    reads: [
      template(['EXISTS', `${app}${calls}/${ofMinute}`]),
      template(['TTL', `${app}${calls}/${ofMinute}`]),
      template(['STRLEN', report]),
    ],
  };
}

/** A short text as such backends keep; only some numbers differ. @param {number} bytes */
function regularValue(bytes) {
  const unit = `used:${MARK(MARKS.number, 6)} state:live plan:basic limit:1000000;`;
  return unit.repeat(Math.ceil(bytes / unit.length)).slice(0, bytes);
}

/** @param {string} prefix of keys @param {number} payloadBytes */
function randomCommands(prefix, payloadBytes) {
  const key = prefix + MARK(MARKS.name, RANDOM_KEY_LETTERS);
  return {
    writes: [template(['SET', key, MARK(MARKS.letter, payloadBytes)])],
    reads: [template(['EXISTS', key]), template(['STRLEN', key])],
  };
}

/** @param {number} number @returns {number} 32 bits that look random, different for different numbers */
function nameOf(number) {
  return Math.imul(number + 1, NAMES) >>> 0;
}

/** @param {string[]} words with marks @returns {Template} */
function template(words) {
  const bytes = encodeCommand(words);
  /** @type {number[]} */
  const marks = Object.values(MARKS);
  const parts = [];
  for (let i = 0; i < bytes.length; ) {
    const [mark, from] = [bytes[i], i];
    while (bytes[i] === mark) i++;
    if (marks.includes(mark)) parts.push({ mark, from, length: i - from });
  }
  return { bytes, parts };
}

/** @param {Buffer} into @param {number} at @param {number} count of digits @param {number} number ≥ 0 */
function putDigits(into, at, count, number) {
  let left = number;
  for (let i = at + count - 1; i >= at; i--) {
    const rest = (left / 10) | 0;
    into[i] = DIGIT_ZERO + left - rest * 10;
    left = rest;
  }
}

/** @param {Buffer} into @param {number} at @param {number} number 32 bits */
function putHex(into, at, number) {
  for (let i = 0; i < APP_DIGITS; i++) into[at + i] = HEX[(number >>> (28 - 4 * i)) & 15];
}
