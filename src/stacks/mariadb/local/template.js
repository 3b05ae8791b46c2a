/**
 * The data directory that every node begins with. `mariadb-install-db` takes a second or two to make one, so it is made once for
 * each version and copied. It holds system tables only and may be removed at any time.
 */
import { mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { codeOf, messageOf } from '../../../errors.js';
import { isOwnFolder } from '../../../private-files.js';
import { execute } from '../../../programs.js';
import { cleanLine } from '../../../untrusted.js';
import { startTimeOf } from '../../hosts/processes.js';
import { makeStateFolder, stateFolder } from '../../records/records.js';
import { problem } from '../../texts.js';
import { COMMON_CONF } from '../conf.js';

const INSTALL_DEADLINE_MS = 60_000;

/** The first number is the pid of the process that makes it. */
const UNFINISHED = /^new-(\d+)-\w+$/;
const FINISHED = /^data-[\d.]+$/;

/** @param {{install: string, version: string}} server @returns the data directory to copy @throws {UserError} it cannot be made */
export async function preparedData({ install, version }) {
  makeStateFolder('mariadb');
  const base = stateFolder('mariadb');
  removeUnfinished(base);
  const data = join(base, `data-${version}`);
  if (isOwnFolder(data, FINISHED)) return data;
  const folder = mkdtempSync(join(base, `new-${process.pid}-`));
  try {
    await makeData(install, folder);
    renameSync(folder, data);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    if (['ENOTEMPTY', 'EEXIST'].includes(codeOf(error))) return data;
    throw error;
  }
  return data;
}

function removeUnfinished(/** @type {string} */ base) {
  for (const name of readdirSync(base)) {
    const pid = UNFINISHED.exec(name)?.[1];
    if (pid !== undefined && startTimeOf(Number(pid)) === null)
      rmSync(join(base, name), { recursive: true, force: true });
  }
}

/** @param {string} install path of mariadb-install-db @param {string} folder empty */
async function makeData(install, folder) {
  const { username } = userInfo();
  const options = [
    '--no-defaults',
    `--datadir=${folder}`,
    `--user=${username}`,
    // Only this user of the machine may log in as root, and only over the socket.
    '--auth-root-authentication-method=socket',
    `--auth-root-socket-user=${username}`,
    '--skip-test-db',
    `--innodb-log-file-size=${COMMON_CONF['innodb-log-file-size']}`,
  ];
  try {
    // A server that starts removes the temporary tables of others that it finds in its folder for them.
    await execute(install, options, { timeout: INSTALL_DEADLINE_MS, env: { ...process.env, TMPDIR: folder } });
  } catch (error) {
    throw problem('no-data-directory', { why: whyOf(error), folder: stateFolder('mariadb') }, { cause: error });
  }
}

/** @param {unknown} error @returns the last line that it printed, else what went wrong */
function whyOf(error) {
  const { stderr = '', stdout = '' } = /** @type {{stderr?: string, stdout?: string}} */ (error);
  const lines = `${stdout}\n${stderr}`.trim().split('\n');
  return cleanLine(lines.at(-1) || messageOf(error).split('\n')[0]).replace(/\.$/, '');
}
