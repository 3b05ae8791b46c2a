import { restart } from '../src/fault/index.js';
import { auditChecks } from '../src/report/audit-checks.js';
import { nothingAckedLost } from '../src/report/failure-checks.js';
import { outcomeFinding } from '../src/report/failure-findings.js';
import { failureCases } from '../src/run/failure-case.js';

const RECOVERY_SECONDS = 3;

const WHAT = 'Restarting the primary at once after a crash';

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'primary-restarted-empty',
  suite: 'failure',
  question: 'The primary crashes and is back before any Sentinel notices: what is left?',
  method:
    'The primary gets SIGKILL and is started again at once, as a supervisor or a container’s restart policy would. ' +
    'Without persistence it comes back empty, and the replicas follow it.',
  needs: ['kill'],
  generator: 'trials',
  cases: (options) =>
    failureCases(options, { levels: ['async', 'wait2', 'aof', 'aof-always', 'waitaof'], everyLevel: true }),
  async script({ profile, primary, inject, write }) {
    await write(profile.healthySeconds);
    const undo = await inject(restart, primary.id);
    await undo();
    await write(RECOVERY_SECONDS);
  },
  table: [],
  findings: (result) => [outcomeFinding(result, { what: WHAT })].filter((finding) => finding !== null),
  checks: (result) => [
    nothingAckedLost(result, {
      name: 'nothing acknowledged is lost where each write reaches the file first',
      levels: ['aof-always', 'waitaof'],
    }),
    ...auditChecks(result),
  ],
};
