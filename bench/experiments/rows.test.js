import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf, trialOf } from '../../src/report/trials/fixture.js';
import { explainedFault, explainedScenarios, faultTitle, scenarioTitle, writerRows } from './rows.js';

/** @type {[experiment: string, params: Parameters<typeof scenarioTitle>[1], title: string][]} */
const TITLED = [
  ['primary-killed', {}, 'primary killed'],
  ['primary-killed', { linkLatencyMs: 50 }, 'primary killed, link 50.0 ms'],
  ['planned-failover', { way: 'by-hand' }, 'failover by runbook'],
  ['planned-failover', { way: 'by-hand', placement: 'colocated' }, 'failover by runbook, Sentinels colocated'],
  ['planned-failover', { way: 'by-redis-shake' }, 'SENTINEL FAILOVER, by RedisShake'],
  ['primary-partition', { length: 'plus-500ms' }, 'network partition, down-after + 0.5 s'],
  ['partition-with-replica', { placement: 'apart', length: 'long' }, 'partition with a replica, for 30 s'],
  [
    'partition-with-replica',
    { placement: 'colocated', length: 'of another version' },
    'partition with a replica, Sentinels colocated, of another version',
  ],
  ['of another version', { way: 'by-hand' }, 'of another version, by runbook'],
];

test('a scenario is called by its fault, its variation and its link', () => {
  for (const [experiment, params, title] of TITLED) assert.equal(scenarioTitle(experiment, params), title);
});

test('every length of a fault, and every graded setting, has one title', () => {
  const title = (/** @type {{}} */ params) =>
    faultTitle(/** @type {any} */ ({ name: 'primary-blocked' }), /** @type {any} */ ({ params }));
  assert.deepEqual(
    [title({}), title({ length: 'plus-500ms' }), title({ setting: 'lua' })],
    Array(3).fill('blocking command'),
  );
  assert.match(title({ setting: 'snapshot' }), /, snapshot$/);
});

test('a fault is explained by its variation, else by its experiment', () => {
  const runbook = explainedFault({ experiment: 'planned-failover', way: 'by-hand' });
  assert.match(String(runbook?.explained), /the script/);
  const { explained = '', avoid } = explainedFault({ experiment: 'partition-with-replica', length: 'long' }) ?? {};
  assert.match(explained, /cannot reach the third host/);
  assert.match(String(avoid), /one Sentinel beside each node/);
  assert.equal(explainedFault({ experiment: 'primary-killed' })?.avoid, null);
  assert.equal(explainedFault({ experiment: 'replica-killed' }), null);
  assert.equal(explainedFault({ experiment: 'of another version' }), null);
});

test('scenarios that a table shows are explained once, those of the same experiment together', () => {
  const shown = [
    'network partition',
    'network partition, by hand',
    'replica killed',
    '1 Sentinel lost',
    '2 Sentinels lost',
  ];
  assert.deepEqual(
    explainedScenarios(shown).map(({ name }) => name),
    ['network partition; network partition, by hand', '1 Sentinel lost; 2 Sentinels lost'],
  );
  assert.deepEqual(explainedScenarios(['the network partition']), []);
});

test('each writer of each case has a row', () => {
  const audits = ['sticky', 'failover-aware'].map((writer) => auditOf('async', { writer, acked: 10 }));
  const rows = writerRows(
    failureBenchmarkOf('primary-killed', [{ mode: 'async', audits, trials: [trialOf('async')] }]),
  );
  const title = 'primary killed';
  assert.deepEqual(
    rows.map(({ fault, mode, writer }) => [fault, mode, writer]),
    ['sticky', 'failover-aware'].map((writer) => [{ id: title, title }, 'async', writer]),
  );
});
