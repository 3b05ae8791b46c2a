/**
 * The failures, each with every library.
 *
 * @import { BenchmarkResult, Check } from '../../src/result/schema.js'
 * @import { Fault } from '../../src/faults/types.js'
 * @import { Scene, TrialBenchmark } from '../../src/run/types.js'
 */
import { failover, isolate, kill, partition, pause } from '../../src/faults/index.js';
import { auditChecks, failoverHappened } from '../../src/report/trials/checks.js';
import { NATIVE_WRITERS } from '../experiments/cases.js';
import { safeFailover, whyNoScript } from '../experiments/failover-script.js';
import { failOver } from '../experiments/planned-failover.js';
import { losePrimary } from '../experiments/primary-lost.js';
import { libraryCases, TITLES } from './cases.js';
import { libraryFindings } from './findings.js';
import { ClientsParameters } from './options.js';

/** The time without the replica. */
const GONE_SECONDS = 3;
/** A library that has not come back by then, after everything is well again, counts as one that does not. */
const RECOVERY_SECONDS = 5;

const ALL = 'Every library that is there writes side by side, each with its own keys. ';

/**
 * @param {BenchmarkResult} result
 * @returns {Check[]}
 */
function clientChecks(result) {
  // A library that sends a write again may be refused after the write was applied; a finding reports that.
  return auditChecks(result, { titles: TITLES, writers: NATIVE_WRITERS });
}

/** @satisfies {Partial<TrialBenchmark>} */
const SCENARIO = Object.freeze({
  kind: /** @type {const} */ ('trial'),
  titles: TITLES,
  parameters: ClientsParameters,
  cases: libraryCases,
  findings: libraryFindings,
  // All libraries write in each trial. Two trials side by side would keep each other from writing.
  mostLanes: () => 1,
});

/**
 * @param {Pick<TrialBenchmark, 'name' | 'title' | 'question' | 'method' | 'needs' | 'script' | 'whyNotCase'>} scenario in which a replica is promoted
 * @returns {TrialBenchmark}
 */
function withFailover(scenario) {
  return {
    ...SCENARIO,
    ...scenario,
    method: `${ALL}${scenario.method}`,
    needsFailover: true,
    checks: (result) => [failoverHappened(result, { titles: TITLES }), ...clientChecks(result)],
  };
}

/**
 * @param {Fault} fault
 * @param {string} name
 * @param {string} title
 * @param {string} what
 * @returns {TrialBenchmark}
 */
function primaryLost(fault, name, title, what) {
  return withFailover({
    name: `clients-${name}`,
    title,
    question: `What does each library lose, and how long does it stop, when the primary is ${what}?`,
    method: `The primary is ${what}. The Sentinels promote a replica, which takes writes for a while. Then the fault ends.`,
    needs: fault.needs,
    script: recovering((scene) => losePrimary(scene, fault)),
  });
}

/**
 * @param {(scene: Scene) => Promise<void>} script
 * @returns {TrialBenchmark['script']}
 */
function recovering(script) {
  return async (scene) => {
    await script(scene);
    await scene.write(RECOVERY_SECONDS);
  };
}

/** @type {readonly TrialBenchmark[]} */
export const SCENARIOS = Object.freeze([
  primaryLost(kill, 'killed', 'primary killed', 'killed'),
  primaryLost(pause, 'frozen', 'primary frozen', 'frozen'),
  primaryLost(partition, 'partition', 'network partition', 'separated from its peers and not from clients'),
  primaryLost(isolate, 'isolated', 'primary isolated', 'separated from its peers and from clients'),
  withFailover({
    name: 'clients-failover',
    title: 'SENTINEL FAILOVER',
    question: 'Which libraries leave the old primary at once after SENTINEL FAILOVER?',
    method:
      'A Sentinel is sent SENTINEL FAILOVER; the libraries write until the old primary is a replica, and a while longer.',
    needs: ['failover'],
    script: recovering((scene) => failOver(scene, failover)),
  }),
  withFailover({
    name: 'clients-runbook',
    title: 'failover by runbook',
    question: 'Is the failover by runbook safe with every library?',
    method:
      'As with SENTINEL FAILOVER, by examples/planned-failover.sh: the old primary holds all writes, and is a replica before it releases them.',
    needs: ['failover'],
    whyNotCase: async (_theCase, stack) => whyNoScript(stack),
    script: recovering((scene) => failOver(scene, safeFailover)),
  }),
  {
    ...SCENARIO,
    name: 'clients-replica-killed',
    title: 'replica killed',
    question: 'Do libraries notice that a replica is killed?',
    method: `${ALL}A replica is killed and started again after ${GONE_SECONDS} s.`,
    needs: kill.needs,
    script: replicaKilled,
    checks: clientChecks,
  },
  withFailover({
    name: 'clients-sentinel-killed',
    title: 'Sentinel, then primary killed',
    question: 'Do libraries find the new primary without the Sentinel that they asked first?',
    method:
      'The Sentinel that comes first in the list of each client is killed, then the primary. The others promote a replica.',
    needs: kill.needs,
    script: recovering(async (scene) => {
      await scene.prepare(kill, scene.sentinels[0].id);
      await losePrimary(scene, kill);
    }),
  }),
]);

/** @param {Scene} scene */
async function replicaKilled({ profile, replicas: [replica], inject, write }) {
  await write(profile.healthySeconds);
  const undo = await inject(kill, replica.id);
  await write(GONE_SECONDS);
  await undo();
  await write(profile.healthySeconds);
}
