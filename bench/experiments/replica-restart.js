import { stop } from '../../src/faults/index.js';
import { finding, oneFinding } from '../../src/report/findings.js';
import { nothingAckedLost } from '../../src/report/trials/checks.js';
import { CASE_TITLES, caseTitle, failureCases, SCENARIO } from './cases.js';
import { auditChecks } from './checks.js';
import { slownessFindings, underAckedFindings } from './findings.js';

/**
 * @import { EventKind } from '../../src/result/events.js'
 * @import { BenchmarkResult, Finding } from '../../src/result/schema.js'
 * @import { TrialBenchmark } from '../../src/run/types.js'
 */

/** The time without the replica. */
export const STOPPED_SECONDS = 2;
const BACK_WITHIN_SECONDS = 20;

/** @type {TrialBenchmark} */
export default {
  ...SCENARIO,
  name: 'replica-restart',
  question: 'Do clients notice when one replica is stopped and started again?',
  method:
    `A replica gets SIGTERM and is started again after ${STOPPED_SECONDS} s. Without persistence it comes back empty and needs a ` +
    'full resync; in the variant “snapshot” it saves its data when it stops, and a partial resync can be enough.',
  needs: ['stop'],
  // Its trials measure response times.
  mostLanes: () => 1,
  cases: (options) => [
    ...failureCases(options, { modes: ['async', 'min1', 'wait1', 'wait2'], everyMode: true }),
    ...failureCases(options, { modes: ['async'], variant: 'snapshot', settings: { save: '3600 1' } }),
  ],
  async script({ profile, primary, replicas: [replica], inject, write, until, info, mark }) {
    let connected = '';
    const count = async () => {
      const { connected_slaves: now } = await info(primary.id, 'replication');
      if (now !== connected) mark('replicas-connected', primary.id, { value: now });
      connected = now;
      return now;
    };
    const before = await info(primary.id, 'stats');
    await count();
    await write(profile.healthySeconds);
    const undo = await inject(stop, replica.id);
    await until(async () => (await count()) === '1', STOPPED_SECONDS);
    await write(STOPPED_SECONDS);
    await undo();
    await until(async () => (await count()) === '2', BACK_WITHIN_SECONDS);
    const after = await info(primary.id, 'stats');
    if (after.sync_full !== before.sync_full) mark('full-resync', replica.id);
    if (after.sync_partial_ok !== before.sync_partial_ok) mark('partial-resync', replica.id);
    await write(profile.healthySeconds);
  },
  findings: (result) => [...underAckedFindings(result), ...slownessFindings(result), resyncs(result)],
  checks: (result) => [nothingAckedLost(result, { titles: CASE_TITLES }), ...auditChecks(result)],
};

/** @type {ReadonlyMap<EventKind, string>} */
const RESYNCS = new Map([
  ['full-resync', 'full'],
  ['partial-resync', 'partial'],
]);

/**
 * @param {BenchmarkResult} result
 * @returns {Finding}
 */
function resyncs({ cases, timeline = [] }) {
  const parts = cases.map(({ id, params }) => {
    const events = timeline.filter((trial) => trial.case === id).flatMap((trial) => trial.events);
    const words = new Set(events.flatMap(({ kind }) => RESYNCS.get(kind) ?? []));
    return `${caseTitle(params)}: ${[...words].join(' and ') || 'none seen'}`;
  });
  return finding('resync', oneFinding('Resync of the replica. ', parts, { joint: '; ' }), cases);
}
