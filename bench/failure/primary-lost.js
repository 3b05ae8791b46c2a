/**
 * Six scenarios with one script: the primary is lost, the Sentinels promote a replica, and the old primary comes back.
 */
import { DEMOTED } from '../../src/audit/timeline.js';
import { isolate, kill, lose, partition, pause, stop } from '../../src/faults/index.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { failureCases } from './cases.js';
import { failoverChecksBeside } from './checks.js';
import { lengthFindings, libraryFindings, outcomeFindings } from './findings.js';
import { DECIDING_MODES } from './groups.js';
import { lengthsFor, writeFor } from './lengths.js';
import { SAFEST_MODES, WHOLE_MODES } from './modes.js';
import { WITH_PROMOTION } from './promotion.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { Scene, TrialBenchmark } from '../../src/run/types.js'
 * @import { ModeName } from './modes.js'
 */

/**
 * A Sentinel demotes the old primary after 8 s of contradicting reports and one more INFO, which comes within 10 s
 * (`sentinelRefreshInstanceInfo` in Redis's src/sentinel.c).
 */
const DEMOTED_WITHIN_SECONDS = 30;
/** A failover that has begun ends within this. */
const DECIDED_SECONDS = 5;
/** The old primary's data is read well before the demotion discards it. */
const READ_AFTER_SECONDS = 2;

/** @type {readonly ModeName[]} */
const MODES = ['async', 'min1', 'wait1', 'wait2', 'wait1-min1', ...WHOLE_MODES, 'waitaof'];
/** @type {readonly ModeName[]} */
const KILL_MODES = ['async', 'min1', 'wait1', 'wait2', 'wait1-min1', 'aof-always', ...WHOLE_MODES, 'waitaof'];
/** @type {readonly ModeName[]} */
const PARTITION_MODES = ['async', 'min1', 'min1-lag1', 'wait1', 'wait2', 'wait1-min1', ...WHOLE_MODES, 'waitaof'];
/** What a machine had under way is lost only where no replica confirmed it. @type {readonly ModeName[]} */
const MACHINE_MODES = ['async', 'min1', 'wait1', 'wait1-min1', ...WHOLE_MODES];
/** Modes in which the Sentinel clients of the libraries write. @type {readonly ModeName[]} */
const LIBRARY_MODES = ['async', 'wait1'];

const PROMOTION = 'The Sentinels promote a replica, which takes writes for a while. ';

/** @type {TrialBenchmark} */
export const primaryKilled = {
  ...losing(kill),
  name: 'primary-killed',
  question: 'Which acknowledged writes are lost when the primary is killed, and how long do writes stop?',
  method:
    `The primary gets SIGKILL. ${PROMOTION}Then the old primary is started again, and the writers continue until the Sentinels ` +
    'have demoted it.',
  cases: (options) => failureCases(options, { modes: KILL_MODES, libraries: LIBRARY_MODES, examples: SAFEST_MODES }),
  findings: (result) => [...outcomeFindings(result), ...libraryFindings(result)],
};

/** @type {TrialBenchmark} */
export const primaryMachineLost = {
  ...losing(lose),
  name: 'primary-machine-lost',
  question: 'Which acknowledged writes are lost with the primary’s machine?',
  method:
    `The primary is killed, and in the same instant what it had sent and its peers had not received is discarded. ${PROMOTION}` +
    'Then the old primary is started again, and the writers continue until the Sentinels have demoted it.',
  cases: (options) => failureCases(options, { modes: MACHINE_MODES, everyMode: true }),
};

/** @type {TrialBenchmark} */
export const primaryStopped = {
  ...losing(stop),
  name: 'primary-stopped',
  question: 'Is it safe to stop the primary with SIGTERM, as `docker stop` does?',
  method:
    `The primary gets SIGTERM. It waits for its replicas (shutdown-timeout), then ends. ${PROMOTION}Then the old primary is ` +
    'started again, and the writers continue until the Sentinels have demoted it.',
  cases: (options) => failureCases(options, { modes: ['async', 'wait1', ...WHOLE_MODES], everyMode: true }),
};

/** @type {TrialBenchmark} */
export const primaryPaused = {
  ...losing(pause),
  name: 'primary-paused',
  question:
    'Which acknowledged writes are lost when the primary freezes until a replica is promoted, and then wakes up?',
  method:
    `The primary is frozen by SIGSTOP; its connections stay open. ${PROMOTION}Then the old primary continues, and so do the ` +
    'writers until the Sentinels have demoted it.',
  cases: (options) => failureCases(options, { modes: MODES, libraries: LIBRARY_MODES, examples: SAFEST_MODES }),
  findings: (result) => [...outcomeFindings(result), ...libraryFindings(result)],
};

const LENGTHS =
  'In the profiles standard and full it also lasts for down-after, for up to 3 s more, and until a Sentinel has promoted a replica.';

/** @type {TrialBenchmark} */
export const primaryPartition = {
  ...losingForLengths(partition),
  name: 'primary-partition',
  question: 'What is lost in a network partition that separates the primary from its peers but not from clients?',
  method:
    `A network partition separates the primary from replicas and Sentinels; clients reach every node. ${PROMOTION}Then the ` +
    `partition heals, and the writers continue until the old primary is demoted. ${LENGTHS}`,
};

/** @type {TrialBenchmark} */
export const primaryIsolated = {
  ...losingForLengths(isolate),
  name: 'primary-isolated',
  question: 'What is lost when the primary is isolated from its peers and from clients, and which clients hang?',
  method:
    `The primary is separated from every other node and from clients. ${PROMOTION}Then the partition heals, and the writers ` +
    `continue until the old primary is demoted. ${LENGTHS}`,
};

/**
 * @param {Fault} fault that takes the primary away
 * @returns {Pick<TrialBenchmark, keyof typeof WITH_PROMOTION | 'needs' | 'script'>}
 */
function losing(fault) {
  return {
    ...WITH_PROMOTION,
    needs: fault.needs,
    script: (scene) => losePrimary(scene, fault),
  };
}

/**
 * A fault that ends about when a failover does may lose what a longer one does not.
 *
 * @param {Fault} fault
 * @returns {Pick<TrialBenchmark, keyof typeof WITH_PROMOTION | 'needs' | 'cases' | 'script'>}
 */
function losingForLengths(fault) {
  return {
    ...losing(fault),
    // One that lasts for down-after may be over before a replica is promoted.
    needsFailover: ({ variant }) => variant === undefined,
    cases: (options) => [
      ...failureCases(options, { modes: PARTITION_MODES }),
      ...(options.profile.name === 'quick' ? [] : lengthsFor(options.profile)).flatMap((variant) =>
        failureCases(options, { modes: DECIDING_MODES, variant }),
      ),
    ],
    script: (scene, { params: { variant } }) =>
      variant === undefined ? losePrimary(scene, fault) : loseFor(scene, fault, variant),
    findings: (result) => [
      ...outcomeFindings(withLengths(result, false)),
      ...lengthFindings(withLengths(result, true)),
    ],
    checks: (result) => failoverChecksBeside({ undecided: (variant) => variant !== '' }, result),
  };
}

/**
 * @param {BenchmarkResult} result
 * @param {boolean} wanted
 * @returns {BenchmarkResult} with the cases that name a length, or with the others
 */
function withLengths(result, wanted) {
  return { ...result, cases: result.cases.filter(({ params }) => (params.variant !== undefined) === wanted) };
}

/**
 * @param {Scene} scene
 * @param {Fault} fault
 * @param {string} variant how long the primary is away
 */
async function loseFor(scene, fault, variant) {
  const { profile, primary, inject, write } = scene;
  await write(profile.healthySeconds);
  const undo = await inject(fault, primary.id);
  await writeFor(scene, variant);
  await undo();
  await aftermath(scene);
}

/**
 * @param {Scene} scene
 * @param {Fault} fault takes the primary away; undone a while after a replica was promoted
 * @param {(scene: Scene) => Promise<void>} [after] what follows the undo; default: the old primary returns, if a replica was
 *   promoted
 */
export async function losePrimary(scene, fault, after = aftermath) {
  const { profile, primary, downAfterMs, inject, write, until, switched } = scene;
  await write(profile.healthySeconds);
  const undo = await inject(fault, primary.id);
  await until(switched, downAfterMs / 1000 + FAILOVER_SECONDS);
  await write(profile.healthySeconds);
  await undo();
  await after(scene);
}

/**
 * Lets the writers write until the old primary is a replica, and a while longer. Reads its data before the demotion.
 *
 * @param {Scene} scene
 */
export async function oldPrimaryReturns({ profile, primary, write, until, demoted, readFormer, mark }) {
  const already = await until(() => demoted(primary.id), READ_AFTER_SECONDS);
  if (!already) await readFormer(primary.id);
  const became = await until(() => demoted(primary.id), DEMOTED_WITHIN_SECONDS);
  if (became) mark(DEMOTED, primary.id);
  await write(profile.healthySeconds);
}

/**
 * Lets the writers write until the old primary is demoted, if a replica was promoted.
 *
 * @param {Scene} scene
 */
export async function aftermath(scene) {
  const { until, switched, write, profile } = scene;
  if (await until(switched, DECIDED_SECONDS)) await oldPrimaryReturns(scene);
  else await write(profile.healthySeconds);
}
