/** Rounds whose load a driver makes, with a driver that has no library. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { needs } from '../../test/needs.js';
import { call } from '../clients/conformance/nodes.js';
import { planOfDriver } from '../run/driver-plan.js';
import { eventually, ownTemporaryFolder } from '../stacks/fixture.js';
import { processesOfGroup } from '../stacks/processes.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { decodeHistogram } from '../stats/histogram.js';
import { keysOfDriver, startDriverLoad } from './driver-load.js';
import { roundPlan } from './fixture.js';

/** @import { Stack } from '../stacks/types.js' */

const FIXTURE = fileURLToPath(new URL('../drivers/driver-fixture.js', import.meta.url));
const READY = '{"library":"sh","version":"1","language":"sh","wait":"unsupported"}';

const folder = await ownTemporaryFolder();
const skip = await needs('server', 'relay');

describe('a round of a driver', { skip }, () => {
  /** @type {Stack} */
  let stack;
  const load = startDriverLoad();

  before(async () => {
    stack = await startLocal({ backend: 'local', links: true });
  });
  after(async () => {
    await load.close();
    await stack?.close();
  });

  /** @param {readonly string[]} run @param {number} wait */
  async function planOf(run, wait = 0) {
    const entry = { name: 'fixture', title: '', variants: {}, command: { name: 'fixture', run }, missing: null };
    return roundPlan(
      {
        client: 'driver.fixture',
        ...planOfDriver(stack, entry, 'defaults'),
        ...{
          primary: (await stack.database.primary()).address,
          connections: 5,
          keyspace: 1,
          seconds: 0.5,
          warmUpSeconds: 0.2,
        },
      },
      { payloadBytes: 40, waitReplicas: wait, waitMode: 'sequential' },
    );
  }

  test('that is stopped early has the figures until then', async () => {
    await load.prepare({ ...(await planOf([process.execPath, FIXTURE])), seconds: 60 });
    const sample = await load.go(() => load.stop?.());
    assert.ok(sample.seconds < 30 && sample.operations > 0, `${sample.operations} in ${sample.seconds} s`);
  });

  test('counts the answers of the timed part, and leaves no process', async () => {
    const plan = await planOf([process.execPath, FIXTURE], 1);
    // Keys of another test have the same names.
    await call(plan.primary, 'FLUSHALL');
    await load.prepare(plan);
    const warm = Number(await call(plan.primary, 'DBSIZE'));
    const sample = await load.go();
    assert.ok(sample.operations > 50, `${sample.operations} operations`);
    assert.deepEqual(sample.outcomes, { acked: sample.operations, underAcked: 0, rejected: 0, unknown: 0 });
    assert.deepEqual(sample.errors, {});
    assert.equal(decodeHistogram(sample.histogram).totalCount, sample.operations);
    assert.ok(sample.latencyNs.p50 > 0 && sample.latencyNs.p50 < 500e6);
    assert.ok(Number(sample.load.cpu) > 0 && Number(sample.load.peakMemoryBytes) > 1e6);
    const written = Number(await call(plan.primary, 'DBSIZE'));
    assert.ok(warm > 0 && written >= sample.operations + warm / 2, `${written} keys after ${sample.operations}`);
    assert.ok(written < keysOfDriver(plan));
  });

  test('errors of the library are outcomes and errors', async () => {
    const { address } = await stack.database.primary();
    await call(address, 'CONFIG', 'SET', 'min-replicas-to-write', '9');
    try {
      await load.prepare(await planOf([process.execPath, FIXTURE]));
      const { outcomes, errors, firstError } = await load.go();
      assert.ok(outcomes.rejected > 50 && outcomes.acked === 0, JSON.stringify(outcomes));
      assert.equal(errors.NOREPLICAS, outcomes.rejected);
      assert.match(String(firstError), /^NOREPLICAS/);
    } finally {
      await call(address, 'CONFIG', 'SET', 'min-replicas-to-write', '0');
    }
  });

  test('a driver that ends in the round, or is never ready, fails the round', async () => {
    await load.prepare(await planOf(['sh', '-c', `read task; echo 'ready ${READY}'; sleep 0.3; echo gone >&2`]));
    await assert.rejects(load.go(), /ended during the round: gone/);
    await assert.rejects(async () => load.prepare(await planOf(['sh', '-c', 'exit 4'])), /could not connect/);
  });

  test('closing ends a driver that is warm, and what it started', async () => {
    const file = join(folder, 'pid');
    const script = `read task; echo $$ > '${file}'; echo 'ready ${READY}'; sleep 77`;
    await load.prepare(await planOf(['sh', '-c', script]));
    const group = Number(await readFile(file, 'utf8'));
    assert.equal(processesOfGroup(group).length, 2);
    await load.close();
    await eventually('nothing of it is left', () => processesOfGroup(group).length === 0);
  });
});
