/** What can lie between the nodes of a Redis stack that is started with `links`: a relay of ours on `local`, Toxiproxy on `docker`. */
/** @import { Ability, BackendName, Stack } from '../types.js' */
import { CAN_RELAY, LINK_ABILITIES } from './relay/relay.js';

/** One port of Toxiproxy serves all peers of a node, so it cannot slow the links of a single one. @type {readonly Ability[]} */
export const TOXIPROXY_ABILITIES = ['slow-all'];

/** @param {BackendName} backend */
export function linkAbilities(backend) {
  if (backend === 'local') return CAN_RELAY ? LINK_ABILITIES : [];
  return backend === 'docker' ? TOXIPROXY_ABILITIES : [];
}

/**
 * @param {Pick<Stack, 'about'>} stack of ours @param {number} latencyMs to be added to a round trip; ≥ 0
 * @returns why no stack of its kind can have such links, and the remedy; null: it can. Takes up to 5 s when a registry has to be asked
 */
export async function whyNoLatency({ about: { backend } }, latencyMs) {
  if (backend !== 'docker') return null;
  if (!Number.isInteger(latencyMs))
    return `On Docker, Toxiproxy delays by whole milliseconds, not by ${latencyMs} ms. Use \`--backend local\`.`;
  // Loading the engine's client takes a fifth of a second, which only Docker is worth.
  return (await import('../hosts/docker/toxiproxy.js')).whyNoToxiproxy();
}
