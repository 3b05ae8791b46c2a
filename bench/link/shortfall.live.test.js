import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { needs } from '../../test/needs.js';
import { LinkFigures } from './document.js';
import { openPair } from './fixture.js';
import linkShortfall, { measureShortfall } from './shortfall.js';

/**
 * @import { CaseParams, RoundResult } from '../../src/result/schema.js'
 * @import { Testbed } from '../../src/run/rounds.js'
 * @import { StageStack } from '../../src/run/own-stacks.js'
 */

await ownTemporaryFolder();
const skip = await needs('server');

/** Bytes of a write in the stream: at least its value, at most with key and protocol. */
const WRITE_BYTES = 1000;
const MOST_WRITE_BYTES = 1200;
const RATE = 2000;
/** No machine hangs for so long: a WAIT without an answer by then waits for a replica that never comes. */
const PATIENT_WAIT_MS = 20_000;
/**
 * Reached within seconds, but by a shortfall of 2 MB/s never within the 1.5 s that a growth is measured over, however little the sockets
 * hold before.
 */
const LOW_LIMIT = { 'repl-backlog-size': '64kb', 'client-output-buffer-limit': 'replica 3mb 0 0' };

describe('a round behind a slow link, on a real stack', { skip }, () => {
  /** @type {StageStack | undefined} */
  let stage;

  /** @param {number} replicas @param {number} seconds */
  async function open(replicas, seconds) {
    await stage?.close();
    stage = await openPair({ ...linkShortfall.stacks?.settings, ...LOW_LIMIT }, { replicas, seconds });
    return stage.testbed;
  }
  after(() => stage?.close());

  /**
   * @param {Testbed} testbed
   * @param {Partial<CaseParams>} params
   * @param {(step: string) => void} [now] called when a step begins
   */
  function measure(testbed, params, now = () => {}) {
    const [{ params: usual }] = linkShortfall.cases(/** @type {any} */ ({}));
    const theCase = { id: 'case', params: { ...usual, rate: RATE, ...params } };
    return measureShortfall({ testbed, theCase, keyPrefix: 'shortfall:', now });
  }

  /** @param {RoundResult} round */
  function figures({ link }) {
    assert.ok(link);
    LinkFigures.parse(link);
    assert.ok(link.promotion && link.waits && link.samples);
    return { ...link, promotion: link.promotion, waits: link.waits, samples: link.samples };
  }

  /** How many follow each: the primary, then the replicas. @param {Testbed} testbed */
  function followers({ primary, replicas, controls }) {
    assert.ok(primary && replicas);
    return Promise.all(
      [primary, ...replicas].map(async ({ id }) =>
        Number((await controls.get(id)?.info('replication'))?.connected_slaves),
      ),
    );
  }

  /** @param {RoundResult} round */
  function wrongIn({ errors: { UNSENT: _, ...errors } }) {
    // A busy machine may leave writes unsent; no other error is allowed.
    return errors;
  }

  /**
   * @param {ReturnType<typeof figures>} link
   * @returns {boolean} the lag grew by the bytes that the link did not carry; false also if that was seen too briefly
   */
  function grewByShortfall({ growthBytesPerSecond, demandBytesPerSecond, limitBytesPerSecond = 0 }) {
    const missing = demandBytesPerSecond - limitBytesPerSecond;
    return missing > 0.2 * limitBytesPerSecond && Number(growthBytesPerSecond) > 0.5 * missing;
  }

  test('a link below demand: the lag grows, the replica is disconnected, and a promotion loses the lag; the next round starts clean', async () => {
    // 9.6 s of the link's shortfall are 18 MB: sockets on loopback have been seen to hold 7 before the output buffer begins to fill.
    const testbed = await open(1, 6);
    const linkShare = 0.1;
    const slow = await measure(testbed, { linkShare });
    assert.deepEqual(wrongIn(slow), {});
    const link = figures(slow);
    assert.ok(link.disconnects && link.disconnects >= 1, 'disconnected');
    // The share is of the planned writes, also if a busy machine wrote fewer.
    const bytesAWrite = Number(link.limitBytesPerSecond) / (linkShare * RATE);
    assert.ok(bytesAWrite > WRITE_BYTES && bytesAWrite < MOST_WRITE_BYTES, `${bytesAWrite}`);
    assert.ok(grewByShortfall(link), `${link.growthBytesPerSecond} of ${link.demandBytesPerSecond}`);
    assert.ok(link.waits.reached < link.waits.asked, 'WAIT timed out');
    const { acked, missing } = link.promotion;
    assert.ok(acked > 0 && acked <= slow.outcomes.acked);
    assert.ok(missing * WRITE_BYTES > 0.5 * Number(link.maxLagBytes), `${missing} of ${acked}`);
    assert.deepEqual(link.outputLimit, { hardBytes: 3_145_728, softBytes: 0, softSeconds: 0, backlogBytes: 65_536 });

    const next = await measure(testbed, { linkShare: undefined, linkLatencyMs: 40 });
    assert.deepEqual(wrongIn(next), {}, 'what the round before wrote is gone');
    const enough = figures(next);
    assert.equal(enough.limitBytesPerSecond, undefined);
    assert.ok(enough.waits.latencyNs.p50 >= 40e6, `${enough.waits.latencyNs.p50}`);
    assert.ok(enough.promotion.missing < missing, `${enough.promotion.missing}`);
    assert.equal(enough.samples[0].state, 'online');
  });

  test('a chain: the middle node buffers, and WAIT does not cover the last one', async (t) => {
    const testbed = await open(2, 1.5);
    /** @type {Promise<number[]> | undefined} */
    let following;
    const round = await measure(testbed, { linkShare: 0.5, chain: true, waitTimeoutMs: PATIENT_WAIT_MS }, (step) => {
      if (step.endsWith('writing')) following = followers(testbed);
    });
    assert.deepEqual(await following, [1, 1, 0], 'the primary has the middle node, and that one has the last');
    const link = figures(round);
    const { waits, limitBytesPerSecond = 0, maxLagBytes } = link;
    assert.ok(waits.asked > 0);
    assert.equal(waits.reached, waits.asked, 'the middle node is not behind');
    assert.ok(link.promotion.missing > 0, 'the last one is');
    if (!grewByShortfall(link)) {
      const growth = `${link.growthBytesPerSecond} of ${link.demandBytesPerSecond} B/s`;
      return t.skip(`the machine was too busy to write more than the link carries: the lag grew by ${growth}`);
    }
    // A WAIT for the last node would take as long as the link takes for the lag.
    const lagNs = (Number(maxLagBytes) / limitBytesPerSecond) * 1e9;
    assert.ok(waits.latencyNs.p50 < lagNs / 2, `WAIT took ${waits.latencyNs.p50 / 1e6} ms of ${lagNs / 1e6}`);
  });
});
