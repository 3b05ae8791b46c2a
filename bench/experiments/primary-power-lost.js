/**
 * The primary's machine loses power, and its disk loses what was not flushed. Either the machine is back before a Sentinel notices, or a
 * replica is promoted and the machine comes back later. Or all nodes lose power at once.
 */
import { powerLoss } from '../../src/faults/index.js';
import { once } from '../../src/once.js';
import { PROMOTED, perform } from '../../src/run/perform.js';
import { askNode } from '../../src/stacks/ask.js';
import { whyModelFails } from '../../src/stacks/volumes/volatile-disk.js';

/** @import { CaseParams, Course, Fault, Profile, Scene, Stack, Step } from '../types.js' */
/** @import { Performed } from './types.js' */

export const IN_PLACE = 'in-place';
export const REWRITE = 'rewrite';
export const REPLACED = 'promoted';

const LEAST_HEALTHY_SECONDS = 2;
const AFTER_RESTART_SECONDS = 3;

/** Before a rewrite of the append-only file: there are keys to rewrite. */
const BEFORE_REWRITE_SECONDS = 0.5;
/** Stands for a large data set: the rewrite lasts until the power loss. */
const KEY_DELAY_US = 20_000;

/** A rewrite of the append-only file. The delay is not in the configuration file, so it ends with the process. @type {Fault} */
const longRewrite = {
  name: 'rewrite',
  what: 'rewrites its append-only file for a long time',
  needs: [],
  async inject({ stack, journal }, id) {
    const delay = (/** @type {number} */ us) => ['CONFIG', 'SET', 'rdb-key-save-delay', us];
    const undo = await journal.note({ kind: 'call', id, command: delay(0) });
    await askNode(stack, id, async (control) => {
      const [name, ...args] = delay(KEY_DELAY_US);
      await control.call(String(name), ...args);
      await control.call('BGREWRITEAOF');
    });
    return undo;
  },
};

/** everysec syncs once a second. The moment of the power loss within a second is random. @param {Pick<Profile, 'healthySeconds'>} profile */
const healthyLoad = ({ healthySeconds }) => Math.max(healthySeconds, LEAST_HEALTHY_SECONDS) + Math.random();

/** @type {readonly Step[]} */
const REPLACED_STEPS = [{ at: 0, fault: powerLoss, until: PROMOTED }];
/** @type {readonly Step[]} */
const IN_PLACE_STEPS = [{ at: 0, fault: powerLoss, lasts: 0 }];
/** @type {Course} */
const IN_PLACE_COURSE = { before: healthyLoad, after: AFTER_RESTART_SECONDS };

/** @satisfies {Partial<Performed>} */
const WITH_POWER_LOSS = Object.freeze({
  needs: powerLoss.needs,
  whyNot: (/** @type {unknown} */ _theCase, /** @type {Stack} */ stack) => whyNoPowerLoss(stack),
});

/** @type {readonly Performed[]} */
export default [
  {
    ...WITH_POWER_LOSS,
    id: 'primary-power-lost',
    promotes: ({ way }) => way === REPLACED,
    late: ({ way }) => way !== REPLACED,
    async script(scene, { params }) {
      if (params.way === REPLACED) return perform(scene, REPLACED_STEPS, params);
      if (params.setting === REWRITE) return loseWhileRewriting(scene, params);
      return perform(scene, IN_PLACE_STEPS, params, IN_PLACE_COURSE);
    },
  },
  {
    // As in one rack or one building: no replica is left that has what the primary's disk had not flushed.
    ...WITH_POWER_LOSS,
    id: 'power-lost-everywhere',
    disks: 'all',
    late: true,
    // The primary first, because nothing is acknowledged without it.
    steps: [{ at: 0, fault: powerLoss, on: 'nodes', lasts: 0 }],
    course: IN_PLACE_COURSE,
  },
  { id: 'disk-full', whyNot: WITH_POWER_LOSS.whyNot },
];

/** @param {Scene} scene @param {CaseParams} params */
async function loseWhileRewriting(scene, params) {
  const { primary, prepare, write, info } = scene;
  await write(BEFORE_REWRITE_SECONDS);
  await prepare(longRewrite, primary.id);
  await write(healthyLoad(scene.profile));
  if ((await info(primary.id, 'persistence')).aof_rewrite_in_progress !== '1')
    throw new Error('The rewrite ended before the power loss, so the trial shows nothing about it');
  await perform(scene, IN_PLACE_STEPS, params, { ...IN_PLACE_COURSE, before: 0 });
}

const selfTest = once(() => whyModelFails());

/**
 * Proves the model of a power loss on this machine, once a run.
 * @param {Pick<Stack, 'about'>} stack
 * @returns {Promise<string | null>} why there can be no power loss here, and the remedy; null: the model holds, or it is an existing
 *   deployment, for which a run gives another reason
 */
export async function whyNoPowerLoss({ about: { backend } }) {
  if (backend === 'external') return null;
  return selfTest();
}
