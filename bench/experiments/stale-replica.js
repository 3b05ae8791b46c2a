/**
 * One replica falls behind, then the primary is killed while both replicas can be promoted: which one do the Sentinels choose?
 */
import { failover, groupPartition, kill, NETWORK, pause } from '../../src/faults/index.js';
import { applySettings } from '../../src/faults/settings.js';
import { finding } from '../../src/report/findings.js';
import { plural } from '../../src/report/format.js';
import { oldPrimaryReturns } from '../../src/run/aftermath.js';
import { whySkipped } from '../../src/run/plan.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { readAddress, sameAddress } from '../../src/stacks/address.js';
import { askNode, nodeOf } from '../../src/stacks/ask.js';
import { toRecord } from '../../src/stacks/redis/observe.js';
import { waitFor } from '../../src/wait.js';
import { failureCases } from './cases.js';
import { failoverChecksBeside } from './checks.js';
import { outcomeFindings } from './findings.js';
import { DECIDING_MODES, GROUP_SCENARIO, groupCases } from './groups.js';
import { WITH_PROMOTION } from './promotion.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { BenchmarkResult, Finding } from '../../src/result/schema.js'
 * @import { Scene, TrialBenchmark } from '../../src/run/types.js'
 * @import { Stack } from '../../src/stacks/types.js'
 */

/** For so long only the other replica gets writes. */
const BEHIND_SECONDS = 8;

/** Sentinels compare priorities before offsets; the lower one wins. */
const PREFERRED = { 'replica-priority': '1' };
/** A Sentinel asks nodes for INFO every 10 s, and a busy one later. */
const LOOK_MS = 25_000;

/** @type {Fault} */
export const preferred = {
  name: 'replica-priority',
  what: 'is promoted before the other replica (replica-priority 1)',
  needs: ['configure'],
  async inject(site, id) {
    const undo = await applySettings(site, { nodes: { [id]: PREFERRED } });
    if (await waitFor(() => sentinelsPrefer(site.stack, id), { deadlineMs: LOOK_MS, pollMs: 200 })) return undo;
    await undo();
    throw new Error(`the Sentinels did not see the replica-priority of ${id} within ${LOOK_MS / 1000} s`);
  },
};

/**
 * @param {Stack} stack
 * @param {string} id
 * @returns {Promise<boolean>} every Sentinel has seen the priority
 */
async function sentinelsPrefer(stack, id) {
  const { announced } = nodeOf(stack, id);
  const answers = await Promise.all(
    stack.nodes
      .filter(({ kind }) => kind === 'sentinel')
      .map((sentinel) =>
        askNode(stack, sentinel.id, (control) => control.call('SENTINEL', 'REPLICAS', stack.masterName)),
      ),
  );
  return answers.every((answer) =>
    /** @type {string[][]} */ (answer)
      .map(toRecord)
      .some(
        ({ ip, port, 'slave-priority': priority }) =>
          sameAddress(readAddress(ip, port), announced) && priority === PREFERRED['replica-priority'],
      ),
  );
}

/** Beside a primary that is killed. */
const BY_FAILOVER = 'by-failover';
export const EMPTY = 'empty';

/** Where a server keeps its data: the snapshot, and the append-only file, which is a folder since Redis 7. */
const DATA_FILES = ['dump.rdb', 'appendonlydir', 'appendonly.aof'];

/**
 * As a node whose disk was replaced: it has its settings, and no data.
 *
 * @type {Fault}
 */
export const emptied = {
  name: 'restart-empty',
  what: 'is killed (SIGKILL) and started again without its data',
  needs: ['kill', 'configure'],
  async inject({ stack, journal }, id) {
    const undo = await journal.note({ kind: 'act', id, action: 'start' });
    await askNode(stack, id, (control) => control.call('CONFIG', 'REWRITE'));
    // Before the kill, because nothing can be removed from a container that does not run. The server does not write them again.
    for (const file of DATA_FILES) await stack.files?.remove(id, file);
    await stack.act(id, 'kill');
    await stack.act(id, 'start');
    return undo;
  },
};

const END = 'The old primary starts again, and the writers continue until it is demoted.';

/** @type {TrialBenchmark} */
export const staleReplicaPreferred = {
  ...GROUP_SCENARIO,
  name: 'stale-replica-preferred',
  question: 'What is lost when replica-priority prefers a replica that is behind, and the primary is killed?',
  method:
    `One replica has replica-priority 1 and cannot reach the primary; both replicas reach the Sentinels. After ${BEHIND_SECONDS} s the primary is killed. The partition heals after the promotion. ${END} ` +
    'In the variant “by SENTINEL FAILOVER” this command comes instead of the kill. In “empty replica preferred” that replica also starts again without its data, as after its disk was replaced.',
  needs: ['group-partition', 'kill', 'configure'],
  profiles: ['standard', 'full'],
  cases: (options) => [
    ...groupCases(options),
    ...[BY_FAILOVER, EMPTY].flatMap((variant) => failureCases(options, { modes: DECIDING_MODES, variant })),
  ],
  async whyNotCase(theCase, stack) {
    const { variant } = theCase.params;
    if (variant === BY_FAILOVER && !stack.can.has('failover')) return whySkipped(stack, ['failover']);
    if (variant === EMPTY && !stack.files)
      return 'It removes the data of a replica, so it needs a stack that the run starts.';
    return GROUP_SCENARIO.whyNotCase(theCase, stack);
  },
  async script(scene, { params: { variant } }) {
    const [stale] = scene.replicas;
    await scene.prepare(preferred, stale.id);
    const leaveBehind = async () => {
      const join = await cutOff(scene, stale.id);
      if (variant === EMPTY) await scene.inject(emptied, stale.id);
      return join;
    };
    await loseAfter(scene, leaveBehind, { healsLate: true, by: variant === BY_FAILOVER ? failover : kill });
  },
  // A replica that lost its data has lost what it had confirmed.
  checks: (result) => failoverChecksBeside({ unconfirming: [EMPTY] }, result),
};

/** @type {TrialBenchmark} */
export const replicaFrozenThenPrimary = {
  ...WITH_PROMOTION,
  name: 'replica-frozen-then-primary',
  question: 'Do the Sentinels promote the right replica when the other one was frozen until the primary was killed?',
  method: `One replica is frozen by SIGSTOP for ${BEHIND_SECONDS} s and wakes up when the primary is killed. Both replicas reach the Sentinels. ${END}`,
  needs: ['pause', 'kill'],
  profiles: ['standard', 'full'],
  cases: groupCases,
  script: (scene) => loseAfter(scene, () => scene.inject(pause, scene.replicas[0].id)),
  findings: (result) => [...chosenFindings(result), ...outcomeFindings(result)],
};

/**
 * @param {BenchmarkResult} result of trials in which a replica was frozen
 * @returns {Finding[]} how often that one was promoted; empty: no trial tells
 */
function chosenFindings({ cases, timeline = [] }) {
  const trials = timeline.flatMap(({ events }) => {
    const frozen = events.find(({ kind, fault }) => kind === 'fault-begun' && fault === pause.name);
    const promoted = events.find(({ kind }) => kind === 'promoted');
    return frozen && promoted ? [{ chosen: frozen.node === promoted.node }] : [];
  });
  if (trials.length === 0) return [];
  const chosen = trials.filter((trial) => trial.chosen).length;
  const text = `The Sentinels promoted the replica that had been frozen in ${chosen} of ${plural(trials.length, 'trial')}`;
  return [finding('chosen', text, cases)];
}

/**
 * @param {Scene} scene
 * @param {string} id of a replica that cannot reach the primary from now on
 */
export function cutOff({ primary, inject }, id) {
  return inject(groupPartition({ groups: [[id], [primary.id]] }), NETWORK);
}

/**
 * @param {Scene} scene
 * @param {() => ReturnType<Scene['inject']>} leaveBehind makes one replica fall behind
 * @param {Object} [how]
 * @param {boolean} [how.healsLate] it stays so until a replica was promoted. A partition must, because the kernel of this machine still has
 *   what the killed primary had sent, and delivers it when the partition heals
 * @param {Fault} [how.by] ends the role of the primary; default: it is killed
 */
export async function loseAfter(scene, leaveBehind, { healsLate = false, by = kill } = {}) {
  const { primary, profile, downAfterMs, inject, write, until, switched } = scene;
  await write(profile.healthySeconds);
  const catchUp = await leaveBehind();
  await write(BEHIND_SECONDS);
  const restart = await inject(by, primary.id);
  if (!healsLate) await catchUp();
  await until(switched, downAfterMs / 1000 + FAILOVER_SECONDS);
  await write(profile.healthySeconds);
  if (healsLate) await catchUp();
  await restart();
  await oldPrimaryReturns(scene);
}
