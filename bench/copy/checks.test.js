import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { copyChecks } from './checks.js';
import { CopyFigures } from './document.js';
import { copied, copyCaseOf, copyOf, wrote } from './fixture.js';
import { COPY_COLUMNS, USE_COLUMNS } from './tables.js';

/**
 * @import { CaseResult } from '../../src/result/schema.js'
 * @import { Column } from '../../src/run/types.js'
 */

/**
 * @param {readonly Column[]} columns
 * @param {string} title
 * @param {CaseResult | undefined} result
 */
function cell(columns, title, result) {
  const column = columns.find((one) => one.title === title);
  assert.ok(column && result, title);
  return column.cell(result);
}

/** @param {string} id */
const measured = (id) => copyOf().cases.find((result) => result.id === id);

/** @param {CaseResult[]} cases */
const benchmarkOf = (cases) => ({ ...copyOf(), cases });

test('the fixture is what the schema says', () => {
  assert.ok(CopyFigures.parse(copied({ writers: wrote(5) })));
});

describe('the tables of copying', () => {
  test('an unknown figure is not shown as zero', () => {
    const title = 'CPU source / copy / mover';
    assert.equal(cell(USE_COLUMNS, title, measured('sync-rdb-1')), '40% / 40% / none');
    assert.equal(cell(USE_COLUMNS, title, measured('scan-1')), '40% / 40% / 80%');
    const unknown = { cpu: null, networkInBytes: null, networkOutBytes: null, blockOutBytes: null };
    const lacking = copyCaseOf({ copyMode: 'scan' }, { use: { source: unknown, copy: unknown, mover: unknown } });
    assert.equal(cell(USE_COLUMNS, title, lacking), 'not counted / not counted / not counted');
    assert.equal(cell(USE_COLUMNS, 'source sent', lacking), 'not counted');
    assert.equal(cell(USE_COLUMNS, 'copy to disk', lacking), 'not counted');
    assert.equal(cell(USE_COLUMNS, 'source sent', measured('sync-rdb-1')), '192 Mbit/s');
    assert.equal(cell(USE_COLUMNS, 'copy to disk', measured('sync-rdb-1')), '0 B');
    assert.equal(cell(USE_COLUMNS, 'copy-on-write', measured('scan-1')), 'no fork');
  });

  test('limited by: the machine first, then the busy part', () => {
    const title = 'limited by';
    const use = copied().use;
    const mover = { ...use.source, cpu: 1.9 };
    const busy = copyCaseOf({ copyMode: 'scan', pairs: 2 }, { use: { ...use, mover } });
    assert.equal(cell(COPY_COLUMNS, title, busy), 'mover');
    const shared = copyCaseOf({ copyMode: 'scan', pairs: 4 }, { use: { ...use, mover } });
    assert.equal(cell(COPY_COLUMNS, title, shared), 'no single part');
    const machine = copyCaseOf({ copyMode: 'scan' }, { use: { ...use, mover } }, { round: { machineCpu: 0.95 } });
    assert.equal(cell(COPY_COLUMNS, title, machine), 'machine');
  });
});

describe('the checks of copying', () => {
  /** @param {CaseResult[]} cases */
  const failed = (cases) => copyChecks(benchmarkOf(cases)).filter(({ ok }) => !ok);

  test('pass although plain SCAN under writes misses changes', () => {
    assert.deepEqual(failed(copyOf().cases), []);
  });

  test('one difference fails', () => {
    const comparison = { ...copied().comparison, ttl: 1 };
    assert.deepEqual(
      failed([copyCaseOf({ copyMode: 'sync-rdb' }, { comparison })]).map(({ detail }) => detail),
      ['sync-rdb-1: 1 difference'],
    );
  });

  test('differences left by another program fail no check', () => {
    const comparison = { ...copied().comparison, ttl: 7 };
    const shake = (/** @type {number} */ value) =>
      copyCaseOf({ copyMode: 'redis-shake-sync', mover: 'redis-shake-sync' }, { comparison: { ...comparison, value } });
    assert.deepEqual(failed([shake(0)]), []);
    assert.deepEqual(failed([shake(2)]), []);
  });

  test('an unfinished copy fails, with the reason', () => {
    const round = { errors: { 'MOVER: the subscription was lost': 1 } };
    const [check] = failed([copyCaseOf({ copyMode: 'scan-ksn' }, { behindSeconds: null }, { round })]);
    assert.match(check.detail, /scan-ksn-1: 1 round not; MOVER: the subscription was lost/);
  });

  test('too few keys fail, and so do refused writes', () => {
    assert.match(failed([copyCaseOf({ copyMode: 'scan' }, { copiedKeys: 99_999 })])[0].detail, /99,999 of 100,000/);
    const round = { errors: { OOM: 3 } };
    const writing = { writers: wrote(3), sourceRate: 4000 };
    assert.match(failed([copyCaseOf({ copyMode: 'sync-rdb-writes' }, writing, { round })])[0].detail, /OOM/);
    const late = { errors: { 'UNSENT before the copy': 50 } };
    assert.deepEqual(failed([copyCaseOf({ copyMode: 'sync-rdb-writes' }, writing, { round: late })]), []);
  });
});
