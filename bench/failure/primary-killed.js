import { kill } from '../../src/faults/index.js';
import { failureCases, TITLES } from './cases.js';
import { failoverChecks } from './checks.js';
import { libraryFindings, outcomeFindings } from './findings.js';
import { losePrimary } from './old-primary.js';

/** @import { TrialBenchmark } from '../../src/run/types.js' */

/** @type {TrialBenchmark} */
export default {
  name: 'primary-killed',
  question: 'Which acknowledged writes are lost when the primary is killed, and how long do writes stop?',
  method:
    'The primary gets SIGKILL. The Sentinels promote a replica, which takes writes for a while. Then the old primary is started ' +
    'again, and the writers continue until the Sentinels have demoted it.',
  needs: ['kill'],
  kind: 'trial',
  needsFailover: true,
  cases: (options) =>
    failureCases(options, {
      modes: ['async', 'min1', 'wait1', 'wait2', 'wait1-min1', 'aof-always', 'waitaof'],
      libraries: ['async', 'wait1'],
    }),
  script: (scene) => losePrimary(scene, kill),
  table: [],
  titles: TITLES,
  brief: () => [],
  findings: (result) => [...outcomeFindings(result), ...libraryFindings(result)],
  checks: failoverChecks,
};
