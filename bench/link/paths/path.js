/**
 * A path: what lies between a replica and the node it follows. This file has its contract, and opens one on any backend.
 */
import { UserError } from '../../../src/errors.js';
import { openLocalPath, whyNoLocalPath } from './local.js';
import { whyNoSupervisor } from './supervisors.js';

/**
 * @import { Address, Stack, LinkShape, NodeInfo } from '../../../src/stacks/types.js'
 * @import { Supervisor, Tended } from './supervisors.js'
 *
 * @typedef {'none' | 'ssh' | 'ssh-C'} Tunnel
 *   none: plain, the replication stream as it is; ssh: encrypted, not compressed; ssh-C: `ssh -C`
 *
 * @typedef {Object} PathOptions
 * @property {NodeInfo} replica the follower
 * @property {NodeInfo} primary the node it follows; a replica in a chain
 * @property {Tunnel} [tunnel] default `none`
 * @property {boolean} [shaped] its wire will be shaped, on Docker by Toxiproxy; default false
 * @property {number} [restartAfterMs] a supervisor restarts the tunnel after this time; default: no restart
 * @property {Supervisor} [supervisor] of ssh -C, which then notices a dark link after 3 s; local only. Default: restartAfterMs decides
 * @property {(line: string) => void} [tell]
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
 * @property {string} by what carries and shapes the stream, for the report: “relay of this tool”, “Toxiproxy”, “ssh -C (OpenSSH 9.2)”
 * @property {'stream' | 'packets'} counts the unit of bytes on the wire: TCP payload, or packets with their headers; inside one
 *   machine a packet may hold 64 KB
 * @property {(shape: LinkShape | null) => Promise<void>} shape of its wire, in force when it resolves; null: unlimited. Rejects
 *   unless it was opened `shaped`
 * @property {() => Promise<WireUse>} use
 * @property {() => Promise<void>} kill the tunnel, as a crash does (SIGKILL); with `restartAfterMs` it comes back
 * @property {Tended} [tended] absent: it was opened without a `supervisor`
 * @property {() => number} restarts restarts by the supervisor
 * @property {() => Promise<void>} cut no more bytes pass, and bytes under way are lost; for good
 * @property {(on: boolean) => Promise<void>} dark true: nothing passes the wire, but no socket is closed; false: it passes again, and
 *   nothing was lost. Local: the relay holds the bytes. Docker: the end of the wire is off the replica’s network, so packets vanish
 * @property {() => Promise<void>} close idempotent: removes everything
 *
 * @typedef {Object} TunnelOptions
 * @property {Address} to where it leads
 * @property {number} [restartAfterMs]
 * @property {Supervisor} [supervisor]
 * @property {(line: string) => void} [tell]
 *
 * @typedef {Object} LocalTunnel processes of the local backend at both ends of a wire
 * @property {string} by what it is, for the report
 * @property {Address} wireTo the primary's end
 * @property {(wire: Address) => Promise<Address>} dial starts the replica's end, once; returns the address for the replica
 * @property {() => boolean} runs both ends run; they may not accept connections yet
 * @property {() => number} restarts of the replica's end by its supervisor
 * @property {() => string} said the last output of both ends
 * @property {() => {primaryEndCpuSeconds: number | null, replicaEndCpuSeconds: number | null}} cpu never falls
 * @property {() => Promise<void>} kill the replica's end
 * @property {Tended} [tended]
 * @property {() => Promise<void>} close idempotent: ends every process and removes every file
 */

/** Loaded on demand: other backends do not need Docker's client. */
const docker = () => import('./docker.js');

/**
 * @param {Stack} stack
 * @param {PathOptions} options
 * @returns {Promise<Path>} the node behind it has answered; the replica does not follow it yet
 * @throws {UserError} something is missing, or the path does not come up; it is removed first
 */
export async function openPath(stack, options) {
  const why = await whyNoPath(options, stack);
  if (why !== null) {
    const [what, remedy] = why.split(/(?<=\.) (?=[A-Z])/);
    throw new UserError(what, remedy);
  }
  options.signal?.throwIfAborted();
  return stack.about.backend === 'docker'
    ? (await docker()).openDockerPath(stack, options)
    : openLocalPath(stack, options);
}

/**
 * @param {Pick<PathOptions, 'tunnel' | 'shaped' | 'supervisor'>} wanted
 * @param {Stack} stack
 * @returns {Promise<string | null>} what is missing here and the remedy, in two sentences; null: nothing
 */
export async function whyNoPath(wanted, stack) {
  switch (stack.about.backend) {
    case 'local':
      return (await whyNoLocalPath(wanted.tunnel)) ?? whyNoSupervisor(wanted.supervisor);
    case 'docker':
      if (wanted.supervisor !== undefined)
        return 'The supervisors of a tunnel are measured on this machine only. Use --backend local.';
      return (await docker()).whyNoDockerPath(wanted);
    default:
      return 'An external deployment’s links cannot be changed. Use --backend local or docker.';
  }
}
