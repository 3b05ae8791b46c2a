/**
 * Bytes as text that HTML can hold: 16 characters for 13 bytes, where base64 takes 17.3. Packed parts are most of a page, and people send it by mail. The
 * page in the browser uses this file, too.
 */

/** All printable ASCII characters but the space and those that HTML or scripts give a meaning. */
const ALPHABET = Array.from({ length: 94 }, (_, i) => String.fromCharCode(33 + i)).filter(
  (letter) => !'<&\\'.includes(letter),
);
const BASE = ALPHABET.length;
/** Two letters have 91 × 91 = 8,281 values, enough for 13 bits; the last letter alone has 6. */
const PAIR_BITS = 13;
const LETTER_BITS = 6;

/**
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function bytesToText(bytes) {
  const letters = [];
  let [bits, width] = [0, 0];
  for (const byte of bytes) {
    bits |= byte << width;
    width += 8;
    if (width < PAIR_BITS) continue;
    const value = bits & (2 ** PAIR_BITS - 1);
    letters.push(ALPHABET[value % BASE], ALPHABET[Math.floor(value / BASE)]);
    bits >>= PAIR_BITS;
    width -= PAIR_BITS;
  }
  if (width > 0) letters.push(ALPHABET[bits % BASE]);
  if (width > LETTER_BITS) letters.push(ALPHABET[Math.floor(bits / BASE)]);
  return letters.join('');
}

/**
 * @param {string} text of {@link bytesToText}
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function textToBytes(text) {
  const values = new Map(ALPHABET.map((letter, i) => [letter, i]));
  const valueAt = (/** @type {number} */ i) => values.get(text[i]) ?? 0;
  const pairs = Math.floor(text.length / 2);
  /** @type {number[]} */
  const bytes = [];
  let [bits, width] = [0, 0];
  const take = (/** @type {number} */ value, /** @type {number} */ size) => {
    bits |= value << width;
    width += size;
    for (; width >= 8; width -= 8) {
      bytes.push(bits & 255);
      bits >>= 8;
    }
  };
  for (let i = 0; i < pairs; i++) take(valueAt(2 * i) + BASE * valueAt(2 * i + 1), PAIR_BITS);
  if (text.length > 2 * pairs) take(valueAt(2 * pairs), LETTER_BITS);
  return Uint8Array.from(bytes);
}
