/** The templates of `check`: Liquid, with filters for figures. */
import { Liquid } from 'liquidjs';
import { bytes, count, plural } from '../format.js';
import { REASONS } from './findings/index.js';

/** @import { Values } from '../sentences.js' */

const engine = new Liquid({ strictVariables: true, strictFilters: true, cache: true });
engine.registerFilter('s', secondsText);
engine.registerFilter('n', (value) => count(Number(value)));
engine.registerFilter('b', (value) => bytes(Math.round(Number(value))));
engine.registerFilter('twice', (value) => Math.ceil(2 * Number(value)));
engine.registerFilter('plural', (value, noun) => plural(Number(value), noun));
engine.registerFilter('reason', (because) => REASONS[because]?.why ?? because);
engine.registerFilter('remedy', (because) => REASONS[because]?.remedy ?? '');

/** @param {number} seconds @returns {string} such as `25 s`, `0.5 s`, `2.5 h` */
function secondsText(seconds) {
  if (seconds >= 7200) return `${Number((seconds / 3600).toPrecision(2))} h`;
  return `${seconds < 10 ? Number(seconds.toFixed(1)) : Math.round(seconds)} s`;
}

/** @param {string} template @param {Values} values @returns {string} */
export function rendered(template, values) {
  return engine.parseAndRenderSync(template, values).trim();
}
