/**
 * The bytes of a batch, built once: only the key numbers (and, when a caller sets it, the value) change afterwards.
 */

/** Digits of a key number; with them every key of a case has the same length, so numbers can be written in place. */
export const KEY_DIGITS = 9;

const DIGIT_ZERO = 0x30;

/**
 * @param {string[]} words
 * @returns {Buffer} the command as RESP
 */
export function encodeCommand(words) {
  let text = `*${words.length}\r\n`;
  for (const word of words) text += `$${Buffer.byteLength(word)}\r\n${word}\r\n`;
  return Buffer.from(text);
}

/**
 * @param {Buffer} buffer
 * @param {number} offset of the first digit
 * @param {number} number 0 … 999,999,999
 */
export function writeKeyNumber(buffer, offset, number) {
  let rest = number;
  for (let i = offset + KEY_DIGITS - 1; i >= offset; i--) {
    const tenth = (rest / 10) | 0;
    buffer[i] = DIGIT_ZERO + (rest - tenth * 10);
    rest = tenth;
  }
}

/**
 * A value that is the same for every run: printable, and without a pattern that a shortcut could exploit.
 *
 * @param {number} bytes ≥ 1
 * @returns {string} of `bytes` ASCII characters
 */
export function payload(bytes) {
  const value = Buffer.allocUnsafe(bytes);
  let state = 0x9e3779b9;
  for (let i = 0; i < bytes; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    value[i] = 0x61 + ((state >>> 24) % 26);
  }
  return value.toString('latin1');
}

/**
 * @typedef {Object} BatchBytes
 * @property {Buffer} whole the writes and, when there is one, the WAIT
 * @property {Buffer} writes the writes only; shares its memory with `whole`
 * @property {Buffer} wait the WAIT only
 * @property {Uint32Array} keyOffsets where each write's key number stands in `whole`
 * @property {(text: string | null) => void} setValue puts `text` (null: the payload) into every write
 *
 * @param {import('./types.js').Shape} shape
 * @returns {BatchBytes}
 */
export function buildBatch(shape) {
  const value = payload(shape.payloadBytes);
  const command = encodeCommand(['SET', shape.keyPrefix + '0'.repeat(KEY_DIGITS), value]);
  const wait =
    shape.waitReplicas > 0
      ? encodeCommand(['WAIT', String(shape.waitReplicas), String(shape.waitTimeoutMs)])
      : Buffer.alloc(0);
  const valueOffset = command.length - 2 - shape.payloadBytes;
  const valueHeader = Buffer.byteLength(`$${shape.payloadBytes}\r\n`);
  const keyOffset = valueOffset - valueHeader - 2 - KEY_DIGITS;

  const whole = Buffer.allocUnsafeSlow(command.length * shape.pipeline + wait.length);
  const keyOffsets = new Uint32Array(shape.pipeline);
  for (let i = 0; i < shape.pipeline; i++) {
    command.copy(whole, i * command.length);
    keyOffsets[i] = i * command.length + keyOffset;
  }
  wait.copy(whole, command.length * shape.pipeline);
  return {
    whole,
    writes: whole.subarray(0, command.length * shape.pipeline),
    wait,
    keyOffsets,
    setValue(text) {
      const bytes = Buffer.from(text ?? value);
      if (bytes.length !== shape.payloadBytes) {
        throw new RangeError(`a value of ${bytes.length} bytes where ${shape.payloadBytes} were announced`);
      }
      for (let i = 0; i < shape.pipeline; i++) bytes.copy(whole, i * command.length + valueOffset);
    },
  };
}
