import { slowLink } from '../src/fault/index.js';
import { auditChecks } from '../src/report/audit-checks.js';
import { slownessFinding, underAckedFinding } from '../src/report/failure-findings.js';
import { OWN_WRITERS } from '../src/report/failure-totals.js';
import { failureCases } from '../src/run/failure-case.js';

const SLOW = { latencyMs: 20, jitterMs: 5 };
const SLOW_SECONDS = 4;
/** So many that the rate can be kept though each is busy for the whole of a slow round trip. */
const CONNECTIONS = 60;

const WHAT = 'With one replica slow';

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'replica-slow',
  suite: 'failure',
  question: 'The link to one replica becomes slow: what do WAIT 1 and WAIT 2 feel of it?',
  method: `A round trip to one of the two replicas takes ${SLOW.latencyMs} ms longer, give or take ${SLOW.jitterMs} ms each way, for ${SLOW_SECONDS} s.`,
  needs: ['slow-link'],
  generator: 'trials',
  alone: true,
  cases: (options) =>
    failureCases(options, { levels: ['async', 'wait1', 'wait2'], everyLevel: true, connections: CONNECTIONS }),
  async script({ profile, replicas: [replica], inject, write }) {
    await write(profile.healthySeconds);
    const undo = await inject(slowLink(SLOW), replica.id);
    await write(SLOW_SECONDS);
    await undo();
    await write(profile.healthySeconds);
  },
  table: [],
  findings: (result) =>
    [slownessFinding(result, WHAT), underAckedFinding(result, { what: WHAT, writers: OWN_WRITERS })].filter(
      (finding) => finding !== null,
    ),
  checks: (result) => auditChecks(result),
};
