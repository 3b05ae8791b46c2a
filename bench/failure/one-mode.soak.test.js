/**
 * Scenarios on real servers, each in one mode: the fault happens, every check holds, and what it must not or must lose is counted.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { once } from '../../src/once.js';
import { assertChecksHold, assertMeasured, only, resultOf } from '../../src/run/suite-fixture.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { loopDevices, mountsIn } from '../../src/stacks/volumes/volume.js';
import { needs } from '../../test/needs.js';
import { scenarioNamed } from './fixture.js';

const narrowLink = scenarioNamed('narrow-link');
const primaryBlocked = scenarioNamed('primary-blocked');
const quorumOne = scenarioNamed('quorum-one');
const rollingRestart = scenarioNamed('rolling-restart');
const settingsOnPrimary = scenarioNamed('settings-on-primary');

/** @import { TrialBenchmark } from '../../src/run/types.js' */

const folder = await ownTemporaryFolder();

/** @type {{scenario: TrialBenchmark, id: string, needed?: string[], faults: string[], loses?: boolean}[]} */
const ONES = [
  { scenario: primaryBlocked, id: 'wait2-aof-plus-1000ms', faults: ['blocking-command'], loses: false },
  {
    scenario: rollingRestart,
    id: 'wait1-min1-aof-by-script',
    faults: ['stop', 'stop', 'safe-failover', 'stop'],
    loses: false,
  },
  { scenario: narrowLink, id: 'min1-lag1', needed: ['relay'], faults: ['slow-link', 'lose'], loses: true },
  {
    scenario: quorumOne,
    id: 'wait2-aof',
    needed: ['firewall'],
    faults: ['quorum-one', 'group-partition'],
    loses: false,
  },
  {
    scenario: settingsOnPrimary,
    id: 'min1-lag1-first-only',
    needed: ['relay'],
    faults: ['kill', 'partition'],
    loses: true,
  },
];

// Before the first test: the folder goes when no test is left.
const skips = await Promise.all(ONES.map(({ needed = [] }) => needs('redis-server', ...needed)));
const possible = ONES.filter((_, index) => !skips[index]);

/** Their trials run side by side. */
const measured = once(() =>
  resultOf({
    benchmarks: possible.map(({ scenario, id }) => only(scenario, (each) => each.id === id)),
    lanes: 3,
    folder: async () => folder,
    stack: { backend: 'local', server: 'redis-server' },
  }),
);

for (const [index, { scenario, id, faults, loses }] of ONES.entries()) {
  test(`${scenario.name}, ${id}`, { skip: skips[index] }, async () => {
    const found = (await measured()).benchmarks.find(({ name }) => name === scenario.name);
    assertMeasured(found);
    assertChecksHold(found);
    const { audit = [], timeline = [] } = found;
    const begun = timeline.flatMap(({ events }) =>
      events.filter(({ kind }) => ['fault-begun', 'prepared'].includes(kind)),
    );
    assert.deepEqual(
      begun.map(({ fault }) => fault),
      faults,
    );
    for (const { acked, writer } of audit) assert.ok(acked > 0, writer);
    const lost = audit.reduce((sum, { ackedLost }) => sum + ackedLost, 0);
    if (loses !== undefined) assert.equal(lost > 0, loses, `${lost} acknowledged writes lost`);
    assert.deepEqual([mountsIn(folder), loopDevices(folder)], [[], []]);
  });
}
