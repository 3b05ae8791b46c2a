/**
 * What each figure of a round or a trial is called, and its unit, as metrics.yaml lists them. A figure that is not in the list is named after its
 * place in result.json, and its unit is in the name of its field; so a figure that a suite adds is a fact without a change here.
 * @import { Fact } from './fact.js'
 * @typedef {{metric: string, unit: string, divisor?: number, better?: 'more' | 'less'}} Metric metric: its name: lower case words joined by
 *   hyphens; unit: such as `ms`, `writes`, `share` (0 … 1); divisor: of the figure of result.json, which gives the unit; default 1; better:
 *   what is better; absent: neither, so no value of it is the worst
 */
import { NS_A_MS } from '../units.js';
import { readYaml } from '../yaml.js';

/**
 * @type {Record<'round' | 'audit' | 'trial' | 'case', Readonly<Record<string, Metric>>> & Record<'times' | 'kinds' | 'words', Record<string, string>> &
 *   {columns: readonly Exclude<keyof Fact, 'values'>[], endings: Record<string, {unit: string, divisor?: number}>,
 *   base: Readonly<Record<string, {unit: string, factor?: number}>>}}
 */
export const METRICS = readYaml(new URL('metrics.yaml', import.meta.url));

/** Of a round, by place. @type {Readonly<Record<string, Metric>>} */
export const ROUND_METRICS = Object.freeze({
  ...METRICS.round,
  ...times('latencyNs', 'service-time'),
  ...times('openLoop.serviceNs', 'service-time'),
  ...times('openLoop.latenessNs', 'lateness'),
});

/** Of a round in open loop: its time counts from the scheduled send. */
export const RESPONSE_METRICS = Object.freeze({ ...ROUND_METRICS, ...times('latencyNs', 'response-time') });

/**
 * @param {string} place of a figure, such as `load.cpuPerOperationNs`
 * @returns {Metric} such as `load-cpu-per-operation` in `ms`; a figure without a unit in its name is a `count`
 */
export function metricNamed(place) {
  const { endings, kinds, words } = METRICS;
  let [unit, divisor] = ['count', 1];
  const parts = place.split('.').flatMap((part) => {
    const [ending = '', found] = Object.entries(endings).find(([each]) => part.endsWith(each) && part !== each) ?? [];
    const kind = Object.entries(kinds).find(([each]) => part.endsWith(each));
    if (found) [unit, divisor] = [found.unit, found.divisor ?? 1];
    else if (Object.hasOwn(words, part)) unit = words[part];
    else if (kind) unit = kind[1];
    const name = part
      .slice(0, part.length - ending.length)
      .replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return name.split(/[^A-Za-z0-9]+/);
  });
  return { metric: parts.filter((word, i) => word !== parts[i - 1]).join('-'), unit, divisor };
}

/** @param {string} place of the percentiles @param {string} time @returns {Record<string, Metric>} */
function times(place, time) {
  return Object.fromEntries(
    Object.entries(METRICS.times).map(([field, word]) => [
      `${place}.${field}`,
      { metric: `${word}-${time}`, unit: 'ms', divisor: NS_A_MS, better: /** @type {const} */ ('less') },
    ]),
  );
}

/**
 * @param {unknown} value @param {string} [place]
 * @returns {[place: string, figure: number][]} each number in it, at any depth; not those in lists. true counts as 1, false as 0
 */
export function figuresIn(value, place = '') {
  if (typeof value === 'number') return [[place, value]];
  if (typeof value === 'boolean') return [[place, Number(value)]];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, each]) => figuresIn(each, place === '' ? name : `${place}.${name}`));
}
