/**
 * The kinds of volumes, as volumes.yaml explains them.
 * @typedef {Record<'noun' | 'prefix' | 'absent' | 'otherwise' | 'remedy' | 'install', string> & {filter?: string, programs: readonly string[],
 *   devices: readonly string[]}} VolumeKind
 * @typedef {VolumeKind & {filter: string}} EmulatedKind
 */
import { readYaml } from '../../yaml.js';

/** @type {Readonly<Record<'slow' | 'volatile' | 'contained' | 'agent', EmulatedKind> & {replicated: VolumeKind}>} */
export const KINDS = readYaml(new URL('volumes.yaml', import.meta.url));

/** Names of volumes' folders: the process that made it, and random characters. */
export const FOLDER_NAME = /^sentinel-bench-(volume|disk|container-disk|agent-disk|gluster)-\d+-[0-9a-f]{12}$/;
