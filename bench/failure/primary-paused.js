import { pause } from '../../src/faults/index.js';
import { failureCases, TITLES } from './cases.js';
import { failoverChecks } from './checks.js';
import { libraryFindings, outcomeFindings } from './findings.js';
import { losePrimary } from './old-primary.js';

/** @import { TrialBenchmark } from '../../src/run/types.js' */

/** @type {TrialBenchmark} */
export default {
  name: 'primary-paused',
  question:
    'Which acknowledged writes are lost when the primary freezes until a replica is promoted, and then wakes up?',
  method:
    'The primary is frozen by SIGSTOP; its connections stay open. The Sentinels promote a replica, which takes writes for a while. ' +
    'Then the old primary continues, and so do the writers until the Sentinels have demoted it.',
  needs: ['pause'],
  kind: 'trial',
  needsFailover: true,
  cases: (options) =>
    failureCases(options, {
      modes: ['async', 'min1', 'wait1', 'wait2', 'wait1-min1', 'waitaof'],
      libraries: ['async', 'wait1'],
    }),
  script: (scene) => losePrimary(scene, pause),
  table: [],
  titles: TITLES,
  brief: () => [],
  findings: (result) => [...outcomeFindings(result), ...libraryFindings(result)],
  checks: failoverChecks,
};
