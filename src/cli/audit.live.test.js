import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { saveLedger, saveReadings } from '../audit/files.js';
import { FACTS, ledgerOf, readingOf } from '../audit/fixture.js';
import { auditOf } from '../audit/verdict.js';
import { resultOf } from '../report/fixture.js';
import { runCli } from './fixture.js';

/** @import { AuditResult } from '../result/failure-schema.js' */

const ledger = ledgerOf([
  { is: 'acked', at: 1 },
  { is: 'acked', at: 12 },
  { is: 'rejected', at: 30 },
  { is: 'unsent' },
]);
const facts = { ...FACTS, benchmark: 'primary-killed', writes: 4 };

/** @type {string} */
let tmp;
before(async () => {
  tmp = await mkdtemp(join(tmpdir(), 'sentinel-bench-cli-audit-'));
});
after(() => rm(tmp, { recursive: true }));

/**
 * @param {string} name of the folder
 * @param {string} letters what the primary holds
 * @param {(audit: AuditResult) => void} [change] to the audit in result.json
 */
async function writeRun(name, letters, change) {
  const folder = join(tmp, name);
  const readings = { readings: new Map([['redis-1', readingOf(letters)]]), primaryId: 'redis-1' };
  await saveLedger(folder, facts, ledger);
  await saveReadings(folder, facts, readings);
  if (!change) return;
  const audit = auditOf({ ...facts, ...readings, ledger });
  change(audit);
  const result = resultOf();
  Object.assign(result.benchmarks[0], { name: 'primary-killed', audit: [audit] });
  await writeFile(join(folder, 'result.json'), JSON.stringify(result));
}

/** @param {string[]} args */
const audit = (...args) => runCli(['audit', ...args], { tmp, env: { NO_COLOR: '1' } });

describe('sentinel-bench audit', () => {
  test('counts that agree: a table and exit status 0', async () => {
    await writeRun('well', 'r...', () => {});
    const { status, stdout, stderr } = await audit('well');
    assert.deepEqual([status, stderr], [0, '']);
    const row = stdout.split('\n').find((line) => line.includes('sticky'));
    assert.deepEqual(row?.trim().split(/ {2,}/), [...['wait1 1', 'sticky', '2', '1', '0', '1', '0', '1', 'agrees']]);
    assert.match(
      stdout,
      /4 writes of 1 ledger audited again; all counts agree with result\.json; every safety claim holds\.\n$/,
    );
  });

  test('counts that differ: both are shown, exit status 1', async () => {
    await writeRun('changed', 'r...', (counts) => {
      counts.ackedLost = 0;
    });
    const { status, stdout } = await audit('changed');
    assert.equal(status, 1);
    assert.match(stdout, /primary-killed\/wait1, round 1, sticky: ackedLost is 1, result\.json says 0\n/);
    assert.match(stdout, /not all counts agree with result\.json; every safety claim holds/);
  });

  test('a missing result.json or audit: exit status 2', async () => {
    await writeRun('unfinished', 'r...');
    const unfinished = await audit('unfinished');
    assert.equal(unfinished.status, 2);
    assert.match(unfinished.stdout, /missing/);
    assert.match(unfinished.stderr, /unfinished has no result\.json to compare the audit with\.\n/);
    const none = await audit('nowhere');
    assert.deepEqual([none.status, none.stdout], [2, '']);
    assert.match(none.stderr, /nowhere has no audit\.\nName the folder of a run/);
  });
});
