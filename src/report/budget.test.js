/**
 * Reports are pages that people read in ten minutes. Their budgets hold for every sample.
 */

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ResultSchema, suites } from '../../bench/index.js';
import { readResult } from '../result/read.js';
import { makeReport } from './document.js';
import { FINDING_CHARACTERS, withFindings } from './findings.js';
import { unpackedPage } from './fixture.js';

/** @import { Result } from '../result/schema.js' */

/** By sample: lines of report.md, and KiB of details.md. */
const BUDGETS = Object.freeze({
  // With the settings that make its client safe.
  main: { lines: 146, detailsKiB: 60 },
  'main-valkey': { lines: 146, detailsKiB: 60 },
  // The faults and marks of its tables are defined in lists, a line each.
  'durable-modes': { lines: 60, detailsKiB: 25 },
  failure: { lines: 155, detailsKiB: 530 },
  'failure-docker': { lines: 155, detailsKiB: 252 },
  'failure-valkey': { lines: 155, detailsKiB: 270 },
  'config-sweep': { lines: 106, detailsKiB: 210 },
  'config-sweep-valkey': { lines: 108, detailsKiB: 240 },
  persistence: { lines: 100, detailsKiB: 112 },
  link: { lines: 120, detailsKiB: 70 },
  // Three blocks to paste, so that nobody pastes past a wait.
  copy: { lines: 78, detailsKiB: 40 },
  resources: { lines: 60, detailsKiB: 25 },
  clients: { lines: 80, detailsKiB: 165 },
  'clients-docker': { lines: 80, detailsKiB: 275 },
  versions: { lines: 80, detailsKiB: 150 },
  upgrade: { lines: 100, detailsKiB: 200 },
  'planned-failover': { lines: 100, detailsKiB: 60 },
  timing: { lines: 60, detailsKiB: 60 },
  proxy: { lines: 60, detailsKiB: 60 },
  engine: { lines: 60, detailsKiB: 30 },
  // With the five steps of a failover, and blocks that find out where they are.
  'semi-sync': { lines: 142, detailsKiB: 150 },
});
/** One benchmark whose tables are its report. */
const WITHOUT_CHARTS = ['durable-modes'];
const BYTES = 20 * 1024;
/** The most KiB of report.html, which people send by mail: 279 are the library of charts. */
const PAGE_KIB = 500;
/** That of failures has the timelines of hundreds of trials. @type {Readonly<Record<string, number>>} */
const LONG_PAGES = Object.freeze({ failure: 600, persistence: 540 });
const ALT_CHARACTERS = 150;
/** The most characters of a command or a setting to paste: more are wider than 1,200 pixels. */
const CODE_CHARACTERS = 125;

for (const [sample, { lines: most, detailsKiB }] of Object.entries(BUDGETS)) {
  const folder = fileURLToPath(new URL(`../../results/sample/${sample}`, import.meta.url));

  describe(`the report of ${sample}`, { skip: existsSync(folder) ? false : 'there is no sample of it' }, () => {
    /** @type {Result} */
    let result;
    /** @type {ReturnType<typeof makeReport>} */
    let report;

    before(async () => {
      result = await readResult(folder, ResultSchema);
      report = makeReport(result, suites);
    });

    test(`has at most ${most} lines and ${BYTES / 1024} KiB`, () => {
      const lines = report.markdown.trimEnd().split('\n').length;
      const bytes = Buffer.byteLength(report.markdown);
      assert.ok(lines <= most, `${lines} lines`);
      assert.ok(bytes <= BYTES, `${bytes} bytes`);
    });

    const pageKiB = LONG_PAGES[sample] ?? PAGE_KIB;
    test(`has details of at most ${detailsKiB} KiB, and a page of at most ${pageKiB} KiB`, () => {
      const [details, page] = [report.details, report.html].map((text) => Buffer.byteLength(text));
      assert.ok(details <= detailsKiB * 1024, `${details} bytes of details`);
      assert.ok(page <= pageKiB * 1024, `${page} bytes of page`);
    });

    test(`describes each chart in at most ${ALT_CHARACTERS} characters`, () => {
      const texts = [report.markdown, report.details].flatMap((text) =>
        [...text.matchAll(/<img alt="([^"]*)"/g)].map(([, alt]) => alt.replaceAll(/&\w+;/g, '&')),
      );
      const labels = [...unpackedPage(report.html).matchAll(/role="img" aria-label="([^"]*)"/g)].map(
        ([, label]) => label,
      );
      assert.equal(texts.length > 0 && labels.length > 0, !WITHOUT_CHARTS.includes(sample));
      for (const text of [...texts, ...labels.map((label) => label.replaceAll(/&\w+;/g, '&'))])
        assert.ok(text.length > 0 && text.length <= ALT_CHARACTERS, text);
    });

    test(`has nothing to paste that is wider than ${CODE_CHARACTERS} characters`, () => {
      const code = [...report.markdown.matchAll(/^```[^\n]*\n([\s\S]*?)^```/gm)].flatMap(([, text]) =>
        text.split('\n'),
      );
      assert.ok(code.length > 0);
      assert.deepEqual(
        code.filter((line) => line.length > CODE_CHARACTERS),
        [],
      );
    });

    test('says nothing twice', () => {
      const items = report.markdown.split('\n').filter((line) => line.startsWith('- '));
      const plain = items.map((line) => line.replace(/\.$/, ''));
      assert.deepEqual(
        plain.filter((line, i) => plain.indexOf(line) !== i),
        [],
      );
    });

    test('names one round trip between its nodes at most', () => {
      for (const text of [report.markdown, report.details]) {
        const times = [...text.matchAll(/round trip between nodes took ([\d.]+ \S+)/g)].map(([, time]) => time);
        assert.ok(new Set(times).size <= 1, times.join(', '));
      }
    });

    test(`has findings of at most ${FINDING_CHARACTERS} characters`, () => {
      const long = withFindings(result, suites)
        .benchmarks.flatMap(({ findings }) => findings.map(({ text }) => text))
        .filter((text) => text.length > FINDING_CHARACTERS);
      assert.deepEqual(long, []);
    });
  });
}

/**
 * @param {string} suite
 * @returns {Promise<string | null>} report.md; null: there is no sample
 */
async function pageOf(suite) {
  const folder = fileURLToPath(new URL(`../../results/sample/${suite}`, import.meta.url));
  return existsSync(folder) ? makeReport(await readResult(folder, ResultSchema), suites).markdown : null;
}

test('the sweep names as many modes as its table and its details have', async (context) => {
  const page = await pageOf('config-sweep');
  if (page === null) return context.skip('there is no sample of it');
  const named = Number(/(?:Of|None of the) (\d+) modes/.exec(page)?.[1]);
  const [, table] = page.split('\n| mode ');
  const rows = table.split('\n\n')[0].split('\n').length - 2;
  const further = Number(/has (\d+) further modes? and every fault/.exec(page)?.[1] ?? 0);
  assert.equal(rows + further, named);
});

test('the answer about a client library is the largest loss of its column', async (context) => {
  const page = await pageOf('failure');
  const [header, , ...rows] = page?.split('\n| scenario, mode')[1]?.split('\n\n')[0].split('\n') ?? [];
  if (!page || header === undefined) return context.skip('no library lost a write');
  const cellsOf = (/** @type {string} */ line) => line.split('|').map((cell) => cell.trim());
  const losses = rows.map((line) => cellsOf(line).slice(2));
  if (losses.flat().some((cell) => /^\d+\/\d+/.test(cell))) return context.skip('of many trials it shows frequencies');
  for (const [i, client] of cellsOf(header).slice(1).entries()) {
    /** @type {string | undefined} */
    const answered = new RegExp(`\`${client}\` lost up to ([\\d,]+)`).exec(page)?.[1];
    const most = Math.max(...losses.map((cells) => Number.parseInt(cells[i]?.replaceAll(',', ''), 10) || 0));
    if (answered !== undefined) assert.equal(Number(answered.replaceAll(',', '')), most, client);
  }
});
