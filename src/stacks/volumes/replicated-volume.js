/**
 * Real replicated network storage on one machine: a GlusterFS volume of three bricks. GlusterFS refuses loopback addresses, so its servers
 * run in a network namespace. A process namespace holds them together: they end with its first process. Its folder also holds `brick-1/` …,
 * `state/` (/var/lib/glusterd and logs), and `ready`, made when the servers run.
 * @import { VolumeOptions } from './volume.js'
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MOUNTED, makeVolume, mountsIn, openToNodes, startDaemon, whyNoVolume } from './volume.js';
import { KINDS } from './volume-kinds.js';

const REPLICAS = 3;
/** Reserved for benchmarks by RFC 2544. It exists in the namespace only, so it cannot collide with an address of the machine. */
const ADDRESS = '198.18.0.1';
const VOLUME = 'data';
const READY = 'ready';
const SERVERS = fileURLToPath(new URL('replicated-volume.sh', import.meta.url));

export const whyNoReplicatedVolume = () => whyNoVolume(KINDS.replicated);

/** @param {VolumeOptions} options directory: with room for three times its content @returns how: what it is @throws {UserError} */
export async function startReplicatedVolume({ directory, signal, tell } = {}) {
  tell?.(`Making a GlusterFS volume with ${REPLICAS} replicas.`);
  const build = async (/** @type {string} */ folder) => {
    const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child'];
    const servers = await startDaemon(folder, 'servers', {
      args: ['unshare', ...namespaces, '/bin/sh', SERVERS, String(REPLICAS), ADDRESS],
      isReady: () => existsSync(join(folder, READY)),
      signal,
    });
    // Its mount has to be where the nodes are: only its network is that of the servers.
    const network = `--net=/proc/${servers}/ns/net`;
    const point = join(folder, MOUNTED);
    await startDaemon(folder, 'client', {
      args: [
        ...['nsenter', network, 'glusterfs', '--no-daemon', `--volfile-server=${ADDRESS}`, `--volfile-id=${VOLUME}`],
        ...[`--log-file=${join(folder, 'client.log')}`, '--log-level=WARNING', point],
      ],
      isReady: () => mountsIn(point).length > 0,
      signal,
    });
    signal?.throwIfAborted();
    openToNodes(folder);
  };
  const { path, close } = await makeVolume(KINDS.replicated, { build, directory, signal, tell });
  const how = `GlusterFS with ${REPLICAS} replicas on this machine: its own network namespace, one disk`;
  return { path, how, close };
}
