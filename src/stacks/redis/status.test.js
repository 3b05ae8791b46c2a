import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readySnapshot } from '../fixture.js';
import { renderStatus } from './status.js';

/**
 * @param {string} text
 * @param {string} id
 */
function rowOf(text, id) {
  const row = text.split('\n').find((line) => line.includes(` ${id} `));
  assert.ok(row, `no row for ${id}`);
  return row
    .split('│')
    .map((cell) => cell.trim())
    .slice(1, -1);
}

test('a row for every node says what it is and how far behind', () => {
  const snapshot = readySnapshot();
  Object.assign(snapshot.redis[2], { offset: 1000, lagBytes: 200, lagSeconds: 3, linkUp: false });
  const text = renderStatus(snapshot, { color: false });
  assert.deepEqual(rowOf(text, 'redis-1'), ['redis-1', '127.0.0.1:6379', 'primary', '1200', '', '', '', '']);
  assert.deepEqual(rowOf(text, 'redis-2'), [
    'redis-2',
    '127.0.0.1:6380',
    'replica',
    '1200',
    '0',
    '0',
    '100',
    'up, follows redis-1',
  ]);
  assert.deepEqual(rowOf(text, 'redis-3'), [
    'redis-3',
    '127.0.0.1:6381',
    'replica',
    '1000',
    '200',
    '3',
    '100',
    'down, follows redis-1',
  ]);
  assert.deepEqual(rowOf(text, 'sentinel-2'), ['sentinel-2', '127.0.0.1:26380', 'redis-1', 'ok', '2', '3', 'ok']);
});

test('every problem is named', () => {
  const snapshot = readySnapshot();
  snapshot.redis[1].error = 'connect ECONNREFUSED';
  snapshot.redis[2].role = 'primary';
  snapshot.sentinels[0].flags.push('s_down');
  snapshot.sentinels[0].tilt = true;
  snapshot.sentinels[1].primary = { host: '10.0.0.1', port: 7 };
  snapshot.sentinels[1].quorum = { ok: false, text: 'NOQUORUM 1 usable Sentinels' };
  snapshot.sentinels[2].error = 'Command timed out';
  const text = renderStatus(snapshot, { color: false });
  assert.deepEqual(rowOf(text, 'redis-2').slice(2), ['unreachable', '', '', '', '', 'connect ECONNREFUSED']);
  assert.equal(rowOf(text, 'redis-3')[2], 'primary (stray)');
  assert.equal(rowOf(text, 'sentinel-1')[3], 's_down, tilt');
  assert.deepEqual(rowOf(text, 'sentinel-2').slice(2, 4), ['10.0.0.1:7', 'disagrees']);
  assert.equal(rowOf(text, 'sentinel-2')[6], 'NOQUORUM 1 usable Sentinels');
  assert.deepEqual(rowOf(text, 'sentinel-3').slice(3), ['unreachable', '', '', 'Command timed out']);
});

test('a node that is left out has a row, and a quorum without a replica to promote is not ok', () => {
  const snapshot = readySnapshot();
  const address = { host: '10.0.0.2', port: 8 };
  const names = { host: '10.0.0.1', port: 7 };
  const [silent, disagrees] = ['connection refused', 'it names 10.0.0.1:7 as the primary'];
  snapshot.leftOut = [
    { id: 'redis-4', kind: 'redis', address, why: silent },
    { id: 'sentinel-4', kind: 'sentinel', address, why: disagrees, names },
  ];
  snapshot.redis[1].priority = 0;
  snapshot.sentinels[0].replicas[1].flags.push('s_down');
  const text = renderStatus(snapshot, { color: false });
  assert.deepEqual(rowOf(text, 'redis-4'), ['redis-4', '10.0.0.2:8', 'unreachable', '', '', '', '', silent]);
  assert.deepEqual(rowOf(text, 'sentinel-4').slice(2), ['10.0.0.1:7', 'disagrees', '', '', disagrees]);
  assert.equal(rowOf(text, 'sentinel-1')[6], 'enough Sentinels, but no replica to promote');
  assert.equal(rowOf(text, 'sentinel-2')[6], 'ok');
});
