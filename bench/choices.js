/** Which mode for which situation, as pages and `configure --for` have it. */
import { readYaml } from '../src/yaml.js';
import { MODES } from './modes.js';

/**
 * @typedef {Object} Choice
 * @property {string} id for `configure --for`
 * @property {string} situation
 * @property {readonly string[]} modes ids; the first is the one to use, and a page shows the first one that its run measured
 * @property {string} [place] what the title of the mode does not say
 * @property {string} [loses] what it does not protect from, for a run that did not measure it
 * @property {string} replica what writes do while a replica is away
 * @property {string} both what they do while both are
 * @property {string} primary how long they stop when the primary is lost
 */

/** @type {readonly Choice[]} */
export const CHOICES = readYaml(new URL('choices.yaml', import.meta.url));

/** During a rewrite of the file nothing would be synced, whatever `appendfsync` says. */
export const SYNC_ALWAYS = Object.freeze({ 'no-appendfsync-on-rewrite': 'no' });

/** Settings of the nodes, by the id of the choice. @type {Readonly<Record<string, Readonly<Record<string, string>>>>} */
export const CHOSEN_SETTINGS = Object.freeze(
  Object.fromEntries(CHOICES.map(({ id, modes: [mode] }) => [id, { ...MODES[mode].settings, ...SYNC_ALWAYS }])),
);
