import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '../../src/clients/conformance/nodes.js';
import { openStageStack } from '../../src/run/own-stacks.js';
import { PROFILES } from '../../src/run/profiles.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { connectControl } from '../../src/stacks/redis/control.js';
import { randomFrom } from '../../src/stats/random.js';
import { needs } from '../../test/needs.js';
import { demandChecks } from './demand.js';
import { demandCases, groupOf, KEY_BYTES, measureDemand, WRITES } from './demand-round.js';
import { LinkFigures } from './document.js';

/**
 * @import { RoundResult } from '../../src/result/schema.js'
 * @import { StageStack } from '../../src/run/own-stacks.js'
 */

await ownTemporaryFolder();
const skip = await needs('server');

/** A fifteenth of half a second of the mix. */
const LEAST_OPERATIONS = 1000;
const ANY_REDIS = { name: 'redis', version: '7.0.15' };

test('functions are not used on a server that lacks them', () => {
  const ids = (/** @type {{name: string, version: string | null}} */ server) => demandCases(server).map(({ id }) => id);
  assert.ok(!ids({ name: 'redis', version: '6.2.14' }).some((id) => id.startsWith('function')));
  assert.ok(ids(ANY_REDIS).includes('function-64B-regular'));
  assert.ok(ids({ name: 'valkey', version: '8.0.1' }).includes('function-64B-regular'));
  assert.equal(new Set(ids(ANY_REDIS)).size, ids(ANY_REDIS).length);
});

test('keys have one length, and all differ', () => {
  const random = randomFrom(1);
  for (const pattern of /** @type {const} */ (['regular', 'random'])) {
    const groups = Array.from({ length: 100 }, (_, i) => groupOf(i, { pattern, payloadBytes: 64, count: 10, random }));
    const writes = groups.flatMap((group) => group.writes);
    assert.deepEqual(new Set(writes.map(({ key }) => key.length)), new Set([KEY_BYTES]));
    assert.deepEqual(new Set(writes.map(({ value }) => value.length)), new Set([64]));
    assert.equal(new Set(writes.map(({ key }) => key)).size, writes.length);
  }
});

describe('a round of link-demand, on a real stack', { skip }, () => {
  const aborting = new AbortController();
  /** @type {StageStack} */
  let stack;
  let atFirst = 0;
  before(async () => {
    stack = await openStageStack(
      { backend: 'local', settings: { 'min-replicas-to-write': '0' } },
      {
        replicas: 1,
        withoutSentinels: true,
        run: { profile: { ...PROFILES.quick, seconds: 0.5 }, random: randomFrom(1), signal: aborting.signal },
      },
    );
    atFirst = await clients();
  });
  after(() => stack?.close());

  /** @returns {Promise<number>} how many connections the primary has, but for replicas */
  async function clients() {
    const primary = stack.testbed.controls.get(String(stack.testbed.primary?.id));
    return String(await primary?.call('CLIENT', 'LIST', 'TYPE', 'normal'))
      .trim()
      .split('\n').length;
  }

  test('a write’s share of the stream is its commands, and the replica has all writes', async () => {
    const { testbed } = stack;
    /** @type {Map<string, RoundResult>} */
    const rounds = new Map();
    const measuredCases = demandCases(testbed.stack.server).filter(({ id }) => !/^single-(8|1024)B|^mix-10/.test(id));
    for (const theCase of measuredCases) {
      // If the machine hangs for the half second of a mix, almost nothing is sent, and the round shows nothing.
      for (let attempt = 1; attempt <= 5; attempt++) {
        const round = await measureDemand({ testbed, theCase, keyPrefix: '', now: () => {} });
        LinkFigures.parse(round.link);
        rounds.set(theCase.id, round);
        if (round.operations > LEAST_OPERATIONS) break;
      }
    }
    const link = (/** @type {string} */ id) => {
      const figures = rounds.get(id)?.link;
      assert.ok(figures, id);
      return figures;
    };
    // *3 $3 SET $48 … $64 …, each with its line ends; a SELECT may come on top, and a PING of the primary’s each ten seconds.
    const perWrite = 4 + 4 + 5 + 5 + 50 + 5 + 66;
    const near = (/** @type {string} */ id, /** @type {number} */ expected) => {
      const more = link(id).streamBytes - expected;
      const pings = 14 * Math.ceil(Number(rounds.get(id)?.seconds) / 10);
      assert.ok(more >= 0 && more < 100 + pings, `${id}: ${more} bytes more than ${expected}`);
    };
    for (const id of ['single-64B-regular', 'single-64B-random', 'batch-64B-regular']) {
      near(id, WRITES * perWrite);
      assert.equal(link(id).requestBytes, WRITES * perWrite);
      assert.deepEqual(link(id).executed, { set: WRITES });
    }
    for (const grouping of ['multi', 'script', 'function']) {
      near(`${grouping}-64B-regular`, WRITES * perWrite + (WRITES / 10) * (15 + 14));
      assert.deepEqual(link(`${grouping}-64B-regular`).executed, {
        set: WRITES,
        multi: WRITES / 10,
        exec: WRITES / 10,
      });
    }
    const mix = rounds.get('mix-30000ps');
    assert.ok(mix?.link && mix.operations > LEAST_OPERATIONS, `${mix?.operations}`);
    assert.equal(mix.outcomes.acked, mix.operations);
    assert.ok(mix.link.demandBytesPerSecond > 0);

    const cases = measuredCases.map((theCase) => ({ ...theCase, rounds: [rounds.get(theCase.id)] }));
    const checks = demandChecks(/** @type {any} */ ({ cases }));
    assert.deepEqual(
      checks.filter(({ ok }) => !ok),
      [],
    );

    // Everything is put back: the replica is a primary, and the primary has neither script nor function.
    const [replica] = testbed.replicas ?? [];
    const control = await connectControl(replica.address);
    assert.equal((await control.info('replication')).role, 'master');
    control.close();
    const primary = testbed.controls.get(String(testbed.primary?.id));
    assert.deepEqual(await primary?.call('FUNCTION', 'LIST'), []);
  });

  test('a primary that refuses writes ends the round with its message; a round can be aborted', async () => {
    const { testbed } = stack;
    const site = (/** @type {string} */ id) => {
      const theCase = demandCases(ANY_REDIS).find((one) => one.id === id);
      assert.ok(theCase);
      return { testbed, theCase, keyPrefix: '', now: () => {} };
    };
    const primary = testbed.controls.get(String(testbed.primary?.id));
    await primary?.call('CONFIG', 'SET', 'min-replicas-to-write', '2');
    await assert.rejects(measureDemand(site('multi-64B-regular')), /NOREPLICAS/);
    await primary?.call('CONFIG', 'SET', 'min-replicas-to-write', '0');

    const mix = site('mix-10000ps');
    const reason = new Error('broken off');
    const round = measureDemand({ ...mix, now: (text) => text.includes('traffic') && aborting.abort(reason) });
    await assert.rejects(round, reason);
    const [replica] = testbed.replicas ?? [];
    const state = await testbed.controls.get(replica.id)?.info('replication');
    assert.equal(state?.role, 'master', 'the path is closed, and the replica no longer dials it');
    await until(async () => (await clients()) <= atFirst, 'the traffic’s connections are gone');
  });
});
