/**
 * How long a fault lasts. A fault that ends just after a promotion finds a replica that still follows the old primary.
 *
 * @import { Profile, Scene } from '../../src/run/types.js'
 */
import { FAILOVER_SECONDS } from '../../src/run/scene.js';

/** It ends when a Sentinel says that it has promoted a replica. The other replica is not reconfigured yet. */
const UNTIL_PROMOTED = 'until-promoted';

/** Beyond down-after, milliseconds. */
const BEYOND_MS = [0, 500, 1000, 1500, 3000];
const BEYOND = /^plus-(\d+)ms$/;

/**
 * @param {Profile} profile
 * @returns {string[]} variants of cases
 */
export function lengthsFor({ name }) {
  return name === 'quick' ? [UNTIL_PROMOTED] : [...BEYOND_MS.map(lengthBeyond), UNTIL_PROMOTED];
}

/**
 * @param {string} variant
 * @returns {string | undefined} such as `down-after + 0.5 s`; undefined: the variant is no length
 */
export function lengthTitle(variant) {
  if (variant === UNTIL_PROMOTED) return 'until promoted';
  const ms = BEYOND.exec(variant)?.[1];
  return ms === undefined ? undefined : `down-after + ${Number(ms) / 1000} s`;
}

/**
 * @param {number} ms beyond down-after
 * @returns {string} the variant of a case
 */
export function lengthBeyond(ms) {
  return `plus-${ms}ms`;
}

/**
 * @param {string | undefined} variant
 * @param {number} downAfterMs
 * @returns {number | undefined} milliseconds that the fault lasts; undefined: the variant names no length
 */
export function lengthMs(variant = '', downAfterMs) {
  const ms = BEYOND.exec(variant)?.[1];
  return ms === undefined ? undefined : downAfterMs + Number(ms);
}

/**
 * Lets the writers write until the fault should end.
 *
 * @param {Pick<Scene, 'write' | 'until' | 'heard' | 'downAfterMs'>} scene
 * @param {string | undefined} variant a length
 */
export async function writeFor({ write, until, heard, downAfterMs }, variant = UNTIL_PROMOTED) {
  const ms = lengthMs(variant, downAfterMs);
  if (ms === undefined) await until(() => heard('replica-promoted'), downAfterMs / 1000 + FAILOVER_SECONDS);
  else await write(ms / 1000);
}
