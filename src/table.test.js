import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Chalk } from 'chalk';
import { cellsOf, left, makeTable, right, terminalTable } from './table.js';

/** @import { Column } from './table.js' */

/** @typedef {{fault: string, mode: string, lost: number}} LostRow */

/** @type {LostRow[]} */
const ROWS = [
  { fault: 'kill', mode: 'async', lost: 20 },
  { fault: 'kill', mode: 'WAIT 1', lost: 0 },
  { fault: 'stop', mode: 'async', lost: 0 },
];
/** @type {Column<LostRow>[]} */
const COLUMNS = [
  left('fault', ({ fault }) => fault, { group: true }),
  left('mode', ({ mode }) => mode),
  right('lost writes', ({ lost }) => `${lost} writes`, {
    short: 'lost\nwrites',
    narrow: ({ lost }) => String(lost),
    tone: ({ lost }) => (lost > 0 ? 'bad' : 'good'),
  }),
];
const plain = new Chalk({ level: 0 });

describe('one table', () => {
  test('in a document a group is named once', () => {
    assert.deepEqual(cellsOf(makeTable(COLUMNS, ROWS)), [
      ['kill', 'async', '20 writes'],
      ['', 'WAIT 1', '0 writes'],
      ['stop', 'async', '0 writes'],
    ]);
  });

  test('on a terminal a group is a line above its rows, and cells are narrow', () => {
    assert.deepEqual(terminalTable(makeTable(COLUMNS, ROWS), { paint: plain }).split('\n'), [
      '  mode      lost',
      '          writes',
      'kill',
      '  async       20',
      '  WAIT 1       0',
      'stop',
      '  async        0',
    ]);
  });

  test('rows may be cells; a first cell that repeats is empty on a terminal', () => {
    const table = makeTable(
      ['mode', right('lost')],
      [
        ['async', '1'],
        ['async', '2'],
      ],
    );
    assert.deepEqual(cellsOf(table), [
      ['async', '1'],
      ['async', '2'],
    ]);
    assert.deepEqual(terminalTable(table, { paint: plain }).split('\n'), ['mode   lost', 'async     1', '          2']);
  });

  test('tones and strong cells are colours of a terminal', () => {
    const paint = new Chalk({ level: 1 });
    assert.ok(terminalTable(makeTable(COLUMNS, ROWS), { paint }).includes(paint.red('20')));
    const table = makeTable([{ title: 'verdict', strong: 'worse' }], [['worse by 5%']]);
    assert.ok(terminalTable(table, { paint }).includes(paint.red.bold('worse by 5%')));
  });

  test('columns that share a width break their cells', () => {
    const columns = ['a', 'b'].map((title) => ({ title, share: 0.5 }));
    const lines = terminalTable(makeTable(columns, [['many words in a cell', 'x']]), {
      frame: true,
      width: 30,
      paint: plain,
    });
    assert.ok(lines.split('\n').every((line) => line.length <= 30) && lines.split('\n').length > 4, lines);
  });
});
