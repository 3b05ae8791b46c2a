/**
 * Clean trials on networks in which every node and every writer has an address of its own, for as long as SENTINEL_BENCH_SOAK_SECONDS says. The
 * audit must never report a loss.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownTemporaryFolder } from '../src/stacks/fixture.js';
import { checkAudit } from './false-alarms.js';
import { needs } from './needs.js';

await ownTemporaryFolder();

/** How long the trials on each network last. */
const SECONDS = Number(process.env.SENTINEL_BENCH_SOAK_SECONDS ?? 20);
const BATCH = 10;
const LANES = 2;

for (const [network, needed] of /** @type {const} */ ([
  ['groups', 'firewall'],
  ['hosts', 'namespaces'],
])) {
  test(`${network}: clean trials lose nothing`, { skip: await needs('redis-server', needed) }, async (context) => {
    const ends = performance.now() + SECONDS * 1000;
    let trials = 0;
    let acked = 0;
    for (let seed = 1; performance.now() < ends; seed++) {
      const outcomes = await checkAudit({ clean: BATCH, planted: 1, seed, lanes: LANES, network });
      assert.deepEqual(
        outcomes.flatMap(({ wrong }) => wrong ?? []),
        [],
        `seed ${seed}`,
      );
      trials += BATCH;
      acked += outcomes.reduce((sum, outcome) => sum + outcome.acked, 0);
    }
    assert.ok(acked > 0);
    context.diagnostic(`${trials} clean trials without a false alarm; ${acked} acknowledged writes`);
  });
}
