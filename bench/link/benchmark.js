/** What every benchmark of a link declares: benchmarks.yaml has its words, paces, settings and cases. */

import { makeCase } from '../../src/run/case.js';
import { declaredIn } from '../pages/declared.js';
import { factTable } from '../pages/fact-table.js';
import { whyNoPath } from './paths/path.js';

/** @import { CaseParams, CaseResult, ColumnSpec, CustomBenchmark } from '../types.js' */
/** @import { Tunnel } from './paths/path.js' */

// Paces without a warm-up: the traffic's own figures leave its start out.
const DECLARED = declaredIn(new URL('benchmarks.yaml', import.meta.url));
/** A rate counts as reached from this share of it on. */
const KEPT = 0.99;

/**
 * @param {string} name
 * @param {Pick<CustomBenchmark, 'measure' | 'checks'> & Partial<CustomBenchmark> & {columns: Record<string, ColumnSpec> | readonly ColumnSpec[]}} own
 * @returns {CustomBenchmark}
 */
export function linkBenchmark(name, { columns, ...own }) {
  const { settings, common, cases, ...words } = DECLARED[name];
  return {
    ...words,
    needs: ['stop', 'configure', 'logs'],
    kind: 'custom',
    // Without Sentinels, which would point the replica at the primary's own address instead of the path.
    stacks: { sentinels: false, settings: { 'min-replicas-to-write': '0', save: '', ...settings } },
    whyNotCase: async ({ params }, stack) =>
      whyNoPath({ tunnel: tunnelOf(params), supervisor: params.supervisor }, stack),
    cases: () =>
      Object.entries(/** @type {Record<string, Partial<CaseParams>>} */ (cases)).map(([id, params]) => ({
        id,
        params: makeCase({ replicas: 1, ...common, ...params }).params,
      })),
    ...factTable(Object.values(columns)),
    ...own,
  };
}

/** @param {Pick<CaseResult, 'params'>} result of the mix @param {number} requests answered a second */
export function keptRate({ params: { rate } }, requests) {
  return rate === undefined || requests >= KEPT * rate;
}

/** @param {CaseParams} params */
export const tunnelOf = ({ tunnel = 'none' }) => /** @type {Tunnel} */ (tunnel);
