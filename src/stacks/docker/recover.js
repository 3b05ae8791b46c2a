import { UserError } from '../../errors.js';
import { recoverVolumes } from '../volume.js';
import { KINDS } from '../volume-kinds.js';
import { openEngine } from './engine.js';
import { abandonedProjects, projectsWithFiles, removeProject, whatIsLeft } from './project.js';

/** @import { Engine } from './engine.js' */

/**
 * Removes the stacks that dead processes left, and their disks. Touches no stack of a living process and no stack that `up` started.
 * @param {(line: string) => void} [tell]
 */
export async function recoverDocker(tell = () => {}) {
  const engine = await engineOrNull();
  if (engine) await removeAbandoned(engine, tell);
}

/** @returns {Promise<Engine | null>} null: no usable engine, so it cannot run stacks of ours */
export async function engineOrNull() {
  try {
    return await openEngine();
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** @param {Engine} engine @param {(line: string) => void} tell */
export async function removeAbandoned(engine, tell) {
  for (const project of await abandonedProjects(engine)) {
    await removeProject(engine, project);
    tell(`Removed the containers and networks of ${project}, whose process is gone.`);
  }
  for (const project of projectsWithFiles()) {
    // A stack that `up` started stays. A stack that ended in another way left its files.
    if ((await whatIsLeft(engine, project)).length === 0) await removeProject(engine, project);
  }
  // Last, because the nodes kept their files there.
  await recoverVolumes(tell, [KINDS.contained]);
}
