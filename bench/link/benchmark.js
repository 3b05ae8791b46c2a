/** What every benchmark of a link declares: benchmarks.yaml has its words, paces, settings and cases. */

import { makeCase } from '../../src/run/case.js';
import { readYaml } from '../../src/yaml.js';
import { factTable } from '../pages/fact-table.js';
import { whyNoPath } from './paths/path.js';

/**
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { CaseParams, CaseResult } from '../../src/result/schema.js'
 * @import { CustomBenchmark, Profile } from '../../src/run/types.js'
 * @import { Tunnel } from './paths/path.js'
 *
 * @typedef {Record<string, Partial<CaseParams>>} Cases by id
 * @typedef {Record<Profile['name'], [rounds: number, seconds: number]>} Paces
 * @typedef {Record<'question' | 'method', string> & {paces: Paces, settings?: Record<string, string>, common?: Cases[string], cases: Cases}} Declared
 */

/** @type {Record<string, Declared>} */
const DECLARED = readYaml(new URL('benchmarks.yaml', import.meta.url));
/** A rate counts as reached from this share of it on. */
const KEPT = 0.99;

/**
 * @param {string} name
 * @param {Pick<CustomBenchmark, 'measure' | 'checks'> & Partial<CustomBenchmark> & {columns: Record<string, ColumnSpec> | readonly ColumnSpec[]}} own
 * @returns {CustomBenchmark}
 */
export function linkBenchmark(name, { columns, ...own }) {
  const { paces, settings, common, cases, ...words } = DECLARED[name];
  return {
    name,
    ...words,
    needs: ['stop', 'configure', 'logs'],
    kind: 'custom',
    // Without Sentinels, which would point the replica at the primary's own address instead of the path.
    stacks: { sentinels: false, settings: { 'min-replicas-to-write': '0', save: '', ...settings } },
    whyNotCase: async ({ params }, stack) =>
      whyNoPath({ tunnel: tunnelOf(params), supervisor: params.supervisor }, stack),
    // Without a warm-up: the traffic's own figures leave its start out.
    pace: ({ name: profile }) => ({ rounds: paces[profile][0], seconds: paces[profile][1], warmUpSeconds: 0 }),
    cases: () =>
      Object.entries(cases).map(([id, params]) => ({
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
