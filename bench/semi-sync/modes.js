/** @import { CaseParams, Titles } from '../types.js' */

import { plural } from '../../src/format.js';
import { variationName } from '../../src/result/variation.js';
import { readYaml } from '../../src/yaml.js';

/** @type {Readonly<Record<string, {title: string, settings: Readonly<Record<string, string>>}>>} */
export const MODES = readYaml(new URL('modes.yaml', import.meta.url)).modes;

/** A minute: so long that no round falls back to async unnoticed. */
const PATIENT_TIMEOUT = '60000';

/** @param {string} mode @returns {Record<string, string>} its settings for a healthy primary */
export function patientSettings(mode) {
  const { settings } = MODES[mode];
  const waits = settings.rpl_semi_sync_master_enabled === 'ON';
  return { ...settings, ...(waits && { rpl_semi_sync_master_timeout: PATIENT_TIMEOUT }) };
}

/** The mode that the page advises. It goes through every failure. */
export const SAFE = 'after-sync-no-fallback';

/** @param {Pick<CaseParams, 'mode'>} params of a result, which may be older than the modes above @returns {string} the mode in MariaDB's terms */
export function modeTitle({ mode = '' }) {
  return MODES[mode]?.title ?? mode;
}

/** Of every trial: an application with a pool of connections. */
export const WRITER = 'sticky';

/** @type {Readonly<Record<string, string>>} */
export const VARIATIONS = Object.freeze({ behind: 'frozen replica promoted', unannounced: 'old primary not told' });

const STACKS = Object.freeze(['no replica', '1 replica, async', '2 replicas, semi-sync']);

/** @param {{replicas?: number}} params */
export function stackTitle({ replicas = 0 }) {
  return STACKS[replicas] ?? plural(replicas, 'replica');
}

/** @type {Titles} */
export const TITLES = Object.freeze({
  case: (params) => {
    const name = variationName(params);
    return `${modeTitle(params)}${name === '' ? '' : ` (${VARIATIONS[name] ?? name})`}`;
  },
  writer: () => 'pool',
});
