import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { needs } from '../../../../test/needs.js';
import { valueMaker } from '../../../audit/value.js';
import { ENTRIES } from '../../../clients/mysql.js';
import { keyName } from '../../../clients/native-batch.js';
import { createJournal } from '../../../faults/journal.js';
import { applySettings } from '../../../faults/settings.js';
import { askNode } from '../../ask.js';
import { eventually, ownTemporaryFolder } from '../../fixture.js';
import { listStacks, pidOf, runningNodes } from '../../local/record.js';
import { rows } from '../replication.js';
import { startMariadb } from './index.js';

/** @import { Stack } from '../../types.js' */

await ownTemporaryFolder();

const skip = await needs('mariadb');
const noRelay = await needs('relay');

const execute = promisify(execFile);

const CLI = fileURLToPath(new URL('../../../cli/index.js', import.meta.url));
const PREFIX = 'sentinel-bench:test:';
const BYTES = 64;
const SEMI_SYNC = {
  rpl_semi_sync_master_wait_point: 'AFTER_SYNC',
  rpl_semi_sync_master_timeout: '60000',
  rpl_semi_sync_master_enabled: 'ON',
};
/** A commit may wait for a replica. */
const PATIENT = { timeoutMs: 20_000 };

/** Nodes with a disk of their own. */
const DISKS = (await needs('volatile disk')) === false ? ['mariadb-2'] : [];

/** A process that starts a stack, says so, and stays as long as this one does. */
const OWNER = `
import { startMariadb } from ${JSON.stringify(new URL('./index.js', import.meta.url).href)};
await startMariadb({ links: true, volatileDisks: process.argv.slice(1) });
console.log('ready');
process.stdin.on('end', () => process.exit()).resume();
`;

/**
 * @param {Stack} stack
 * @param {string} id
 * @param {number} number
 */
function insert(stack, id, number) {
  const value = valueMaker(PREFIX, BYTES)(number);
  return askNode(
    stack,
    id,
    (control) => control.call(`INSERT INTO ${ENTRIES} (k, v) VALUES (?, ?)`, keyName(PREFIX, number), value),
    PATIENT,
  );
}

/**
 * @param {Stack} stack
 * @param {string} id
 * @param {number} count
 */
function read({ database, nodes, access: { credentials } }, id, count) {
  const node = nodes.find((each) => each.id === id);
  assert.ok(node);
  return database.read({ ...node.address, credentials }, { keyPrefix: PREFIX, count, payloadBytes: BYTES });
}

/**
 * @param {Stack} stack
 * @param {string} id
 */
function infoOf(stack, id) {
  return askNode(stack, id, (control) => control.info(), PATIENT);
}

describe('a local MariaDB stack', { skip }, () => {
  /** @type {Stack} */
  let stack;
  /** Every test writes other numbers. */
  let next = 0;
  before(async () => {
    stack = await startMariadb({});
  });
  after(() => stack?.close());

  test('has a primary that accepts writes, and two replicas that do not', async () => {
    const primary = await stack.database.primary();
    const replicas = await stack.database.replicas();
    assert.equal(primary.id, 'mariadb-1');
    assert.deepEqual(
      replicas.map(({ id }) => id),
      ['mariadb-2', 'mariadb-3'],
    );
    assert.equal((await infoOf(stack, primary.id)).read_only, 'OFF');
    for (const { id } of replicas) assert.equal((await infoOf(stack, id)).read_only, 'ON');
    assert.deepEqual(stack.database.whyNotReady(await stack.database.observe()), []);
  });

  test('settings are changed on every node, survive a restart, and are put back', async () => {
    const journal = createJournal(stack);
    const undo = await applySettings({ stack, journal }, { all: { sync_binlog: '7', ...SEMI_SYNC } });
    const state = await infoOf(stack, 'mariadb-1');
    assert.equal(state.rpl_semi_sync_master_status, 'ON');
    await insert(stack, 'mariadb-1', next++);
    assert.equal((await infoOf(stack, 'mariadb-1')).rpl_semi_sync_master_yes_tx, '1', 'a replica confirmed the write');
    const [{ enabled }] = await askNode(stack, 'mariadb-2', (control) =>
      rows(control, 'SELECT @@global.rpl_semi_sync_master_enabled AS enabled'),
    );
    assert.equal(Number(enabled), 0, 'a replica does not wait for others');

    await stack.host.act('mariadb-2', 'kill');
    await stack.host.act('mariadb-2', 'start');
    const [{ value }] = await askNode(stack, 'mariadb-2', (control) =>
      rows(control, 'SELECT @@global.sync_binlog AS value'),
    );
    assert.equal(Number(value), 7);
    await undo();
    const [{ value: back }] = await askNode(stack, 'mariadb-1', (control) =>
      rows(control, 'SELECT @@global.sync_binlog AS value'),
    );
    assert.notEqual(Number(back), 7);
    assert.equal((await infoOf(stack, 'mariadb-1')).rpl_semi_sync_master_status, 'OFF');
    await journal.close();
    await stack.heal();
  });

  test('an old primary with a write of its own is rebuilt from the new primary', async () => {
    const { failover } = stack.database;
    assert.ok(failover.promote);
    await failover.promote(stack, 'mariadb-2');
    const lateValue = next++;
    // Nobody told the old primary.
    await insert(stack, 'mariadb-1', lateValue);
    const [after, other] = [next++, next++];
    await insert(stack, 'mariadb-2', after);
    await insert(stack, 'mariadb-2', other);
    assert.equal((await read(stack, 'mariadb-1', next)).primary, true, 'it follows nobody');

    await stack.heal();
    assert.equal((await stack.database.primary()).id, 'mariadb-2');
    for (const { id } of stack.nodes) {
      const { found } = await read(stack, id, next);
      assert.deepEqual([found[lateValue], found[after], found[other]], [0, 1, 1], id);
    }
  });
});

describe('a local MariaDB stack with links', { skip: skip || noRelay }, () => {
  /** @type {Stack} */
  let stack;
  before(async () => {
    stack = await startMariadb({ links: true });
  });
  after(() => stack?.close());

  test('a partition keeps writes from the replicas until it heals', async () => {
    await stack.host.act('mariadb-1', 'partition');
    await insert(stack, 'mariadb-1', 0);
    assert.equal((await read(stack, 'mariadb-1', 1)).found[0], 1, 'clients still reach it');
    assert.equal((await read(stack, 'mariadb-2', 1)).found[0], 0);
    await stack.host.act('mariadb-1', 'join');
    await eventually('the write on mariadb-2', async () => (await read(stack, 'mariadb-2', 1)).found[0] === 1);
  });
});

describe('what a killed process leaves', { skip }, () => {
  test('its servers, files and disks are found and removed, frozen nodes too', async () => {
    const owner = spawn(process.execPath, ['--input-type=module', '--eval', OWNER, ...DISKS], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    for await (const line of createInterface({ input: owner.stdout })) if (line === 'ready') break;
    const [record] = listStacks();
    assert.equal(record.system, 'mariadb');
    const ended = once(owner, 'exit');
    owner.kill('SIGKILL');
    await ended;
    assert.equal(runningNodes(record).length, 3, 'its servers are still there');
    process.kill(Number(pidOf(record, 'mariadb-2')), 'SIGSTOP');

    const { stdout, stderr } = await execute(process.execPath, [CLI, 'recover']);
    assert.equal(runningNodes(record).length, 0);
    assert.deepEqual(listStacks(), []);
    for (const disk of Object.values(record.disks ?? {})) assert.ok(!existsSync(disk), disk);
    assert.match(stdout + stderr, new RegExp(`Removed what process ${owner.pid} left: 3 servers and their files\\.`));
  });
});
