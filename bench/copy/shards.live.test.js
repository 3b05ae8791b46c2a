/** Copying from one Redis Cluster to another, by one mover for all shards and by one for each. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openStageStack } from '../../src/run/own-stacks.js';
import { PROFILES } from '../../src/run/profiles.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { randomFrom } from '../../src/stats/random.js';
import { needs } from '../../test/needs.js';
import { CopyFigures } from './document.js';
import { copyShards } from './index.js';
import { measureCopy } from './measure.js';
import { shardCases } from './modes.js';

/** @import { StageStack } from '../../src/run/own-stacks.js' */

await ownTemporaryFolder();

const SIZE = { keys: 1500, keysIncremental: 300, writtenKeys: 100_000, rewrittenKeys: 300, besideSeconds: 0.1 };
const PROFILE = { ...PROFILES.standard, seconds: 0.3 };

describe('copying a Redis Cluster, local', { skip: await needs('server') }, () => {
  const stopping = new AbortController();
  /** @type {StageStack} */
  let stack;

  before(async () => {
    stack = await openStageStack(
      { backend: 'local', settings: copyShards.stacks?.settings, shards: true },
      {
        replicas: 2,
        withoutSentinels: true,
        run: { profile: PROFILE, random: randomFrom(1), signal: stopping.signal },
      },
    );
  });
  after(() => stack?.close());

  for (const theCase of shardCases()) {
    test(`${theCase.id}: every shard is copied`, async (t) => {
      const why = await copyShards.whyNotCase?.(theCase, stack.testbed.stack);
      if (why) return t.skip(why);
      const site = { testbed: stack.testbed, theCase, keyPrefix: 'test:shards:', now: () => {} };
      const round = await measureCopy(site, SIZE);
      const figures = CopyFigures.parse(round.copy);
      assert.deepEqual(round.errors, {});
      assert.equal(figures.pairs, 3);
      assert.notEqual(figures.behindSeconds, null);
      const { keys, missing, extra, type } = figures.comparison;
      assert.deepEqual([missing, extra, type], [0, 0, 0]);
      if (figures.writers) assert.ok(figures.writers.during.writes > 0 && keys > figures.keysBefore);
      else assert.deepEqual([figures.keysBefore, keys], [3 * SIZE.keys, 3 * SIZE.keys]);
      assert.equal(figures.reported !== undefined, theCase.params.mover?.startsWith('redis-shake'));
    });
  }
});
