import { pause } from '../src/fault/index.js';
import { auditChecks } from '../src/report/audit-checks.js';
import { pauseFinding } from '../src/report/pause-finding.js';
import { sweepCases, withoutReplicas } from '../src/run/sweep-case.js';

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'sweep-one-replica-paused',
  suite: 'config-sweep',
  question: 'One replica stands still: which configurations still take writes?',
  method:
    'One replica is stopped by SIGSTOP for longer than min-replicas-max-lag, and goes on. What counts is what is accepted at ' +
    'the end of that time.',
  needs: ['pause'],
  generator: 'trials',
  cases: (options) => sweepCases(options),
  script: (scene) => withoutReplicas(scene, pause, 1),
  table: [],
  findings: (result) => [pauseFinding(result, 'With one replica standing still')].filter((finding) => finding !== null),
  checks: auditChecks,
};
