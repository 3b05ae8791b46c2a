import { outputOf } from '../../../programs.js';
import { problem } from '../../texts.js';

const DEADLINE_MS = 20_000;

/** @param {string} path @param {string[]} args @throws {UserError} it is missing, or does not run */
export async function askVersion(path, args) {
  try {
    return await outputOf([path, ...args], { timeoutMs: DEADLINE_MS });
  } catch (cause) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (cause);
    if (code === 'ENOENT') throw problem('program-missing', { path }, { cause });
    throw code === 'EACCES'
      ? problem('program-closed', { path }, { cause })
      : problem('program-fails', { path }, { cause });
  }
}

/** @param {string} version such as `6.0.16` @param {string} oldest such as `6.2` */
export function isOlder(version, oldest) {
  return version.localeCompare(oldest, 'en', { numeric: true }) < 0;
}
