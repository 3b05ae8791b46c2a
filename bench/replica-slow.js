import { slowLink } from '../src/fault/index.js';
import { auditChecks } from '../src/report/audit-checks.js';
import { underAckedFinding } from '../src/report/failure-findings.js';
import { duringFault } from '../src/report/failure-steps.js';
import { OWN_WRITERS } from '../src/report/failure-totals.js';
import { caseTitle } from '../src/report/failure-words.js';
import { duration } from '../src/report/format.js';
import { failureCases } from '../src/run/failure-case.js';

const SLOW = { latencyMs: 20, jitterMs: 5 };
const SLOW_SECONDS = 4;
/** So many that the rate can be kept though each is busy for the whole of a slow round trip. */
const CONNECTIONS = 60;

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'replica-slow',
  suite: 'failure',
  question: 'The link to one replica becomes slow: what do WAIT 1 and WAIT 2 feel of it?',
  method: `A round trip to one of the two replicas takes ${SLOW.latencyMs} ms longer, give or take ${SLOW.jitterMs} ms each way, for ${SLOW_SECONDS} s.`,
  needs: ['slow-link'],
  generator: 'trials',
  alone: true,
  cases: (options) => failureCases(options, { levels: ['async', 'wait1', 'wait2'], connections: CONNECTIONS }),
  async script({ profile, replicas: [replica], inject, write }) {
    await write(profile.healthySeconds);
    const undo = await inject(slowLink(SLOW), replica.id);
    await write(SLOW_SECONDS);
    await undo();
    await write(profile.healthySeconds);
  },
  table: [],
  findings: (result) =>
    [slowness(result), underAckedFinding(result, { what: 'With one replica slow', writers: OWN_WRITERS })].filter(
      (finding) => finding !== null,
    ),
  checks: (result) => auditChecks(result),
};

/**
 * @param {import('../src/run/types.js').BenchmarkResult} result
 * @returns {import('../src/run/types.js').Finding}
 */
function slowness({ cases, timeline = [] }) {
  const told = cases.map(({ id, params }) => {
    const { before, during } = duringFault(timeline.filter((trial) => trial.case === id));
    const shown = [before, during].map((ms) => (ms === null ? '–' : duration(ms * 1e6)));
    return `${caseTitle(params)}: ${shown[1]} (${shown[0]} before)`;
  });
  return {
    text: `With one replica slow, p99 of response time in a typical tenth of a second: ${told.join('; ')}`,
    evidence: cases.map(({ id }) => id),
  };
}
