/**
 * A chart as an SVG file, drawn without a browser.
 */
import { createRequire } from 'node:module';
import { finishOption } from './finish.js';
import { PALETTES } from './palette.js';
import { WIDTH } from './types.js';

/** @import { Chart, ColourName } from './types.js' */

/** @type {typeof import('echarts') | undefined} */
let loaded;

/**
 * As one file, the one that the page has, too: its hundreds of modules take seven times as long to load. And only when something is
 * drawn: most commands draw nothing.
 *
 * @returns {typeof import('echarts')}
 */
function echarts() {
  loaded ??= /** @type {typeof import('echarts')} */ (createRequire(import.meta.url)('echarts/dist/echarts.min.js'));
  return loaded;
}

/**
 * A colour that stands for the one of that name: drawing takes long, and the two themes differ in nothing else.
 */
const STAND_INS = Object.freeze(
  /** @type {Record<ColourName, string>} */ (
    Object.fromEntries(Object.keys(PALETTES.light).map((name, i) => [name, `#fedc${(i + 16).toString(16)}`]))
  ),
);
const ANY_STAND_IN = new RegExp(Object.values(STAND_INS).join('|'), 'g');

/** @type {WeakMap<Chart, string>} */
const drawn = new WeakMap();

/**
 * @param {Chart} chart
 * @param {'light' | 'dark'} theme
 * @returns {string} the same for the same chart
 */
export function renderSvg(chart, theme) {
  const svg = drawn.get(chart) ?? draw(chart);
  drawn.set(chart, svg);
  const colours = new Map(
    Object.entries(STAND_INS).map(([name, standIn]) => [standIn, PALETTES[theme][/** @type {ColourName} */ (name)]]),
  );
  return svg.replaceAll(ANY_STAND_IN, (standIn) => String(colours.get(standIn)));
}

/**
 * @param {Chart} chart
 * @returns {string} in the colours that stand for others
 */
function draw(chart) {
  const drawing = echarts().init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: chart.height });
  try {
    drawing.setOption(finishOption(chart, { colours: STAND_INS, alone: true }));
    return drawing.renderToSVGString();
  } finally {
    drawing.dispose();
  }
}
