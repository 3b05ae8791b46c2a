import { slowLink } from '../../src/faults/index.js';
import { failureCases, SCENARIO } from './cases.js';
import { auditChecks } from './checks.js';
import { slownessFindings, underAckedFindings } from './findings.js';

/** @import { TrialBenchmark } from '../../src/run/types.js' */

const SLOW = { latencyMs: 20, jitterMs: 5 };
const SLOW_SECONDS = 4;
/** Enough to keep the rate while each connection is busy for a whole slow round trip. */
const CONNECTIONS = 60;

/** @type {TrialBenchmark} */
export default {
  ...SCENARIO,
  name: 'replica-slow',
  question: 'Does a slow link to one replica slow down WAIT 1 and WAIT 2?',
  method: `A round trip to one of the two replicas takes ${SLOW.latencyMs} ms longer (± ${SLOW.jitterMs} ms each way) for ${SLOW_SECONDS} s.`,
  needs: ['slow-link'],
  // Its trials measure response times.
  mostLanes: () => 1,
  cases: (options) =>
    failureCases(options, { modes: ['async', 'wait1', 'wait2'], everyMode: true, connections: CONNECTIONS }),
  async script({ profile, replicas: [replica], inject, write }) {
    await write(profile.healthySeconds);
    const undo = await inject(slowLink(SLOW), replica.id);
    await write(SLOW_SECONDS);
    await undo();
    await write(profile.healthySeconds);
  },
  findings: (result) => [...slownessFindings(result), ...underAckedFindings(result)],
  checks: (result) => auditChecks(result),
};
