/**
 * The kinds of volumes that a run makes.
 *
 * @typedef {Object} VolumeKind
 * @property {string} noun for messages
 * @property {string} prefix of its folder's name
 * @property {string} otherwise what a user can do without it: the end of a sentence, or empty
 * @property {string} remedy when it cannot be made
 * @property {string} [filter] of nbdkit, by which an emulated one is made
 */

const VOLATILE = Object.freeze({
  noun: 'disk with a volatile cache',
  otherwise: '',
  remedy: 'Look at its output below.',
  filter: 'cache',
});

export const KINDS = Object.freeze(
  /** @satisfies {Record<string, VolumeKind>} */ ({
    slow: {
      noun: 'slow volume',
      prefix: 'sentinel-bench-volume-',
      otherwise: ', or name a real one with --data-dir',
      remedy:
        'Look at its output below, leave the volume out with --slow-volume 0, or name a real one with --data-dir.',
      filter: 'delay',
    },
    volatile: { ...VOLATILE, prefix: 'sentinel-bench-disk-' },
    // A kind of its own: it is removed after the containers that use it, and those of local stacks are removed before.
    contained: { ...VOLATILE, prefix: 'sentinel-bench-container-disk-' },
    // Removed by the agent that made it, or after its nodes: those of other processes are removed at any start of a run.
    agent: { ...VOLATILE, prefix: 'sentinel-bench-agent-disk-' },
    replicated: {
      noun: 'GlusterFS volume',
      prefix: 'sentinel-bench-gluster-',
      otherwise: ', or name a mounted network volume with --data-dir',
      remedy: 'Look at its output below, or leave the volume out with --no-replicated-volume.',
    },
  }),
);

/** Names of volumes' folders: the process that made it, and random characters. */
export const FOLDER_NAME = /^sentinel-bench-(volume|disk|container-disk|agent-disk|gluster)-\d+-[0-9a-f]{12}$/;
