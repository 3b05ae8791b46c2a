import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { difference, sumOf } from './movers.js';
import { reportOf, watchStatus } from './redis-shake-status.js';

const MOVED = { ...sumOf([]), keys: 5 };

test('the rate of several movers is the sum of their median reported rates', () => {
  assert.deepEqual(reportOf({ written: 30, rates: [[10, 30, 20], [5]] }), { written: 30, rate: 25 });
});

test('a mover that reported no rate leaves it unknown', () => {
  assert.deepEqual(reportOf({ written: 30, rates: [[10], []] }), { written: 30, rate: null });
  assert.equal(reportOf(null), undefined);
});

test('what was reported before the timed part does not count', () => {
  const before = { ...MOVED, reported: { written: 100, rates: [[50, 60]] } };
  const after = { ...MOVED, reported: { written: 150, rates: [[50, 60, 7]] } };
  assert.deepEqual(difference(after, before).reported, { written: 50, rates: [[7]] });
  assert.equal(difference({ ...MOVED, reported: null }, before).reported, null);
});

test('an offset has passed when the copy has executed everything before it', async () => {
  let page = {};
  const server = createServer((_request, response) => response.end(JSON.stringify(page)));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(null)));
  const status = watchStatus(/** @type {import('node:net').AddressInfo} */ (server.address()).port);
  try {
    const done = { consistent: true, reader: { aof_received_offset: 100 }, writer: { unanswered_entries: 0 } };
    page = done;
    assert.deepEqual([await status.passed(100), await status.passed(101)], [true, false]);
    for (const lacking of [{ consistent: false }, { writer: { unanswered_entries: 1 } }, { reader: {} }]) {
      page = { ...done, ...lacking };
      assert.equal(await status.passed(100), false, JSON.stringify(lacking));
    }
  } finally {
    await status.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  assert.equal(await status.passed(0), false, 'no page');
});
