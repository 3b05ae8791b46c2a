import assert from 'node:assert/strict';
import { test } from 'node:test';
import { haproxyConfiguration } from '../../src/load/writers/haproxy.js';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import behindHaproxy from './behind-haproxy.js';
import proxy from './index.js';

/** @param {number} lost by clients behind HAProxy */
function pageOf(lost) {
  const audits = [
    { ...auditOf('async', { ackedLost: lost, acked: 9000 }), writer: 'haproxy' },
    { ...auditOf('async', { ackedLost: 7, acked: 9000 }), writer: 'failover-aware' },
  ];
  const benchmark = failureBenchmarkOf('behind-haproxy', [{ mode: 'async', audits, trials: [trialOf('async')] }]);
  Object.assign(benchmark.cases[0].params, { rate: 1000, writers: ['haproxy', 'failover-aware'] });
  const findings = behindHaproxy.findings(benchmark, {});
  return renderFrontPage(failureResultOf([{ ...benchmark, findings }]), [proxy], NAMED_FIGURES);
}

test('the page says what each kind of client lost', () => {
  const page = pageOf(6000);
  assert.match(page, /Clients behind HAProxy lost up to 6,000 \(6\.00 s\), with async\./);
  assert.match(page, /Failover-aware clients lost up to 7 /);
  assert.match(page, /Connect clients by Sentinel/);
  assert.doesNotMatch(pageOf(0), /Connect clients by Sentinel/);
});

test('HAProxy checks every node', () => {
  const address = { host: '127.0.0.2', port: 7 };
  const text = haproxyConfiguration([{ id: 'redis-1', address, announced: address }], 9);
  assert.match(text, /bind 127\.0\.0\.1:9\n/);
  assert.match(text, /expect string role:master\n/);
  assert.match(text, /server redis-1 127\.0\.0\.2:7 check\n/);
});
