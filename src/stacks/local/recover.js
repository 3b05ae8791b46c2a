import { stillRuns } from '../processes.js';
import { isLockedHere } from '../stack-lock.js';
import { recoverVolumes } from '../volume.js';
import { KINDS } from '../volume-kinds.js';
import { abandonedFolders, identityOf, listStacks, removeFolder, removeStack, runningNodes } from './record.js';

/**
 * @import { OwnFolders } from '../own-folders.js'
 * @import { StackRecord } from './record.js'
 */

/**
 * Removes the stacks that dead processes left, and their disks. Touches no stack of a living process and no stack that `up` started.
 * @param {(line: string) => void} [tell]
 */
export async function recoverLocal(tell = () => {}) {
  await removeLeft(({ part, owner, nodes }, running) =>
    tell(
      part === 'agent'
        ? `Ended ${nodes.map(({ id }) => id).join(', ')}, which a killed agent had started.`
        : `Removed what process ${owner.pid} left: ${running} servers and their files.`,
    ),
  );
  // Last, because the servers kept their files there.
  await recoverVolumes(tell, [KINDS.volatile]);
}

/** @param {(record: StackRecord, running: number) => void} told of each, with the number of nodes that ran @param {OwnFolders} [folders] of the stacks */
export async function removeLeft(told, folders) {
  const dead = listStacks(folders).filter((record) => !stillRuns(record.owner));
  // Read again: the owner may be an `up` that ended meanwhile, and its last step marks the stack as staying.
  const final = listStacks(folders).filter(({ folder }) => dead.some((record) => record.folder === folder));
  for (const record of final) {
    const running = runningNodes(record).length;
    if (record.detached && (running > 0 || isLockedHere({ backend: 'local', identity: identityOf(record) }))) continue;
    await removeStack(record);
    told(record, running);
  }
  for (const folder of abandonedFolders(folders)) removeFolder(folder);
}
