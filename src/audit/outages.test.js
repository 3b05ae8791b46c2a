import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditOf, failureBenchmarkOf, trialOf } from '../report/trials/fixture.js';
import { endedByHarness, endlessCause, hasOtherRefusals } from './outages.js';

/**
 * @import { EventKind } from '../result/events.js'
 * @import { TrialResult } from '../result/failure-schema.js'
 */

/** @param {readonly (Partial<TrialResult> & {goneSteps?: number})[]} trials in which the fault begins at 1 s and is undone at 4 s */
function endedIn(trials) {
  const audits = trials.map((_, i) => auditOf('wait2', { round: i + 1 }));
  const benchmark = failureBenchmarkOf('primary-killed', [
    { mode: 'wait2', audits, trials: trials.map((some, i) => trialOf('wait2', { round: i + 1, ...some })) },
  ]);
  return endedByHarness(benchmark, benchmark.cases[0], audits);
}

/** @param {Pick<TrialResult['events'][number], 'fault' | 'planned'>} fault @param {number} promotedMs */
const eventsOf = (fault, promotedMs = 2115) =>
  trialOf('wait2').events.map((event) => ({
    ...event,
    ...(event.fault !== undefined && fault),
    ...(event.kind === 'promoted' && { at: promotedMs }),
  }));

test('an outage that ends after the node was started again was ended by the harness', () => {
  assert.equal(endedIn([{ goneSteps: 35 }]), true, 'writes come back at 4.5 s');
  assert.equal(endedIn([{ goneSteps: 12 }]), false, 'writes come back at 2.2 s, with the promotion');
  assert.equal(endedIn([{ goneSteps: 40 }]), false, 'it never ended');
  assert.equal(endedIn([{ goneSteps: 0 }]), false, 'there was none');
});

test('a promotion at the end of the fault ended the outage, and a failover has no end', () => {
  assert.equal(endedIn([{ goneSteps: 35, events: eventsOf({ fault: 'pause' }, 4100) }]), false);
  assert.equal(endedIn([{ goneSteps: 35, events: eventsOf({ fault: 'pause' }) }]), true);
  assert.equal(endedIn([{ goneSteps: 35, events: eventsOf({ fault: 'failover', planned: true }) }]), false);
});

test('an outage to the end with answers had too few replicas, one without answers was silent', () => {
  const causeOf = (
    /** @type {'underAcked' | 'rejected' | 'unsent'} */ outcome,
    unavailableMs = /** @type {number | null} */ (null),
  ) => {
    const trial = trialOf('wait2', { goneSteps: 40 });
    const [writer] = trial.writers;
    const since = writer.acked.findLastIndex((count) => count > 0) + 1;
    writer[outcome] = writer.acked.map((_, step) => (step > since ? 1 : 0));
    const audits = [auditOf('wait2', { unavailableMs, writer: writer.writer })];
    const benchmark = failureBenchmarkOf('primary-killed', [{ mode: 'wait2', audits, trials: [trial] }]);
    return endlessCause(benchmark, benchmark.cases[0], audits);
  };
  assert.equal(causeOf('underAcked'), 'too few');
  assert.equal(causeOf('rejected'), 'too few');
  assert.equal(causeOf('unsent'), 'silent');
  assert.equal(causeOf('unsent', 900), null, 'it ended');
});

test('refusals before the fault, or by a full memory, are no outage of a failover', () => {
  const refused = (/** @type {object} */ audit) =>
    hasOtherRefusals(auditOf('async', { acked: 1000, rejected: 1000, ...audit }));
  assert.equal(refused({ rejectedBefore: 800 }), true);
  assert.equal(refused({ rejectedBefore: 5 }), false, 'hardly any');
  assert.equal(refused({ errors: { OOM: 900 } }), true, 'a full memory, whenever it was full');
});
