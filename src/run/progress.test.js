import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { becomes } from '../cli/fixture.js';
import { createEstimate } from './estimate.js';
import { createProgress } from './progress.js';

/** A terminal that knows the few codes that a display needs. @param {{columns?: number, rows?: number}} [size] */
function newTerminal({ columns = 80, rows = 24 } = {}) {
  let lines = [''];
  let row = 0;
  let column = 0;
  let writes = 0;
  /** @type {Record<string, (number: number) => void>} */
  const codes = {
    A: (number) => {
      row = Math.max(0, row - (number || 1));
    },
    B: (number) => {
      row += number || 1;
    },
    G: (number) => {
      column = (number || 1) - 1;
    },
    K: (number) => {
      lines[row] = number === 2 ? '' : lines[row].slice(0, column);
    },
    m: () => {},
  };
  const stream = new Writable({
    write(chunk, _encoding, done) {
      writes++;
      // biome-ignore lint/suspicious/noControlCharactersInRegex: codes begin with one
      for (const [, mode, number, code, char] of String(chunk).matchAll(/\u001b\[(\?)?(\d*)([A-Za-z])|(.)/gs)) {
        if (char === '\n') {
          row++;
          column = 0;
          while (lines.length <= row) lines.push('');
        } else if (char !== undefined) {
          const line = lines[row].padEnd(column);
          lines[row] = `${line.slice(0, column)}${char}${line.slice(column + 1)}`;
          column++;
        } else if (!mode) {
          assert.ok(code in codes, `the terminal does not know ${code}`);
          codes[code](Number(number));
        }
      }
      done();
    },
  });
  return {
    stream: /** @type {any} */ (Object.assign(stream, { isTTY: true, columns, rows })),
    writes: () => writes,
    shown: () => lines.map((line) => stripVTControlCharacters(line).trimEnd()).filter((line) => line !== ''),
    wipe: () => {
      lines = [''];
      row = 0;
      column = 0;
    },
  };
}

const halfDone = { share: () => 0.5, left: () => 'about 40 s left' };

test('on a terminal: messages above, the display below; the display is gone at the end', async () => {
  const terminal = newTerminal();
  const progress = createProgress(terminal.stream, {});
  progress.tell('told before');
  progress.follow?.(halfDone);
  progress.benchmark?.('pipeline, benchmark 2 of 6');
  progress.now('round 2 of 5, wait1-b100');
  progress.figures?.('60.2 k/s, p99 1.20 ms, wait1-b1');
  await becomes(() => terminal.shown().length > 1, 'drawn');
  // What is done now for as long as it took to be drawn says for how many seconds.
  progress.now('round 2 of 5, wait1-b100');
  progress.tell('told meanwhile');
  assert.deepEqual(terminal.shown(), [
    'told before',
    'told meanwhile',
    `${'━'.repeat(15)}${'─'.repeat(15)} 50%, about 40 s left`,
    'pipeline, benchmark 2 of 6',
    'round 2 of 5, wait1-b100',
    'last: 60.2 k/s, p99 1.20 ms, wait1-b1',
  ]);
  progress.stop();
  progress.tell('told after');
  assert.deepEqual(terminal.shown(), ['told before', 'told meanwhile', 'told after']);
});

for (const [columns, rows] of [
  [40, 24],
  [40, 4],
  [3, 2],
]) {
  test(`on ${columns} columns and ${rows} rows: no line wraps, and the display does not scroll`, async () => {
    const terminal = newTerminal({ columns, rows });
    const progress = createProgress(terminal.stream, {});
    progress.follow?.(halfDone);
    progress.now('x'.repeat(100));
    await becomes(() => terminal.shown().length > 0, 'drawn');
    const shown = terminal.shown();
    assert.ok(shown.length < rows, `${shown.length} lines`);
    for (const line of shown) assert.ok(line.length < columns, line);
    assert.match(shown[0], columns > 3 ? / 50%, about 40 s left$/ : /^…|5…$/, 'how far it is weighs most');
    progress.stop();
    assert.deepEqual(terminal.shown(), []);
  });
}

for (const [where, { env = {}, ...properties }] of Object.entries({
  'in a pipe': { isTTY: false },
  'in CI': { env: { CI: 'true' } },
  'on a terminal that cannot be drawn on': { env: { TERM: 'dumb' } },
  'on a terminal without a width': { columns: 0 },
})) {
  test(`${where}: plain lines only`, () => {
    const terminal = newTerminal();
    Object.assign(terminal.stream, properties);
    const progress = createProgress(terminal.stream, env);
    progress.now('drawn');
    progress.follow?.(halfDone);
    progress.tell('said');
    progress.stop();
    assert.deepEqual([terminal.shown(), terminal.writes()], [['said'], 1]);
  });
}

test('time left: first as planned, then as measured; never negative', () => {
  let at = 0;
  const estimate = createEstimate(() => at * 1000);
  const [round, trial] = [
    { of: 'slow', seconds: 1 },
    { of: 'killed', seconds: 5 },
  ];
  estimate.plan(round, 3);
  estimate.plan(trial, 4);
  assert.deepEqual([estimate.secondsLeft(), estimate.share(), estimate.left()], [23, 0, 'about 23 s left']);
  at += 2;
  assert.equal(estimate.secondsLeft(), 21);
  estimate.ended(round);
  assert.equal(estimate.secondsLeft(), 2 * 22, 'all takes twice as long as planned');
  estimate.drop('slow');
  at += 100;
  assert.deepEqual([estimate.secondsLeft(), estimate.left()], [0, 'nearly done']);
  estimate.ended(trial);
  assert.equal(estimate.secondsLeft(), (15 * 102) / 6);
  estimate.drop('killed');
  assert.deepEqual([estimate.secondsLeft(), estimate.share()], [0, 1]);
});
