/** The templates of `check`: Liquid, with filters for figures. */
import { Liquid } from 'liquidjs';
import { bytes, count, plural } from '../format.js';

/** @import { Values } from './judge.js' */

const engine = new Liquid({ strictVariables: true, strictFilters: true, cache: true });
engine.registerFilter('s', secondsText);
engine.registerFilter('n', (value) => count(Number(value)));
engine.registerFilter('b', (value) => bytes(Math.round(Number(value))));
engine.registerFilter('twice', (value) => Math.ceil(2 * Number(value)));
engine.registerFilter('plural', (value, noun) => plural(Number(value), noun));
engine.registerFilter('reason', (because) => REASONS[/** @type {keyof typeof REASONS} */ (because)]?.why ?? because);
engine.registerFilter('remedy', (because) => REASONS[/** @type {keyof typeof REASONS} */ (because)]?.remedy ?? '');

/** Why no replica is promoted, and what to do. */
const REASONS = Object.freeze({
  'no-majority': {
    why: 'the Sentinels that are left are no majority',
    remedy: 'Put one Sentinel beside each node, on three machines.',
  },
  'no-quorum': {
    why: 'the Sentinels that are left are fewer than the quorum',
    remedy: 'Lower the quorum to the majority.',
  },
  'no-replica': {
    why: 'no replica is left that may be promoted',
    remedy: 'Put a replica on another machine, with replica-priority above 0, at an address that Sentinels reach.',
  },
  'chosen-cannot': {
    why: 'the replica that Sentinels choose cannot be promoted',
    remedy: 'See the finding about that replica.',
  },
});

/** @param {number} seconds @returns {string} such as `25 s`, `0.5 s`, `2.5 h` */
function secondsText(seconds) {
  if (seconds >= 7200) return `${Number((seconds / 3600).toPrecision(2))} h`;
  return `${seconds < 10 ? Number(seconds.toFixed(1)) : Math.round(seconds)} s`;
}

/** @param {string} template @param {Values} values @returns {string} */
export function rendered(template, values) {
  return engine.parseAndRenderSync(template, values).trim();
}
