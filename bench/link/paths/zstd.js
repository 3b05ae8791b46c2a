/**
 * A stream relay that compresses with Zstandard: a program at each end, and the wire between them.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from '../cluster/ports.js';
import { createCpuMeter } from './meter-cpu.js';
import { supervise } from './supervisor.js';
import { LIBRARY, zstdVersion } from './zstd-codec.js';

/**
 * @typedef {import('../cluster/types.js').Address} Address
 * @typedef {import('./tunnel.js').Tunnel} Tunnel
 */

const PROGRAM = fileURLToPath(new URL('./zstd-end.js', import.meta.url));

const LOOPBACK = '127.0.0.1';

/** @returns {Promise<string | null>} what is missing, and the remedy */
export async function whyNoZstd() {
  try {
    await zstdVersion();
    return null;
  } catch {
    return `The library ${LIBRARY} cannot be loaded. Run \`npm ci\`.`;
  }
}

/**
 * @param {import('./tunnel.js').TunnelOptions & {level: number}} options
 * @returns {Promise<Tunnel>}
 */
export async function openZstd({ to, level, restartAfterMs, tell }) {
  const name = `zstd-${level}`;
  const by = `zstd level ${level} (Zstandard ${await zstdVersion()}, compiled to WebAssembly)`;
  const primaryCpu = createCpuMeter();
  const replicaCpu = createCpuMeter();
  const primaryPort = await freePort();
  const replicaPort = await freePort(new Set([primaryPort]));

  const primaryEnd = supervise({
    start: () => startEnd('dialled', primaryPort, to, level),
    cpu: primaryCpu,
    name: `The primary’s end of ${name}`,
  });
  /** @type {import('./supervisor.js').Supervised | undefined} */
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
    stdio: ['pipe', 'ignore', 'pipe'],
  });
}
