/** Replicas are frozen one after the other. */

/** @type {NonNullable<import('./types.js').Performed['course']>} */
const course = { after: ({ profile, write }) => write(profile.healthySeconds + 1) };

/** @type {readonly import('./types.js').Performed[]} */
export default [
  { id: 'one-replica-paused', course },
  {
    id: 'both-replicas-paused',
    course,
    whyNot: async (_, { nodes }) => whyNotBoth(nodes.filter(({ kind }) => kind === 'redis').length - 1),
  },
];

/** @param {number} replicas of the stack @returns {string | null} why freezing two of them does not show what the columns say */
export function whyNotBoth(replicas) {
  if (replicas === 2) return null;
  return `It freezes both replicas of a primary with two, but this stack has ${replicas}. Measure it with \`--replicas 2\`.`;
}
