import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { needs } from '../../test/needs.js';
import { LinkFigures } from './document.js';
import { openPair } from './fixture.js';
import linkMemory, { isUnlimited, LIMIT_BYTES, measureMemory, memoryChecks } from './memory.js';

/** @import { StageStack } from '../../src/run/own-stacks.js' */

await ownTemporaryFolder();

const skip = (await needs('server')) || (await needs('prlimit'));

describe('a primary with little memory behind a slow link', { skip, timeout: 600_000 }, () => {
  /** @type {StageStack | undefined} */
  let stage;
  after(() => stage?.close());

  test('ends without a limit of the buffer, comes back from its file, and lives with a limit', async () => {
    stage = await openPair(linkMemory.stacks?.settings);
    const { testbed } = stage;
    const cases = [];
    const [unlimited, limited] = linkMemory.cases(/** @type {any} */ ({}));
    // The round after one without a limit begins with a primary that was started again.
    for (const theCase of [unlimited, limited]) {
      const round = await measureMemory({ testbed, theCase, keyPrefix: 'memory:', now: () => {} });
      LinkFigures.parse(round.link);
      cases.push({ ...theCase, rounds: [round], link: round.link });
    }
    assert.deepEqual(
      memoryChecks(/** @type {any} */ ({ cases })).filter(({ ok }) => !ok),
      [],
    );
    for (const { params, link, rounds } of cases) {
      assert.ok(link?.memory && link.outputLimit);
      assert.equal(link.memory.limitBytes, LIMIT_BYTES);
      assert.match(link.memory.by, /prlimit/);
      assert.ok(rounds[0].outcomes.acked > 0);
      assert.ok(Number(link.maxBufferBytes) > 0);
      if (isUnlimited(/** @type {any} */ ({ params }))) {
        assert.equal(link.outputLimit.hardBytes, 0);
        assert.ok(Number(link.maxBufferBytes) > LIMIT_BYTES / 4, `${link.maxBufferBytes}`);
        assert.ok(link.promotion && link.promotion.missing > 0, 'the replica was behind');
        // With everysec Redis holds writes back while a sync runs, so its end may cost some.
        const { restart } = link.memory;
        assert.ok(restart && restart.missing < restart.acked, 'the file has the writes');
        assert.equal(restart.acked, rounds[0].outcomes.acked);
      } else {
        assert.ok(link.disconnects && link.disconnects > 0);
        assert.equal(link.promotion, undefined);
      }
    }
  });
});
