import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { compareFigures } from './figures.js';
import { isSame, numbersIn, tablesIn } from './shown.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** As many have to be traceable at least. */
const LEAST = 25;

describe('figures of the README and of the sample reports', () => {
  const folder = mkdtempSync(join(tmpdir(), 'figures-test-'));
  after(() => rmSync(folder, { recursive: true, force: true }));

  test(`at least ${LEAST} are computed anew, and none differs`, async () => {
    const { compared, wrong } = await compareFigures();
    assert.deepEqual(wrong, []);
    assert.ok(compared >= LEAST, `${compared} numbers`);
  });

  test('a figure that was changed in the README or in a report is found', async () => {
    for (const file of ['README.md', 'results/sample'])
      cpSync(join(ROOT, file), join(folder, file), { recursive: true });
    /** @type {[file: string, pattern: RegExp][]} the first percentage or time that a table or sentence shows */
    const changes = [
      ['README.md', /(?<=`WAIT 1` cost )\d+(?=%)/],
      ['results/sample/main/report.md', /(?<=\| native, depth 1 +\| +)[\d.]+(?= k\/s)/],
      ['results/sample/failure/report.md', /(?<=\| async +\| +[\d,]+ \()[\d.]+(?= s\))/],
      ['results/sample/config-sweep/report.md', /(?<=\| {2,}\d of )\d+(?= \|)/],
    ];
    // The wording of a sample that was measured anew may lack one of these figures.
    const changed = changes.filter(([file, pattern]) => {
      const place = join(folder, file);
      const text = readFileSync(place, 'utf8');
      const other = text.replace(pattern, (figure) => String(Number(figure) + 7));
      writeFileSync(place, other);
      return other !== text;
    });
    const { wrong } = await compareFigures(folder);
    assert.deepEqual(
      wrong.map((line) => line.slice(0, line.indexOf(':'))).sort(),
      changed.map(([file]) => file.replace('results/sample/', '')).sort(),
    );
    assert.ok(changed.length > 0);
  });
});

test('numbers have the unit of the text, and the tolerance of their last digit', () => {
  const values = (/** @type {string} */ text) => numbersIn(text).map(({ value }) => Number(value.toPrecision(6)));
  assert.deepEqual(values('46% (42–49)'), [0.46, 0.42, 0.49]);
  assert.deepEqual(values('undecided: −8 to 43%'), [-0.08, 0.43]);
  assert.deepEqual(values('975 µs (628 µs–1.10 ms)'), [975e-6, 628e-6, 1.1e-3]);
  assert.deepEqual(values('8 of 66,788'), [8, 66788]);
  assert.deepEqual(values('61.2 k/s'), [61_200]);
  const [shown] = numbersIn('61.2 k/s');
  assert.deepEqual([isSame(shown, 61_249), isSame(shown, 61_251)], [true, false]);
  const [endless] = numbersIn('6.28 s');
  assert.equal(isSame(endless, Number.POSITIVE_INFINITY), false);
});

test('tables have their heading, and cells without padding', () => {
  const markdown = '## Outage\n\n| mode  |  lost |\n| :-- | --: |\n| async | 1 \\| 2 |\n\ntext\n\n| other |\n| - |\n';
  assert.deepEqual(tablesIn(markdown), [
    { heading: 'Outage', header: ['mode', 'lost'], rows: [['async', '1 \\| 2']] },
    { heading: 'Outage', header: ['other'], rows: [] },
  ]);
});
