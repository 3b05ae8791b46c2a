import { isAbsolute, resolve } from 'node:path';
import { outputOfGroup, programPath } from '../../../programs.js';
import { problem, text } from '../../texts.js';

/** Debian installs servers here, and a user's PATH may lack it. */
const BESIDES = ['/usr/sbin', '/usr/local/sbin'];

/** How to install one, as the beginning of a sentence. */
export const INSTALL_MARIADB = text('install-mariadb');

/** The first version in which a user with SUPER does not pass `read_only`. */
const OLDEST = [10, 11];

/**
 * Finds the server program for a local stack.
 * @param {string} [wanted] a name on PATH or a path; default: `mariadbd`
 * @returns {Promise<{path: string, install: string, name: string, version: string} | null>} `install` is the path of mariadb-install-db;
 *   null: none was named and none is installed
 * @throws {UserError} it cannot be used
 */
export async function findMariadb(wanted) {
  const path = pathOf(wanted ?? 'mariadbd');
  const install = pathOf('mariadb-install-db');
  if (path === null || install === null) {
    if (wanted === undefined) return null;
    throw problem('mariadb-not-found', { wanted });
  }
  const version = await versionOf(path);
  const [major, minor] = version.split('.').map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    throw problem('mariadb-too-old', { path, version, oldest: OLDEST.join('.') });
  }
  return { path, install, name: 'mariadb', version };
}

/** @param {string} program */
function pathOf(program) {
  return isAbsolute(program) || program.includes('/') ? resolve(program) : programPath(program, BESIDES);
}

/** @param {string} path */
async function versionOf(path) {
  const stdout = await outputOfGroup(path, ['--no-defaults', '--version'], { timeoutMs: 20_000 }).catch((error) => {
    throw problem('program-fails', { path }, { cause: error });
  });
  const version = /\b(\d+\.\d+\.\d+)-MariaDB/.exec(stdout)?.[1];
  if (version !== undefined) return version;
  throw problem('not-mariadb', { path, said: stdout.trim().slice(0, 80) });
}
