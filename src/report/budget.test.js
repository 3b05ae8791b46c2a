/**
 * Reports are pages that people read in ten minutes. Their budgets hold for every sample.
 */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { suites } from '../../bench/index.js';
import { readResult } from '../result/read.js';
import { makeReport } from './document.js';
import { FINDING_CHARACTERS } from './findings.js';

/** @import { Result } from '../result/schema.js' */

/** Lines of report.md. */
const LINES = Object.freeze({
  main: 130,
  failure: 155,
  'config-sweep': 100,
  persistence: 100,
  link: 107,
  copy: 60,
  resources: 60,
  'semi-sync': 100,
});
const BYTES = 20 * 1024;
const ALT_CHARACTERS = 150;

/** Results keep the findings they were written with. Earlier ones are longer. */
const SHORT_FINDINGS_SINCE = Date.parse('2026-11-22T12:00:00Z');

for (const [suite, most] of Object.entries(LINES)) {
  const folder = fileURLToPath(new URL(`../../results/sample/${suite}`, import.meta.url));

  describe(`the report of ${suite}`, { skip: existsSync(folder) ? false : 'there is no sample of it' }, () => {
    /** @type {Result} */
    let result;
    /** @type {ReturnType<typeof makeReport>} */
    let report;

    before(async () => {
      result = await readResult(folder);
      report = makeReport(result, suites);
    });

    test(`has at most ${most} lines and ${BYTES / 1024} KiB`, () => {
      const lines = report.markdown.trimEnd().split('\n').length;
      const bytes = Buffer.byteLength(report.markdown);
      assert.ok(lines <= most, `${lines} lines`);
      assert.ok(bytes <= BYTES, `${bytes} bytes`);
    });

    test(`describes each chart in at most ${ALT_CHARACTERS} characters`, () => {
      const texts = [report.markdown, report.details].flatMap((text) =>
        [...text.matchAll(/<img alt="([^"]*)"/g)].map(([, alt]) => alt.replaceAll(/&\w+;/g, '&')),
      );
      const labels = [...report.html.matchAll(/role="img" aria-label="([^"]*)"/g)].map(([, label]) => label);
      assert.ok(texts.length > 0 && labels.length > 0);
      for (const text of [...texts, ...labels.map((label) => label.replaceAll(/&\w+;/g, '&'))])
        assert.ok(text.length > 0 && text.length <= ALT_CHARACTERS, text);
    });

    test(`has findings of at most ${FINDING_CHARACTERS} characters`, (context) => {
      if (Date.parse(result.startedAt) < SHORT_FINDINGS_SINCE) return context.skip('an earlier version measured it');
      const long = result.benchmarks
        .flatMap(({ findings }) => findings.map(({ text }) => text))
        .filter((text) => text.length > FINDING_CHARACTERS);
      assert.deepEqual(long, []);
    });
  });
}
