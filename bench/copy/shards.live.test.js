/** Copying from one Redis Cluster to another, by one mover for all shards and by one for each. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { openStageStack } from '../../src/run/own-stacks.js';
import { PROFILES } from '../../src/run/profiles.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { listStacks, pidOf } from '../../src/stacks/local/record.js';
import { cpusOfProcess } from '../../src/stacks/processes.js';
import { randomFrom } from '../../src/stats/random.js';
import { needs } from '../../test/needs.js';
import { whyNotCase } from './cores.js';
import { CopyFigures } from './document.js';
import { measureCopy } from './measure.js';
import { shardCases } from './modes.js';
import shards from './shards.js';

/** @import { StageStack } from '../../src/run/own-stacks.js' */

await ownTemporaryFolder();

const SIZE = { keys: 1500, keysIncremental: 300, writtenKeys: 100_000, rewrittenKeys: 300, besideSeconds: 0.1 };
const PROFILE = { ...PROFILES.standard, seconds: 0.3 };
const CORES = { sources: '0', copies: '0', movers: '0', writers: '0' };

describe('copying a Redis Cluster, local', { skip: await needs('server') }, () => {
  const stopping = new AbortController();
  /** @type {StageStack} */
  let stack;

  before(async () => {
    stack = await openStageStack(
      { backend: 'local', settings: shards.stacks?.settings, shards: true },
      {
        replicas: 2,
        withoutSentinels: true,
        run: { profile: PROFILE, random: randomFrom(1), signal: stopping.signal },
      },
    );
  });
  after(() => stack?.close());

  for (const theCase of shardCases({ profile: PROFILE })) {
    test(`${theCase.id}: every shard is copied`, async (t) => {
      const why = await whyNotCase(theCase);
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

  test('parts are pinned while they copy, and this process is free again afterwards', async () => {
    const [theCase] = shardCases({ profile: PROFILE });
    const params = { ...theCase.params, cores: CORES };
    if (await whyNotCase({ ...theCase, params })) return;
    const former = cpusOfProcess(process.pid);
    /** @type {string[]} */
    let seen = [];
    const now = (/** @type {string} */ text) => {
      if (text !== 'copying') return;
      const nodes = listStacks().flatMap((each) => each.nodes.flatMap(({ id }) => pidOf(each, id) ?? []));
      seen = [process.pid, ...nodes].map(cpusOfProcess);
    };
    await measureCopy(
      { testbed: stack.testbed, theCase: { ...theCase, params }, keyPrefix: 'test:pinned:', now },
      SIZE,
    );
    assert.deepEqual(seen, Array(7).fill('0'));
    assert.equal(cpusOfProcess(process.pid), former);
  });
});
