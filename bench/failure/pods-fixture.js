/**
 * The containers of deploy/kubernetes on this machine's Docker engine, without Kubernetes: each pod is a container that holds the network
 * and the processes, a Redis node and a Sentinel in it, with the scripts and the names of the manifests. A small `kubectl` does to them what
 * a cluster does to pods.
 */
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { connectControl } from '../../src/stacks/redis/control.js';

/** @import { NodeInfo } from '../../src/stacks/types.js' */

const execute = promisify(execFile);

const DEPLOY = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));
const SCRIPT = fileURLToPath(new URL('../../examples/planned-failover.sh', import.meta.url));
export const ACT = join(DEPLOY, 'act.sh');
const NAMESPACE = 'test';
/** As a secret may be. */
const PASSWORD = `it's "secret" \\ $1`;
const PODS = ['redis-0', 'redis-1', 'redis-2'];
const UID = '999:999';

/** @param {...string} args */
const docker = async (...args) => (await execute('docker', args)).stdout.trim();

/** @param {string} pod */
export const fullName = (pod) => `${pod}.redis.${NAMESPACE}.svc.cluster.local`;

/**
 * What a cluster does to a pod, in words of Docker. `$PREFIX-POD-redis` and `$PREFIX-POD-sentinel` are its containers.
 */
const KUBECTL = `#!/bin/sh
set -eu
[ "$1" != --namespace ] || { [ "$2" = ${NAMESPACE} ]; shift 2; }
both() { for part in redis sentinel; do docker "$1" "$PREFIX-$2-$part" >/dev/null; done; }
case "$1 $2" in
  'get pod') printf 'node-%s' "$3" ;;
  'cordon '*) : >"$FAKE/$2" ;;
  'uncordon '*) rm -f "$FAKE/$2"; both start "\${2#node-}" ;;
  'delete pod') both kill "$3" ;;
  'drain '*)
    : >"$FAKE/$2"; pod=\${2#node-}
    docker exec "$PREFIX-$pod-sentinel" sh /scripts/pre-stop.sh sentinel & hook=$!
    docker exec "$PREFIX-$pod-redis" sh /scripts/pre-stop.sh redis || true
    docker stop "$PREFIX-$pod-redis" >/dev/null; wait $hook; docker stop "$PREFIX-$pod-sentinel" >/dev/null ;;
  'wait pod')
    case $4 in *create) exit 0 ;; esac
    tries=0
    until docker exec "$PREFIX-$3-redis" sh -c '. /scripts/common.sh; [ "$(cli 127.0.0.1 6379 PING)" = PONG ]'; do
      tries=$((tries + 1)); [ $tries -lt 100 ]; sleep 0.2
    done ;;
  exec*) pod=$2 part=\${3#--container=}; shift 4; docker exec "$PREFIX-$pod-$part" "$@" ;;
  apply*) cat >"$FAKE/policy" ;;
  'delete networkpolicy') rm -f "$FAKE/policy" ;;
  *) echo "unknown: $*" >&2; exit 1 ;;
esac
`;

/**
 * @param {string} folder of this test process
 * @param {string} image with redis-server and redis-cli
 */
export async function startPods(folder, image) {
  const prefix = `sentinel-bench-pods-${process.pid}`;
  const [scripts, bin, fake] = ['scripts', 'bin', 'fake'].map((name) => join(folder, name));
  for (const path of [scripts, bin, fake]) mkdirSync(path);
  for (const file of readdirSync(DEPLOY).filter((name) => /\.(sh|conf)$/.test(name)))
    copyFileSync(join(DEPLOY, file), join(scripts, file));
  copyFileSync(SCRIPT, join(scripts, 'planned-failover.sh'));
  writeFileSync(join(bin, 'kubectl'), KUBECTL, { mode: 0o755 });
  // Containers run as another user.
  for (let path = scripts; path.length >= folder.length; path = join(path, '..')) chmodSync(path, 0o755);

  async function close() {
    const names = await docker('ps', '--all', '--quiet', '--filter', `name=^${prefix}-`);
    if (names) await docker('rm', '--force', '--volumes', ...names.split('\n'));
    await docker('network', 'rm', prefix).catch(() => {});
  }

  await docker('network', 'create', prefix);
  try {
    for (const pod of PODS) {
      const data = join(folder, `data-${pod}`);
      mkdirSync(data);
      chmodSync(data, 0o777);
      const sandbox = `${prefix}-${pod}`;
      const names = ['--hostname', pod, '--network', prefix, '--network-alias', fullName(pod)];
      await docker('run', '--detach', '--name', sandbox, ...names, image, 'sleep', '100000');
      for (const part of ['redis', 'sentinel']) {
        await docker(
          ...['run', '--detach', '--name', `${sandbox}-${part}`, '--user', UID, '--cap-drop', 'ALL', '--read-only'],
          ...['--network', `container:${sandbox}`, '--pid', `container:${sandbox}`],
          ...['--volume', `${data}:/data`, '--volume', `${scripts}:/scripts:ro`],
          ...['--env', `POD=${pod}`, '--env', `NAMESPACE=${NAMESPACE}`, '--env', `PASSWORD=${PASSWORD}`],
          ...[image, 'sh', `/scripts/start-${part}.sh`],
        );
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  const addresses = new Map();
  for (const pod of PODS) {
    const format = `{{(index .NetworkSettings.Networks "${prefix}").IPAddress}}`;
    addresses.set(pod, await docker('inspect', '--format', format, `${prefix}-${pod}`));
  }
  const login = { password: PASSWORD };
  /** @type {NodeInfo[]} */
  const nodes = /** @type {const} */ (['redis', 'sentinel']).flatMap((kind) =>
    PODS.map((pod, index) => {
      const port = kind === 'redis' ? 6379 : 26379;
      return {
        id: `${kind}-${index + 1}`,
        kind,
        address: { host: addresses.get(pod), port },
        announced: { host: fullName(pod), port },
      };
    }),
  );

  /** @param {string} pod @param {6379 | 26379} port @param {string} name @param {...string} args */
  async function ask(pod, port, name, ...args) {
    const control = await connectControl({ host: addresses.get(pod), port }, login, { timeoutMs: 2000 });
    try {
      return await control.call(name, ...args);
    } finally {
      control.close();
    }
  }

  /** @returns {Promise<string>} the pod that the Sentinels call the primary */
  async function primaryPod() {
    for (const pod of PODS) {
      const answer = await ask(pod, 26379, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster').catch(() => null);
      if (answer) return /** @type {string[]} */ (answer)[0].split('.')[0];
    }
    throw new Error('no Sentinel answers');
  }

  return {
    nodes,
    masterName: 'mymaster',
    login,
    pods: PODS,
    ask,
    primaryPod,
    close,
    /** For act.sh: the small kubectl, which finds these pods. */
    env: { PATH: `${bin}:${process.env.PATH}`, PREFIX: prefix, FAKE: fake, TMPDIR: fake },
    fake,
    primary: async () => /** @type {NodeInfo} */ (nodes[PODS.indexOf(await primaryPod())]),
    /** @param {string} pod @param {'redis' | 'sentinel'} part @param {...string} words */
    exec: async (pod, part, ...words) => {
      const { stdout, stderr } = await execute('docker', ['exec', `${prefix}-${pod}-${part}`, ...words]);
      return stdout + stderr;
    },
    /** @param {string} pod @param {'redis' | 'sentinel'} part */
    logs: (pod, part) => docker('logs', '--tail', '20', `${prefix}-${pod}-${part}`),
  };
}
