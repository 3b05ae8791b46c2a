/**
 * How a file of write commands compresses: the commands of the traffic, as Redis sends them to a replica.
 */
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { createRequests } from '../../src/load/traffic-requests.js';

/** @import { RequestsPlan } from '../../src/load/traffic-requests.js' */

/** Much longer than the window of any compressor that a file of gigabytes would meet. */
const FILE_BYTES = 8 * 2 ** 20;
/** The default of gzip. */
const LEVEL = 6;

/**
 * @param {Pick<RequestsPlan, 'pattern' | 'keys' | 'payloadBytes' | 'seed'>} plan
 * @returns {Promise<{bytes: number, compressedBytes: number}>}
 */
export async function compressFile(plan) {
  const requests = createRequests({ ...plan, keyPrefix: '', writeShare: 1, batch: 1000 });
  const file = Buffer.alloc(FILE_BYTES);
  const batch = Buffer.alloc(requests.longest);
  let bytes = 0;
  for (let filled = requests.fill(batch); bytes + filled <= FILE_BYTES; filled = requests.fill(batch)) {
    batch.copy(file, bytes, 0, filled);
    bytes += filled;
  }
  const compressed = await promisify(gzip)(file.subarray(0, bytes), { level: LEVEL });
  return { bytes, compressedBytes: compressed.length };
}
