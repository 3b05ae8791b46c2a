/**
 * Packing one direction of a connection with Zstandard, piece by piece: each can be unpacked as soon as it is there, and what
 * came before helps with what comes. A piece is preceded by its length before and after, seven bits a byte, the lowest first.
 *
 * @typedef {Object} Codec one connection's, both directions
 * @property {(bytes: Buffer) => Buffer} pack
 * @property {(bytes: Buffer) => Buffer[]} unpack what is complete of what came until now
 * @property {() => void} release it serves another connection; not to be used any more. Idempotent
 *
 * @typedef {import('@hpcc-js/wasm-zstd').Zstd} Zstd
 * @typedef {{ptr: number, size: number}} Span
 */

export const LIBRARY = '@hpcc-js/wasm-zstd';

/** A socket hands over no more at once. */
const MOST_BYTES = 1024 * 1024;

/** @type {Zstd[]} used before, and free */
const free = [];
let loaded = 0;

/** @returns {Promise<Zstd>} with a state of its own: the library has one a module, so it is loaded anew */
async function load() {
  const url = import.meta.resolve(LIBRARY);
  loaded += 1;
  /** @type {typeof import('@hpcc-js/wasm-zstd')} */
  const { Zstd } = await import(`${url}?${loaded}`);
  return withFastCopies(await Zstd.load());
}

/**
 * The library copies each result byte by byte, in which it spends far more time than in compressing: that is not what a
 * compressor costs.
 *
 * @param {Zstd} zstd
 */
function withFastCopies(zstd) {
  const heap = /** @type {any} */ (zstd)._mainModule;
  if (typeof heap?.heapView === 'function' && typeof heap.heapToUint8Array === 'function') {
    heap.heapToUint8Array = (/** @type {Span} */ span) => heap.heapView(span).slice();
  }
  return zstd;
}

/** @returns {Promise<string>} the version of Zstandard; rejects where the library is missing */
export async function zstdVersion() {
  const zstd = free.pop() ?? (await load());
  free.push(zstd);
  return zstd.version();
}

/**
 * @param {number} level 1 … 22
 * @returns {Promise<Codec>}
 */
export async function openCodec(level) {
  const zstd = free.pop() ?? (await load());
  zstd.reset();
  zstd.setCompressionLevel(level);
  /** Came, and is not complete. @type {Buffer} */
  let rest = Buffer.alloc(0);
  let released = false;

  return {
    pack(bytes) {
      const packed = zstd.compressChunk(bytes);
      return Buffer.concat([lengths(bytes.length, packed.length), packed]);
    },
    unpack(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      const pieces = [];
      for (let piece = readPiece(rest); piece !== null; piece = readPiece(rest)) {
        const plain = zstd.decompressChunk(piece.packed, piece.plainBytes);
        if (plain.length !== piece.plainBytes) {
          throw new Error(`a piece of ${piece.plainBytes} bytes unpacks to ${plain.length}`);
        }
        pieces.push(Buffer.from(plain.buffer, plain.byteOffset, plain.length));
        rest = rest.subarray(piece.bytes);
      }
      return pieces;
    },
    release() {
      // Twice in the list, it would serve two connections at once.
      if (!released) free.push(zstd);
      released = true;
    },
  };
}

/**
 * @param {Buffer} bytes
 * @returns {{plainBytes: number, packed: Buffer, bytes: number} | null} `bytes`: with its lengths; null: it is not complete
 */
function readPiece(bytes) {
  const plain = readLength(bytes, 0);
  const packed = plain && readLength(bytes, plain.end);
  if (!packed || bytes.length < packed.end + packed.value) return null;
  const end = packed.end + packed.value;
  return { plainBytes: plain.value, packed: bytes.subarray(packed.end, end), bytes: end };
}

/** @param {number[]} values */
function lengths(...values) {
  const bytes = [];
  for (let value of values) {
    for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80);
    bytes.push(value);
  }
  return Buffer.from(bytes);
}

/**
 * @param {Buffer} bytes
 * @param {number} start
 * @returns {{value: number, end: number} | null} null: it is not complete
 */
function readLength(bytes, start) {
  let value = 0;
  for (let at = start; at < bytes.length; at += 1) {
    value += (bytes[at] & 0x7f) * 2 ** (7 * (at - start));
    if (value > MOST_BYTES) throw new Error('what came is not packed');
    if (bytes[at] <= 0x7f) return { value, end: at + 1 };
  }
  return null;
}
