/** The servers of a run: which there are, and how reports call them. */
/** @import { Case, CaseOptions, Result } from './types.js' */
/** @typedef {{id: string, name: string, version: string | null}} ServerName */
import { caseTitle, titledBy } from './experiments/cases.js';

/** @param {Pick<CaseOptions, 'server' | 'servers'>} options @returns {ServerName[]} those that the user named, else the server of the run alone */
export function serversOf({ server, servers }) {
  return servers ? [...servers] : [{ id: `${server.name}-${server.version ?? 'unknown'}`, ...server }];
}

/** @param {string} id such as `redis-8.0.2` @returns {string} such as `Redis 8.0.2` */
export function serverTitle(id) {
  const [name, ...version] = id.split('-');
  return `${name === 'valkey' ? 'Valkey' : 'Redis'} ${version.join('-')}`;
}

/** @param {Case} theCase @param {ServerName} server @returns {Case} the same, on that server */
export function onServer({ id, params, baseline }, server) {
  return {
    id: `${server.id}-${id}`,
    params: { ...params, server: server.id },
    ...(baseline !== undefined && { baseline: `${server.id}-${baseline}` }),
  };
}

export const TITLES = titledBy((params) => `${serverTitle(params.server ?? '')}: ${caseTitle(params)}`);

/** @param {Pick<Result, 'benchmarks'>} result @returns {string[]} the servers that were measured, in the order in which they were named */
export function measuredServers({ benchmarks }) {
  const all = benchmarks.flatMap(({ cases }) => cases.flatMap(({ params }) => params.server ?? []));
  return [...new Set(all)];
}
