/** In place of a node: the links between all of them. */
export const ALL_LINKS = '*';

/**
 * Distance, or a bad line: the links of a node with its peers get slower, those with clients do not.
 *
 * @param {import('../stacks/types.js').LinkShape} shape
 * @returns {import('./types.js').Fault} injected to a node, or to {@link ALL_LINKS}; undone, the links are as fast as they are
 */
export function slowLink(shape) {
  return Object.freeze({
    name: 'slow-link',
    what: `has slow links with its peers (${describe(shape)})`,
    needs: /** @type {import('./types.js').Ability[]} */ (['slow-link']),
    /** @type {import('./types.js').Fault['inject']} */
    async inject({ cluster, journal }, id) {
      const node = id === ALL_LINKS ? {} : { id };
      const undo = await journal.note({ kind: 'slow', ...node });
      await cluster.slow(shape, node.id);
      return undo;
    },
  });
}

/** @param {import('../stacks/types.js').LinkShape} shape */
function describe({ latencyMs, jitterMs, bytesPerSecond }) {
  return [
    `${latencyMs} ms a round trip`,
    ...(jitterMs ? [`±${jitterMs} ms in each direction`] : []),
    ...(bytesPerSecond ? [`${bytesPerSecond} bytes/s`] : []),
  ].join(', ');
}
