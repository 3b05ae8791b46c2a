/**
 * The failure half of the configuration sweep: its cases, and what its benchmarks have in common.
 */
import { failureCases } from './failure-case.js';
import { LEVELS } from './levels.js';

/**
 * @typedef {import('./levels.js').LevelName} LevelName
 * @typedef {import('./types.js').Case} Case
 */

/** One of each kind; the larger profiles measure every level. @type {readonly LevelName[]} */
const QUICK_LEVELS = ['async', 'min1', 'min1-lag1', 'min2', 'wait1', 'wait2', 'wait1-min1', 'aof', 'waitaof'];

/** How long Sentinels wait for an answer matters to the kinds of configuration alike: one of each. @type {readonly LevelName[]} */
const DOWN_AFTER_LEVELS = ['async', 'min1', 'wait1'];
/** Beside that of the stack, 5 s. */
const DOWN_AFTER_SECONDS = [1, 30];

/**
 * Longer than the largest min-replicas-max-lag, which is counted in whole seconds since an acknowledgement that may be a second
 * old, by enough to see what comes after.
 */
const PAUSED_SECONDS = 14;

/**
 * @param {Pick<import('./types.js').CaseOptions, 'profile' | 'client' | 'server'>} options
 * @param {{downAfter?: boolean}} [wanted] downAfter: the larger profiles also vary down-after-milliseconds; default false
 * @returns {Case[]}
 */
export function sweepCases(options, { downAfter = false } = {}) {
  const quick = options.profile.name === 'quick';
  const levels = quick ? QUICK_LEVELS : /** @type {LevelName[]} */ (Object.keys(LEVELS));
  const usual = failureCases(options, { levels });
  if (quick || !downAfter) return usual;
  const varied = DOWN_AFTER_SECONDS.flatMap((seconds) =>
    failureCases(options, { levels: DOWN_AFTER_LEVELS, variant: `down-after-${seconds}s` }).map(({ id, params }) => ({
      id,
      params: { ...params, downAfterMs: seconds * 1000 },
    })),
  );
  return [...usual, ...varied];
}

/**
 * @param {import('./types.js').Scene} scene
 * @param {import('../fault/types.js').Fault} fault that lets replicas stand still
 * @param {number} count how many
 */
export async function withoutReplicas({ profile, replicas, inject, write }, fault, count) {
  await write(profile.healthySeconds);
  const undo = [];
  for (const { id } of replicas.slice(0, count)) undo.push(await inject(fault, id));
  await write(PAUSED_SECONDS);
  for (const each of undo) await each();
  await write(profile.healthySeconds + 1);
}
