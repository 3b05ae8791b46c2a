import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { connectControl } from '../../src/stacks/redis/control.js';
import { needs } from '../../test/needs.js';
import linkDemand, { demandChecks, measureDemand, WRITES } from './demand.js';
import { LinkFigures } from './document.js';
import { openPair } from './fixture.js';

/**
 * @import { RoundResult } from '../../src/result/schema.js'
 * @import { StageStack } from '../../src/run/own-stacks.js'
 */

await ownTemporaryFolder();
const skip = await needs('server');

/** A fifteenth of half a second of the mix. */
const LEAST_OPERATIONS = 1000;

describe('a round of link-demand, on a real stack', { skip }, () => {
  /** @type {StageStack} */
  let stack;
  before(async () => {
    stack = await openPair({ 'min-replicas-to-write': '0' }, { seconds: 0.5 });
  });
  after(() => stack?.close());

  test('a write’s share of the stream is its commands, and the replica has all writes', async () => {
    const { testbed } = stack;
    /** @type {Map<string, RoundResult>} */
    const rounds = new Map();
    const measuredCases = linkDemand.cases(/** @type {any} */ ({})).filter(({ id }) => !/^single-(8|1024)B/.test(id));
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
    const single = 'single-64B-regular';
    near(single, WRITES * perWrite);
    assert.equal(link(single).requestBytes, WRITES * perWrite);
    assert.deepEqual(link(single).executed, { set: WRITES });
    const script = 'script-64B-regular';
    near(script, WRITES * perWrite + (WRITES / 10) * (15 + 14));
    assert.deepEqual(link(script).executed, { set: WRITES, multi: WRITES / 10, exec: WRITES / 10 });
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

    // Everything is put back: the replica is a primary.
    const [replica] = testbed.replicas ?? [];
    const control = await connectControl(replica.address);
    assert.equal((await control.info('replication')).role, 'master');
    control.close();
  });
});
