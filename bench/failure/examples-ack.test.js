import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf } from '../../src/report/trials/fixture.js';
import { examplesAckTruly } from '../experiments/checks.js';

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

test('a false acknowledgement of an example fails its check', () => {
  const [passed] = examplesAckTruly(MEASURED);
  assert.deepEqual([passed.ok, passed.detail], [true, '0 of 2,000 acknowledgements are false']);
  const broken = planned({ writer: 'ioredis-example', falseAcks: 1 });
  const [failed] = examplesAckTruly(broken);
  assert.equal(failed.ok, false);
  assert.match(failed.detail, /WAIT 1, ioredis example: 1 false acknowledgement/);
  const [untested] = examplesAckTruly(planned({ writer: 'ioredis-example', acked: 0 }));
  assert.equal(untested.ok, false, 'nothing was acknowledged, so nothing was tested');
  assert.deepEqual(examplesAckTruly(planned({ writer: 'ioredis-example', falseAcks: null })), [], 'without WAIT');
});
