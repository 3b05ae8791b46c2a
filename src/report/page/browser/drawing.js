/**
 * One chart drawn on the page.
 */
import { finishOption } from '../../charts/finish.js';
import { PALETTES } from '../../charts/palette.js';
import { fitOption, leastWidth, spareHeight } from './fit.js';
import { fillLegend, legendEntries } from './legend.js';
import { isWhole, zoomOf, zoomWindow } from './zoom.js';

/** @import { Chart } from '../../charts/types.js' */

/**
 * @typedef {Object} Drawing
 * @property {boolean} zooms
 * @property {(how: Parameters<typeof zoomWindow>[1]) => void} zoom
 * @property {(changed: (whole: boolean) => void) => void} onZoom whole: all is shown
 * @property {(theme: 'light' | 'dark') => void} redraw in that theme, and for the width it has now; what is zoomed and hidden stays so
 */

/**
 * @param {Chart} chart
 * @param {{place: HTMLElement, legend: HTMLElement, theme: 'light' | 'dark'}} page legend: a list to fill
 * @returns {Drawing}
 */
export function draw(chart, { place, legend, theme }) {
  const height = chart.height - spareHeight(chart.option);
  place.style.height = `${height}px`;
  place.style.minWidth = `${leastWidth(chart)}px`;
  const echarts = /** @type {any} */ (globalThis).echarts;
  const instance = echarts.init(place, null, { renderer: 'svg', height });
  const dispatch = (/** @type {Record<string, any>} */ action) => instance.dispatchAction(action);
  const window = () => {
    const [{ start = 0, end = 100 } = {}] = instance.getOption()?.dataZoom ?? [];
    return { start, end };
  };
  const redraw = (/** @type {'light' | 'dark'} */ now) => {
    const selected = instance.getOption()?.legend?.[0]?.selected ?? {};
    instance.resize({ width: place.clientWidth, height });
    const option = fitOption(finishOption(chart, { colours: PALETTES[now], alone: false }), place.clientWidth);
    const zoom = zoomOf(option);
    if (zoom) option.dataZoom = zoom.map((each) => ({ ...each, ...window() }));
    if (option.legend) option.legend = [option.legend].flat().map((each) => ({ ...each, show: false, selected }));
    instance.setOption(option, true);
    fillLegend(legend, legendEntries(option), {
      selected,
      toggle: (name) => dispatch({ type: 'legendToggleSelect', name }),
      point: (name) => dispatch(name === null ? { type: 'downplay' } : { type: 'highlight', seriesName: name }),
    });
  };
  redraw(theme);
  return {
    zooms: zoomOf(chart.option) !== null,
    redraw,
    zoom: (how) => dispatch({ type: 'dataZoom', dataZoomIndex: 0, ...zoomWindow(window(), how) }),
    onZoom: (changed) => instance.on('datazoom', () => changed(isWhole(window()))),
  };
}
