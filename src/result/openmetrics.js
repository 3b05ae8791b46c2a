/** The OpenMetrics text format, for whatever stores and draws metrics. */
import { cleaned } from '../untrusted.js';

/**
 * @typedef {Readonly<Record<string, string | number | null | undefined>>} Labels null, undefined, empty: left out
 * @typedef {{labels: Labels, value: number, suffix?: string}} MetricSample suffix: of the family's name, such as `_info`
 * @typedef {{name: string, type: 'gauge' | 'info', unit?: string, help: string, samples: Iterable<MetricSample>}} MetricFamily name: with its
 *   unit, without `sentinel_bench_`; unit: the end of its name
 */

const PREFIX = 'sentinel_bench_';

/**
 * @param {Iterable<MetricFamily>} families families without samples are left out
 * @param {number | null} at time of each sample in seconds since the epoch; null: no time
 * @returns {Generator<string>} lines with their line ends; the last is `# EOF`
 */
export function* familyLines(families, at) {
  const time = at === null ? '' : ` ${at}`;
  for (const { name, type, unit, help, samples } of families) {
    let isFirst = true;
    for (const { suffix = '', labels, value } of samples) {
      if (isFirst) {
        yield `# TYPE ${PREFIX}${name} ${type}\n`;
        if (unit !== undefined) yield `# UNIT ${PREFIX}${name} ${unit}\n`;
        yield `# HELP ${PREFIX}${name} ${escapeText(help)}\n`;
        isFirst = false;
      }
      const number = value === Number.POSITIVE_INFINITY ? '+Inf' : String(value);
      yield `${PREFIX}${name}${suffix}${labelsText(labels)} ${number}${time}\n`;
    }
  }
  yield '# EOF\n';
}

/** @param {Labels} labels */
function labelsText(labels) {
  const given = Object.entries(labels).filter(([, value]) => value !== null && value !== undefined && value !== '');
  if (given.length === 0) return '';
  return `{${given.map(([name, value]) => `${name}="${escapeText(String(value))}"`).join(',')}}`;
}

/** @param {string} text */
function escapeText(text) {
  return cleaned(text).replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}
