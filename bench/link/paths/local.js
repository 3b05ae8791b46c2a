/** A path on the local backend: a wire of this tool's own, between the ends of a tunnel if there is one. */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../../src/errors.js';
import { once } from '../../../src/once.js';
import { stackFolder } from '../../../src/stacks/local/record.js';
import { openSsh, whyNoSsh } from './ssh.js';
import { startMeter } from './wire.js';

/**
 * @import { Address, Stack } from '../../../src/stacks/types.js'
 * @import { Meter } from './wire.js'
 * @import { LocalTunnel, Path, PathOptions, Tunnel } from './path.js'
 */

const WIRE = 'relay of this tool';

/** For keys, two programs and their handshake on a busy machine. */
const UP_DEADLINE_MS = 20_000;

const ATTEMPT_MS = 1000;
const POLL_MS = 10;

/** @param {Tunnel} [tunnel] @returns {Promise<string | null>} what is missing here and the remedy, in two sentences */
export async function whyNoLocalPath(tunnel = 'none') {
  return tunnel === 'none' ? null : whyNoSsh();
}

/**
 * @param {Stack} stack
 * @param {PathOptions} options
 * @returns {Promise<Path>} the primary behind it has answered
 * @throws {UserError} the tunnel does not come up; it is removed first
 */
export async function openLocalPath(stack, options) {
  const { primary, tunnel: kind = 'none', shaped = false, signal } = options;
  const tunnel = await openTunnel(stackFolder(stack.about.identity), options);
  /** @type {Meter | undefined} */
  let meter;
  // The tunnel first: its supervisor would restart what ends with the wire.
  const close = once(() => Promise.all([tunnel?.close(), meter?.close()]).then(() => {}));

  try {
    signal?.throwIfAborted();
    meter = await startMeter(tunnel?.wireTo ?? primary.address);
    const address = tunnel ? await tunnel.dial(meter.address) : meter.address;
    await untilAnswers(address, tunnel, kind, signal);
    const wire = meter;
    return {
      address,
      by: tunnel ? `${tunnel.by}${shaped ? `, shaped by a ${WIRE}` : ''}` : WIRE,
      counts: 'stream',
      async shape(shape) {
        if (!shaped) throw new RangeError('the path was not opened to be shaped');
        await wire.shape(shape);
      },
      async use() {
        const counts = await wire.counts();
        const cpu = tunnel?.cpu() ?? { primaryEndCpuSeconds: null, replicaEndCpuSeconds: null };
        return { atMs: performance.now(), ...counts, ...cpu };
      },
      async kill() {
        if (!tunnel) throw new RangeError('there is no tunnel on this path');
        await tunnel.kill();
      },
      tended: tunnel?.tended,
      restarts: () => tunnel?.restarts() ?? 0,
      cut: wire.cut,
      dark: wire.dark,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * @param {string} folder of the stack
 * @param {PathOptions} options
 * @returns {Promise<LocalTunnel | null>} null: no tunnel
 */
async function openTunnel(folder, { primary, tunnel = 'none', restartAfterMs, supervisor, tell }) {
  const options = { to: primary.address, restartAfterMs, supervisor, tell };
  return tunnel === 'none' ? null : openSsh({ ...options, folder, compress: tunnel === 'ssh-C' });
}

/** @param {Address} address @param {LocalTunnel | null} tunnel @param {string} name @param {AbortSignal} [signal] */
async function untilAnswers(address, tunnel, name, signal) {
  const deadline = performance.now() + UP_DEADLINE_MS;
  while (!(await answers(address))) {
    signal?.throwIfAborted();
    const over = performance.now() > deadline || tunnel?.runs() === false;
    if (over) {
      const what = tunnel ? `The tunnel ${name}` : 'The relay before the primary';
      throw new UserError(
        `${what} did not come up${tunnel?.runs() === false ? ': one of its programs ended' : ` within ${UP_DEADLINE_MS / 1000} s`}.`,
        tunnel?.said() ? 'Its last output below says why.' : 'Try again when this machine is less busy.',
        { detail: tunnel?.said() },
      );
    }
    await delay(POLL_MS);
  }
}

/** @param {Address} address @returns {Promise<boolean>} a server there answers PING, perhaps with an error */
function answers(address) {
  return new Promise((resolve) => {
    const socket = connect(address);
    /** @param {boolean} answered */
    function end(answered) {
      socket.destroy();
      resolve(answered);
    }
    socket.setTimeout(ATTEMPT_MS, () => end(false));
    socket.once('connect', () => socket.write('PING\r\n'));
    socket.once('data', () => end(true));
    socket.once('error', () => end(false));
    socket.once('close', () => end(false));
  });
}
