import assert from 'node:assert/strict';
import { test } from 'node:test';
import { haproxyConfiguration } from '../../src/load/writers/haproxy.js';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/front-page.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import proxy from './index.js';
import { behindHaproxy, virtualIpFailover } from './scenarios.js';

/**
 * @import { AuditResult } from '../../src/result/failure-schema.js'
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */

/**
 * @param {Partial<AuditResult>} some of the clients that do not ask the Sentinels
 * @param {{benchmark?: TrialBenchmark, writer?: string}} [what]
 */
function pageOf(some, { benchmark = behindHaproxy, writer = 'haproxy' } = {}) {
  const audits = [
    { ...auditOf('async', { acked: 9000, ...some }), writer },
    { ...auditOf('async', { ackedLost: 7, acked: 9000 }), writer: 'failover-aware' },
  ];
  const result = failureBenchmarkOf(benchmark.name, [{ mode: 'async', audits, trials: [trialOf('async')] }]);
  Object.assign(result.cases[0].params, { rate: 1000, writers: [writer, 'failover-aware'] });
  const findings = benchmark.findings(result, {});
  return renderFrontPage(failureResultOf([{ ...result, findings }]), [proxy], NAMED_FIGURES);
}

test('the page says what each kind of client lost', () => {
  const page = pageOf({ ackedLost: 6000 });
  assert.match(
    page,
    /HAProxy, partition: without WAIT these clients lost up to 6\.00 s of acknowledged writes \(failover-aware clients 7\.00 ms\)\./,
  );
  assert.match(page, /Connect clients by Sentinel/);
  assert.doesNotMatch(pageOf({ ackedLost: 0 }), /Connect clients by Sentinel/);
});

test('the page warns of clients by virtual IP that hung, and only then', () => {
  const what = { benchmark: virtualIpFailover, writer: 'virtual-address' };
  const hung = pageOf({ ackedLost: 5, unavailableMs: null }, what);
  assert.match(hung, /virtual IP, SENTINEL FAILOVER: without WAIT these clients lost up to 5\.00 ms /);
  assert.match(hung, /Set a limit for each command/);
  const moved = pageOf({ ackedLost: 5 }, what);
  assert.doesNotMatch(moved, /limit for each command/);
  assert.match(moved, /planned-failover\.sh/);
  assert.doesNotMatch(moved, /role:master/);
});

test('HAProxy checks every node', () => {
  const address = { host: '127.0.0.2', port: 7 };
  const text = haproxyConfiguration([{ id: 'redis-1', address, announced: address }], 9);
  assert.match(text, /bind 127\.0\.0\.1:9\n/);
  assert.match(text, /expect string role:master\n/);
  assert.match(text, /server redis-1 127\.0\.0\.2:7 check\n/);
});
