/**
 * The requests of a {@link TrafficPlan}, written batch by batch into existing memory. Each has an answer of one line. Numbers, names and
 * values are drawn anew for each request, so that a compressor finds the redundancy of the pattern and no repeated batches.
 * @import { TrafficPlan } from './traffic.js'
 */
import { encodeCommand } from '../resp/writer.js';
import { filled } from '../sentences.js';
import { readYaml } from '../yaml.js';

/** @type {Readonly<Record<TrafficPlan['pattern'], Record<'writes' | 'reads', string[]>>>} */
const PATTERNS = readYaml(new URL('traffic.yaml', import.meta.url));

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

const APP_DIGITS = 8;
/** Services that share the applications. */
const SERVICES = 100;
/** Metrics of a service that count calls. */
const METRICS = 8;
/** Odd, so that no two numbers get the same name. Metrics are numbered from FIRST_METRIC, beyond all services. */
const NAMES = 0x9e3779b1;
const FIRST_METRIC = 1_000_000;

const RANDOM_KEY_LETTERS = 24;
const DIGIT_ZERO = 0x30;
const HEX = Buffer.from('0123456789abcdef');
/** Six bits of a random number each. */
const LETTERS = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_');

/**
 * @typedef {Pick<TrafficPlan, 'keyPrefix' | 'pattern' | 'keys' | 'payloadBytes' | 'writeShare' | 'batch' | 'seed'>} RequestsPlan
 * @typedef {{bytes: Buffer, parts: {mark: number, from: number, length: number}[]}} Template a command, and its changing parts in order
 */

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
    const { batch, seed } = plan;
    this.#plan = plan;
    this.#commands = commandsOf(plan, now);
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

/** @param {RequestsPlan} plan @param {Date} now @returns {Record<'writes' | 'reads', Template[]>} */
function commandsOf({ keyPrefix: prefix, pattern, payloadBytes }, now) {
  const digits = now.toISOString().replace(/\D/g, '');
  const [month, day, hour, minute] = [6, 8, 10, 12].map((length) => digits.slice(0, length));
  const monday = new Date(now.getTime() - ((now.getUTCDay() + 6) % 7) * 86_400_000);
  const week = monday.toISOString().slice(0, 10).replaceAll('-', '');
  const marks = {
    service: MARK(MARKS.service, 10),
    app: MARK(MARKS.app, APP_DIGITS),
    calls: MARK(MARKS.metric, 10),
    bytes: MARK(MARKS.bytesMetric, 10),
    amount: MARK(MARKS.amount, 5),
    name: MARK(MARKS.name, RANDOM_KEY_LETTERS),
    letters: MARK(MARKS.letter, payloadBytes),
    text: regularText(payloadBytes),
  };
  const values = { prefix, month, week, day, hour, minute, ...marks };
  const made = (/** @type {string[]} */ commands) =>
    commands.map((words) => template(words.split(' ').map((word) => filled(word, values))));
  const { writes, reads } = PATTERNS[pattern];
  return { writes: made(writes), reads: made(reads) };
}

/** A short text as such backends keep; only some numbers differ. @param {number} bytes */
function regularText(bytes) {
  const unit = `used:${MARK(MARKS.number, 6)} state:live plan:basic limit:1000000;`;
  return unit.repeat(Math.ceil(bytes / unit.length)).slice(0, bytes);
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
