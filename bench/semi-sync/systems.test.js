import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf, failureResultOf } from '../../src/report/trials/fixture.js';
import { systemsBlocks } from './systems.js';

/** @import { BenchmarkResult } from '../../src/result/schema.js' */

/**
 * @param {BenchmarkResult[][]} runs
 * @returns {Record<string, Record<string, string>>} mode → title of a column → cell
 */
function rowsOf(...runs) {
  const blocks = systemsBlocks(runs.map((benchmarks) => failureResultOf(benchmarks)));
  const [losses, behaviour] = blocks.filter((block) => block.kind === 'table');
  for (const { columns } of [losses, behaviour]) assert.ok(columns.length <= 6, 'a table has at most six columns');
  const cellsOf = (/** @type {typeof losses} */ { columns, rows }, /** @type {number} */ i) =>
    columns.map((column, j) => [column.title, rows[i][j]]);
  return Object.fromEntries(
    losses.rows.map(([mode], i) => [mode, Object.fromEntries([losses, behaviour].flatMap((each) => cellsOf(each, i)))]),
  );
}

const KILLED = failureBenchmarkOf('primary-killed', [
  { mode: 'async', audits: [auditOf('async', { acked: 8000, ackedLost: 40, unavailableMs: 5000 })] },
]);
const SEMI_KILLED = failureBenchmarkOf('semi-sync-killed', [
  {
    mode: 'after-sync',
    audits: [
      auditOf('after-sync', {
        unavailableMs: 2000,
        formerPrimary: { id: 'mariadb-1', present: 10, extra: 4, extraAcked: 0, extraUntold: 4 },
      }),
    ],
  },
]);

test('a row has what any of the results measured', () => {
  const rows = rowsOf([KILLED], [SEMI_KILLED]);
  assert.deepEqual(Object.keys(rows), ['Redis async', 'MariaDB semi-sync AFTER_SYNC']);
  assert.deepEqual(rows['Redis async'], {
    mode: 'Redis async',
    'lost: killed': '40.0 ms',
    outage: '5.00 s',
    phantoms: '0',
  });
  const { outage, phantoms } = rows['MariaDB semi-sync AFTER_SYNC'];
  assert.deepEqual([outage, phantoms], ['2.00 s', '4']);
});

test('of a benchmark that two results have, the last counts', () => {
  const later = failureBenchmarkOf('primary-killed', [{ mode: 'async', audits: [auditOf('async')] }]);
  assert.equal(rowsOf([KILLED], [later])['Redis async']['lost: killed'], '0');
});

test('what a primary does without its replicas is read from the outcomes', () => {
  const frozen = failureBenchmarkOf('replicas-paused', [
    { mode: 'async', audits: [auditOf('async')] },
    { mode: 'wait1', audits: [auditOf('wait1', { underAcked: 12 })] },
    { mode: 'wait2', audits: [auditOf('wait2', { rejected: 7 })] },
  ]);
  const rows = rowsOf([frozen]);
  assert.deepEqual(
    ['Redis async', 'Redis WAIT 1', 'Redis WAIT 2'].map((mode) => rows[mode]['replicas do not answer']),
    ['goes on', 'answers with too low a count', 'refuses writes'],
  );
});

test('results without such a benchmark give nothing', () => {
  assert.deepEqual(systemsBlocks([failureResultOf([])]), []);
});
