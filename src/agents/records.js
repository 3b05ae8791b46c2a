/**
 * Records of agents that stay until they are taken down: a file in an own folder of each, on disk before anything is started.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { writeWholeSync } from '../files.js';
import { readOwnFile } from '../private-files.js';

/** @import { z } from 'zod' */

/**
 * @template {z.ZodObject} S
 * @param {{list: () => string[]}} folders
 * @param {string} file name of the record in each folder
 * @param {S} schema
 */
export function recordsIn(folders, file, schema) {
  /** @typedef {z.infer<S> & {folder: string}} FolderRecord */

  /** @param {string} folder @returns {FolderRecord | null} null: there is no record, or half of one */
  function read(folder) {
    try {
      const parsed = schema.safeParse(JSON.parse(readOwnFile(join(folder, file)) ?? 'null'));
      return parsed.success ? { ...parsed.data, folder } : null;
    } catch (error) {
      if (error instanceof SyntaxError) return null;
      throw error;
    }
  }

  return {
    read,
    /** @returns {FolderRecord[]} oldest first */
    list: () => folders.list().flatMap((folder) => read(folder) ?? []),
    /** @param {FolderRecord} record */
    save({ folder, ...kept }) {
      writeWholeSync(join(folder, file), JSON.stringify(kept), { mode: 0o600 });
    },
  };
}

/** @returns {string} for one user of one NATS, or the nodes of one run */
export function newPassword() {
  return randomBytes(24).toString('base64url');
}
