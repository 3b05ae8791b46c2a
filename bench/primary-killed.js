import { kill } from '../src/fault/index.js';
import { failoverChecks } from '../src/report/audit-checks.js';
import { outcomeFinding } from '../src/report/failure-findings.js';
import { libraryFinding } from '../src/report/library-findings.js';
import { failureCases } from '../src/run/failure-case.js';
import { losePrimary } from '../src/run/old-primary.js';

const WHAT = 'Killing the primary';

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'primary-killed',
  suite: 'failure',
  question: 'The primary is killed: which acknowledged writes are gone, and for how long can nobody write?',
  method:
    'The primary gets SIGKILL. When the Sentinels have promoted a replica and it has been written to for a while, the old ' +
    'primary is started again, and the writers go on until the Sentinels have made it a replica.',
  needs: ['kill'],
  generator: 'trials',
  needsFailover: true,
  cases: (options) =>
    failureCases(options, {
      levels: ['async', 'min1', 'wait1', 'wait2', 'wait1-min1', 'aof-always', 'waitaof'],
      libraries: ['async', 'wait1'],
    }),
  script: (scene) => losePrimary(scene, kill),
  table: [],
  findings: (result) =>
    [outcomeFinding(result, { what: WHAT }), libraryFinding(result, WHAT)].filter((finding) => finding !== null),
  checks: failoverChecks,
};
