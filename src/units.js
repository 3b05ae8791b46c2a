export const NS_A_US = 1e3;
export const NS_A_MS = 1e6;
export const NS_A_SECOND = 1e9;
export const MS_A_SECOND = 1e3;
export const US_A_SECOND = 1e6;
export const SECONDS_AN_HOUR = 3600;
export const SECONDS_A_MONTH = 30 * 24 * SECONDS_AN_HOUR;

export const KIB = 2 ** 10;
export const MIB = 2 ** 20;
const GIB = 2 ** 30;

/**
 * @param {number} bytes ≥ 0 @param {(quotient: number) => number} [round] default: up, so that a need is never understated
 * @returns {string} whole KiB, MiB or GiB
 */
export function inUnits(bytes, round = Math.ceil) {
  if (bytes < MIB) return `${round(bytes / KIB)} KiB`;
  if (bytes < 10 * GIB) return `${round(bytes / MIB)} MiB`;
  return `${round(bytes / GIB)} GiB`;
}
