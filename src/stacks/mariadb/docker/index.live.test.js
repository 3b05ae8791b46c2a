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
import { recoverDocker } from '../../docker/recover.js';
import { eventually, leftOnDocker, ownTemporaryFolder } from '../../fixture.js';
import { startMariadbDocker } from './index.js';

/** @import { Stack } from '../../types.js' */

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

/** @param {Stack} stack @param {string} id @param {number} number */
function insert(stack, id, number) {
  const row = [keyName(PREFIX, number), valueMaker(PREFIX, BYTES)(number)];
  return askNode(stack, id, (control) => control.call(`INSERT INTO ${ENTRIES} (k, v) VALUES (?, ?)`, ...row), PATIENT);
}

/** @param {Stack} stack @param {string} id @param {number} count */
async function found({ database, nodes, access: { credentials } }, id, count) {
  const node = nodes.find((each) => each.id === id);
  assert.ok(node);
  const reading = await database.read(
    { ...node.address, credentials },
    { keyPrefix: PREFIX, count, payloadBytes: BYTES },
  );
  return [...reading.found];
}

describe('a MariaDB stack in containers', { skip }, () => {
  /** @type {Stack} */
  let stack;
  before(async () => {
    stack = await startMariadbDocker({});
  });
  after(async () => {
    await stack?.close();
    assert.deepEqual(await leftOnDocker(process.pid), []);
  });

  test('replicates, and says what it runs', async () => {
    assert.match(String(stack.about.server.version), /^\d+\.\d+\.\d+$/);
    assert.equal((await stack.database.primary()).id, 'mariadb-1');
    assert.equal((await stack.database.replicas()).length, 2);
    await insert(stack, 'mariadb-1', 0);
    for (const { id } of stack.nodes)
      await eventually(`the write on ${id}`, async () => (await found(stack, id, 1))[0] === 1);
    const stats = await stack.host.stats();
    assert.deepEqual(
      stats.map(({ id, memoryBytes }) => [id, memoryBytes > 0]),
      stack.nodes.map(({ id }) => [id, true]),
    );
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
