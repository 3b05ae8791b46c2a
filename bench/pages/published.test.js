import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { costOf } from '../../src/report/columns.js';
import { headlineCost } from '../../src/report/findings.js';
import { FORMATS } from '../../src/report/specs.js';
import { readResult } from '../../src/result/read.js';
import { ResultSchema } from '../index.js';
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
        ...(cost && row.healthy[1]?.relative && { cost: headlineCost(costOf(row.healthy[1].relative)) }),
        ...(p99 && { p99: FORMATS.ms(row.response?.of['p99-response-time'].median ?? null) }),
      },
    ];
  });
  assert.deepEqual(Object.fromEntries(found), PUBLISHED);
});
