/**
 * How a file of write commands compresses through zlib, which ssh uses: the commands of the traffic, as Redis sends them to a replica.
 */
import { promisify } from 'node:util';
import { deflate } from 'node:zlib';
import { createRequests } from '../../src/load/traffic-requests.js';

/**
 * @import { RequestsPlan } from '../../src/load/traffic-requests.js'
 * @import { LinkFigures } from './document.js'
 */

/** Much longer than the window of any compressor that a file of gigabytes would meet. */
const FILE_BYTES = 8 * 2 ** 20;
/** The default of gzip and of ssh. */
const USUAL_LEVEL = 6;
/** The fastest, the article's, the usual one and the best. */
const LEVELS = [1, 5, USUAL_LEVEL, 9];

/**
 * @param {Pick<RequestsPlan, 'pattern' | 'keys' | 'payloadBytes' | 'seed'>} plan
 * @returns {Promise<NonNullable<LinkFigures['file']>>}
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
  const levels = [];
  for (const level of LEVELS) {
    const before = process.cpuUsage();
    const { length: compressedBytes } = await promisify(deflate)(file.subarray(0, bytes), { level });
    const { user, system } = process.cpuUsage(before);
    levels.push({ level, compressedBytes, cpuMs: (user + system) / 1000 });
  }
  const compressedBytes = Number(levels.find(({ level }) => level === USUAL_LEVEL)?.compressedBytes);
  return { bytes, compressedBytes, levels };
}
