/**
 * MariaDB in containers: replication, a partition, healing, and what a killed process leaves.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../../../test/needs.js';
import { valueMaker } from '../../../audit/value.js';
import { ENTRIES } from '../../../clients/mysql.js';
import { keyName } from '../../../clients/native-batch.js';
import { askNode } from '../../ask.js';
import { assertConfined, eventually, leftOnDocker, ownTemporaryFolder } from '../../fixture.js';
import { openEngine } from '../../redis/docker/engine.js';
import { recoverDocker } from '../../redis/docker/index.js';
import { startMariadbDocker } from './index.js';

/** @import { Cluster } from '../../types.js' */

await ownTemporaryFolder();

const skip = await needs('docker', 'mariadb image');

const PREFIX = 'sentinel-bench:test:';
const BYTES = 64;
/** A commit may wait for a replica, and the machine may be busy. */
const PATIENT = { timeoutMs: 20_000 };

/** A process that starts a stack, says so, and stays as long as this one does. */
const OWNER = `
import { startMariadbDocker } from ${JSON.stringify(new URL('./index.js', import.meta.url).href)};
await startMariadbDocker({});
console.log('ready');
process.stdin.on('end', () => process.exit()).resume();
`;

/** @param {Cluster} cluster @param {string} id @param {number} number */
function insert(cluster, id, number) {
  const row = [keyName(PREFIX, number), valueMaker(PREFIX, BYTES)(number)];
  return askNode(
    cluster,
    id,
    (control) => control.call(`INSERT INTO ${ENTRIES} (k, v) VALUES (?, ?)`, ...row),
    PATIENT,
  );
}

/** @param {Cluster} cluster @param {string} id @param {number} count */
async function found({ system, nodes, credentials }, id, count) {
  const node = nodes.find((each) => each.id === id);
  assert.ok(node);
  const reading = await system.read(
    { ...node.address, credentials },
    { keyPrefix: PREFIX, count, payloadBytes: BYTES },
  );
  return [...reading.found];
}

describe('a MariaDB stack in containers', { skip }, () => {
  /** @type {Cluster} */
  let cluster;
  before(async () => {
    cluster = await startMariadbDocker({});
  });
  after(async () => {
    await cluster?.close();
    assert.deepEqual(await leftOnDocker(process.pid), []);
  });

  test('replicates, and says what it runs', async () => {
    assert.match(String(cluster.server.version), /^\d+\.\d+\.\d+$/);
    assert.equal((await cluster.primary()).id, 'mariadb-1');
    assert.equal((await cluster.replicas()).length, 2);
    await insert(cluster, 'mariadb-1', 0);
    for (const { id } of cluster.nodes)
      await eventually(`the write on ${id}`, async () => (await found(cluster, id, 1))[0] === 1);
    const stats = await cluster.stats();
    assert.deepEqual(
      stats.map(({ id, memoryBytes }) => [id, memoryBytes > 0]),
      cluster.nodes.map(({ id }) => [id, true]),
    );
  });

  test('containers have no rights that they do not need', async () => {
    const engine = await openEngine();
    const filters = { label: [`com.docker.compose.project=${cluster.identity}`] };
    const containers = await engine.listContainers({ filters });
    assert.equal(containers.length, 3);
    for (const { Id } of containers) assertConfined(await engine.getContainer(Id).inspect(), '999:999');
  });

  test('a primary that was partitioned and killed is rebuilt from the new primary', async () => {
    await cluster.act('mariadb-1', 'cut');
    await insert(cluster, 'mariadb-1', 1);
    assert.equal((await found(cluster, 'mariadb-2', 2))[1], 0, 'the partition keeps the write from the replica');
    await cluster.system.failover.promote?.(cluster, 'mariadb-2');
    await insert(cluster, 'mariadb-2', 2);
    await cluster.act('mariadb-1', 'kill');

    await cluster.heal();
    assert.equal((await cluster.primary()).id, 'mariadb-2');
    for (const { id } of cluster.nodes) assert.deepEqual(await found(cluster, id, 3), [1, 0, 1], id);
  });
});

describe('what a killed process leaves', { skip }, () => {
  test('its containers are found and removed', async () => {
    const owner = spawn(process.execPath, ['--input-type=module', '--eval', OWNER], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: owner.stdout })) if (line === 'ready') break;
    const names = await leftOnDocker(Number(owner.pid));
    assert.equal(names.filter((name) => name.includes('-mariadb-')).length, 3, names.join());
    const ended = once(owner, 'exit');
    owner.kill('SIGKILL');
    await ended;
    await recoverDocker();
    assert.deepEqual(await leftOnDocker(Number(owner.pid)), []);
  });
});
