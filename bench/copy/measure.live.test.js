import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '../../src/clients/conformance/nodes.js';
import { Round } from '../../src/result/round-schema.js';
import { openStageStack } from '../../src/run/own-stacks.js';
import { PROFILES } from '../../src/run/profiles.js';
import { randomFrom } from '../../src/stats/random.js';
import { needs } from '../../test/needs.js';
import { whyNoMover } from '../movers/movers.js';
import { CopyFigures, roundFigures } from './document.js';
import { copy } from './index.js';
import { measureCopy } from './measure.js';
import { copyCases, MODES } from './modes.js';

/**
 * @import { StageStack } from '../../src/run/own-stacks.js'
 * @import { Control } from '../../src/stacks/redis/control.js'
 */

const skip = await needs('server');

const SIZE = { keys: 2000, keysIncremental: 500, writtenKeys: 1000, rewrittenKeys: 200, besideSeconds: 0.1 };
const SECONDS = 0.3;
/** The mode that misses changes. */
const MISSES = 'redis-shake-scan-writes';
const noShake = whyNoMover('redis-shake-scan') ?? false;

describe('copying, local', { skip }, () => {
  const stopping = new AbortController();
  /** @type {StageStack} */
  let stack;

  before(async () => {
    stack = await openStageStack(
      { backend: 'local', settings: copy.stacks?.settings },
      {
        replicas: 1,
        withoutSentinels: true,
        run: { profile: { ...PROFILES.quick, seconds: SECONDS }, random: randomFrom(1), signal: stopping.signal },
      },
    );
  });
  after(() => stack?.close());

  /**
   * @param {string} mode
   * @param {{now?: (text: string) => void, signal?: AbortSignal, size?: typeof SIZE, seconds?: number}} [options]
   */
  function measure(mode, { now = () => {}, signal = stopping.signal, size = SIZE, seconds = SECONDS } = {}) {
    const theCase = copyCases({ profile: PROFILES.quick }).find(({ params }) => params.copyMode === mode);
    assert.ok(theCase, mode);
    const testbed = { ...stack.testbed, signal, profile: { ...stack.testbed.profile, seconds } };
    return measureCopy({ testbed, theCase, keyPrefix: 'test:copy:', now }, size);
  }

  /** @param {string} id */
  const nodeOf = (id) => /** @type {Control} */ (stack.testbed.controls.get(id));
  const source = () => nodeOf(String(stack.testbed.primary?.id));
  const target = () => nodeOf(String(stack.testbed.replicas?.[0].id));

  /** Nothing goes on any more, and nothing is set that was not. */
  async function assertQuiet() {
    assert.equal((await target().info('replication')).role, 'master', 'the copy is a primary');
    const [, notices] = /** @type {string[]} */ (await source().call('CONFIG', 'GET', 'notify-keyspace-events'));
    assert.equal(notices, '');
  }

  /** @param {Awaited<ReturnType<typeof measureCopy>>} round */
  function figuresOf(round) {
    assert.ok(Round.extend(roundFigures).parse(round));
    return CopyFigures.parse(round.copy);
  }

  for (const { name, mover, what, writing = 'none' } of MODES) {
    test(`${name}: figures that fit together`, async (t) => {
      const why = await copy.whyNotCase?.(
        copyCases({ profile: PROFILES.quick }).filter(({ params }) => params.copyMode === name)[0],
        stack.testbed.stack,
      );
      if (why) return t.skip(why);
      const round = await measure(name);
      const figures = figuresOf(round);
      const { copiedKeys, keysBefore, comparison, writers, use } = figures;
      // What was due and held up by whatever else this machine does is no error of ours.
      assert.deepEqual(
        Object.keys(round.errors).filter((kind) => !kind.startsWith('UNSENT')),
        [],
      );
      assert.equal(round.operations, copiedKeys);
      assert.ok(figures.seconds > 0 && figures.copyRate > 0);
      assert.notEqual(figures.behindSeconds, null);
      assert.ok(comparison.keys >= keysBefore);
      const { missing, extra, type, value, ttl } = comparison;
      if (name !== MISSES) assert.deepEqual([missing, extra, type], [0, 0, 0]);
      // RedisShake's sync rounds the scores of large sorted sets.
      if (name !== MISSES && mover !== 'redis-shake-sync') assert.equal(value, 0);
      if (mover === 'sync') assert.equal(ttl, 0);
      if (writing === 'none') {
        assert.equal(keysBefore, SIZE.keys);
        assert.equal(figures.sourceRate, 0);
        assert.equal(writers, undefined);
      } else {
        for (const phase of /** @type {const} */ (['before', 'during', 'after'])) {
          assert.ok(Number(writers?.[phase].writes) > 0 && Number(writers?.[phase].p99Ns) > 0, phase);
        }
        assert.equal(figures.sourceRate, Number(writers?.during.writes) / Number(writers?.during.seconds));
      }
      if (what === 'full') assert.ok(copiedKeys >= keysBefore, `${copiedKeys} of ${keysBefore}`);
      else if (mover === 'sync') assert.equal(copiedKeys, writers?.during.writes, 'each write is copied once');
      else assert.ok(copiedKeys > 0 && copiedKeys <= Number(writers?.during.writes));
      assert.ok(Number(use.source.cpu) > 0 && Number(use.copy.cpu) > 0);
      assert.ok(Number(figures.copiedBytes) > copiedKeys, 'every key is some bytes');
      assert.equal(use.mover === null, mover === 'sync');
      assert.equal(figures.copyOnWriteBytes === null, !(mover.endsWith('sync') && what === 'full'));
      assert.ok(figures.sourceMemoryPeakBytes > 1e6);
      await assertQuiet();
    });
  }

  test('plain SCAN misses keys that change behind it, and they are counted', { skip: noShake }, async () => {
    let missed = 0;
    // Where the writers get no time of a busy machine while it scans, there is nothing to miss.
    for (let attempt = 1; attempt <= 4 && missed === 0; attempt++) {
      // One that takes long enough for some hundred writes.
      const { comparison, writers } = figuresOf(await measure(MISSES, { size: { ...SIZE, keys: 20_000 } }));
      const { missing, value, extra, type } = comparison;
      missed = missing + extra + value + type;
      assert.ok(missed <= Number(writers?.during.writes), 'not more than was written meanwhile');
    }
    assert.ok(missed > 0, 'some');
  });

  test('an interruption ends movers and writers, whatever they are doing', async () => {
    for (const mode of ['sync-rdb-writes', 'sync-aof', ...(noShake ? [] : ['redis-shake-scan-ksn'])]) {
      const aborting = new AbortController();
      const reason = new Error('enough');
      const now = (/** @type {string} */ text) => {
        if (text === 'copying') setTimeout(() => aborting.abort(reason), 50);
      };
      // Writers that went on would do so for longer than anybody waits here.
      const options = { now, signal: aborting.signal, size: { ...SIZE, keys: 20_000 }, seconds: 600 };
      await assert.rejects(
        measure(mode, options),
        // A timer that gives way says so in words of its own.
        (error) => error === reason || (error instanceof Error && error.cause === reason),
      );
      await assertQuiet();
      const clients = async () => String(await source().call('CLIENT', 'LIST', 'TYPE', 'NORMAL'));
      // The server notices a closed connection only at its next turn.
      const gone = async () => !/cmd=(set|incr|incrby|hincrby|expire|scan|dump|pttl)/.test(await clients());
      await until(gone, `${mode}: no client writes or reads`);
    }
    assert.equal(figuresOf(await measure('sync-rdb')).comparison.keys, SIZE.keys, 'the next round begins anew');
  });
});
