/** Records and names of files say which process they belong to, so that a later one can put back what a dead one did. */
import { hostname } from 'node:os';
import { z } from 'zod';
import { stillRuns, thisProcess } from '../hosts/processes.js';

/** Hosts may share a folder. */
export const OwnerSchema = z.object({
  pid: z.int().positive(),
  startTime: z.string().nullable(),
  host: z.string(),
});

/** @typedef {z.infer<typeof OwnerSchema>} Owner */

/** @returns {Owner} */
export function thisOwner() {
  return { ...thisProcess(), host: hostname() };
}

/** @param {Owner} owner @returns true also if this is unknown, because it runs on another host */
export function ownerLives({ host, ...owner }) {
  return host !== hostname() || stillRuns(owner);
}

/** Valid as a file name. @param {readonly (string | number)[]} parts of any characters: on some systems a start time is no number */
export function nameOfParts(parts) {
  return parts.map((part) => encodeURIComponent(part).replaceAll('.', '%2E')).join('.');
}

/** @param {string} name @returns empty: it is not ours */
export function partsOfName(name) {
  try {
    return name.split('.').map(decodeURIComponent);
  } catch {
    return [];
  }
}
