/** What happens in a trial. MariaDB promotes no replica by itself: the harness sees no answer for a second, then promotes one, as a failover tool does. */
/** @import { Case, Fault, Scene, Script } from '../types.js' */
import { kill, pause } from '../../src/faults/index.js';
import { askNode } from '../../src/stacks/ask.js';
import { sequence } from '../../src/stacks/mariadb/replication.js';

/** The timeout of the modes with a fallback is one second. */
const FALLBACK_WITHIN_SECONDS = 4;
const AFTER_FALLBACK_SECONDS = 2;
const ONE_FROZEN_SECONDS = 3;
const APART_SECONDS = 1;
const BACK_SECONDS = 0.5;
const RECEIVED_WITHIN_SECONDS = 20;

/** In place of the replica that has received most, the frozen one is promoted. */
const BEHIND = 'behind';
/** The old primary is not told of the switch-over. */
const UNANNOUNCED = 'unannounced';

/** @param {Pick<Case['params'], 'settings'>} params */
export const isSemiSync = ({ settings }) => settings?.rpl_semi_sync_master_enabled === 'ON';

/**
 * The primary is lost, a replica is promoted, and the old primary comes back.
 * @param {Fault} fault takes the primary away
 * @param {{demote?: boolean}} [options] demote: the old primary is back with its clients, and is demoted after a second; default: it was ended by the
 *   fault, and begins as a replica does
 * @returns {Script}
 */
function losing(fault, { demote = false } = {}) {
  return async (scene, theCase) => {
    const { profile, primary, write, inject, follow } = scene;
    await writeHealthy(scene, theCase);
    const undo = await inject(fault, primary.id);
    await promoteReplica(scene);
    if (demote) await write(APART_SECONDS);
    await oldPrimaryReturns(scene, undo);
    if (!demote) return;
    await follow(primary.id);
    await write(profile.healthySeconds);
  };
}

/** The primary ends, starts again, and stays the primary. @param {Fault} fault ends the primary; undone, it runs @returns {Script} */
function inPlace(fault) {
  return async (scene, theCase) => {
    const { profile, primary, write, inject, promote } = scene;
    // The moment within a second is random: a relaxed flush happens about once a second.
    await write(Math.random());
    await writeHealthy(scene, theCase);
    const undo = await inject(fault, primary.id);
    await undo();
    // A node begins read-only: the supervisor opens it again.
    await promote(primary.id);
    await write(profile.healthySeconds);
  };
}

/** Both replicas are frozen until the primary has fallen back, where it may; then the primary is killed. @type {Script} */
async function replicasFrozen(scene, theCase) {
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
}

/** One replica is frozen, the primary killed, and one of both replicas promoted. @type {Script} */
async function replicaFrozen(scene, theCase) {
  const { primary, replicas, write, inject, prepare } = scene;
  await writeHealthy(scene, theCase);
  const wake = await prepare(pause, replicas[0].id);
  await write(ONE_FROZEN_SECONDS);
  const undo = await inject(kill, primary.id);
  await wake();
  await promoteReplica(scene, theCase.params.setting === BEHIND ? replicas[0].id : undefined);
  await oldPrimaryReturns(scene, undo);
}

/** @param {Pick<Fault, 'what' | 'needs' | 'inject'>} fault @returns {Fault} there is nothing to undo: the old primary must not take writes again */
const planned = (fault) => ({ name: 'planned failover', planned: true, ...fault });
const readOnly = planned({
  what: 'is replaced as the primary; first it is made read-only',
  needs: ['configure'],
  async inject({ stack }, id) {
    await askNode(stack, id, (control) => control.call('SET GLOBAL read_only = ON'));
    return async () => {};
  },
});
const noNotice = planned({
  what: 'is replaced as the primary, and is not told',
  needs: [],
  inject: async () => async () => {},
});

/** @type {Script} */
async function switchOver(scene, theCase) {
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
}

/**
 * A machine that is too busy for the timeout of semi-sync makes the primary fall back to async before the failure, which then shows nothing.
 * @param {Scene} scene
 * @param {Case} theCase
 */
async function writeHealthy({ profile, primary, write, info, mark }, { params }) {
  await write(profile.healthySeconds);
  if (isSemiSync(params) && !(await isWaiting(info, primary.id))) mark('async-before', primary.id);
}

/** @param {Scene['info']} info @param {string} id of the primary @returns {Promise<boolean>} its commits wait for a replica */
async function isWaiting(info, id) {
  return (await info(id, 'replication')).rpl_semi_sync_master_status === 'ON';
}

/** @param {Scene} scene @param {string} [wanted] id; default: the replica that has received most */
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

/** @param {Scene} scene @param {() => Promise<void>} undo starts it */
async function oldPrimaryReturns({ primary, write, readFormer }, undo) {
  await undo();
  await readFormer(primary.id);
  await write(BACK_SECONDS);
}

/** By name, from the fault that takes the primary away. @type {Readonly<Record<string, (fault: Fault) => Script>>} */
export const COURSES = Object.freeze({
  losing,
  demoting: (fault) => losing(fault, { demote: true }),
  inPlace,
  replicasFrozen: () => replicasFrozen,
  replicaFrozen: () => replicaFrozen,
  switchOver: () => switchOver,
});
