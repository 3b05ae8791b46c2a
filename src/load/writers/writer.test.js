import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLedger, State } from '../../audit/ledger.js';
import { shapeOf } from '../../clients/fixture.js';
import { Account, WritePace } from './writer.js';

/** @param {{capacity?: number, free?: () => boolean}} [options] 100 writes a second, given up after 50 ms */
function paced({ capacity = 1000, free = () => true } = {}) {
  const ledger = createLedger(capacity);
  const account = new Account({
    name: 'sticky',
    rate: 100,
    connections: 1,
    shape: shapeOf({ payloadBytes: 40 }),
    ledger: ledger.buffer,
  });
  account.beganAt = 5000;
  /** @type {number[]} */
  const sent = [];
  const pace = new WritePace({ rate: 100, giveUpMs: 50 }, account, (number) => free() && sent.push(number) > 0);
  return { pace, sent, ledger };
}

test('a write is sent when it is due, never earlier, and not before the start', () => {
  const { pace, sent } = paced();
  pace.look(6000);
  assert.deepEqual(sent, []);
  pace.begin();
  pace.look(5000);
  assert.deepEqual(sent, [0]);
  pace.look(5009.9);
  assert.deepEqual(sent, [0]);
  pace.look(5030);
  assert.deepEqual(sent, [0, 1, 2, 3]);
});

test('writes that could not be sent in time are unsent, and the rest is sent in order', () => {
  let free = false;
  const { pace, sent, ledger } = paced({ free: () => free });
  pace.begin();
  pace.look(5050);
  assert.deepEqual([sent, ledger.states[0], pace.overdue(5050)], [[], State.none, true]);
  pace.look(5071);
  assert.deepEqual([...ledger.states.subarray(0, 4)], [State.unsent, State.unsent, State.unsent, State.none]);
  free = true;
  pace.look(5071);
  assert.deepEqual(sent, [3, 4, 5, 6, 7]);
});

test('after the end no write becomes due; overdue writes are sent or given up', () => {
  let free = false;
  const { pace, sent, ledger } = paced({ free: () => free });
  pace.begin();
  pace.end(5025);
  pace.look(5040);
  assert.equal(pace.overdue(5040), true);
  free = true;
  pace.look(5045);
  assert.deepEqual([sent, pace.overdue(5045), pace.writes], [[0, 1, 2], false, 3]);

  const late = paced({ free: () => false });
  late.pace.begin();
  late.pace.end(5025);
  late.pace.giveUp(5030);
  assert.deepEqual([...late.ledger.states.subarray(0, 4)], [State.unsent, State.unsent, State.unsent, State.none]);
  assert.deepEqual([late.pace.writes, ledger.states[3]], [3, State.none]);
});
