/** The structure of a JSON text, without parsing it. */

export const QUOTE = 0x22;
export const COMMA = 0x2c;
export const LIST = 0x5b;
const LIST_END = 0x5d;
export const OBJECT = 0x7b;
const OBJECT_END = 0x7d;

const BACKSLASH = 0x5c;
const STRUCTURE = new Set([COMMA, LIST, LIST_END, OBJECT, OBJECT_END]);
/** By byte: a look-up in a set takes most of the time. */
const IS_STRUCTURE = Array.from({ length: 256 }, (_, byte) => STRUCTURE.has(byte));

/**
 * @param {Buffer} bytes JSON in UTF-8; another text is taken as it comes
 * @param {(byte: number, from: number, to: number) => void} visit gets each of the characters above; of a text the places of its quotes
 */
export function eachToken(bytes, visit) {
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === QUOTE) {
      const from = i;
      for (i++; i < bytes.length && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i++;
      visit(QUOTE, from, i);
    } else if (IS_STRUCTURE[byte]) {
      visit(byte, i, i);
    }
  }
}
