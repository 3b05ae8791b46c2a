import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { NATS_PASSWORD_VARIABLE, PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE } from './untrusted.js';

/** `execFile` of Node.js with a promise: rejects unless the program ends with status 0. */
export const execute = promisify(execFile);

/**
 * @param {string} name of a program
 * @param {readonly string[]} [besides] further folders to search, after PATH
 * @returns {string | null} its path; null: not found, or not executable for this user
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
 * @returns {NodeJS.ProcessEnv} without the passwords, for programs that do not need them; some outlive this process
 */
export function environmentForPrograms() {
  const passwords = [PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE, NATS_PASSWORD_VARIABLE];
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !passwords.includes(name)));
}
