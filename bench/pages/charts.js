/** Charts of pages whose figures a table beside them has. */
import { dotChart } from '../../src/report/charts/dots.js';

/**
 * @param {Partial<Parameters<typeof dotChart>[0]> & {alt: string}} spec from a YAML file
 * @param {Pick<Parameters<typeof dotChart>[0], 'rows' | 'value'> & Partial<Parameters<typeof dotChart>[0]>} shown
 * @returns {import('../../src/report/charts/chart.js').Chart | null} as {@link dotChart}
 */
export function dotsOf({ alt, ...spec }, shown) {
  const options = /** @type {Parameters<typeof dotChart>[0]} */ ({ note: '', ...spec, ...shown });
  const chart = dotChart(options);
  return chart && { ...chart, alt, note: options.note || undefined };
}
