import { pause } from '../src/fault/index.js';
import { failoverChecks } from '../src/report/audit-checks.js';
import { outcomeFinding } from '../src/report/failure-findings.js';
import { libraryFinding } from '../src/report/library-findings.js';
import { failureCases } from '../src/run/failure-case.js';
import { losePrimary } from '../src/run/old-primary.js';

const WHAT = 'Pausing the primary until another is promoted';

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'primary-paused',
  suite: 'failure',
  question:
    'The primary stands still until another is promoted, and then wakes up: what does it do with the writes it still gets?',
  method:
    'The primary is stopped by SIGSTOP; its connections stay open. When a replica has been promoted and written to for a ' +
    'while, the old primary goes on where it stood, and the writers go on until the Sentinels have made it a replica.',
  needs: ['pause'],
  generator: 'trials',
  needsFailover: true,
  cases: (options) =>
    failureCases(options, {
      levels: ['async', 'min1', 'wait1', 'wait2', 'wait1-min1', 'waitaof'],
      libraries: ['async', 'wait1'],
    }),
  script: (scene) => losePrimary(scene, pause),
  table: [],
  findings: (result) =>
    [outcomeFinding(result, { what: WHAT }), libraryFinding(result, WHAT)].filter((finding) => finding !== null),
  checks: failoverChecks,
};
