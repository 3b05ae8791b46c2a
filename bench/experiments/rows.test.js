import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutLength } from './cases.js';
import { explainedFault, scenarioTitle } from './rows.js';

/** @type {[experiment: string, params: Parameters<typeof scenarioTitle>[1], title: string][]} */
const TITLED = [
  ['primary-killed', {}, 'primary killed'],
  ['primary-killed', { length: 'until-promoted', linkLatencyMs: 50 }, 'primary killed, until promoted, link 50.0 ms'],
  ['planned-failover', { way: 'by-hand' }, 'failover by runbook'],
  ['planned-failover', { way: 'by-hand', placement: 'colocated' }, 'failover by runbook, Sentinels colocated'],
  ['primary-partition', { length: 'plus-500ms' }, 'network partition, down-after + 0.5 s'],
  ['partition-with-replica', { placement: 'apart', length: 'long' }, 'partition with a replica, for 30 s'],
  ['sentinels-cut-off', { placement: 'colocated', length: 'x' }, 'Sentinels cut off, Sentinels colocated, x'],
  ['of another version', { way: 'by-hand' }, 'of another version, by runbook'],
];

test('a scenario is called by its fault, its variation and its link', () => {
  for (const [experiment, params, title] of TITLED) assert.equal(scenarioTitle(experiment, params), title);
});

test('every length of a fault, and every graded setting, has one title', () => {
  const title = (/** @type {{}} */ params) => scenarioTitle('primary-blocked', withoutLength(params));
  const same = [{}, { length: 'plus-500ms' }, { setting: 'lua' }].map(title);
  assert.deepEqual(new Set(same), new Set(['blocking command']));
});

test('a fault is explained by its variation, else by its experiment', () => {
  const runbook = explainedFault({ experiment: 'planned-failover', way: 'by-hand' });
  assert.match(String(runbook?.explained), /the script/);
  const { explained = '', avoid } = explainedFault({ experiment: 'partition-with-replica', length: 'long' }) ?? {};
  assert.match(explained, /cut off from most Sentinels/);
  const beside = explainedFault({ experiment: 'partition-with-replica', placement: 'colocated' });
  assert.match(String(beside?.explained), /one Sentinel beside each node/);
  assert.match(String(avoid), /one Sentinel beside each node/);
  assert.deepEqual(
    ['replica-killed', 'unknown'].map((experiment) => explainedFault({ experiment })),
    [null, null],
  );
});
