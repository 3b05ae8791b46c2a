import { isAbsolute, resolve } from 'node:path';
import { programPath } from '../../../programs.js';
import { askVersion, isOlder } from '../../hosts/local/program.js';
import { problem } from '../../texts.js';

const BESIDES = ['/usr/sbin', '/usr/local/sbin'];

export const INSTALL_MARIADB =
  'Install one (Debian: `apt install mariadb-server`; Fedora: `dnf install mariadb-server`)';

/** The first version in which a user with SUPER does not pass `read_only`. */
const OLDEST = '10.11';

/**
 * @param {string} [wanted] a name on PATH or a path; default: `mariadbd` @throws {UserError} it cannot be used
 * @returns install: the path of mariadb-install-db; null: none was named and none is installed
 */
export async function findMariadb(wanted) {
  const path = pathOf(wanted ?? 'mariadbd');
  const install = pathOf('mariadb-install-db');
  if (path === null || install === null) {
    if (wanted === undefined) return null;
    throw problem('mariadb-not-found', { wanted, install: INSTALL_MARIADB });
  }
  const said = await askVersion(path, ['--no-defaults', '--version']);
  const version = /\b(\d+\.\d+\.\d+)-MariaDB/.exec(said)?.[1];
  if (version === undefined) throw problem('not-mariadb', { path, said: said.trim().slice(0, 80) });
  if (isOlder(version, OLDEST)) throw problem('mariadb-too-old', { path, version, oldest: OLDEST });
  return { path, install, name: 'mariadb', version };
}

function pathOf(/** @type {string} */ program) {
  return isAbsolute(program) || program.includes('/') ? resolve(program) : programPath(program, BESIDES);
}
