/**
 * The StatefulSet of deploy/kubernetes on Docker Compose, without Kubernetes. Each pod is a container that holds the network and the
 * processes, and beside it one container for each of the manifest, with its command, variables, user and confinement. A small `kubectl` does
 * to them what a cluster does to pods, with the hooks and probes of the manifest.
 */
import { chmodSync, copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { execute } from '../../src/programs.js';
import { connectControl } from '../../src/stacks/redis/control.js';

/** @import { NodeInfo } from '../types.js' */

const DEPLOY = fileURLToPath(new URL('../../deploy/kubernetes/', import.meta.url));
const SCRIPT = fileURLToPath(new URL('../../examples/planned-failover.sh', import.meta.url));
export const ACT = join(DEPLOY, 'act.sh');
const NAMESPACE = 'test';
/** As a secret may be. */
const PASSWORD = `it's "secret" \\ $1`;
const PODS = ['redis-0', 'redis-1', 'redis-2'];
/** Shorter than in the manifests, so that tests are shorter. */
const DOWN_AFTER_MS = '2000';

/** The part of the manifest that says what a pod is. */
const SPEC = parseAllDocuments(readFileSync(join(DEPLOY, 'redis.yaml'), 'utf8'))
  .map((document) => document.toJS())
  .find(({ kind }) => kind === 'StatefulSet').spec.template.spec;
const { containers: CONTAINERS, terminationGracePeriodSeconds: GRACE_SECONDS } = SPEC;

/** @param {...string} args */
const docker = async (...args) => (await execute('docker', args)).stdout.trim();

/** @param {string} pod */
export const fullName = (pod) => `${pod}.redis.${NAMESPACE}.svc.cluster.local`;

/** @param {readonly string[]} words */
const quoted = (words) => words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');

/** @param {(container: any) => readonly string[]} wordsOf @returns {string} lines of a `case` of the shell */
const ofParts = (wordsOf) =>
  CONTAINERS.map((/** @type {any} */ each) => `    ${each.name}) inside "$2" "$1" ${quoted(wordsOf(each))} ;;`).join(
    '\n',
  );

/**
 * What a cluster does to a pod, in words of Docker. `$PREFIX-POD` is a pod, `$PREFIX-POD-redis` and `$PREFIX-POD-sentinel` are its containers. A pod
 * that starts again has another address, which its name then means.
 */
const KUBECTL = `#!/bin/sh
set -eu
[ "$1" != --namespace ] || { [ "$2" = ${NAMESPACE} ]; shift 2; }
inside() { of=$1 in=$2; shift 2; docker exec "$PREFIX-$of-$in" "$@"; }
hook() {
  case $1 in
${ofParts(({ lifecycle }) => lifecycle.preStop.exec.command)}
  esac || true
}
ready() {
  case $1 in
${ofParts(({ readinessProbe }) => readinessProbe.exec.command)}
  esac
}
# The hooks first, then SIGTERM to each container, as kubelet ends a pod.
end() { hook "$1" "$2"; docker stop --time ${GRACE_SECONDS} "$PREFIX-$2-$1" >/dev/null; }
start() {
  docker rm --force "$PREFIX-$1-redis" "$PREFIX-$1-sentinel" "$PREFIX-$1" >/dev/null
  docker run --detach --name "$PREFIX-taken-$$" --network "$PREFIX" "$IMAGE" sleep 100000 >/dev/null
  docker compose --project-name "$PREFIX" --file "$FAKE/compose.json" up --detach "$1" "$1-redis" "$1-sentinel" 2>/dev/null
  docker rm --force "$PREFIX-taken-$$" >/dev/null
}
case "$1 $2" in
  'get pod') printf 'node-%s' "$3" ;;
  'cordon '*) : >"$FAKE/$2" ;;
  'uncordon '*) rm -f "$FAKE/$2"; start "\${2#node-}" ;;
  'delete pod') docker kill "$PREFIX-$3-redis" "$PREFIX-$3-sentinel" >/dev/null ;;
  'drain '*)
    : >"$FAKE/$2"
    end sentinel "\${2#node-}" & other=$!
    end redis "\${2#node-}"; wait $other ;;
  'wait pod')
    case $4 in *create) exit 0 ;; esac
    tries=0
    until ready redis "$3" && ready sentinel "$3"; do tries=$((tries + 1)); [ $tries -lt 100 ]; sleep 0.2; done ;;
  exec*) pod=$2 part=\${3#--container=}; shift 4; inside "$pod" "$part" "$@" ;;
  apply*) cat >"$FAKE/policy" ;;
  'delete networkpolicy') rm -f "$FAKE/policy" ;;
  *) echo "unknown: $*" >&2; exit 1 ;;
esac
`;

/**
 * @param {string} prefix of the names of containers
 * @param {{image: string, scripts: string, dataOf: (pod: string) => string}} parts
 * @returns {object} what Compose takes
 */
function composeFile(prefix, { image, scripts, dataOf }) {
  /** @param {any} container of the manifest @param {string} pod */
  function containerOf({ name, command, env, securityContext, volumeMounts }, pod) {
    /** @type {Record<string, string>} */
    const sources = { data: dataOf(pod), scripts };
    /** @type {Record<string, string>} */
    const values = { POD: pod, NAMESPACE, PASSWORD };
    return {
      image,
      command,
      container_name: `${prefix}-${pod}-${name}`,
      network_mode: `service:${pod}`,
      ...(SPEC.shareProcessNamespace && { pid: `service:${pod}` }),
      depends_on: [pod],
      user: `${SPEC.securityContext.runAsUser}:${SPEC.securityContext.runAsGroup}`,
      cap_drop: securityContext.capabilities.drop,
      read_only: securityContext.readOnlyRootFilesystem,
      ...(securityContext.allowPrivilegeEscalation === false && { security_opt: ['no-new-privileges:true'] }),
      environment: {
        ...Object.fromEntries(env.map((/** @type {{name: string}} */ each) => [each.name, values[each.name]])),
        DOWN_AFTER_MS,
      },
      volumes: volumeMounts.map((/** @type {any} */ mount) => ({
        type: 'bind',
        source: sources[mount.name],
        target: mount.mountPath,
        read_only: mount.readOnly ?? false,
      })),
    };
  }

  const services = PODS.flatMap((pod) => [
    [
      pod,
      {
        image,
        command: ['sleep', '100000'],
        container_name: `${prefix}-${pod}`,
        hostname: pod,
        networks: { pods: { aliases: [fullName(pod)] } },
      },
    ],
    ...CONTAINERS.map((/** @type {any} */ each) => [`${pod}-${each.name}`, containerOf(each, pod)]),
  ]);
  return { services: Object.fromEntries(services), networks: { pods: { name: prefix } } };
}

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
  const dataOf = (/** @type {string} */ pod) => join(folder, `data-${pod}`);
  for (const pod of PODS) {
    mkdirSync(dataOf(pod));
    chmodSync(dataOf(pod), 0o777);
  }
  const compose = join(fake, 'compose.json');
  // Compose substitutes what follows a dollar sign.
  const text = JSON.stringify(composeFile(prefix, { image, scripts, dataOf })).replaceAll('$', '$$$$');
  writeFileSync(compose, text);

  /** One after another: an engine before 20.10.27 deadlocks when containers of one network end together. */
  async function close() {
    const names = await docker('ps', '--all', '--quiet', '--filter', `name=^${prefix}-`);
    if (names) await docker('rm', '--force', '--volumes', ...names.split('\n'));
    await docker('network', 'rm', prefix).catch(() => {});
  }

  /** @param {string} pod @returns {Promise<string>} its address now */
  const addressOf = (pod) =>
    docker('inspect', '--format', `{{(index .NetworkSettings.Networks "${prefix}").IPAddress}}`, `${prefix}-${pod}`);

  try {
    await docker('compose', '--project-name', prefix, '--file', compose, 'up', '--detach');
  } catch (error) {
    await close();
    throw error;
  }
  const login = { password: PASSWORD };
  /** As Sentinels announce them. @type {NodeInfo[]} */
  const nodes = /** @type {const} */ (['redis', 'sentinel']).flatMap((kind) =>
    PODS.map((pod, index) => {
      const address = { host: fullName(pod), port: kind === 'redis' ? 6379 : 26379 };
      return { id: `${kind}-${index + 1}`, kind, address, announced: address };
    }),
  );

  /** @param {string} pod @param {6379 | 26379} port @param {string} name @param {...string} args */
  async function ask(pod, port, name, ...args) {
    const control = await connectControl({ host: await addressOf(pod), port }, login, { timeoutMs: 2000 });
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
    addressOf,
    primaryPod,
    close,
    /** For act.sh: the small kubectl, which finds these pods. */
    env: { PATH: `${bin}:${process.env.PATH}`, PREFIX: prefix, FAKE: fake, IMAGE: image, TMPDIR: fake },
    fake,
    /** By its address: this machine does not know the names of pods. */
    primary: async () => {
      const pod = await primaryPod();
      const node = nodes[PODS.indexOf(pod)];
      return { ...node, address: { host: await addressOf(pod), port: 6379 } };
    },
    /** @param {string} pod @param {'redis' | 'sentinel'} part @param {...string} words */
    exec: async (pod, part, ...words) => {
      const { stdout, stderr } = await execute('docker', ['exec', `${prefix}-${pod}-${part}`, ...words]);
      return stdout + stderr;
    },
  };
}
