/**
 * @param {number} bytes ≥ 0
 * @param {(quotient: number) => number} [round] default: up, so that what is needed is not shown as less than it is
 * @returns {string} whole KiB, MiB or GiB
 */
export function inUnits(bytes, round = Math.ceil) {
  if (bytes < 2 ** 20) return `${round(bytes / 2 ** 10)} KiB`;
  if (bytes < 10 * 2 ** 30) return `${round(bytes / 2 ** 20)} MiB`;
  return `${round(bytes / 2 ** 30)} GiB`;
}
