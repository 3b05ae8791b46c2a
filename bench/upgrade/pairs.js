/** From which server to which: the pairs that people move between, of those that the user named, and how reports call them. */
/** @import { ServerName } from '../servers.js' */
/** @typedef {{from: ServerName, to: ServerName}} ServerPair */
import { caseTitle, titledBy } from '../experiments/cases.js';
import { serverTitle } from '../servers.js';

/** @param {{server?: string, nextServer?: string}} params @returns {string} such as `Redis 7.0.15 → Redis 8.0.2` */
export function moveTitle({ server = '', nextServer = '' }) {
  return `${serverTitle(server)} → ${serverTitle(nextServer)}`;
}

export const TITLES = titledBy((params) => `${moveTitle(params)}: ${caseTitle(params)}`);

/** @param {ServerName} a @param {ServerName} b @returns {number} negative: `a` is older */
function byVersion(a, b) {
  const parts = (/** @type {ServerName} */ { version }) => (version ?? '0').split('.').map(Number);
  const [left, right] = [parts(a), parts(b)];
  const at = left.findIndex((part, i) => part !== right[i]);
  return at === -1 ? 0 : left[at] - (right[at] ?? 0);
}

/** @param {readonly ServerName[]} servers @returns {ServerPair[]} of one product, each version to the next one */
export function upgrades(servers) {
  return ['redis', 'valkey'].flatMap((name) => {
    const releases = servers.filter((server) => server.name === name).sort(byVersion);
    return releases.slice(1).map((to, i) => ({ from: releases[i], to }));
  });
}

/** @param {readonly ServerName[]} servers @returns {ServerPair[]} each Redis to the oldest Valkey */
export function migrations(servers) {
  const [oldest] = servers.filter(({ name }) => name === 'valkey').sort(byVersion);
  if (oldest === undefined) return [];
  return servers
    .filter(({ name }) => name === 'redis')
    .sort(byVersion)
    .map((from) => ({ from, to: oldest }));
}
