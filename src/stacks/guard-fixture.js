/**
 * For tests only: waits for the end of a test process, and removes what it left. A process that is killed by SIGKILL cannot do that itself.
 *
 *     node guard-fixture.js FOLDER     its standard input is a pipe that only the test process holds
 */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

const folder = process.argv[2];
// Not the folder that is removed, and not one that someone may want to remove.
process.chdir('/');
process.stdin.on('end', end).resume();

async function end() {
  if (!existsSync(folder)) return;
  process.env.TMPDIR = dirname(folder);
  // Loaded only now, because a guard has nothing to do in most cases.
  const { removeTemporaryFolder } = await import('./fixture.js');
  await removeTemporaryFolder(folder);
  // Containers have their owner in a label.
  const { recoverDocker } = await import('./hosts/docker/project.js');
  await recoverDocker();
}
