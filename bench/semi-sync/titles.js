/**
 * What the failures and their cases are called, and phantoms.
 *
 * @import { AuditResult } from '../../src/result/failure-schema.js'
 * @import { Titles } from '../../src/run/types.js'
 */

import { plural } from '../../src/format.js';
import { variationName } from '../../src/result/variation.js';
import { sum } from '../../src/stats/statistics.js';
import { modeTitle } from './modes.js';

/** Of every trial: an application with a pool of connections. */
export const WRITER = 'sticky';

/** By the names of the benchmarks. @type {Readonly<Record<string, string>>} */
const SCENARIOS = Object.freeze({
  'semi-sync-killed': 'primary killed',
  'semi-sync-machine-lost': 'machine lost',
  'semi-sync-restarted': 'restarted in place',
  'semi-sync-power-lost': 'power lost',
  'semi-sync-partition': 'network partition',
  'semi-sync-frozen': 'primary frozen',
  'semi-sync-replicas-frozen': 'replicas frozen, primary killed',
  'semi-sync-replica-frozen': 'one replica frozen, primary killed',
  'semi-sync-switch-over': 'planned switch-over',
});

/** @type {Readonly<Record<string, string>>} */
export const VARIATIONS = Object.freeze({ behind: 'frozen replica promoted', unannounced: 'old primary not told' });

/** @param {string} benchmark its name */
export function scenarioTitle(benchmark) {
  return SCENARIOS[benchmark] ?? benchmark;
}

/** Of the article, by their number of replicas. */
const STACKS = Object.freeze(['no replica', '1 replica, async', '2 replicas, semi-sync']);

/** @param {{replicas?: number}} params */
export function stackTitle({ replicas = 0 }) {
  return STACKS[replicas] ?? plural(replicas, 'replica');
}

/** @type {Titles} */
export const TITLES = Object.freeze({
  case: (params) => {
    const name = variationName(params);
    return `${modeTitle(params)}${name === '' ? '' : ` (${VARIATIONS[name] ?? name})`}`;
  },
  writer: () => 'pool',
});

/**
 * @param {readonly AuditResult[]} audits
 * @returns {number} writes without an acknowledgement that only the old primary has; where it stayed the primary: that it has
 */
export function phantomsIn(audits) {
  return sum(audits.map(({ formerPrimary, unknownPresent }) => formerPrimary?.extraUntold ?? unknownPresent));
}
