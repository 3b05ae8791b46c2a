import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE } from './untrusted.js';

/**
 * @param {string} name of a program
 * @param {readonly string[]} [besides] folders that are looked in after those of PATH
 * @returns {string | null} its path; null: there is none that this user may run
 */
export function programPath(name, besides = []) {
  const folders = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...besides];
  const isThere = (/** @type {string} */ path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  return folders.map((folder) => join(folder, name)).find(isThere) ?? null;
}

/**
 * @returns {NodeJS.ProcessEnv} for a program that has no use for the passwords; some outlive this process by days
 */
export function environmentForPrograms() {
  const { [PASSWORD_VARIABLE]: _, [SENTINEL_PASSWORD_VARIABLE]: __, ...others } = process.env;
  return others;
}
