import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { connectPatiently } from '../clients/conformance/nodes.js';
import { KEY_DIGITS } from '../clients/native-batch.js';
import { programPath } from '../programs.js';
import { clients } from '../registry/clients.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { roundPlan } from './fixture.js';
import { startLoadThread } from './load-thread.js';
import { withPrograms } from './program-load.js';

/**
 * @import { Control } from '../stacks/redis/control.js'
 * @import { Stack } from '../stacks/types.js'
 */

await ownTemporaryFolder();

const skip = await needs('server');

const PLAN = roundPlan({ client: 'redis-benchmark', connections: 5, seconds: 0.2 }, { pipeline: 10 });

describe('a round of another program', () => {
  const load = withPrograms(startLoadThread());
  after(async () => {
    await load.close();
  });

  test('is refused if its command line would show a password', async () => {
    const credentials = { password: 'secret' };
    await assert.rejects(load.prepare({ ...PLAN, primary: { ...PLAN.primary, credentials } }), (error) => {
      assert.match(String(error), /password/);
      assert.doesNotMatch(String(error), /secret/);
      return true;
    });
  });
});

describe('on a real stack', { skip }, () => {
  const load = withPrograms(startLoadThread());
  /** @type {Stack} */
  let stack;
  /** @type {Control} */
  let control;
  before(async () => {
    stack = await startLocal({});
    control = await connectPatiently((await stack.database.primary()).address);
  });
  after(async () => {
    control?.close();
    await load.close();
    await stack?.close();
  });

  for (const { name, firstKey = 0 } of clients.filter(
    (client) => client.program && programPath(client.name) !== null,
  )) {
    test(`${name} writes the expected keys, and its figure is the count of the server`, async () => {
      await control.call('FLUSHALL');
      await control.call('CONFIG', 'RESETSTAT');
      const primary = await stack.database.primary();
      const replicas = (await stack.database.replicas()).map(({ address }) => address);
      const plan = { ...PLAN, client: name, primary: primary.address, replicas };
      await load.prepare(plan);
      const callsOfSet = async () =>
        Number((await control.info('commandstats')).cmdstat_set?.match(/calls=(\d+)/)?.[1] ?? 0);
      const before = await callsOfSet();
      const { operations, outcomes, seconds, load: use } = await load.go();
      const executed = (await callsOfSet()) - before;
      assert.ok(operations > 0 && outcomes.acked === operations && seconds > 0);
      // Both may have commands under way when they stop counting, no more than fit in the pipelines.
      assert.ok(
        Math.abs(executed - operations) <= PLAN.connections * PLAN.shape.pipeline,
        `${executed}, ${operations}`,
      );
      // CPU comes in ticks of 10 ms, and a run that was held up makes for a short next one, which may show none.
      let { cpuPerOperationNs } = use;
      for (let more = 0; more < 5 && cpuPerOperationNs === 0; more++) {
        await load.prepare(plan);
        ({ cpuPerOperationNs } = (await load.go()).load);
      }
      assert.ok(Number(cpuPerOperationNs) > 0 || process.platform !== 'linux');
      const keys = /** @type {string[]} */ (await control.call('KEYS', '*'));
      // So many different ones are to be expected of keys that are drawn one by one.
      const expected = PLAN.keyspace * (1 - Math.exp(-(await callsOfSet()) / PLAN.keyspace));
      assert.ok(keys.length > expected / 2, `${keys.length} keys, ${expected} are to be expected`);
      for (const key of keys) {
        const number = key.slice(PLAN.shape.keyPrefix.length);
        assert.ok(key.startsWith(PLAN.shape.keyPrefix) && number.length === KEY_DIGITS, key);
        // The key that waits for the replicas is 0.
        const offset = Number(number) - firstKey;
        assert.ok(Number(number) === 0 || (offset >= 0 && offset < PLAN.keyspace), key);
      }
    });
  }
});
