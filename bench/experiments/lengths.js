/** How long a fault lasts. A fault that ends just after a promotion finds a replica that still follows the old primary. */
/** @import { Profile, Varies } from '../types.js' */
import { PROMOTING } from '../../src/run/perform.js';

/** It ends when a Sentinel says that it has promoted a replica. The other replica is not reconfigured yet. */
const UNTIL_PROMOTED = 'until-promoted';

const BEYOND_MS = [0, 500, 1000, 1500, 3000];
const BEYOND = /^plus-(\d+)ms$/;

/** @param {Profile} profile @returns {string[]} names of lengths */
export function lengthsFor({ name }) {
  return name === 'quick' ? [UNTIL_PROMOTED] : [...BEYOND_MS.map(lengthBeyond), UNTIL_PROMOTED];
}

/** @param {string} name @returns {string | undefined} such as `down-after + 0.5 s`; undefined: it names no length */
export function lengthTitle(name) {
  if (name === UNTIL_PROMOTED) return 'until promoted';
  const ms = BEYOND.exec(name)?.[1];
  return ms === undefined ? undefined : `down-after + ${Number(ms) / 1000} s`;
}

/** @param {number} ms beyond down-after @returns {string} its name */
export function lengthBeyond(ms) {
  return `plus-${ms}ms`;
}

/** @param {string | undefined} name @param {number} downAfterMs @returns milliseconds that the fault lasts; undefined: it names no such length */
export function lengthMs(name = '', downAfterMs) {
  const ms = BEYOND.exec(name)?.[1];
  return ms === undefined ? undefined : downAfterMs + Number(ms);
}

/** @param {{length?: string}} params of a case @returns {boolean} it names a length near down-after */
export const hasLength = ({ length = '' }) => lengthTitle(length) !== undefined;

/** As long as the length of the case, or until a Sentinel has promoted a replica. @type {Varies} */
export const asLongAsNamed = ({ downAfterMs }, { length }) => {
  const ms = lengthMs(length, downAfterMs);
  return ms === undefined ? PROMOTING : ms / 1000;
};
