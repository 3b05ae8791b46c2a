/** A chart's legend as buttons. It wraps at any width and works by keyboard. */

import { element } from './elements.js';

const SVG = 'http://www.w3.org/2000/svg';
/** Around (12, 6). @type {Readonly<Record<string, string>>} */
const SHAPES = Object.freeze({
  circle: 'M8 6a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z',
  rect: 'M8.5 2.5h7v7h-7z',
  triangle: 'M12 1.5l4.5 8h-9z',
  diamond: 'M12 1l5 5l-5 5l-5 -5z',
  roundRect: 'M2 1h20v10h-20z',
});
/** @type {Readonly<Record<string, string>>} */
const DASHES = Object.freeze({ dashed: '4 3', dotted: '2 2' });

/**
 * @typedef {{name: string, color: string, stroke: string | null, symbol: string, dash: string | null}} LegendEntry stroke: of the symbol;
 *   dash: null: no line
 */

/** @param {Record<string, any>} option finished @returns {LegendEntry[]} in order; empty: no legend */
export function legendEntries(option) {
  if (!option.legend) return [];
  const series = [option.series ?? []].flat();
  const listed = [option.legend].flat().flatMap(({ data }) => data ?? []);
  const data = listed.length > 0 ? listed : [...new Set(series.flatMap(({ name }) => name ?? []))];
  return data.flatMap((/** @type {any} */ each) => {
    const { name, icon } = typeof each === 'string' ? { name: each, icon: undefined } : each;
    const drawn = series.find((one) => one.name === name);
    if (!drawn) return [];
    const line = drawn.type === 'line' && icon === undefined;
    const symbol = icon ?? (drawn.type === 'bar' ? 'roundRect' : drawn.symbol);
    return {
      name,
      stroke: drawn.itemStyle?.borderColor ?? null,
      color:
        each.itemStyle?.color ??
        drawn.itemStyle?.color ??
        drawn.lineStyle?.color ??
        drawn.areaStyle?.color ??
        'currentColor',
      // A legend names an icon for bands and blocks, which have no symbol.
      symbol:
        icon === 'rect'
          ? 'roundRect'
          : line && (symbol === 'none' || drawn.showSymbol === false)
            ? 'none'
            : (symbol ?? 'circle'),
      dash: line ? (drawn.lineStyle?.type ?? 'solid') : null,
    };
  });
}

/**
 * @param {HTMLElement} list to fill @param {LegendEntry[]} entries
 * @param {{selected: Readonly<Record<string, boolean>>, toggle: (name: string) => void, point: (name: string | null) => void}} chart
 *   selected: false for hidden series; point: highlights the series under the pointer
 */
export function fillLegend(list, entries, { selected, toggle, point }) {
  list.replaceChildren(
    ...entries.map((entry) => {
      const ariaPressed = String(selected[entry.name] !== false);
      const button = element('button', { type: 'button', ariaPressed }, swatch(entry), entry.name);
      button.addEventListener('click', () => {
        toggle(entry.name);
        button.ariaPressed = String(button.ariaPressed !== 'true');
      });
      button.addEventListener('pointerenter', () => point(entry.name));
      button.addEventListener('pointerleave', () => point(null));
      return element('li', {}, button);
    }),
  );
}

/** @param {LegendEntry} entry */
function swatch({ color, stroke, symbol, dash }) {
  const svg = drawing('svg', { viewBox: '0 0 24 12', width: '24', height: '12', 'aria-hidden': 'true' });
  const line = { d: 'M0 6h24', stroke: color, 'stroke-width': '2' };
  if (dash !== null) svg.append(drawing('path', { ...line, 'stroke-dasharray': DASHES[dash] ?? 'none' }));
  if (symbol !== 'none') {
    // Bands are transparent, so their swatch needs an outline.
    const outline = symbol === 'roundRect' ? 'currentColor' : (stroke ?? 'none');
    const shape = { d: SHAPES[symbol] ?? SHAPES.circle, fill: color, stroke: outline };
    svg.append(drawing('path', { ...shape, 'stroke-width': stroke === null ? '0.5' : '1.5' }));
  }
  return svg;
}

/** @param {string} tag of SVG @param {Record<string, string>} attributes */
function drawing(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}
