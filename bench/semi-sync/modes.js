/** @import { CaseParams } from '../types.js' */

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
