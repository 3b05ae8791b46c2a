/**
 * The bytes of a batch, built once. Afterwards only the key numbers change, and the value if a caller sets it.
 * @import { Shape } from './types.js'
 */
import { encodeCommand } from '../resp/writer.js';
import { waitCommand } from './outcome.js';

/** All keys of a case have the same length: numbers are written in place. redis-benchmark writes as many digits, for the same keys. */
export const KEY_DIGITS = 12;
/** The last digits, which change: enough for numbers below 1,000,000,000. */
const CHANGING_DIGITS = 9;

const PING = encodeCommand(['PING']);
const LINE_END = Buffer.from('\r\n');

const THREE_DIGITS = Buffer.from(Array.from({ length: 1000 }, (_, i) => String(i).padStart(3, '0')).join(''));

/** @param {string} prefix @param {number} number @returns {string} the whole key, as {@link writeKeyNumber} writes its end */
export function keyName(prefix, number) {
  return prefix + String(number).padStart(KEY_DIGITS, '0');
}

/**
 * @param {Buffer} buffer @param {number} offset of the first digit; the first three have to be zeros already
 * @param {number} number 0 … 999,999,999
 */
export function writeKeyNumber(buffer, offset, number) {
  const thousands = (number / 1000) | 0;
  const millions = (thousands / 1000) | 0;
  const first = offset + KEY_DIGITS - CHANGING_DIGITS;
  writeThree(buffer, first, millions);
  writeThree(buffer, first + 3, thousands - millions * 1000);
  writeThree(buffer, first + 6, number - thousands * 1000);
}

/** @param {Buffer} buffer @param {number} offset @param {number} number 0 … 999 */
function writeThree(buffer, offset, number) {
  const from = number * 3;
  buffer[offset] = THREE_DIGITS[from];
  buffer[offset + 1] = THREE_DIGITS[from + 1];
  buffer[offset + 2] = THREE_DIGITS[from + 2];
}

/** Drawing takes long, and no stream compression notices a repetition at this distance. */
const MOST_DRAWN_BYTES = 64 * 1024 * 1024;

/** Shared by the connections of a thread: it may be very long. */
let generated = Buffer.alloc(0);
let generatedText = /** @type {string | null} */ (null);

/**
 * A value that is the same in every run: ASCII, printable, and without a pattern that compression could exploit.
 * @param {number} bytes ≥ 1; at most 2^29 - 24, the longest string
 */
export function payload(bytes) {
  const value = payloadBuffer(bytes);
  generatedText ??= value.toString('latin1');
  return generatedText;
}

/** @param {number} bytes ≥ 1 @returns {Buffer} the same value; not to be changed */
function payloadBuffer(bytes) {
  if (generated.length === bytes) return generated;
  const value = Buffer.allocUnsafeSlow(bytes);
  const drawn = Math.min(bytes, MOST_DRAWN_BYTES);
  let state = 0x9e3779b9;
  for (let i = 0; i < drawn; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    value[i] = 0x61 + ((state >>> 24) % 26);
  }
  for (let at = drawn; at < bytes; at += drawn) value.copy(value, at, 0, drawn);
  generated = value;
  generatedText = null;
  return value;
}

/**
 * The parts of a batch are not to be changed, but for the key numbers at `keyOffsets` of `whole` and at `readKeyOffsets` of `reads`. `writes` shares its
 * memory with `whole`, which also has the WAIT, if any.
 * @param {Shape} shape
 */
export function buildBatch(shape) {
  const { payloadBytes, pipeline } = shape;
  const value = payloadBuffer(payloadBytes);
  const key = shape.keyPrefix + '0'.repeat(KEY_DIGITS);
  const get = encodeCommand(['GET', key]);
  const waits = waitCommand(shape);
  const wait = waits ? encodeCommand(waits) : Buffer.alloc(0);
  const valueHeader = `$${payloadBytes}\r\n`;
  // Built from buffers, because Redis accepts longer values than fit into a string.
  const head = Buffer.from(`*3\r\n$3\r\nSET\r\n$${Buffer.byteLength(key)}\r\n${key}\r\n${valueHeader}`);
  const valueOffset = head.length;
  const setLength = valueOffset + payloadBytes + LINE_END.length;

  const writes = repeat([head, value, LINE_END], pipeline, valueOffset - valueHeader.length - 2 - KEY_DIGITS, wait);
  const reads = repeat([get], pipeline, get.length - 2 - KEY_DIGITS);
  return {
    whole: writes.bytes,
    writes: writes.bytes.subarray(0, setLength * pipeline),
    wait,
    keyOffsets: writes.keyOffsets,
    reads: reads.bytes,
    readKeyOffsets: reads.keyOffsets,
    pings: Buffer.alloc(PING.length * pipeline, PING),
    /** Puts it into every write. @param {string | null} text null: the payload */
    setValue(text) {
      const bytes = text === null ? value : Buffer.from(text);
      if (bytes.length !== payloadBytes) {
        throw new RangeError(`a value of ${bytes.length} bytes where ${payloadBytes} were announced`);
      }
      for (let i = 0; i < pipeline; i++) bytes.copy(writes.bytes, i * setLength + valueOffset);
    },
  };
}

/**
 * @param {readonly Buffer[]} pieces of a command @param {number} times @param {number} keyOffset offset of the key number in the command
 * @param {Buffer} [end] what follows
 */
function repeat(pieces, times, keyOffset, end = Buffer.alloc(0)) {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const bytes = Buffer.allocUnsafeSlow(length * times + end.length);
  const keyOffsets = new Uint32Array(times);
  let at = 0;
  for (let i = 0; i < times; i++) {
    keyOffsets[i] = at + keyOffset;
    for (const piece of pieces) at += piece.copy(bytes, at);
  }
  end.copy(bytes, at);
  return { bytes, keyOffsets };
}
