import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { duration } from '../../src/format.js';
import { readResult } from '../../src/result/read.js';
import { ResultSchema } from '../index.js';
import { costCell } from '../sweep/columns.js';
import { decisionRows } from '../sweep/decision.js';
import { PUBLISHED } from './published.js';

test('figures for other pages are those of the published sweep', async () => {
  const folder = fileURLToPath(new URL('../../results/sample/config-sweep', import.meta.url));
  const rows = decisionRows(await readResult(folder, ResultSchema));
  const found = Object.entries(PUBLISHED).map(([mode, { cost, p99 }]) => {
    const row = rows.find(({ title }) => title === mode);
    assert.ok(row, mode);
    return [
      mode,
      {
        ...(cost && { cost: costCell(row) }),
        ...(p99 && { p99: duration(row.response?.p99Ns?.median ?? Number.NaN) }),
      },
    ];
  });
  assert.deepEqual(Object.fromEntries(found), PUBLISHED);
});
