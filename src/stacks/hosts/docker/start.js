import { messageOf } from '../../../errors.js';
import { flushDisks, startDisks } from '../../volumes/disks.js';
import { startPlaced } from './placement.js';
import { removeProject } from './project.js';

/** @import { Disks } from '../../volumes/disks.js' */
/** @import { StackOptions } from '../../types.js' */
/** @import { Engine } from './engine.js' */

/**
 * @template T @param {Engine} engine @param {string} project @param {Pick<StackOptions, 'volatileDisks' | 'tell' | 'signal'>} options
 * @param {(disks: Disks) => Omit<Parameters<typeof startPlaced>[2], 'signal'>} compose what Compose starts
 * @param {(disks: Disks) => Promise<T>} open waits until the nodes are ready
 * @returns {Promise<T>} after a rejection everything that was started is removed
 */
export async function startContainers(engine, project, { volatileDisks = [], tell = () => {}, signal }, compose, open) {
  const disks = await startDisks(volatileDisks, { kind: 'contained', signal, tell });
  try {
    await startPlaced(engine, project, { ...compose(disks), signal });
    const stack = await open(disks);
    await flushDisks(disks);
    signal?.throwIfAborted();
    return stack;
  } catch (error) {
    // The caller gets the first error. An error of the clean-up is only told.
    await removeProject(engine, project).catch((failure) => tell(messageOf(failure)));
    await disks.close().catch((failure) => tell(messageOf(failure)));
    throw signal?.aborted ? signal.reason : error;
  }
}
