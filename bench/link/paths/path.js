/** A path: what lies between a replica and the node it follows: a wire of this tool's own, between the ends of a tunnel if there is one. */
import { connect } from 'node:net';
import { UserError } from '../../../src/errors.js';
import { once } from '../../../src/once.js';
import { LOOPBACK } from '../../../src/stacks/address.js';
import { stackFolder } from '../../../src/stacks/hosts/local/record.js';
import { startRelay } from '../../../src/stacks/network/relay/relay.js';
import { waitFor } from '../../../src/wait.js';
import { whyNoSupervisor } from './processes.js';
import { openSshd, startSsh, whyNoSsh } from './ssh.js';

/** @import { Address, NodeInfo, Stack } from '../../types.js' */
/** @import { LinkShape } from '../../../src/stacks/types.js' */
/** @import { Relay } from '../../../src/stacks/network/relay/relay.js' */
/** @import { Supervised, Supervisor } from './processes.js' */
/** @import { Sshd } from './ssh.js' */
/** @typedef {'none' | 'ssh' | 'ssh-C'} Tunnel none: plain, the replication stream as it is; ssh: encrypted, not compressed; ssh-C: `ssh -C` */
/**
 * @typedef {Object} PathOptions
 * @property {NodeInfo} primary the node that the replica follows; a replica in a chain
 * @property {Tunnel} [tunnel] default `none`
 * @property {number} [restartAfterMs] of the tunnel after its end; default: no restart
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
 * @property {string} by what carries the stream, for the report: “relay of this tool”, “ssh -C”
 * @property {Supervised | undefined} tunnel its end beside the replica; undefined: there is no tunnel
 * @property {(shape: LinkShape) => Promise<void>} shape of its wire
 * @property {() => Promise<WireUse>} use
 * @property {(on: boolean) => Promise<void>} dark true: nothing passes the wire, but no socket is closed; false: it passes again, with what waited
 * @property {() => Promise<void>} close idempotent: removes everything
 */

const WIRE = 'relay of this tool';
const PRIMARY = 'primary-1';
const REPLICA = 'replica-2';
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
export async function openPath(stack, { primary, tunnel: kind = 'none', signal, ...supervision }) {
  const { address: to } = primary;
  const compress = kind === 'ssh-C';
  /** @type {Sshd | undefined} */
  let sshd;
  /** @type {Awaited<ReturnType<typeof startSsh>> | undefined} */
  let ssh;
  /** @type {Relay | undefined} */
  let relay;
  // The tunnel first: its supervisor would restart what ends with the wire.
  const close = once(async () => {
    await ssh?.close();
    await Promise.all([sshd?.close(), relay?.close()]);
  });

  try {
    if (kind !== 'none') sshd = await openSshd(to, stackFolder(stack.about.identity));
    const wire = await startRelay([{ id: PRIMARY, port: (sshd ?? to).port }, { id: REPLICA }], { byPort: true });
    relay = wire;
    signal?.throwIfAborted();
    const port = Number(wire.ports.get(`${REPLICA} ${PRIMARY}`));
    if (sshd) ssh = await startSsh(sshd, { wire: port, compress, ...supervision });
    const path = {
      address: { host: LOOPBACK, port: ssh?.port ?? port },
      by: ssh ? `ssh${compress ? ' -C' : ''}` : WIRE,
      tunnel: ssh,
    };
    await untilAnswers(path, () => [sshd?.said(), ssh?.said()].filter(Boolean).join('\n'), signal);
    return {
      ...path,
      shape: (shape) => wire.slow(shape),
      async use() {
        const passed = await wire.passed();
        return {
          atMs: performance.now(),
          toReplicaBytes: passed.get(`${PRIMARY} ${REPLICA}`) ?? 0,
          toPrimaryBytes: passed.get(`${REPLICA} ${PRIMARY}`) ?? 0,
          primaryEndCpuSeconds: sshd?.cpuSeconds() ?? null,
          replicaEndCpuSeconds: ssh?.cpuSeconds() ?? null,
        };
      },
      dark: (on) => (on ? wire.partition(REPLICA) : wire.join(REPLICA)),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {Pick<Path, 'address' | 'by' | 'tunnel'>} path @param {() => string} lastOutput @param {AbortSignal} [signal] */
async function untilAnswers({ address, by, tunnel }, lastOutput, signal) {
  const hasEnded = () => tunnel?.runs() === false;
  const isOver = async () => (await answers(address)) || hasEnded();
  const wait = { deadlineMs: UP_DEADLINE_MS, pollMs: POLL_MS, signal };
  if ((await waitFor(isOver, wait)) && !hasEnded()) return;
  const said = lastOutput();
  throw new UserError(
    `${tunnel ? by : `The ${by}`} did not come up${hasEnded() ? ': one of its programs ended' : ` within ${UP_DEADLINE_MS / 1000} s`}.`,
    said ? 'Its last output below says why.' : 'Try again when this machine is less busy.',
    { detail: said },
  );
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
