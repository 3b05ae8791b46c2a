/**
 * Real replicated network storage on one machine: a GlusterFS volume of three bricks. GlusterFS refuses loopback addresses, so its servers
 * run in a network namespace with an address of its own. A process namespace holds them together: they end with its first process. Beside
 * what every volume has, its folder holds
 *
 *   brick-1/ …   what each of the three servers stores
 *   state/       what glusterd keeps in /var/lib/glusterd, and its logs
 *   ready        made when the servers run
 *
 * @typedef {Object} ReplicatedVolume
 * @property {string} path where it is mounted
 * @property {string} how what it is, without a path
 * @property {() => Promise<void>} close idempotent
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MOUNTED, makeVolume, mountsIn, openToNodes, startDaemon, whyNotMount } from './volume.js';
import { KINDS } from './volume-kinds.js';

const NEEDED = {
  programs: ['glusterd', 'glusterfsd', 'glusterfs', 'gluster', 'unshare', 'nsenter', 'ip', 'mount', 'umount'],
  devices: ['/dev/fuse'],
  install: 'install the GlusterFS server and iproute2 (Debian: `apt install glusterfs-server iproute2`)',
};

const REPLICAS = 3;
/** Reserved for benchmarks by RFC 2544. It exists in the namespace only, so it cannot collide with an address of the machine. */
const ADDRESS = '198.18.0.1';
const VOLUME = 'data';
const READY = 'ready';

/**
 * The first process of the namespaces, in the volume's folder. $1: how many bricks.
 *
 * - It records itself by its number on the machine, because /proc is still the machine's.
 * - The copies of the machine's mounts would keep disks busy that others unmount, so it drops those that it can do without.
 * - A folder in /run would be hidden by the new /run, and the bricks would be in memory: it stops then.
 */
const SERVERS = `set -e
read -r stat </proc/self/stat
echo "$stat" >servers.stat
folder=$PWD
mount -t proc proc /proc
awk '{ print $5 }' /proc/self/mountinfo | sort -r | while read -r point; do
  case $point/ in
    / | // | /proc/* | /sys/* | /dev/* | /usr/* | /etc/* | /bin/* | /lib*) continue ;;
  esac
  case $folder/ in
    "$point"/*) continue ;;
  esac
  umount -l "$point" 2>/dev/null || true
done
for path in /var/lib/glusterd /var/log/glusterfs; do
  mkdir -p "$path" "state$path"
  mount --bind "state$path" "$path"
done
mount -t tmpfs tmpfs /run
test -d "$folder/mounted"
ip link set lo up
ip address add ${ADDRESS}/32 dev lo
glusterd
bricks=
for number in $(seq "$1"); do
  mkdir "$folder/brick-$number"
  bricks="$bricks ${ADDRESS}:$folder/brick-$number"
done
gluster --mode=script volume create ${VOLUME} replica "$1" $bricks force
gluster --mode=script volume start ${VOLUME}
: >${READY}
exec sleep infinity`;

/**
 * Can there be a replicated volume here? Starts nothing.
 * @returns {Promise<string | null>} why not, and the remedy, in one sentence; null: there can be one
 */
export async function whyNoReplicatedVolume() {
  const missing = await whyNotMount(KINDS.replicated, NEEDED);
  return missing === null ? null : `There is no replicated volume: ${missing}.`;
}

/**
 * Takes about three seconds.
 * @param {Object} options
 * @param {string} [options.directory] where its bricks are, three times what is written; default: the folder for temporary files
 * @param {AbortSignal} [options.signal] abandon starting
 * @param {(line: string) => void} [options.tell]
 * @returns {Promise<ReplicatedVolume>}
 * @throws {import('../errors.js').UserError} there can be none here; nothing is left behind then
 */
export async function startReplicatedVolume({ directory, signal, tell } = {}) {
  tell?.(`Making a GlusterFS volume with ${REPLICAS} replicas.`);
  const build = async (/** @type {string} */ folder) => {
    const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child'];
    await startDaemon(folder, 'servers', {
      args: ['unshare', ...namespaces, '/bin/sh', '-c', SERVERS, 'servers', String(REPLICAS)],
      isReady: () => existsSync(join(folder, READY)),
      signal,
    });
    // Its mount has to be where the nodes are: only its network is that of the servers.
    const network = `--net=/proc/${serversPid(folder)}/ns/net`;
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

/** @param {string} folder */
function serversPid(folder) {
  return Number.parseInt(readFileSync(join(folder, 'servers.stat'), 'utf8'), 10);
}
