/** What every benchmark of a link declares, and the application's traffic that several of them have. */

import { makeCase } from '../../src/run/case.js';
import { readYaml } from '../../src/yaml.js';
import { factTable } from '../pages/fact-table.js';
import { whyNoPath } from './paths/path.js';

/**
 * @import { ColumnSpec } from '../../src/report/specs.js'
 * @import { CaseParams, CaseResult } from '../../src/result/schema.js'
 * @import { Benchmark, Case, CustomBenchmark, Profile } from '../../src/run/types.js'
 * @import { Tunnel } from './paths/path.js'
 *
 * @typedef {Pick<CustomBenchmark, 'cases' | 'measure' | 'checks'> & Partial<CustomBenchmark>} OwnOfLink what only one of them has
 */

const TEXTS = readYaml(new URL('texts.yaml', import.meta.url));
/**
 * The article's mix. Two idle cores carry it beside a server, a replica and both ends of a tunnel. The rate is the same in every case,
 * so that cases are comparable.
 */
export const MIX = Object.freeze({ writeShare: 0.62, rate: 30_000, payloadBytes: 16, keyspace: 20_000 });
/** Pipeline depth of the article's application. */
const DEPTH = 10;
const CONNECTIONS = 4;
/** A rate counts as reached from this share of it on. */
const KEPT = 0.99;

/**
 * @param {string} name
 * @param {OwnOfLink & {
 *   paces: Record<Profile['name'], [rounds: number, seconds: number]>,
 *   columns: readonly ColumnSpec[] | Record<string, ColumnSpec>,
 *   settings?: Record<string, string>,
 * }} own settings: of all nodes, too
 * @returns {CustomBenchmark}
 */
export function linkBenchmark(name, { paces, columns, settings, ...own }) {
  return {
    name,
    ...TEXTS[name],
    needs: ['stop', 'configure', 'logs'],
    kind: 'custom',
    // Without Sentinels, which would point the replica at the primary's own address instead of the path.
    stacks: { sentinels: false, settings: { 'min-replicas-to-write': '0', save: '', ...settings } },
    whyNotCase: async ({ params }, stack) =>
      whyNoPath({ tunnel: tunnelOf(params), supervisor: params.supervisor }, stack),
    // Without a warm-up: the traffic's own figures leave its start out.
    pace: ({ name: profile }) => ({ rounds: paces[profile][0], seconds: paces[profile][1], warmUpSeconds: 0 }),
    ...factTable(Object.values(columns)),
    ...own,
  };
}

/** @param {string} id @param {Partial<CaseParams>} params @returns {Case} with one replica, unless it says otherwise */
export const linkCase = (id, params) => ({ id, params: makeCase({ replicas: 1, ...params }).params });

/** @param {string} id @param {Partial<CaseParams> & {pattern: NonNullable<CaseParams['pattern']>}} params besides the mix @returns {Case} */
export const mixCase = (id, params) => linkCase(id, { ...MIX, connections: CONNECTIONS, pipeline: DEPTH, ...params });

/** @param {Pick<CaseResult, 'params'>} result of the mix @param {number} requests answered a second */
export function keptRate({ params: { rate } }, requests) {
  return rate === undefined || requests >= KEPT * rate;
}

/** @param {CaseParams} params @returns {Tunnel} */
export function tunnelOf({ tunnel = 'none' }) {
  return /** @type {Tunnel} */ (tunnel);
}
