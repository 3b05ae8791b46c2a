/**
 * A stream relay that compresses with Zstandard: a program at each end, and the wire between them.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import zlib from 'node:zlib';
import { environmentForPrograms } from '../../../src/programs.js';
import { LOOPBACK } from '../../../src/stacks/address.js';
import { freePort } from '../../../src/stacks/ports.js';
import { createCpuMeter, supervise } from './processes.js';

/** @import { Supervised } from './processes.js' */

/**
 * @import { Transform } from 'node:stream'
 * @import { Address } from '../../../src/stacks/types.js'
 * @import { LocalTunnel, TunnelOptions } from './path.js'
 *
 * @typedef {Object} ZstdStreams in `node:zlib` since Node.js 22.15
 * @property {(options: {flush: number, params: Record<number, number>}) => Transform} createZstdCompress
 * @property {() => Transform} createZstdDecompress
 * @property {{ZSTD_e_flush: number, ZSTD_c_compressionLevel: number}} constants
 */

const PROGRAM = fileURLToPath(new URL('./zstd-end.js', import.meta.url));

/** @returns {string | null} why this Node.js cannot compress with Zstandard, and the remedy, in two sentences */
export function whyNoZstd() {
  if ('createZstdCompress' in zlib) return null;
  return `Node.js ${process.versions.node} has no Zstandard. Use Node.js 22.15 or later.`;
}

/**
 * @param {number} level 1 … 22
 * @returns {Transform} everything written can be unpacked at once, and helps to compress later data
 */
export function packer(level) {
  const { createZstdCompress, constants } = zstdStreams();
  return createZstdCompress({
    flush: constants.ZSTD_e_flush,
    params: { [constants.ZSTD_c_compressionLevel]: level },
  });
}

/** @returns {Transform} */
export function unpacker() {
  return zstdStreams().createZstdDecompress();
}

/** @returns {ZstdStreams} the types of Node.js 20 do not have them */
function zstdStreams() {
  const why = whyNoZstd();
  if (why !== null) throw new Error(why);
  return /** @type {ZstdStreams} */ (/** @type {unknown} */ (zlib));
}

/**
 * @param {TunnelOptions & {level: number}} options
 * @returns {Promise<LocalTunnel>}
 */
export async function openZstd({ to, level, restartAfterMs, tell }) {
  const name = `zstd-${level}`;
  const by = `zstd level ${level} (Zstandard ${process.versions.zstd}, Node.js ${process.versions.node})`;
  const primaryCpu = createCpuMeter();
  const replicaCpu = createCpuMeter();
  const primaryPort = await freePort();
  const replicaPort = await freePort(new Set([primaryPort]));

  const primaryEnd = supervise({
    start: () => startEnd('dialled', primaryPort, to, level),
    cpu: primaryCpu,
    name: `The primary’s end of ${name}`,
  });
  /** @type {Supervised | undefined} */
  let replicaEnd;

  return {
    by,
    wireTo: { host: LOOPBACK, port: primaryPort },
    async dial(wire) {
      replicaEnd = supervise({
        start: () => startEnd('dials', replicaPort, wire, level),
        cpu: replicaCpu,
        restartAfterMs,
        tell,
        name: `The replica’s end of ${name}`,
      });
      return { host: LOOPBACK, port: replicaPort };
    },
    runs: () => primaryEnd.runs() && replicaEnd?.runs() === true,
    restarts: () => replicaEnd?.restarts() ?? 0,
    said: () => [primaryEnd.said(), replicaEnd?.said()].filter(Boolean).join('\n'),
    cpu: () => ({ primaryEndCpuSeconds: primaryCpu.seconds(), replicaEndCpuSeconds: replicaCpu.seconds() }),
    kill: async () => replicaEnd?.kill(),
    async close() {
      await Promise.all([replicaEnd?.close(), primaryEnd.close()]);
    },
  };
}

/**
 * @param {'dialled' | 'dials'} packed which of its sides
 * @param {number} port
 * @param {Address} to
 * @param {number} level
 */
function startEnd(packed, port, to, level) {
  return spawn(process.execPath, [PROGRAM, packed, String(port), to.host, String(to.port), String(level)], {
    env: environmentForPrograms(),
    stdio: ['pipe', 'ignore', 'pipe'],
  });
}
