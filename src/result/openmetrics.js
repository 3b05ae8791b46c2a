/**
 * The OpenMetrics text format: families of samples as text.
 */
import { cleaned } from '../untrusted.js';

/** @import { IntervalValue } from './schema.js' */

/**
 * @typedef {Readonly<Record<string, string | number | null | undefined>>} Labels null, undefined: not there
 *
 * @typedef {Object} Sample
 * @property {Labels} labels
 * @property {number} value
 * @property {string} [suffix] of the family's name, such as `_total`
 *
 * @typedef {Object} Family
 * @property {string} name with its unit, without `sentinel_bench_`
 * @property {'gauge' | 'counter' | 'summary' | 'info' | 'stateset'} type
 * @property {string} [unit]
 * @property {string} help
 * @property {Sample[]} samples
 */

const PREFIX = 'sentinel_bench_';

/**
 * @param {readonly Family[]} families one without samples is left out
 * @param {number | null} at seconds since the epoch, of each sample; null: they tell no time
 * @returns {string} ends with `# EOF`
 */
export function renderFamilies(families, at) {
  const time = at === null ? '' : ` ${at}`;
  const lines = families
    .filter(({ samples }) => samples.length > 0)
    .flatMap(({ name, type, unit, help, samples }) => [
      `# TYPE ${PREFIX}${name} ${type}`,
      ...(unit === undefined ? [] : [`# UNIT ${PREFIX}${name} ${unit}`]),
      `# HELP ${PREFIX}${name} ${escapeText(help)}`,
      ...samples.map(
        ({ suffix = '', labels, value }) =>
          `${PREFIX}${name}${suffix}${labelsText(labels)} ${numberText(value)}${time}`,
      ),
    ]);
  return `${[...lines, '# EOF'].join('\n')}\n`;
}

/**
 * @param {string} name of the family, which is the name of the label
 * @param {readonly string[]} all
 * @param {string} is
 * @param {Labels} labels
 * @returns {Sample[]}
 */
export function states(name, all, is, labels) {
  return all.map((state) => ({ labels: { ...labels, [`${PREFIX}${name}`]: state }, value: state === is ? 1 : 0 }));
}

/**
 * @param {IntervalValue} value
 * @param {Labels} labels
 * @param {number} [factor] to the base unit
 * @returns {Sample[]}
 */
export function interval({ median, low, high }, labels, factor = 1) {
  return Object.entries({ median, low, high }).map(([statistic, figure]) => ({
    labels: { ...labels, statistic },
    value: figure * factor,
  }));
}

/** @param {Labels} labels */
function labelsText(labels) {
  const given = Object.entries(labels).filter(([, value]) => value !== null && value !== undefined);
  if (given.length === 0) return '';
  return `{${given.map(([name, value]) => `${name}="${escapeText(String(value))}"`).join(',')}}`;
}

/** @param {string} text */
function escapeText(text) {
  return cleaned(text).replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

/** @param {number} value */
function numberText(value) {
  return value === Number.POSITIVE_INFINITY ? '+Inf' : String(value);
}
