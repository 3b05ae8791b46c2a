/**
 * From a chart to what ECharts draws, for an SVG file and for the page alike. The page uses it as it stands, after
 * functions.js.
 */
import { FUNCTIONS } from './functions.js';

/** @import { Chart, ColourName } from './types.js' */

// Without quotation marks: ECharts writes it into an attribute of the SVG as it stands.
const FONT = 'system-ui, -apple-system, Segoe UI, Noto Sans, Helvetica, Arial, sans-serif';

/** @type {Readonly<Record<string, Function>>} */
const functions = FUNCTIONS;

/**
 * @param {Chart} chart
 * @param {{colours: Readonly<Record<ColourName, string>>, alone: boolean}} options alone: a picture by itself, with a
 *   title and a background; on a page what is around it gives both
 * @returns {Record<string, any>} an option for ECharts, of its own
 */
export function finishOption(chart, { colours, alone }) {
  const option = {
    animation: false,
    textStyle: { fontFamily: FONT, color: '$ink' },
    ...chart.option,
    tooltip: {
      trigger: 'axis',
      confine: true,
      backgroundColor: '$background',
      borderColor: '$line',
      textStyle: { color: '$ink' },
      ...chart.option.tooltip,
    },
    dataset: { dimensions: chart.columns.map(({ name }) => name), source: chart.rows },
    ...(alone && {
      backgroundColor: '$background',
      title: { text: chart.title, left: 12, top: 10, textStyle: { color: '$ink', fontSize: 15, fontWeight: 600 } },
      // Nothing points at a part of a picture.
      series: [chart.option.series].flat().map((series) => ({ ...series, emphasis: { disabled: true } })),
    }),
  };
  return resolve(option, colours);
}

/**
 * @param {any} value of an option; data is left as it is
 * @param {Record<string, string>} colours
 * @returns {any} with functions and colours in place of their names
 */
function resolve(value, colours) {
  if (typeof value === 'string') {
    // What is no such name is text, whatever it begins with.
    if (value.startsWith('$')) return colours[value.slice(1)] ?? value;
    return value.startsWith('@') ? (functions[value.slice(1)] ?? value) : value;
  }
  if (Array.isArray(value)) return value.map((each) => resolve(each, colours));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, key === 'dataset' ? each : resolve(each, colours)]),
  );
}
