/**
 * The kinds of volumes that a run makes, as volumes.yaml lists them.
 *
 * @typedef {Object} VolumeKind
 * @property {string} noun for messages
 * @property {string} prefix of its folder's name
 * @property {string} absent the beginning of the sentence why there can be none
 * @property {string} otherwise what a user can do without it: the end of a sentence, or empty
 * @property {string} remedy when it cannot be made
 * @property {string} [filter] of nbdkit, by which an emulated one is made
 * @property {readonly string[]} programs that it needs
 * @property {readonly string[]} devices likewise
 * @property {string} install how to install the programs
 *
 * @typedef {VolumeKind & {filter: string}} EmulatedKind
 */

import { readYaml } from '../yaml.js';

/** @type {Readonly<Record<'slow' | 'volatile' | 'contained' | 'agent', EmulatedKind> & {replicated: VolumeKind}>} */
export const KINDS = readYaml(new URL('volumes.yaml', import.meta.url));

/** Names of volumes' folders: the process that made it, and random characters. */
export const FOLDER_NAME = /^sentinel-bench-(volume|disk|container-disk|agent-disk|gluster)-\d+-[0-9a-f]{12}$/;
