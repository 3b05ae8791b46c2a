/**
 * @import { finishOption } from './finish.js'
 * @import { FUNCTIONS } from './functions.js'
 */

/**
 * What a chart is. Types only.
 *
 * A chart is plain JSON: the same document is drawn into an SVG file here and onto the page in a browser. Where ECharts takes a
 * function, the option names one of {@link FUNCTIONS} as `@name`; where it takes a colour, it names one of
 * {@link import('./palette.js').PALETTES} as `$name`, so that the same chart exists in light and dark.
 *
 * @typedef {keyof typeof import('./functions.js').FORMATS} FormatName
 * @typedef {keyof typeof import('./palette.js').PALETTES.light} ColourName
 * @typedef {string | number | null} Cell null: not measured, or there is none
 *
 * @typedef {Object} ChartColumn a column of the chart's data
 * @property {string} name unique in the chart; series refer to it in `encode`
 * @property {FormatName} [format] how its numbers are read; absent: as text
 *
 * @typedef {Object} Chart
 * @property {string} id unique in a report and fit for a file name, such as `pipeline.throughput`
 * @property {string} title what is shown, not what follows from it: `Throughput by batch size`
 * @property {string} alt what a reader who does not see it has to know: one to three sentences, computed from the figures
 * @property {string} [note] how to read it, where that does not go without saying
 * @property {readonly ChartColumn[]} columns
 * @property {readonly (readonly Cell[])[]} rows the data, once: series are drawn from it, and it is shown as a table
 * @property {Readonly<Record<string, any>>} option for ECharts, without `dataset`, `title` and what {@link finishOption}
 *   adds; its series refer to columns by name
 * @property {number} height in CSS pixels, for a width of {@link WIDTH}
 *
 * @typedef {Object} Style how a case, or whatever else has a line of its own, looks in the whole report
 * @property {`$${ColourName}`} color
 * @property {'circle' | 'rect' | 'triangle' | 'diamond'} symbol
 * @property {'solid' | 'dashed' | 'dotted'} dash
 */

/** Of the SVG files, in CSS pixels: what a column of text on GitHub has. */
export const WIDTH = 860;
