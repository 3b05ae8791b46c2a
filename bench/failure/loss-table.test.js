import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderBlocks } from '../../src/report/blocks.js';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { auditOf, failureBenchmarkOf } from '../../src/report/trials/fixture.js';
import { lossTables } from './loss-table.js';

/**
 * @param {string} name of the benchmark
 * @param {Record<string, number>} lost by mode
 */
function inFault(name, lost) {
  const parts = Object.entries(lost).map(([mode, ackedLost]) => ({ mode, audits: [auditOf(mode, { ackedLost })] }));
  return failureBenchmarkOf(name, parts);
}

/** @param {ReturnType<typeof inFault>[]} failures */
const linesOf = (failures) => renderBlocks(lossTables(failures), NAMED_FIGURES).replaceAll(/ +/g, ' ').split('\n');

const SIX = [
  inFault('primary-killed', { async: 10, wait1: 0, min1: 5 }),
  inFault('primary-paused', { async: 9000, wait1: 0, min1: 4 }),
  inFault('primary-partition', { async: 8000, wait1: 0, min1: 3 }),
  inFault('partition-with-replica', { async: 9500, wait1: 9400 }),
  inFault('planned-failover', { async: 7000, wait1: 900 }),
  inFault('quorum-one', { async: 600, wait1: 0 }),
];

test('few faults with a loss: a mode a row', () => {
  const lines = linesOf([...SIX.slice(0, 2), inFault('primary-stopped', { async: 0 })]);
  assert.deepEqual(
    lines.filter((line) => line.startsWith('|') && !line.startsWith('| :')),
    [
      '| mode | primary killed | primary frozen |',
      '| async | 10 (10.0 ms) | 9,000 (9.00 s) |',
      '| WAIT 1 | 0 | 0 |',
      '| min-replicas 1 | 5 (5.00 ms) | 4 (4.00 ms) |',
    ],
  );
  assert.ok(lines.includes('- With the tool’s own client, no mode that was tried lost a write in: graceful stop.'));
});

test('many: a fault a row, the largest loss first; a fault in which only other modes lost is named below', () => {
  const others = ['wait2', 'rdb', 'aof', 'aof-always'];
  const lines = linesOf([
    ...SIX,
    // Five columns: these modes went through fewer faults than the first three.
    inFault('disk-full', { wait2: 0, rdb: 0, aof: 0, 'aof-always': 0 }),
    inFault('primary-isolated', { wait2: 0, rdb: 0, 'aof-always': 77 }),
  ]);
  assert.deepEqual(lines.filter((line) => line.startsWith('|') && !line.startsWith('| :')).slice(0, 4), [
    '| fault | async | WAIT 1 | min-replicas 1 | WAIT 2 | rdb |',
    '| partition with a replica | 9,500 (9.50 s) | 9,400 (9.40 s) | – | – | – |',
    '| primary frozen | 9,000 (9.00 s) | 0 | 4 (4.00 ms) | – | – |',
    '| network partition | 8,000 (8.00 s) | 0 | 3 (3.00 ms) | – | – |',
  ]);
  assert.ok(lines.includes('- Lost in further faults: primary isolated: aof-always 77 (77.0 ms).'));
  assert.ok(lines.includes('- With the tool’s own client, no mode that was tried lost a write in: disk full.'));
  assert.match(lines.join('\n'), new RegExp(`details\\.md\` has ${others.length - 2} further modes\\.`));
});

test('a length of a fault that only some modes went through has a row of its own', () => {
  const at = (/** @type {string} */ mode, /** @type {string} */ variant, /** @type {number} */ ackedLost) => {
    const id = `${mode}-${variant}`;
    return { id, mode, variant, audits: [auditOf(id, { ackedLost })] };
  };
  const lengths = failureBenchmarkOf('partition-with-replica', [
    { mode: 'async', audits: [auditOf('async', { ackedLost: 2600 })] },
    { mode: 'wait1', audits: [auditOf('wait1', { ackedLost: 2500 })] },
    at('wait1', 'long', 4000),
  ]);
  const both = failureBenchmarkOf('primary-paused-briefly', [
    at('async', 'plus-0ms', 1),
    at('wait1', 'plus-0ms', 4),
    at('async', 'plus-500ms', 3),
    at('wait1', 'plus-500ms', 2),
  ]);
  const rows = linesOf([...SIX.filter(({ name }) => name !== 'partition-with-replica'), lengths, both]);
  const found = (/** @type {RegExp} */ title) => rows.filter((line) => line.startsWith('|') && title.test(line));
  assert.deepEqual(found(/partition with a replica/), [
    '| partition with a replica, for 30 s | – | 4,000 (4.00 s) | – |',
    '| partition with a replica | 2,600 (2.60 s) | 2,500 (2.50 s) | – |',
  ]);
  assert.deepEqual(found(/briefly/), ['| primary frozen briefly | 3 (3.00 ms) | 4 (4.00 ms) | – |']);
});
