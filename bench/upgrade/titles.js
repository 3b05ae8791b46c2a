/**
 * How reports call cases of the suite.
 *
 * @import { Titles } from '../../src/run/types.js'
 */
import { writerTitle } from '../../src/registry/writers.js';
import { caseTitle } from '../experiments/cases.js';
import { serverTitle } from '../servers.js';

/** @param {{server?: string, nextServer?: string}} params @returns {string} such as `Redis 7.0.15 → Redis 8.0.2` */
export function moveTitle({ server = '', nextServer = '' }) {
  return `${serverTitle(server)} → ${serverTitle(nextServer)}`;
}

/** @type {Titles} */
export const TITLES = Object.freeze({
  case: (params) => `${moveTitle(params)}: ${caseTitle(params)}`,
  writer: writerTitle,
});
