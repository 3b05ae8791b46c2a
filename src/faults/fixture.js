import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { listStacks } from '../stacks/hosts/local/record.js';
import { firewallTables } from '../stacks/network/firewall-fixture.js';
import { listRecords } from '../stacks/records/records.js';
import { ask, eventually, isReady, settingsOf } from '../stacks/redis/conformance-help.js';
import { loopDevices, mountsIn } from '../stacks/volumes/volume.js';
import { journalFolder } from './journal-file.js';

/** @import { Stack } from '../stacks/types.js' */

/**
 * Stacks and journals of this test process alone.
 * @returns {Promise<string>} the folder of everything, removed at the end
 */
export async function ownState() {
  const folder = await ownTemporaryFolder();
  mkdirSync(join(folder, 'state'));
  return folder;
}

/**
 * Of the tests of the describe that calls it: the journals are in a folder of their own, and the environment is restored.
 * @returns {string} the folder; that of the state is in it
 */
export function keepStateApart() {
  const former = { ...process.env };
  const folder = mkdtempSync(join(tmpdir(), 'state-test-'));
  before(() => {
    process.env.XDG_STATE_HOME = join(folder, 'state');
    mkdirSync(process.env.XDG_STATE_HOME);
  });
  after(() => {
    for (const name of ['XDG_STATE_HOME', 'TMPDIR', 'DOCKER_HOST']) {
      if (former[name] === undefined) delete process.env[name];
      else process.env[name] = former[name];
    }
    rmSync(folder, { recursive: true });
  });
  return folder;
}

/** @returns {string[]} names of the files that journals have now */
export function journalNames() {
  try {
    return readdirSync(journalFolder());
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return [];
    throw error;
  }
}

/** @returns {any[]} the lines of the only journal there is, after the first */
export function journalLines() {
  const [name, ...others] = journalNames();
  if (name === undefined || others.length > 0) throw new Error(`not one journal: ${[name, ...others]}`);
  const text = readFileSync(join(journalFolder(), name), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line));
}

/**
 * After a recovery.
 * @param {Stack} stack
 * @param {Awaited<ReturnType<typeof settingsOf>>} former
 * @param {string} [when] for the error
 */
export async function assertAsBefore(stack, former, when = 'after the recovery') {
  // A Sentinel may notice a broken connection only after it was found well.
  await eventually(`${when}: the stack is well`, () => isReady(stack));
  assert.deepEqual(await settingsOf(stack), former, when);
  const { id } = await stack.database.primary();
  assert.equal(await ask(stack, id, 'SET', 'sentinel-bench:recover', 'x'), 'OK', when);
  assert.deepEqual(journalNames(), [], when);
}

/**
 * @param {string} net the first three numbers of a stack's addresses
 * @returns {boolean} there are rules between them
 */
export function hasRules(net) {
  return firewallTables().some((name) => name.endsWith(`_${net.replaceAll('.', '_')}`));
}

/** After the removal of local stacks. @param {string} folder of this test process */
export function assertNothingLeft(folder) {
  assert.deepEqual(listStacks(), []);
  assert.deepEqual(mountsIn(folder), []);
  assert.deepEqual(loopDevices(folder), []);
  assert.deepEqual(listRecords('volumes'), []);
  assert.deepEqual(journalNames(), []);
}
