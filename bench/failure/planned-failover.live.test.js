import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { assertChecksHold, assertMeasured, only, resultOf } from '../../src/run/suite-fixture.js';
import { askNode } from '../../src/stacks/ask.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { eventually, isReady } from '../../src/stacks/redis/conformance-help.js';
import { startLocal } from '../../src/stacks/redis/local/index.js';
import { findValkey9, needs } from '../../test/needs.js';
import { COORDINATED } from '../experiments/failover-script.js';
import { scenarioNamed } from './fixture.js';

const plannedFailover = scenarioNamed('planned-failover');

/**
 * @import { Case } from '../../src/run/types.js'
 * @import { StackOptions } from '../../src/stacks/types.js'
 */

const folder = await ownTemporaryFolder();
const noValkey9 = await needs('valkey 9');
const noRedis = await needs('redis-server');

/** @param {Case} theCase */
function isTested({ params: { way, mode = '' } }) {
  return way === COORDINATED && ['async', 'wait1'].includes(mode);
}

/**
 * @param {StackOptions} stack
 * @param {(theCase: Case) => boolean} [isMeasured] default: the coordinated ones of two modes
 */
async function measure(stack, isMeasured = isTested) {
  const { benchmarks } = await resultOf({
    benchmarks: [only(plannedFailover, isMeasured)],
    folder: async () => folder,
    stack,
  });
  return benchmarks[0];
}

describe('a coordinated failover', () => {
  test('by Valkey 9 loses no acknowledged write', { skip: noValkey9 }, async () => {
    const measured = await measure({ backend: 'local', server: String(await findValkey9()) });
    assertMeasured(measured);
    const { audit = [], timeline = [] } = measured;
    assert.deepEqual(timeline.map((trial) => trial.case).sort(), ['async-coordinated', 'wait1-coordinated']);
    for (const { events, windows } of timeline) {
      assert.ok(events.some(({ kind }) => kind === 'promoted'));
      assert.equal(windows.detectionMs, null, 'it is planned, so no Sentinel detects a failure');
    }
    assert.equal(audit.length, 4, 'two writers of each case');
    for (const { acked, ackedLost, case: id, writer } of audit)
      assert.deepEqual([acked > 0, ackedLost], [true, 0], `${id}, ${writer}`);
  });
});

describe('a planned failover of an existing deployment', { skip: noRedis }, () => {
  /** @param {Case} theCase */
  const isByRunbook = ({ id }) => id === 'wait1-by-hand';

  test('happens where the user allows it: roles stay, nothing is lost, nothing else is left', async (t) => {
    const below = await startLocal({ server: 'redis-server' });
    t.after(() => below.close());
    const [{ address }] = below.nodes.filter(({ kind }) => kind === 'sentinel');
    const before = await below.database.primary();
    /** @param {StackOptions['allow']} [allow] */
    const measureThere = (allow) => measure({ backend: 'external', sentinels: [address], allow }, isByRunbook);

    const refused = await measureThere();
    assert.equal(refused.status, 'skipped');
    assert.match(String(refused.reason), /cannot fail over by request here; .*--allow failover\.$/);
    assert.equal((await below.database.primary()).id, before.id);

    const measured = await measureThere(['failover']);
    assertMeasured(measured);
    assertChecksHold(measured);
    const { audit = [], checks, timeline } = measured;
    assert.ok(checks.some(({ name }) => name === 'nothing is lost by the runbook'));
    assert.deepEqual(
      timeline?.map((trial) => trial.case),
      ['wait1-by-hand'],
    );
    for (const { acked, ackedLost, writer } of audit) assert.deepEqual([acked > 0, ackedLost], [true, 0], writer);
    const after = await below.database.primary();
    assert.notEqual(after.id, before.id, 'the new roles stay');
    await eventually('all is well', () => isReady(below));
    const keys = await askNode(below, after.id, (control) => control.call('DBSIZE'));
    assert.equal(keys, 0, 'no key of the writers is left');
  });
});
