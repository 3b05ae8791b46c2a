import assert from 'node:assert/strict';
import { test } from 'node:test';
import { insideOf } from './hosts.js';

const NET = '198.18.7';
const HOST = [`${NET}.1`, `${NET}.4`];

test('a host drops only packets between its own nodes; the switch drops the others', () => {
  const blocks = [
    { from: [`${NET}.1`, `${NET}.2`], to: [`${NET}.3`, `${NET}.4`] },
    { from: [`${NET}.2`], to: [`${NET}.4`] },
  ];
  assert.deepEqual(insideOf(blocks, HOST, NET), [{ from: [`${NET}.1`], to: [`${NET}.4`] }]);
  assert.deepEqual(insideOf([], HOST, NET), []);
});

test('everybody is the whole net', () => {
  assert.deepEqual(insideOf([{ from: [`${NET}.0/24`], to: [`${NET}.1`] }], HOST, NET), [
    { from: HOST, to: [`${NET}.1`] },
  ]);
});
