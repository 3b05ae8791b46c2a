/**
 * The rule itself is tested in stats. Here: the figures of real load point at the right part. Other programs may use this machine, so a
 * verdict may also be that the machine was busy, or that no part was; but never the wrong part.
 */
import assert from 'node:assert/strict';
import net from 'node:net';
import { after, before, describe, test } from 'node:test';
import { encodeCommand } from '../resp/writer.js';
import { eventually } from '../stacks/fixture.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { randomFrom } from '../stats/random.js';
import { median } from '../stats/statistics.js';
import { summarise } from '../stats/summary.js';
import { makeCase } from './case.js';
import { newKeys } from './keys.js';
import { PROFILES } from './profiles.js';
import { measureRounds } from './rounds.js';
import { closeTestbed, connectControls, createTestbed, primaryControl } from './testbed.js';

/**
 * @import { CaseParams, CaseSummary, RoundResult } from '../result/schema.js'
 * @import { Testbed } from './rounds.js'
 * @import { RoundBenchmark } from './types.js'
 */

const PROFILE = Object.freeze({ ...PROFILES.quick, rounds: 3, seconds: 0.5, warmUpSeconds: 0.1 });
const PATTERNS = Array.from({ length: 1000 }, (_, i) => `__keyspace@0__:nobody-${i}*`);

describe('what limits a real load', () => {
  /** @type {Testbed} */
  let testbed;

  before(async () => {
    const stack = await startLocal({});
    testbed = createTestbed(stack, { profile: PROFILE, random: randomFrom(1), signal: new AbortController().signal });
    await connectControls(testbed);
  });
  after(async () => {
    if (testbed) await closeTestbed(testbed);
  });

  /**
   * @param {Partial<CaseParams>} params
   * @returns {Promise<{limitedBy: CaseSummary['limitedBy'], client: number, primary: number, text: string}>} client and primary: the median share of a
   *   core that each used, 0 … 1
   */
  async function measure(params) {
    const theCase = makeCase(params);
    const load = /** @type {RoundBenchmark} */ ({ kind: 'load' });
    const results = await measureRounds(testbed, load, [theCase], newKeys([theCase]).prefix, {
      onRound() {},
    });
    const rounds = results.get(theCase.id)?.rounds ?? [];
    return {
      limitedBy: summarise(rounds, null, { seed: 1 }).limitedBy,
      client: median(rounds.map((round) => round.load.cpu ?? 0)),
      primary: median(rounds.map(({ nodes }) => nodes.find(({ role }) => role === 'primary')?.mainThreadCpu ?? 0)),
      text: rounds.map(useText).join('; '),
    };
  }

  test('a slow client: the client, never the primary', async () => {
    const { limitedBy, client, primary, text } = await measure({ client: 'redis', connections: 50, pipeline: 20 });
    assert.notEqual(limitedBy, 'primary', text);
    assert.ok(client > primary, text);
  });

  test('a primary whose writes are expensive: the primary, never the client', async () => {
    const primary = await primaryControl(testbed);
    const { port, host } = (await testbed.stack.database.primary()).address;
    const subscriber = net.connect(port, host);
    try {
      // Each write is an event that is held against each of these patterns and matches none: the server's work alone.
      await primary.call('CONFIG', 'SET', 'notify-keyspace-events', 'KA');
      subscriber.resume();
      subscriber.write(encodeCommand(['PSUBSCRIBE', ...PATTERNS]));
      await eventually('the patterns count', async () => (await primary.call('PUBSUB', 'NUMPAT')) === PATTERNS.length);
      const used = await measure({ pipeline: 100 });
      assert.notEqual(used.limitedBy, 'client', used.text);
      assert.ok(used.primary > used.client, used.text);
    } finally {
      subscriber.destroy();
      await primary.call('CONFIG', 'SET', 'notify-keyspace-events', '');
    }
  });
});

/** @param {RoundResult} round */
function useText({ load, machineCpu, nodes }) {
  const shares = {
    'load thread': load.cpu,
    'its loop': load.eventLoopUtilization,
    primary: nodes.find(({ role }) => role === 'primary')?.mainThreadCpu ?? null,
    machine: machineCpu,
  };
  return Object.entries(shares)
    .map(([who, share]) => `${who} ${share?.toFixed(2) ?? 'unknown'}`)
    .join(', ');
}
