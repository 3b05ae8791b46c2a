import { isLockedHere } from '../../locks/stack-lock.js';
import { recoverVolumes } from '../../volumes/volume.js';
import { KINDS } from '../../volumes/volume-kinds.js';
import { stillRuns } from '../processes.js';
import { abandonedFolders, identityOf, listStacks, removeFolder, removeStack, runningNodes } from './record.js';

/** @import { OwnFolders } from '../../records/own-folders.js' */
/** @import { StackRecord } from './record.js' */

/**
 * Removes the stacks that dead processes left, and their disks. Touches no stack of a living process and no stack that `up` started.
 * @param {(line: string) => void} [tell]
 */
export async function recoverLocal(tell = () => {}) {
  await removeLeft(({ owner }, running) =>
    tell(`Removed what process ${owner.pid} left: ${running} servers and their files.`),
  );
  // Last, because the servers kept their files there.
  await recoverVolumes(tell, [KINDS.volatile]);
}

/** Ends the nodes of agents that were killed on this machine, and removes their disks. @param {(line: string) => void} tell */
export async function recoverNodes(tell) {
  await removeLeft(
    ({ nodes }) => tell(`Ended ${nodes.map(({ id }) => id).join(', ')}, which a killed agent had started.`),
    { part: 'agent' },
  );
  await recoverVolumes(tell, [KINDS.agent]);
}

/**
 * @param {(record: StackRecord, running: number) => void} told of each, with the number of nodes that ran
 * @param {{part?: StackRecord['part'], folders?: OwnFolders}} [of] part: of which kind; default: whole stacks. folders: of the stacks
 */
export async function removeLeft(told, { part, folders } = {}) {
  const dead = listStacks(folders).filter((record) => record.part === part && !stillRuns(record.owner));
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
