/**
 * For tests that end a process after each step of every fault.
 */
import * as faults from './index.js';

/**
 * @import { Ability } from '../stacks/types.js'
 * @import { Fault, Site, Undo } from './types.js'
 */

/**
 * @typedef {Object} Disturbance
 * @property {string} name
 * @property {string} fault its name
 * @property {readonly Ability[]} needs
 * @property {(site: Site, id: string) => Promise<Undo>} disturb a node, or all links
 */

const PAUSE_MS = 1000;

/** Faults with parameters, by the export that makes them. */
const MADE = /** @type {const} */ ({
  slowLink: [faults.slowLink({ latencyMs: 10 })],
  clientPause: [faults.clientPause(PAUSE_MS, 'WRITE'), faults.clientPause(PAUSE_MS, 'ALL')],
});

/** Exports that are no fault; and the planned failovers, whose new roles stay: there is nothing to undo. */
const OTHERS = ['ALL_LINKS', 'faultByAction', 'failover', 'coordinatedFailover'];

/**
 * @returns {Disturbance[]} one or several of each fault that src/faults/index.js exports
 * @throws {Error} an export is neither a fault nor named above
 */
export function ofEveryFault() {
  return Object.entries(faults).flatMap(([name, value]) => {
    if (OTHERS.includes(name)) return [];
    if (isFault(value)) return [of(value, `${value.name} of a node`)];
    const made = Object.hasOwn(MADE, name) ? MADE[/** @type {keyof typeof MADE} */ (name)] : [];
    if (made.length === 0)
      throw new Error(`No test ends a process after each step of ${name}: add it to crash-fixture.js`);
    return made.flatMap((/** @type {Fault} */ fault, index) => {
      const one = of(fault, `${fault.name} of a node${made.length > 1 ? `, ${index + 1}` : ''}`);
      if (name !== 'slowLink') return [one];
      return [
        one,
        { ...of(fault, `${fault.name} of all links`), disturb: (site) => fault.inject(site, faults.ALL_LINKS) },
      ];
    });
  });
}

/**
 * @param {Fault} fault
 * @param {string} name
 * @returns {Disturbance}
 */
function of(fault, name) {
  return { name, fault: fault.name, needs: fault.needs, disturb: (site, id) => fault.inject(site, id) };
}

/** @param {unknown} value @returns {value is Fault} */
function isFault(value) {
  return typeof value === 'object' && value !== null && 'inject' in value;
}
