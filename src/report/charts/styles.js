/**
 * The colours of charts, and which colour, symbol and dash a case has. They are the same in every chart of every report.
 *
 * The eight colours of series differ from each other by at least 15 (CIEDE2000), also for people who do not tell red from green or
 * blue from yellow. Their contrast to the background is at least 3:1 (WCAG 2.1, 1.4.11). styles.test.js measures both.
 */

/**
 * @import { ColourName, Style } from './chart.js'
 * @import { CaseParams } from '../../result/schema.js'
 */

/** The colours that series have, by name. */
export const SERIES = Object.freeze(['grey', 'sky', 'blue', 'orange', 'red', 'green', 'purple', 'olive']);

export const PALETTES = Object.freeze({
  light: {
    background: '#ffffff',
    ink: '#1f2328',
    muted: '#59636e',
    line: '#d1d9e0',
    /** Bands behind lines. */
    unavailable: '#77081f26',
    splitBrain: '#b0841040',
    /** Area below a line: writes that were acknowledged and later lost. */
    lost: '#77081f8c',
    good: '#24775a',
    bad: '#77081f',
    /** Squares of a heat map with text in ink: none, then from little to much. */
    none: '#c8ddd6',
    little: '#f4ebed',
    some: '#e1c9ce',
    more: '#cea6ae',
    much: '#bb848f',
    grey: '#868b97',
    sky: '#4f91f9',
    blue: '#1d1081',
    orange: '#b08410',
    red: '#77081f',
    green: '#24775a',
    purple: '#77548d',
    olive: '#3d5106',
  },
  dark: {
    background: '#0d1117',
    ink: '#f0f6fc',
    muted: '#9198a1',
    line: '#3d444d',
    unavailable: '#c32e2040',
    splitBrain: '#f4a00e33',
    lost: '#f0665a99',
    good: '#50986c',
    bad: '#f0665a',
    none: '#1e332c',
    little: '#2e1619',
    some: '#4f1b1a',
    more: '#73211c',
    much: '#9f281e',
    grey: '#a4a9ae',
    sky: '#93ccff',
    blue: '#0854f1',
    orange: '#f4a00e',
    red: '#c32e20',
    green: '#50986c',
    purple: '#985c7f',
    olive: '#eee6b9',
  },
});

export const SYMBOLS = /** @type {const} */ (['circle', 'rect', 'triangle', 'diamond']);
const DASHES = /** @type {const} */ (['solid', 'dashed', 'dotted']);

/** By the ids of durability modes. @type {Readonly<Record<string, Style>>} */
const MODE_STYLES = Object.freeze({
  async: style('grey'),
  wait1: style('sky'),
  wait2: style('blue', 1),
  'wait1-min1': style('sky', 3, 1),
  'wait1-min1-aof': style('green', 3, 1),
  min1: style('orange', 0),
  'min1-lag5': style('orange', 1, 1),
  'min1-lag1': style('orange', 2, 2),
  min2: style('red', 0),
  'min2-lag5': style('red', 1, 1),
  'min2-lag1': style('red', 2, 2),
  aof: style('green', 0),
  'aof-no': style('green', 1, 1),
  'aof-always': style('green', 2, 2),
  'waitaof-local': style('purple', 1, 1),
  waitaof: style('purple', 0),
  rdb: style('grey', 1, 1),
  'waitaof-local-everysec': style('purple', 2, 2),
  'waitaof-everysec': style('purple', 3, 1),
  none: style('green', 2, 2),
  'after-commit': style('sky', 1),
  'after-sync': style('blue', 3),
  'after-sync-no-fallback': style('purple', 1),
});
const OTHER_MODE = style('olive', 3);

/** Clients and other load programs, in the order of the schema. @type {Readonly<Record<string, Style>>} */
export const CLIENT_STYLES = Object.freeze({
  native: style('grey'),
  redis: style('red', 1),
  ioredis: style('blue', 2),
  'redis-benchmark': style('orange', 3),
  memtier_benchmark: style('green', 1),
});

/** Writers of failure benchmarks. */
const WRITER_STYLES = Object.freeze({
  sticky: style('grey'),
  'failover-aware': style('sky', 1),
  redis: CLIENT_STYLES.redis,
  'redis-example': style('green'),
  ioredis: CLIENT_STYLES.ioredis,
  'ioredis-detector': style('orange', 3),
  'ioredis-example': style('green', 1),
});

/**
 * @param {string} name of a writer
 * @returns {Style}
 */
export function writerStyle(name) {
  return Object.hasOwn(WRITER_STYLES, name)
    ? WRITER_STYLES[/** @type {keyof typeof WRITER_STYLES} */ (name)]
    : style('olive', 3);
}

/** @type {Readonly<Record<'acked' | 'underAcked' | 'rejected' | 'unknown' | 'unsent', Style>>} */
export const OUTCOME_STYLES = Object.freeze({
  acked: style('grey'),
  underAcked: style('sky'),
  rejected: style('orange'),
  unknown: style('red'),
  unsent: style('purple'),
});

/**
 * @param {CaseParams} params
 * @returns {string} the case's durability mode, or its WAIT where it has no mode
 */
export function modeName({ mode, wait, waitLocal }) {
  if (mode !== undefined) return mode;
  if (waitLocal !== undefined) return `WAITAOF ${waitLocal} ${wait}`;
  return wait === 0 ? 'async' : `WAIT ${wait}`;
}

/**
 * @param {CaseParams} params
 * @returns {Style} of the case's durability mode, or of its WAIT where it has no mode
 */
export function modeStyle({ mode, wait, waitLocal, waitMode }) {
  if (mode !== undefined) return MODE_STYLES[mode] ?? OTHER_MODE;
  if (waitLocal !== undefined) return MODE_STYLES[wait === 0 ? 'waitaof-local' : 'waitaof'];
  const own = MODE_STYLES[wait === 0 ? 'async' : `wait${wait}`] ?? OTHER_MODE;
  return wait > 0 && waitMode === 'sequential' ? { ...own, dash: 'dashed' } : own;
}

/**
 * A style for things without a colour of their own. Neighbours differ in colour and symbol; after all colours, symbols and dashes
 * change.
 *
 * @param {number} index ≥ 0; the same thing always has the same index
 * @returns {Style}
 */
export function styleAt(index) {
  const turn = Math.floor(index / SERIES.length);
  return style(/** @type {ColourName} */ (SERIES[index % SERIES.length]), index + turn, turn);
}

/**
 * @param {ColourName} colour
 * @param {number} [symbol]
 * @param {number} [dash]
 * @returns {Style}
 */
function style(colour, symbol = 0, dash = 0) {
  return { color: `$${colour}`, symbol: SYMBOLS[symbol % SYMBOLS.length], dash: DASHES[dash % DASHES.length] };
}
