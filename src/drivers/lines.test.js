import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { valueMaker, valueParts } from '../audit/value.js';
import { readLine } from './lines.js';
import { makeTask } from './task.js';

test('lines of the protocol are read', () => {
  const outcome = {
    type: 'outcome',
    number: 17,
    outcome: 'acked',
    count: 1,
    sentUs: 85012,
    answeredUs: 85431,
    kind: '-',
  };
  assert.deepEqual(readLine('w 17 acked 1 85012 85431 -'), outcome);
  const other = { ...outcome, outcome: 'rejected', kind: 'OTHER' };
  assert.deepEqual(readLine('w 17 rejected 1 85012 85431 maxmemory'), other);
  assert.deepEqual(readLine('done 0'), { type: 'done', due: 0 });
  const ready = { library: 'x', version: '1', language: 'y', wait: 'same-connection', pipeline: true };
  assert.deepEqual(readLine(`ready ${JSON.stringify({ ...ready, future: 1 })}`), { type: 'ready', ready });
});

test('everything else is bad, and said without the unsafe characters in it', () => {
  const bad = [
    '',
    'hello',
    'w 1 acked 1 2 3',
    'w 1 acked 1 2 3 - -',
    'w -1 acked 1 2 3 -',
    'w 1000000000 acked 1 2 3 -',
    'w 1e3 acked 1 2 3 -',
    'w 0x1 acked 1 2 3 -',
    'w 1 ACKED 1 2 3 -',
    'w 1 acked 255 2 3 -',
    'w 1 acked -2 2 3 -',
    'w 1 acked 1 3 2 -',
    'w 1 acked 1 2 99999999999 -',
    'w 1 acked 1 2 3 ö',
    'done',
    'done -1',
    'done 1 2',
    'ready',
    'ready {',
    'ready {"library":"x"}',
  ];
  for (const line of bad) assert.equal(readLine(line).type, 'bad', line);
  const shown = readLine(`\u001b[2J${'x'.repeat(500)}`);
  assert.ok(shown.type === 'bad' && shown.problem.length < 150 && !shown.problem.includes('\u001b'));
  fc.assert(fc.property(fc.string(), (line) => ['bad', 'outcome', 'done', 'ready'].includes(readLine(line).type)));
});

test('a driver can make the values from the task', () => {
  const { valueSeed, valueFiller } = makeTask({
    variant: 'defaults',
    sentinels: [],
    masterName: 'm',
    credentials: {},
    command: 'SET',
    wait: null,
    rate: 1,
    concurrency: 1,
    keyPrefix: 't:',
    payloadBytes: 40,
    giveUpMs: 1,
    drainMs: 1,
  });
  assert.deepEqual({ seed: valueSeed, filler: valueFiller }, valueParts('t:', 40));
  assert.equal(madeByDriver(17, valueSeed, valueFiller), valueMaker('t:', 40)(17));
  // The example in docs/drivers.md.
  assert.equal(madeByDriver(17, 2166136261, 'xyz'), '000000000017:7fd65ad9xyz');
});

/** As docs/drivers.md says. @param {number} number @param {number} seed @param {string} filler */
function madeByDriver(number, seed, filler) {
  const digits = String(number).padStart(12, '0');
  let sum = seed;
  for (const digit of Buffer.from(digits)) sum = Math.imul(sum ^ digit, 16777619) >>> 0;
  return `${digits}:${sum.toString(16).padStart(8, '0')}${filler}`;
}
