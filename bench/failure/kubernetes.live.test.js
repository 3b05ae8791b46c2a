/**
 * deploy/kubernetes on Docker Compose: the start scripts, the hook before a pod ends, and each action of act.sh. What only a real cluster shows is
 * listed in docs/kubernetes.md.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { eventually, ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { chooseImage, openEngine } from '../../src/stacks/hosts/docker/engine.js';
import { openCommands } from '../../src/stacks/redis/external/commands.js';
import { needs } from '../../test/needs.js';
import { startWriters } from '../experiments/failover-script-fixture.js';
import { ACT, fullName, startPods } from './pods-fixture.js';

const folder = await ownTemporaryFolder();
const skip = await needs('docker');
const LONG_MS = 90_000;
const KINDS = /** @type {const} */ (['kill', 'stop', 'start', 'pause', 'resume', 'partition', 'join']);

describe('the pods of deploy/kubernetes', { skip }, () => {
  /** @type {Awaited<ReturnType<typeof startPods>>} */
  let pods;
  /** @type {NodeJS.ProcessEnv} */
  let saved;

  before(async () => {
    const { image } = await chooseImage(await openEngine(), process.env.SENTINEL_BENCH_IMAGE);
    pods = await startPods(folder, image);
    saved = { ...process.env };
    Object.assign(process.env, pods.env);
    await well();
  });
  after(async () => {
    if (saved) Object.assign(process.env, saved);
    await pods?.close();
  });

  /** Three Sentinels and two replicas in sync, all known by their names. */
  async function well() {
    await eventually(
      'the pods are well',
      async () => {
        try {
          for (const pod of pods.pods) {
            const master = words(await pods.ask(pod, 26379, 'SENTINEL', 'MASTER', 'mymaster'));
            const replicas = /** @type {string[][]} */ (await pods.ask(pod, 26379, 'SENTINEL', 'REPLICAS', 'mymaster'));
            if (master.flags !== 'master' || master['num-other-sentinels'] !== '2' || replicas.length !== 2)
              return false;
            for (const replica of replicas.map(words)) {
              if (replica.flags !== 'slave' || replica['master-link-status'] !== 'ok') return false;
              if (!replica.ip.endsWith('.redis.test.svc.cluster.local')) return false;
            }
          }
          return true;
        } catch {
          return false;
        }
      },
      LONG_MS,
    );
  }

  /** @param {unknown} list @returns {Record<string, string>} */
  const words = (list) => {
    const all = /** @type {string[]} */ (list);
    return Object.fromEntries(all.flatMap((word, at) => (at % 2 === 0 ? [[word, all[at + 1]]] : [])));
  };

  /** @param {string} pod */
  const role = async (pod) => /** @type {string[]} */ (await pods.ask(pod, 6379, 'ROLE'))[0];

  function commands() {
    return openCommands(pods.nodes, Object.fromEntries(KINDS.map((action) => [action, `${ACT} ${action}`])));
  }

  /** @param {string} pod */
  const idOf = (pod) => pods.nodes[pods.pods.indexOf(pod)].id;

  test('the Sentinels announce names, and the first pod leads', async () => {
    assert.equal(await pods.primaryPod(), 'redis-0');
    const answer = await pods.ask('redis-1', 26379, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster');
    assert.deepEqual(answer, [fullName('redis-0'), '6379']);
  });

  test('the hook of a replica does nothing; that of the primary hands over and loses nothing', async () => {
    const former = await pods.primaryPod();
    const other = String(pods.pods.find((pod) => pod !== former));
    assert.match(await pods.exec(other, 'redis', 'sh', '/scripts/pre-stop.sh', 'redis'), /^Nothing to do/);

    const writers = startWriters(pods);
    await eventually('writes are acknowledged', () => writers.acked.length > 100);
    const output = await pods.exec(former, 'redis', 'sh', '/scripts/pre-stop.sh', 'redis');
    assert.match(output, /follows it\.\n$/);
    assert.notEqual(await pods.primaryPod(), former);
    assert.equal(await role(former), 'slave');
    const ackedBefore = writers.acked.length;
    await eventually('writes go on', () => writers.acked.length > ackedBefore + 100);
    await well();
    assert.equal((await writers.stop()).lost, 0);
  });

  test('act.sh kill and start: a replaced primary starts as a replica, with another address', async () => {
    const { act } = commands();
    const former = await pods.primaryPod();
    const address = await pods.addressOf(former);
    await act(idOf(former), 'kill');
    await eventually('a replica leads', async () => (await pods.primaryPod()) !== former, LONG_MS);
    await act(idOf(former), 'start');
    assert.equal(await role(former), 'slave', 'from its first moment');
    assert.notEqual(await pods.addressOf(former), address);
    await well();
  });

  test('act.sh pause and resume: the server hangs, its pod does not', async () => {
    const { act } = commands();
    const pod = String(pods.pods.find((each) => each !== 'redis-0'));
    await act(idOf(pod), 'pause');
    await assert.rejects(pods.ask(pod, 6379, 'PING'));
    assert.equal(await pods.ask(pod, 26379, 'PING'), 'PONG', 'the Sentinel of the pod');
    await act(idOf(pod), 'resume');
    assert.equal(await pods.ask(pod, 6379, 'PING'), 'PONG');
    await well();
  });

  test('act.sh partition and join: a policy for this pod', async () => {
    const { act } = commands();
    const file = join(pods.fake, 'policy');
    await act('redis-2', 'partition');
    assert.match(readFileSync(file, 'utf8'), /statefulset\.kubernetes\.io\/pod-name: redis-1 /);
    await act('redis-2', 'join');
    assert.equal(existsSync(file), false);
  });

  test('act.sh refuses names that are not those of pods', async () => {
    const nodes = /** @type {any} */ ([{ id: 'redis-1', kind: 'redis', address: { host: '10.0.0.1', port: 6379 } }]);
    for (const host of ['10.0.0.1', 'redis-0', '-x.y.z']) {
      nodes[0].address.host = host;
      await assert.rejects(async () =>
        openCommands(nodes, { pause: `${ACT} pause`, resume: `${ACT} resume` }).act('redis-1', 'pause'),
      );
    }
  });
});
