import { cut } from '../src/fault/index.js';
import { failoverChecks } from '../src/report/audit-checks.js';
import { outcomeFinding } from '../src/report/failure-findings.js';
import { failoversOf } from '../src/report/failure-steps.js';
import { losePrimary } from '../src/run/old-primary.js';
import { sweepCases } from '../src/run/sweep-case.js';

/** @type {import('../src/run/types.js').Benchmark} */
export default {
  name: 'sweep-cut',
  suite: 'config-sweep',
  question: 'The primary is cut from its peers: what does each configuration save?',
  method:
    'As in `primary-cut`: nothing passes between the primary and the other nodes while clients reach all of them; after a ' +
    'promotion the cut is mended. Sentinels wait 5 s for an answer unless a row says otherwise.',
  needs: ['cut'],
  generator: 'trials',
  needsFailover: true,
  cases: (options) => sweepCases(options, { downAfter: true }),
  script: (scene) => losePrimary(scene, cut),
  table: [],
  findings: (result) =>
    [outcomeFinding(failoversOf(result), { what: 'Cutting the primary from its peers' })].filter(
      (finding) => finding !== null,
    ),
  checks: failoverChecks,
};
