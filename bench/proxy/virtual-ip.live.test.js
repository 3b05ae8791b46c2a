import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, test } from 'node:test';
import { assertMeasured, only, resultOf } from '../../src/run/suite-fixture.js';
import { eventually, ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { hostIndexOf } from '../../src/stacks/hosts/local/addresses.js';
import { isReady } from '../../src/stacks/redis/conformance-help.js';
import { connectControl } from '../../src/stacks/redis/control.js';
import { startLocal } from '../../src/stacks/redis/local/index.js';
import { needs } from '../../test/needs.js';
import { SCENARIOS } from './scenarios.js';

const [, virtualIpPartition, virtualIpFailover] = SCENARIOS;

/** @import { Stack } from '../../src/stacks/types.js' */

const folder = await ownTemporaryFolder();
const skip = await needs('server', 'namespaces', 'busybox');

describe('a virtual IP address', { skip }, () => {
  /** @type {Stack} */
  let stack;
  before(async () => {
    stack = await startLocal({ hosts: true, virtualAddress: true });
  });
  after(() => stack?.close());

  /** @returns {string[]} ids of the nodes whose host has the address */
  function holders() {
    const host = String(stack.access.virtualAddress?.host);
    return stack.nodes.flatMap(({ id, kind }) => {
      if (kind !== 'redis') return [];
      const namespace = `sentinel-bench-${stack.about.identity}-${hostIndexOf(id) + 1}`;
      const addresses = execFileSync('ip', ['-n', namespace, '-oneline', 'address', 'show'], { encoding: 'utf8' });
      return addresses.includes(` ${host}/`) ? id : [];
    });
  }

  /** @returns {Promise<string>} the address that the node at the virtual address dials from */
  async function reached() {
    const control = await connectControl(
      /** @type {import('../../src/stacks/types.js').Address} */ (stack.access.virtualAddress),
    );
    try {
      const [, source] = /** @type {string[]} */ (await control.call('CONFIG', 'GET', 'bind-source-addr'));
      return source;
    } finally {
      control.close();
    }
  }

  test('is where the primary is, and moves with the role', async () => {
    const first = await stack.database.primary();
    assert.deepEqual(holders(), [first.id]);
    assert.equal(await reached(), first.address.host);
    const control = await connectControl(stack.nodes.filter(({ kind }) => kind === 'sentinel')[0].address);
    await control.call('SENTINEL', 'FAILOVER', 'mymaster');
    control.close();
    await eventually('it has left the old primary', () => holders().length === 1 && !holders().includes(first.id));
    await eventually('the stack is well', () => isReady(stack));
    const second = await stack.database.primary();
    assert.deepEqual(holders(), [second.id]);
    assert.equal(await reached(), second.address.host);
  });
});

describe('clients by virtual IP', { skip }, () => {
  test('lose what they write to the old primary until the address has moved', async () => {
    const { benchmarks } = await resultOf({
      benchmarks: [virtualIpPartition, virtualIpFailover].map((one) =>
        only(one, ({ params }) => params.mode === 'async'),
      ),
      profile: { healthySeconds: 1 },
      lanes: 2,
      folder: async () => folder,
    });
    for (const measured of benchmarks) {
      assertMeasured(measured);
      const { name, audit = [] } = measured;
      const { acked = 0 } = audit.find(({ writer }) => writer === 'virtual-address') ?? {};
      assert.ok(acked > 1000, name);
    }
    const lostBy = (/** @type {string} */ name) =>
      benchmarks[0].audit?.find(({ writer }) => writer === name)?.ackedLost ?? -1;
    assert.ok(lostBy('virtual-address') > 0, 'the old primary acknowledged writes, and they are gone');
  });
});
