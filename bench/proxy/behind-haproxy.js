/**
 * Clients behind HAProxy in a network partition. HAProxy sends them to any node that says it is a primary, and then there are two.
 *
 * @import { BenchmarkResult, Finding } from '../../src/result/schema.js'
 * @import { Titles, TrialBenchmark } from '../../src/run/types.js'
 * @import { TrialMode } from '../failure/modes.js'
 */
import { partition } from '../../src/faults/index.js';
import { whyNoHaproxy } from '../../src/load/writers/haproxy.js';
import { writerTitle } from '../../src/registry/writers.js';
import { finding } from '../../src/report/findings.js';
import { auditChecks, failoverHappened } from '../../src/report/trials/checks.js';
import { worstLoss } from '../../src/report/trials/losses.js';
import { rowsOf } from '../../src/report/trials/rows.js';
import { caseTitle, failureCases, SCENARIO } from '../failure/cases.js';
import { losePrimary } from '../failure/primary-lost.js';

const PROXIED = 'haproxy';
/** The same client without a proxy moves when a Sentinel says so. */
export const WRITERS = [PROXIED, 'failover-aware'];
/** @type {readonly TrialMode[]} */
const MODES = ['async', 'min1', 'wait1', 'wait1-min1'];

/** @type {Titles} */
export const TITLES = Object.freeze({ case: caseTitle, writer: writerTitle });

/** @type {TrialBenchmark} */
export default {
  ...SCENARIO,
  titles: TITLES,
  name: 'behind-haproxy',
  title: 'behind HAProxy',
  question: 'What do clients behind HAProxy lose in a network partition?',
  method:
    'HAProxy checks each node once a second (`info replication`, `role:master`), and ends the connections of a node that fails twice. A network partition separates the ' +
    'primary from its peers; HAProxy and clients reach every node. The Sentinels promote a replica, and then the partition heals. Beside the clients behind HAProxy, others ' +
    'follow the Sentinels.',
  needs: partition.needs,
  needsFailover: true,
  cases: (options) => failureCases(options, { modes: MODES, writers: WRITERS }),
  async whyNotCase(_theCase, stack) {
    if (stack.backend !== 'local') return 'HAProxy starts before local nodes only. Use --backend local.';
    return whyNoHaproxy();
  },
  script: (scene) => losePrimary(scene, partition),
  findings: proxyFindings,
  checks: (result) => [
    failoverHappened(result, { titles: TITLES }),
    ...auditChecks(result, { titles: TITLES, writers: WRITERS }),
  ],
};

/** @param {BenchmarkResult} benchmark @param {string} writer */
export function rowsOfWriter(benchmark, writer) {
  return rowsOf(benchmark, { writers: [writer], titles: TITLES, each: true });
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {Finding[]} one for each kind of client; empty: nothing was measured
 */
function proxyFindings(benchmark) {
  return WRITERS.flatMap((writer) => {
    const rows = rowsOfWriter(benchmark, writer);
    if (rows.length === 0) return [];
    const [most] = rows.toSorted((a, b) => b.loss.most - a.loss.most);
    const who = writer === PROXIED ? 'Clients behind HAProxy' : 'Failover-aware clients';
    const lost =
      most.loss.most === 0 ? 'lost no acknowledged write' : `lost up to ${worstLoss(most.loss)}, with ${most.mode}`;
    return [finding(`losses-${writer}`, `${who} ${lost}`, benchmark.cases)];
  });
}
