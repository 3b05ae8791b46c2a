import assert from 'node:assert/strict';
import { test } from 'node:test';
import { narrowFor, subscribersIn } from './own-faults.js';

test('the connection that hears of the failover is not cut', () => {
  const list = [
    'id=7 addr=127.0.0.1:1 name= sub=1',
    'id=8 addr=127.0.0.1:2 name=sentinel-bench-watcher psub=1',
    'id=9 name=app sub=2',
  ];
  assert.deepEqual(subscribersIn(`${list.join('\n')}\n`), ['7', '9']);
});

test('a narrow link carries a quarter of the writes of all writers', () => {
  assert.equal(narrowFor({ rate: 1000, writers: ['sticky', 'failover-aware'], payloadBytes: 64 }), 72_000);
});
