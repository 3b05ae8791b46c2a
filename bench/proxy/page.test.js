import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/frame.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import proxy from './index.js';

/** @param {number} lost @param {number | null} unavailableMs of clients by virtual IP */
function pageOf(lost, unavailableMs) {
  const names = ['virtual-address', 'failover-aware'];
  const audits = [
    auditOf('wait1', { writer: names[0], ackedLost: lost, unavailableMs }),
    auditOf('wait1', { writer: names[1], ackedLost: 0 }),
  ];
  const benchmark = failureBenchmarkOf('virtual-ip-failover', [
    { mode: 'wait1', audits, trials: [trialOf('wait1', { names })] },
  ]);
  Object.assign(benchmark.cases[0].params, { wait: 1, mode: 'wait1' });
  return renderFrontPage(failureResultOf([benchmark]), [proxy], NAMED_FIGURES);
}

test('a client that stops for good is no short outage, and the page says what to do', () => {
  const page = pageOf(960, null);
  assert.match(page, /With WAIT 960 ms is lost, but some clients stop for good\./);
  assert.match(page, /\| virtual IP, SENTINEL FAILOVER \| .*\| 960 ms, 1\/1 \| to the end \| +0\/1 \|/);
  assert.match(page, /Set a time limit for each command/);
  const safe = pageOf(0, 1200);
  assert.match(safe, /With WAIT nothing is lost, and writes stop for 1\.20 s\./);
  assert.doesNotMatch(safe, /## What to do/);
});
