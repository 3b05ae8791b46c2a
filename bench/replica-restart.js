import { stop } from '../src/fault/index.js';
import { auditChecks } from '../src/report/audit-checks.js';
import { nothingAckedLost } from '../src/report/failure-checks.js';
import { seedClaim, slownessFinding, underAckedFinding } from '../src/report/failure-findings.js';
import { OWN_WRITERS } from '../src/report/failure-totals.js';
import { caseTitle, lossText } from '../src/report/failure-words.js';
import { percent } from '../src/report/format.js';
import { FIRST_SEED } from '../src/report/seeds.js';
import { failureCases } from '../src/run/failure-case.js';

/** The time without the replica. */
const STOPPED_SECONDS = 2;
const BACK_WITHIN_SECONDS = 20;

const WHAT = 'With one replica away';

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'replica-restart',
  suite: 'failure',
  question: 'One replica is stopped and started again: who notices?',
  method:
    `A replica gets SIGTERM and is started again after ${STOPPED_SECONDS} s. Without persistence it comes back empty and needs ` +
    'everything anew; in the variant “snapshot” it saves what it has when it ends, and may ask for the rest only.',
  needs: ['stop'],
  generator: 'trials',
  alone: true,
  cases: (options) => [
    ...failureCases(options, { levels: ['async', 'min1', 'wait1', 'wait2'], everyLevel: true }),
    ...failureCases(options, { levels: ['async'], variant: 'snapshot', settings: { save: '3600 1' } }),
  ],
  async script({ profile, primary, replicas: [replica], inject, write, until, info, mark }) {
    let connected = '';
    const count = async () => {
      const { connected_slaves: now } = await info(primary.id, 'replication');
      if (now !== connected) mark(`${now} replicas`, primary.id);
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
    if (after.sync_full !== before.sync_full) mark('full resync', replica.id);
    if (after.sync_partial_ok !== before.sync_partial_ok) mark('partial resync', replica.id);
    await write(profile.healthySeconds);
  },
  table: [],
  findings: (result) =>
    [
      seedClaim(result, {
        claim: 'with one replica stopped and started every write succeeds, and none is lost',
        title: FIRST_SEED,
        choice: { levels: ['min1'], writers: OWN_WRITERS },
        holds: (audits) => audits.every(({ acceptedShare, ackedLost }) => acceptedShare === 1 && ackedLost === 0),
        figures: ({ audits }) =>
          `accepted ${audits.map(({ acceptedShare }) => (acceptedShare === null ? '–' : percent(acceptedShare))).join(', ')} while it was away, lost ${lossText(audits)}`,
      }),
      slownessFinding(result, WHAT),
      underAckedFinding(result, { what: WHAT, writers: OWN_WRITERS }),
      resyncs(result),
    ].filter((finding) => finding !== null),
  checks: (result) => [nothingAckedLost(result, {}), ...auditChecks(result)],
};

/**
 * @param {import('../src/run/types.js').BenchmarkResult} result
 * @returns {import('../src/run/types.js').Finding}
 */
function resyncs({ cases, timeline = [] }) {
  const told = cases.map(({ id, params }) => {
    const kinds = timeline
      .filter((trial) => trial.case === id)
      .map(({ marks }) => marks.filter(({ what }) => what.endsWith(' resync')).map(({ what }) => what));
    return `${caseTitle(params)}: ${kinds.map((kind) => (kind.length === 0 ? 'none seen' : kind.join(' and '))).join(', ')}`;
  });
  return { text: `How the replica caught up: ${told.join('; ')}`, evidence: cases.map(({ id }) => id) };
}
