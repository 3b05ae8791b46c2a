/**
 * A path: what lies between a replica and the node it follows. On this machine it is a wire of this tool's own, between the ends of a tunnel if
 * there is one.
 */
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { UserError } from '../../../src/errors.js';
import { once } from '../../../src/once.js';
import { stackFolder } from '../../../src/stacks/local/record.js';
import { openSsh, whyNoSsh } from './ssh.js';
import { whyNoSupervisor } from './supervisors.js';
import { startMeter } from './wire.js';

/**
 * @import { Address, Stack, LinkShape, NodeInfo } from '../../../src/stacks/types.js'
 * @import { SshTunnel } from './ssh.js'
 * @import { Supervisor, Tended } from './supervisors.js'
 * @import { Meter } from './wire.js'
 *
 * @typedef {'none' | 'ssh' | 'ssh-C'} Tunnel
 *   none: plain, the replication stream as it is; ssh: encrypted, not compressed; ssh-C: `ssh -C`
 *
 * @typedef {Object} PathOptions
 * @property {NodeInfo} primary the node that the replica follows; a replica in a chain
 * @property {Tunnel} [tunnel] default `none`
 * @property {number} [restartAfterMs] a supervisor restarts the tunnel after this time; default: no restart
 * @property {Supervisor} [supervisor] of ssh -C, which then notices a dark link after 3 s. Default: restartAfterMs decides
 * @property {AbortSignal} [signal]
 *
 * @typedef {Object} WireUse totals since the path was opened
 * @property {number} atMs on this process's monotonic clock
 * @property {number} toReplicaBytes on the wire, between both ends of the tunnel; without a tunnel: what the replica was sent
 * @property {number} toPrimaryBytes
 * @property {number | null} primaryEndCpuSeconds of all processes at the primary's end of the tunnel; null: no processes, or not known
 * @property {number | null} replicaEndCpuSeconds
 *
 * @typedef {Object} Path
 * @property {Address} address the address for REPLICAOF
 * @property {string} by what carries the stream, for the report: “relay of this tool”, “ssh -C (OpenSSH 9.2)”
 * @property {(shape: LinkShape | null) => Promise<void>} shape of its wire, in force when it resolves; null: unlimited
 * @property {() => Promise<WireUse>} use
 * @property {() => Promise<void>} kill the tunnel, as a crash does (SIGKILL); with `restartAfterMs` it comes back
 * @property {Tended} [tended] absent: it was opened without a `supervisor`
 * @property {() => number} restarts restarts by the supervisor
 * @property {() => Promise<void>} cut no more bytes pass, and bytes under way are lost; for good
 * @property {(on: boolean) => Promise<void>} dark true: nothing passes the wire, but no socket is closed; false: it passes again, and
 *   nothing was lost
 * @property {() => Promise<void>} close idempotent: removes everything
 */

const WIRE = 'relay of this tool';
/** For keys, two programs and their handshake on a busy machine. */
const UP_DEADLINE_MS = 20_000;
const ATTEMPT_MS = 1000;
const POLL_MS = 10;

/**
 * @param {Pick<PathOptions, 'tunnel' | 'supervisor'>} wanted
 * @param {Stack} stack
 * @returns {string | null} what is missing here and the remedy, in two sentences; null: nothing
 */
export function whyNoPath({ tunnel = 'none', supervisor }, stack) {
  if (stack.about.backend !== 'local') return 'Links are measured on this machine only. Use --backend local.';
  return tunnel === 'none' ? null : (whyNoSsh() ?? whyNoSupervisor(supervisor));
}

/**
 * @param {Stack} stack
 * @param {PathOptions} options
 * @returns {Promise<Path>} the node behind it has answered; the replica does not follow it yet
 * @throws {UserError} the tunnel does not come up; it is removed first
 */
export async function openPath(stack, { primary, tunnel: kind = 'none', restartAfterMs, supervisor, signal }) {
  const { address: to } = primary;
  const folder = stackFolder(stack.about.identity);
  const tunnel =
    kind === 'none' ? null : await openSsh({ to, folder, compress: kind === 'ssh-C', restartAfterMs, supervisor });
  /** @type {Meter | undefined} */
  let meter;
  // The tunnel first: its supervisor would restart what ends with the wire.
  const close = once(() => Promise.all([tunnel?.close(), meter?.close()]).then(() => {}));

  try {
    signal?.throwIfAborted();
    meter = await startMeter(tunnel?.wireTo ?? to);
    const address = tunnel ? tunnel.dial(meter.address) : meter.address;
    await untilAnswers(address, tunnel, signal);
    const { shape, counts, cut, dark } = meter;
    return {
      address,
      by: tunnel?.by ?? WIRE,
      shape,
      async use() {
        const cpu = tunnel?.cpu() ?? { primaryEndCpuSeconds: null, replicaEndCpuSeconds: null };
        return { atMs: performance.now(), ...(await counts()), ...cpu };
      },
      async kill() {
        if (!tunnel) throw new RangeError('there is no tunnel on this path');
        await tunnel.kill();
      },
      tended: tunnel?.tended,
      restarts: () => tunnel?.restarts() ?? 0,
      cut,
      dark,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {Address} address @param {SshTunnel | null} tunnel @param {AbortSignal} [signal] */
async function untilAnswers(address, tunnel, signal) {
  const deadline = performance.now() + UP_DEADLINE_MS;
  while (!(await answers(address))) {
    signal?.throwIfAborted();
    const hasEnded = tunnel?.runs() === false;
    if (hasEnded || performance.now() > deadline) {
      const said = tunnel?.said();
      throw new UserError(
        `${tunnel?.by ?? `The ${WIRE}`} did not come up${hasEnded ? ': one of its programs ended' : ` within ${UP_DEADLINE_MS / 1000} s`}.`,
        said ? 'Its last output below says why.' : 'Try again when this machine is less busy.',
        { detail: said },
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
