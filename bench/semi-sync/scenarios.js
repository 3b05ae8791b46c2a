/**
 * The failures: what happens to the nodes, and which mode is measured in each. MariaDB promotes no replica by itself, so the harness does
 * what a failover tool does: it sees no answer for a second, then promotes a replica.
 *
 * @import { BenchmarkResult, Check } from '../../src/result/schema.js'
 * @import { Fault } from '../../src/faults/types.js'
 * @import { TrialResult } from '../../src/result/failure-schema.js'
 * @import { CaseVariation } from '../../src/result/variation.js'
 * @import { CaseOptions, Case, Scene, TrialBenchmark } from '../../src/run/types.js'
 */

import { happened } from '../../src/audit/judgement.js';
import { kill, lose, partition, pause, powerLoss, restart } from '../../src/faults/index.js';
import { checkEach } from '../../src/report/checks.js';
import { auditChecks, nothingAckedLost } from '../../src/report/trials/checks.js';
import { groupsOf } from '../../src/report/trials/figures.js';
import { isPlain, variationName } from '../../src/result/variation.js';
import { DEFAULT_PARAMS } from '../../src/run/case.js';
import { TrialParameters } from '../../src/run/parameters.js';
import { askNode } from '../../src/stacks/ask.js';
import { sequence } from '../../src/stacks/mariadb/replication.js';
import { whyNoPowerLoss } from '../experiments/primary-power-lost.js';
import { MODES, SAFE } from './modes.js';
import { TITLES, WRITER } from './titles.js';

/** Writes under way at once, as from a pool of connections. */
const CONNECTIONS = 10;
const SMALL_BYTES = 64;
/** So large that the kernel cannot hold what a frozen replica was sent: without that it would deliver it after the primary's end. */
const LARGE_BYTES = 4096;
/** The timeout of the modes with a fallback is one second. */
const FALLBACK_WITHIN_SECONDS = 4;
const AFTER_FALLBACK_SECONDS = 2;
const ONE_FROZEN_SECONDS = 3;
/** With the old primary still cut off or frozen. */
const APART_SECONDS = 1;
const BACK_SECONDS = 0.5;
const RECEIVED_WITHIN_SECONDS = 20;

const PROMOTION =
  'A second later the harness promotes the replica that has received most, once it has applied its relay log. ';
const RETURN = 'Then the old primary is started again and read, before it follows the new one.';

/** @satisfies {Partial<TrialBenchmark>} */
const SCENARIO = {
  kind: /** @type {const} */ ('trial'),
  system: /** @type {const} */ ('mariadb'),
  titles: TITLES,
  // Three database servers keep a core busy, and a second trial beside them can lengthen an outage. Only the quick profile runs two.
  mostLanes: ({ name }) => (name === 'quick' ? 2 : 1),
  parameters: TrialParameters.pick({ trials: true, lanes: true, agents: true }),
  // The page has what they found.
  findings: () => [],
  /** @param {Pick<TrialResult, 'events'>} trial @returns {string | null} */
  whyNoEffect: (trial) =>
    happened(trial, 'async-before') ? 'The primary had stopped waiting for its replicas before the failure' : null,
};

/**
 * @param {CaseOptions} options
 * @param {readonly string[]} modes
 * @param {{variation?: CaseVariation, payloadBytes?: number}} [more]
 * @returns {Case[]}
 */
function casesOf({ profile }, modes, { variation = {}, payloadBytes = SMALL_BYTES } = {}) {
  return modes.map((mode) => ({
    id: [mode, variationName(variation)].filter(Boolean).join('-'),
    params: {
      ...DEFAULT_PARAMS,
      client: 'mysql2',
      connections: CONNECTIONS,
      payloadBytes,
      rate: profile.writesPerSecond,
      mode,
      ...variation,
      writers: [WRITER],
      settings: MODES[mode].settings,
    },
  }));
}

const WAITING = ['after-commit', 'after-sync', SAFE];
const REPLICATED = ['async', ...WAITING];
/** With a fallback, a primary without confirmations goes on as an async one. */
const SEPARATED = ['async', 'after-sync', SAFE];

/** @param {CaseOptions} options */
function isQuick({ profile }) {
  return profile.name === 'quick';
}

/** @type {TrialBenchmark} */
const primaryKilled = {
  ...losing(kill),
  name: 'semi-sync-killed',
  question: 'Which acknowledged writes are lost when the primary is killed and a replica is promoted?',
  method: `The primary gets SIGKILL. ${PROMOTION}${RETURN}`,
  cases: (options) => casesOf(options, REPLICATED),
  checks: (result) => [...keeps(result, WAITING), ...checksOf(result)],
};

/** @type {TrialBenchmark} */
const machineLost = {
  ...losing(lose),
  name: 'semi-sync-machine-lost',
  question: 'Which acknowledged writes are lost with the primary’s machine?',
  method:
    'The primary is killed, and in the same instant what it had sent and its replicas had not received is discarded. ' +
    `${PROMOTION}${RETURN}`,
  cases: (options) => casesOf(options, isQuick(options) ? SEPARATED : REPLICATED, { payloadBytes: LARGE_BYTES }),
  checks: (result) => [...keeps(result, WAITING), ...checksOf(result)],
};

/** @type {TrialBenchmark} */
export const primaryPartition = {
  ...losing(partition, { demote: true }),
  name: 'semi-sync-partition',
  question: 'What is lost in a network partition that separates the primary from its replicas but not from clients?',
  method:
    `A network partition separates the primary from its replicas; clients reach every node. ${PROMOTION}After another ` +
    `${APART_SECONDS} s the partition heals, and ${BACK_SECONDS} s later the old primary is demoted. Clients keep their connections until an error.`,
  cases: (options) => casesOf(options, SEPARATED),
  checks: (result) => [...keeps(result, [SAFE]), ...checksOf(result)],
};

/** @type {TrialBenchmark} */
const primaryFrozen = {
  ...losing(pause, { demote: true }),
  name: 'semi-sync-frozen',
  question: 'What is lost when the primary freezes until a replica is promoted, and then wakes up?',
  method:
    `The primary is frozen by SIGSTOP; its connections stay open. ${PROMOTION}After another ${APART_SECONDS} s the old primary ` +
    `continues, and ${BACK_SECONDS} s later it is demoted. Clients wait without a timeout of their own.`,
  cases: (options) => casesOf(options, SEPARATED),
  checks: (result) => [...keeps(result, [SAFE]), ...checksOf(result)],
};

/** @type {TrialBenchmark} */
const primaryRestarted = {
  ...inPlace(restart),
  name: 'semi-sync-restarted',
  question: 'What is left when the primary is killed and restarted in place, with each flush setting?',
  method:
    'The primary gets SIGKILL, is started again at once, recovers, and stays the primary. Relaxed flush: `sync_binlog = 0` and ' +
    '`innodb_flush_log_at_trx_commit = 0`.',
  needs: ['kill'],
  cases: (options) => casesOf(options, ['async', 'async-relaxed', 'after-sync', 'after-sync-relaxed', SAFE]),
};

/** @type {TrialBenchmark} */
export const powerLost = {
  ...inPlace(powerLoss),
  name: 'semi-sync-power-lost',
  question: 'Which acknowledged writes are lost when the primary’s machine loses power, with each flush setting?',
  method:
    'The primary’s files are on an emulated disk with a volatile cache. Its process and that cache are lost in the same instant; ' +
    'only flushed blocks survive. Then it is started again, recovers, and stays the primary.',
  needs: powerLoss.needs,
  whyNotCase: (_theCase, stack) => whyNoPowerLoss(stack),
  cases: (options) =>
    casesOf(options, [
      'async',
      'async-relaxed',
      'after-sync-relaxed',
      SAFE,
      ...(isQuick(options) ? [] : ['async-redo-relaxed', 'async-binlog-relaxed', 'after-sync']),
    ]),
};

/** @type {TrialBenchmark} */
export const replicasFrozen = {
  ...SCENARIO,
  name: 'semi-sync-replicas-frozen',
  question: 'What is lost when both replicas freeze for longer than the timeout, and then the primary is killed?',
  method:
    `Both replicas are frozen by SIGSTOP. ${AFTER_FALLBACK_SECONDS} s after the primary has stopped waiting for them it gets SIGKILL, and ` +
    `the replicas continue. ${PROMOTION}${RETURN}`,
  needs: ['kill', 'pause'],
  cases: (options) => casesOf(options, REPLICATED, { payloadBytes: LARGE_BYTES }),
  async script(scene, theCase) {
    const { primary, replicas, write, until, inject, prepare, info, mark } = scene;
    await writeHealthy(scene, theCase);
    const wake = [];
    for (const { id } of replicas) wake.push(await prepare(pause, id));
    const isOff = async () => !(await isWaiting(info, primary.id));
    if (isSemiSync(theCase.params) && (await until(isOff, FALLBACK_WITHIN_SECONDS))) mark('async-fallback', primary.id);
    await write(AFTER_FALLBACK_SECONDS);
    const undo = await inject(kill, primary.id);
    for (const each of wake) await each();
    await promoteReplica(scene);
    await oldPrimaryReturns(scene, undo);
  },
  whyNoEffect: (trial, params) =>
    SCENARIO.whyNoEffect(trial) ??
    (mayFallBack(params) && !happened(trial, 'async-fallback')
      ? `The primary did not fall back to async within ${FALLBACK_WITHIN_SECONDS} s`
      : null),
  checks: (result) => [
    checkEach(
      'the primary fell back to async where it may',
      (result.timeline ?? []).filter((trial) => trial.case !== 'async'),
      (trial) => {
        const fell = happened(trial, 'async-fallback');
        return fell === (trial.case !== SAFE) ? null : fell ? 'it did' : 'it did not';
      },
      { title: ({ case: id, round }) => `${id}, round ${round}` },
    ),
    ...keeps(result, [SAFE]),
    ...checksOf(result),
  ],
};

const BEHIND = 'behind';

/** @type {TrialBenchmark} */
const replicaFrozen = {
  ...SCENARIO,
  name: 'semi-sync-replica-frozen',
  question: 'Does it matter which replica is promoted when one of them was frozen?',
  method:
    `One replica is frozen for ${ONE_FROZEN_SECONDS} s; the other confirms. The primary gets SIGKILL, and the frozen replica continues. The ` +
    'harness promotes the replica that has received most or, in the variant, the one that was frozen.',
  needs: ['kill', 'pause'],
  cases: (options) => [
    ...casesOf(options, ['after-sync', SAFE], { payloadBytes: LARGE_BYTES }),
    ...casesOf(options, ['after-sync', SAFE], { payloadBytes: LARGE_BYTES, variation: { setting: BEHIND } }),
  ],
  async script(scene, theCase) {
    const { primary, replicas, write, inject, prepare } = scene;
    await writeHealthy(scene, theCase);
    const wake = await prepare(pause, replicas[0].id);
    await write(ONE_FROZEN_SECONDS);
    const undo = await inject(kill, primary.id);
    await wake();
    await promoteReplica(scene, theCase.params.setting === BEHIND ? replicas[0].id : undefined);
    await oldPrimaryReturns(scene, undo);
  },
  checks: (result) => [
    ...keeps(
      only(result, ({ params }) => isPlain(params)),
      ['after-sync', SAFE],
    ),
    ...checksOf(result),
  ],
};

const UNANNOUNCED = 'unannounced';

/** The primary takes no more writes. There is nothing to undo: the old primary must not take writes again. @type {Fault} */
const readOnly = {
  name: 'planned failover',
  planned: true,
  what: 'is replaced as the primary; first it is made read-only',
  needs: ['configure'],
  async inject({ stack }, id) {
    await askNode(stack, id, (control) => control.call('SET GLOBAL read_only = ON'));
    return async () => {};
  },
};

/** @type {Fault} */
const noNotice = {
  name: 'planned failover',
  planned: true,
  what: 'is replaced as the primary, and is not told',
  needs: [],
  inject: async () => async () => {},
};

/** @type {TrialBenchmark} */
export const switchOver = {
  ...SCENARIO,
  name: 'semi-sync-switch-over',
  question: 'Is a planned switch-over safe?',
  method:
    'The primary is made read-only, a replica that has received everything is promoted, and the old primary follows it. In the variant ' +
    'a replica is promoted first, and the old primary follows a second later.',
  needs: ['configure'],
  cases: (options) => [
    ...casesOf(options, SEPARATED),
    ...casesOf(options, ['after-sync', SAFE], { variation: { way: UNANNOUNCED } }),
  ],
  async script(scene, theCase) {
    const { profile, primary, replicas, write, until, inject, promote, follow, info, readFormer } = scene;
    const announced = theCase.params.way !== UNANNOUNCED;
    await writeHealthy(scene, theCase);
    await inject(announced ? readOnly : noNotice, primary.id);
    const { gtid_binlog_pos: position } = await info(primary.id, 'replication');
    const received = async () => (await info(replicas[0].id, 'replication')).gtid_io_pos === position;
    if (announced) await until(received, RECEIVED_WITHIN_SECONDS);
    await promote(replicas[0].id);
    if (!announced) await write(1);
    await readFormer(primary.id);
    await follow(primary.id);
    await write(profile.healthySeconds);
  },
  checks: (result) => [
    ...keeps(
      only(result, ({ params }) => isPlain(params)),
      SEPARATED,
    ),
    ...checksOf(result),
  ],
};

/** In the order in which they run. */
export const SCENARIOS = Object.freeze([
  primaryKilled,
  machineLost,
  primaryRestarted,
  powerLost,
  primaryPartition,
  primaryFrozen,
  replicasFrozen,
  replicaFrozen,
  switchOver,
]);

/**
 * A scenario in which the primary is lost, a replica is promoted, and the old primary comes back.
 *
 * @param {Fault} fault takes the primary away
 * @param {{demote?: boolean}} [options] demote: the old primary is back with its clients, and is demoted after a second; default: it was
 *   ended by the fault, and begins as a replica does
 * @returns {Pick<TrialBenchmark, keyof typeof SCENARIO | 'needs' | 'script'>}
 */
function losing(fault, { demote = false } = {}) {
  return {
    ...SCENARIO,
    needs: fault.needs,
    async script(scene, theCase) {
      const { profile, primary, write, inject, follow } = scene;
      await writeHealthy(scene, theCase);
      const undo = await inject(fault, primary.id);
      await promoteReplica(scene);
      if (demote) await write(APART_SECONDS);
      await oldPrimaryReturns(scene, undo);
      if (!demote) return;
      await follow(primary.id);
      await write(profile.healthySeconds);
    },
  };
}

/**
 * A scenario in which the primary ends, starts again, and stays the primary.
 *
 * @param {Fault} fault ends the primary
 * @returns {Pick<TrialBenchmark, keyof typeof SCENARIO | 'script' | 'checks'>}
 */
function inPlace(fault) {
  return {
    ...SCENARIO,
    script: (scene, theCase) => restartInPlace(scene, theCase, fault),
    checks: (result) => keepsIfFlushed(result, SEPARATED),
  };
}

/**
 * Writes before a failure. A machine that is too busy for the timeout of semi-sync makes the primary fall back to async: then the
 * failure shows nothing about semi-sync.
 *
 * @param {Scene} scene
 * @param {Case} theCase
 */
async function writeHealthy({ profile, primary, write, info, mark }, { params }) {
  await write(profile.healthySeconds);
  if (isSemiSync(params) && !(await isWaiting(info, primary.id))) mark('async-before', primary.id);
}

/** @param {Pick<Case['params'], 'settings'>} params */
function isSemiSync({ settings }) {
  return settings?.rpl_semi_sync_master_enabled === 'ON';
}

/** @param {Case['params']} params */
function mayFallBack({ mode = '', settings }) {
  return isSemiSync({ settings }) && mode !== SAFE;
}

/**
 * @param {Scene['info']} info
 * @param {string} id of the primary
 * @returns {Promise<boolean>} its commits wait for a replica
 */
async function isWaiting(info, id) {
  return (await info(id, 'replication')).rpl_semi_sync_master_status === 'ON';
}

/**
 * @param {Scene} scene
 * @param {Case} theCase
 * @param {Fault} fault ends the primary; undone, it runs
 */
async function restartInPlace(scene, theCase, fault) {
  const { profile, primary, write, inject, promote } = scene;
  // The moment within a second is random: a relaxed flush happens about once a second.
  await write(Math.random());
  await writeHealthy(scene, theCase);
  const undo = await inject(fault, primary.id);
  await undo();
  // A node begins read-only: the supervisor opens it again.
  await promote(primary.id);
  await write(profile.healthySeconds);
}

/**
 * @param {Scene} scene
 * @param {string} [wanted] id; default: the replica that has received most
 */
async function promoteReplica({ profile, primary, replicas, downAfterMs, write, info, promote, mark }, wanted) {
  await write(downAfterMs / 1000);
  mark('down', primary.id);
  const states = await Promise.all(
    replicas.map(async ({ id }) => ({ id, received: sequence((await info(id, 'replication')).gtid_io_pos) })),
  );
  const [best] = states.toSorted((a, b) => b.received - a.received);
  await promote(wanted ?? best.id);
  await write(profile.healthySeconds);
}

/**
 * @param {Scene} scene
 * @param {() => Promise<void>} undo starts it
 */
async function oldPrimaryReturns({ primary, write, readFormer }, undo) {
  await undo();
  await readFormer(primary.id);
  await write(BACK_SECONDS);
}

/**
 * @param {BenchmarkResult} result
 * @param {(one: BenchmarkResult['cases'][number]) => boolean} isWanted
 * @returns {BenchmarkResult}
 */
function only(result, isWanted) {
  const cases = result.cases.filter(isWanted);
  const isOf = (/** @type {{case: string}} */ each) => cases.some(({ id }) => id === each.case);
  return { ...result, cases, audit: result.audit?.filter(isOf), timeline: result.timeline?.filter(isOf) };
}

/**
 * @param {BenchmarkResult} result
 * @param {readonly string[]} modes that must not lose an acknowledged write here
 * @returns {Check[]}
 */
function keeps(result, modes) {
  const measured = modes.filter((mode) => groupsOf(result, { modes: [mode] }).length > 0);
  if (measured.length === 0) return [];
  return [
    nothingAckedLost(result, { name: `nothing is lost: ${measured.join(', ')}`, modes: measured, titles: TITLES }),
  ];
}

/**
 * @param {BenchmarkResult} result of a restart in place
 * @param {readonly string[]} modes that must not lose an acknowledged write
 */
function keepsIfFlushed(result, modes) {
  const flushed = only(result, ({ params }) => !params.mode?.endsWith('relaxed'));
  // With a relaxed flush the primary may lack what its replicas have; a finding says so.
  return [...keeps(result, modes), ...checksOf(flushed)];
}

/** @param {BenchmarkResult} result @returns {Check[]} */
function checksOf(result) {
  return auditChecks(result, { titles: TITLES });
}
