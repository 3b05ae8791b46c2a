/**
 * @import { Ability, LinkShape } from '../stacks/types.js'
 * @import { Fault } from './types.js'
 */

/** In place of a node: the links between all of them. */
export const ALL_LINKS = '*';

/**
 * Distance, or a bad line: the links of a node with its peers get slower, those with clients do not.
 *
 * @param {LinkShape} shape
 * @returns {Fault} injected to a node, or to {@link ALL_LINKS}; undone, the links are as fast as they are
 */
export function slowLink(shape) {
  return Object.freeze({
    name: 'slow-link',
    what: `has slow links with its peers (${describe(shape)})`,
    needs: /** @type {Ability[]} */ (['slow-link']),
    /** @type {Fault['inject']} */
    async inject({ cluster, journal }, id) {
      const node = id === ALL_LINKS ? {} : { id };
      const undo = await journal.note({ kind: 'slow', ...node });
      await cluster.slow(shape, node.id);
      return undo;
    },
  });
}

/** @param {LinkShape} shape */
function describe({ latencyMs, jitterMs, bytesPerSecond }) {
  return [
    `${latencyMs} ms a round trip`,
    ...(jitterMs ? [`±${jitterMs} ms in each direction`] : []),
    ...(bytesPerSecond ? [`${bytesPerSecond} bytes/s`] : []),
  ].join(', ');
}
