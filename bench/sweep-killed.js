import { kill } from '../src/fault/index.js';
import { failoverChecks } from '../src/report/audit-checks.js';
import { outcomeFinding } from '../src/report/failure-findings.js';
import { failoversOf } from '../src/report/failure-steps.js';
import { losePrimary } from '../src/run/old-primary.js';
import { sweepCases } from '../src/run/sweep-case.js';

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'sweep-killed',
  suite: 'config-sweep',
  question: 'The primary is killed: what does each configuration save, and for how long can nobody write?',
  method:
    'As in `primary-killed`: SIGKILL, a promotion, the old primary started again and made a replica. Sentinels wait 5 s for an ' +
    'answer unless a row says otherwise.',
  needs: ['kill'],
  generator: 'trials',
  needsFailover: true,
  cases: (options) => sweepCases(options, { downAfter: true }),
  script: (scene) => losePrimary(scene, kill),
  table: [],
  findings: (result) =>
    [outcomeFinding(failoversOf(result), { what: 'Killing the primary' })].filter((finding) => finding !== null),
  checks: failoverChecks,
};
