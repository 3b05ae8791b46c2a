/**
 * One suite for MariaDB on every backend, on real servers.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../../test/needs.js';
import { valueMaker } from '../../audit/value.js';
import { ENTRIES } from '../../clients/mysql.js';
import { keyName } from '../../clients/native-batch.js';
import { createJournal } from '../../faults/journal.js';
import { applySettings } from '../../faults/settings.js';
import { askNode, nodeOf } from '../ask.js';
import { eventually, ownTemporaryFolder, startOwner } from '../fixture.js';
import { listStacks, pidOf, runningNodes } from '../hosts/local/record.js';
import { recoverLocal } from '../hosts/local/recover.js';
import { startMariadbDocker } from './docker/index.js';
import { startMariadb } from './local/index.js';
import { rows } from './replication.js';

/** @import { Stack } from '../types.js' */

await ownTemporaryFolder();

const PREFIX = 'sentinel-bench:test:';
const BYTES = 64;
const SEMI_SYNC = {
  rpl_semi_sync_master_wait_point: 'AFTER_SYNC',
  rpl_semi_sync_master_timeout: '60000',
  rpl_semi_sync_master_enabled: 'ON',
};
/** A commit may wait for a replica, and the machine may be busy. */
const PATIENT = { timeoutMs: 20_000 };

const BACKENDS = [
  { name: 'local', start: startMariadb, skip: await needs('mariadb') },
  { name: 'docker', start: startMariadbDocker, skip: await needs('docker', 'mariadb image') },
];
const noRelay = (await needs('mariadb')) || (await needs('relay'));
/** Nodes with a disk of their own. */
const DISKS = (await needs('volatile disk')) === false ? ['mariadb-2'] : [];

/**
 * @param {Stack} stack
 * @param {string} id
 * @param {number} number
 */
function insert(stack, id, number) {
  const row = [keyName(PREFIX, number), valueMaker(PREFIX, BYTES)(number)];
  return askNode(stack, id, (control) => control.call(`INSERT INTO ${ENTRIES} (k, v) VALUES (?, ?)`, ...row), PATIENT);
}

/**
 * @param {Stack} stack
 * @param {string} id
 * @param {number} count
 */
function read({ database, nodes, access: { credentials } }, id, count) {
  const target = { ...nodeOf({ nodes }, id).address, credentials };
  return database.read(target, { keyPrefix: PREFIX, count, payloadBytes: BYTES });
}

/** @param {Stack} stack @param {string} id */
const infoOf = (stack, id) => askNode(stack, id, (control) => control.info(), PATIENT);

/** @param {Stack} stack @param {string} id @param {string} name of a global variable */
async function settingOf(stack, id, name) {
  const [{ value }] = await askNode(stack, id, (control) => rows(control, `SELECT @@global.${name} AS value`));
  return Number(value);
}

for (const { name, start, skip } of BACKENDS) {
  describe(`MariaDB, ${name}`, { skip }, () => {
    /** @type {Stack} */
    let stack;
    /** Every test writes other numbers. */
    let next = 0;
    before(async () => {
      stack = await start({});
    });
    after(() => stack?.close());

    test('has a primary that accepts writes, and two replicas that do not; says what it runs and uses', async () => {
      const primary = await stack.database.primary();
      const replicas = await stack.database.replicas();
      assert.deepEqual([primary, ...replicas], stack.nodes);
      assert.equal((await infoOf(stack, primary.id)).read_only, 'OFF');
      for (const { id } of replicas) assert.equal((await infoOf(stack, id)).read_only, 'ON');
      assert.deepEqual(stack.database.whyNotReady(await stack.database.observe()), []);
      assert.match(String(stack.about.server.version), /^\d+\.\d+\.\d+$/);
      const stats = await stack.host.stats();
      assert.deepEqual(
        stats.map(({ id, memoryBytes }) => [id, memoryBytes > 0]),
        stack.nodes.map(({ id }) => [id, true]),
      );
    });

    test('settings are changed on every node, survive a restart, and are put back', async () => {
      const journal = createJournal(stack);
      const undo = await applySettings({ stack, journal }, { all: { sync_binlog: '7', ...SEMI_SYNC } });
      assert.equal((await infoOf(stack, 'mariadb-1')).rpl_semi_sync_master_status, 'ON');
      await insert(stack, 'mariadb-1', next++);
      assert.equal(
        (await infoOf(stack, 'mariadb-1')).rpl_semi_sync_master_yes_tx,
        '1',
        'a replica confirmed the write',
      );
      assert.equal(
        await settingOf(stack, 'mariadb-2', 'rpl_semi_sync_master_enabled'),
        0,
        'a replica waits for no other',
      );

      await stack.host.act('mariadb-2', 'kill');
      await stack.host.act('mariadb-2', 'start');
      assert.equal(await settingOf(stack, 'mariadb-2', 'sync_binlog'), 7);
      await undo();
      assert.notEqual(await settingOf(stack, 'mariadb-1', 'sync_binlog'), 7);
      assert.equal((await infoOf(stack, 'mariadb-1')).rpl_semi_sync_master_status, 'OFF');
      await journal.close();
      await stack.heal();
    });

    test('an old primary with a write of its own is rebuilt from the new primary', async () => {
      await stack.database.failover.promote?.(stack, 'mariadb-2');
      const late = next++;
      // Nobody told the old primary.
      await insert(stack, 'mariadb-1', late);
      const [one, other] = [next++, next++];
      await insert(stack, 'mariadb-2', one);
      await insert(stack, 'mariadb-2', other);
      assert.equal((await read(stack, 'mariadb-1', next)).primary, true, 'it follows nobody');

      await stack.heal();
      assert.equal((await stack.database.primary()).id, 'mariadb-2');
      for (const { id } of stack.nodes) {
        const { found } = await read(stack, id, next);
        assert.deepEqual([found[late], found[one], found[other]], [0, 1, 1], id);
      }
    });
  });
}

test('a relay between local nodes keeps writes from the replicas until it joins them', { skip: noRelay }, async (t) => {
  const stack = await startMariadb({ links: true });
  t.after(() => stack.close());
  await stack.host.act('mariadb-1', 'partition');
  await insert(stack, 'mariadb-1', 0);
  assert.equal((await read(stack, 'mariadb-1', 1)).found[0], 1, 'clients still reach it');
  assert.equal((await read(stack, 'mariadb-2', 1)).found[0], 0);
  await stack.host.act('mariadb-1', 'join');
  await eventually('the write on mariadb-2', async () => (await read(stack, 'mariadb-2', 1)).found[0] === 1);
});

test('what a killed process leaves is found and removed: servers, files and disks, frozen nodes too', {
  skip: BACKENDS[0].skip,
}, async () => {
  const module = JSON.stringify(new URL('./local/index.js', import.meta.url).href);
  const options = JSON.stringify({ links: true, volatileDisks: DISKS });
  const code = `import { startMariadb } from ${module}; await startMariadb(${options}); console.log('ready');`;
  const owner = await startOwner(code, /^ready$/);
  const [record] = listStacks();
  assert.equal(record.system, 'mariadb');
  await owner.kill();
  assert.equal(runningNodes(record).length, 3, 'its servers are still there');
  process.kill(Number(pidOf(record, 'mariadb-2')), 'SIGSTOP');
  /** @type {string[]} */
  const told = [];
  await recoverLocal((line) => told.push(line));
  assert.equal(told[0], `Removed what process ${owner.pid} left: 3 servers and their files.`);
  assert.equal(runningNodes(record).length, 0);
  assert.deepEqual(listStacks(), []);
  for (const disk of Object.values(record.disks ?? {})) assert.ok(!existsSync(disk), disk);
});
