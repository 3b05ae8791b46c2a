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

/** Percentiles of a round, by their field. */
const TIMES = Object.freeze({
  p50: 'p50',
  p90: 'p90',
  p95: 'p95',
  p99: 'p99',
  p999: 'p99.9',
  max: 'longest',
  min: 'shortest',
  mean: 'mean',
});

/** columns: of facts.csv. @type {Record<'round' | 'audit' | 'trial' | 'case', Readonly<Record<string, Metric>>> & {columns: readonly Exclude<keyof Fact, 'values'>[]}} */
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

/** Endings of names that say the unit. The longest that fits counts. @type {[string, {unit: string, divisor?: number}][]} */
const ENDINGS = [
  ['BytesPerSecond', { unit: 'bytes/s' }],
  ['Bytes', { unit: 'bytes' }],
  ['Seconds', { unit: 's' }],
  ['Ns', { unit: 'ms', divisor: NS_A_MS }],
  ['Us', { unit: 'ms', divisor: 1000 }],
  ['Ms', { unit: 'ms' }],
];
/** Endings that stay in the name. */
const KINDS = Object.freeze({ Cpu: 'cores', Rate: '/s', Share: 'share', Utilization: 'share' });
/** Last words of a place that say a unit. */
const WORDS = Object.freeze({ bytes: 'bytes', seconds: 's', cpu: 'cores', machineCpu: 'share', rate: '/s' });

/**
 * @param {string} place of a figure, such as `load.cpuPerOperationNs`
 * @returns {Metric} such as `load-cpu-per-operation` in `ms`; a figure without a unit in its name is a `count`
 */
export function metricNamed(place) {
  const path = place.split('.');
  let [unit, divisor] = ['count', 1];
  const words = path.flatMap((part) => {
    const [ending, found] = ENDINGS.find(([each]) => part.endsWith(each) && part !== each) ?? ['', null];
    const kind = Object.entries(KINDS).find(([each]) => part.endsWith(each));
    if (found) [unit, divisor] = [found.unit, found.divisor ?? 1];
    else if (Object.hasOwn(WORDS, part)) unit = WORDS[/** @type {keyof typeof WORDS} */ (part)];
    else if (kind) unit = kind[1];
    const name = part
      .slice(0, part.length - ending.length)
      .replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    return name.split(/[^A-Za-z0-9]+/);
  });
  return { metric: words.filter((word, i) => word !== words[i - 1]).join('-'), unit, divisor };
}

/** @param {string} place of the percentiles @param {string} time @returns {Record<string, Metric>} */
function times(place, time) {
  return Object.fromEntries(
    Object.entries(TIMES).map(([field, word]) => [
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
