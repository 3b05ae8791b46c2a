import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf } from '../../src/report/trials/fixture.js';
import { worstLoss } from '../../src/report/trials/losses.js';
import { examplesAckTruly } from '../experiments/checks.js';
import { libraryAnswer, libraryLosses, libraryNotes } from './libraries.js';

/** @import { AuditResult } from '../../src/result/failure-schema.js' */

const ID = 'wait1-ioredis';

/** @param {Partial<AuditResult>[]} audits of the writers of one case */
function planned(...audits) {
  const mode = { id: ID, mode: 'wait1', client: /** @type {const} */ ('ioredis') };
  return failureBenchmarkOf('planned-failover', [
    { ...mode, audits: audits.map((audit) => auditOf(ID, { acked: 2000, falseAcks: 0, falseAcksLost: 0, ...audit })) },
  ]);
}

const MEASURED = planned(
  { writer: 'ioredis', ackedLost: 1900, falseAcks: 1 },
  { writer: 'ioredis-detector', ackedLost: 200 },
  { writer: 'ioredis-example', ackedLost: 0 },
);
const NO_LIBRARY = failureBenchmarkOf('planned-failover', [{ mode: 'async', audits: [auditOf('async')] }]);

test('the answer: default options first, then the detector and the examples', () => {
  assert.deepEqual(libraryAnswer([MEASURED]), [
    'Writes lost through client libraries: `ioredis` lost up to 1,900 (1.90 s, SENTINEL FAILOVER, WAIT 1); 1 trial each. ' +
      'With `failoverDetector: true` (detector) and as in `examples/` (example): `ioredis detector` up to 200, ' +
      '`ioredis example` none. The examples had no false acknowledgement.',
  ]);
  assert.match(
    libraryAnswer([MEASURED], { besideTable: true })[0],
    /WAIT 1\); 1 trial each\. The examples had no false acknowledgement\.$/,
  );
  assert.deepEqual(libraryAnswer([NO_LIBRARY]), []);
});

test('the table: a client a column, with a mark at false acknowledgements', () => {
  const [table] = libraryLosses([MEASURED], worstLoss);
  assert.ok('rows' in table);
  assert.deepEqual(table.rows, [['SENTINEL FAILOVER, WAIT 1', '1,900 (1.90 s) ‡', '200 (200 ms)', '0']]);
  assert.match(libraryNotes([MEASURED]).join(' '), /‡: false acknowledgements/);
  assert.doesNotMatch(libraryNotes([planned({ writer: 'ioredis' })]).join(' '), /‡/);
  const safe = planned({ writer: 'ioredis' });
  assert.deepEqual(libraryLosses([safe], worstLoss), []);
  assert.match(libraryNotes([safe]).join(' '), /Also tried, without a loss: SENTINEL FAILOVER, WAIT 1\.$/);
  assert.deepEqual([libraryLosses([NO_LIBRARY], worstLoss), libraryNotes([NO_LIBRARY])], [[], []]);
  assert.match(
    libraryNotes([planned({ writer: 'ioredis', appliedTwice: 3 })]).join(' '),
    /Writes applied twice: ioredis 3 \(SENTINEL FAILOVER, WAIT 1\)\.$/,
  );
});

test('a false acknowledgement of an example fails its check and is reported', () => {
  const [passed] = examplesAckTruly(MEASURED);
  assert.deepEqual([passed.ok, passed.detail], [true, '0 of 2,000 acknowledgements are false']);
  const broken = planned({ writer: 'ioredis-example', falseAcks: 1 });
  const [failed] = examplesAckTruly(broken);
  assert.equal(failed.ok, false);
  assert.match(failed.detail, /WAIT 1, ioredis example: 1 false acknowledgement/);
  assert.match(libraryAnswer([broken])[0], /The examples had 1 false acknowledgement\.$/);
  const [untested] = examplesAckTruly(planned({ writer: 'ioredis-example', acked: 0 }));
  assert.equal(untested.ok, false, 'nothing was acknowledged, so nothing was tested');
  assert.deepEqual(examplesAckTruly(planned({ writer: 'ioredis-example', falseAcks: null })), [], 'without WAIT');
});
