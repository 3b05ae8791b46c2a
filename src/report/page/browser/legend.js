/** A chart's legend as buttons. It wraps at any width and works by keyboard. */

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
 * @param {HTMLElement} list to fill
 * @param {LegendEntry[]} entries
 * @param {{selected: Readonly<Record<string, boolean>>, toggle: (name: string) => void, point: (name: string | null) => void}} chart
 *   selected: false for hidden series; point: highlights the series under the pointer
 */
export function fillLegend(list, entries, { selected, toggle, point }) {
  list.replaceChildren(
    ...entries.map((entry) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.setAttribute('aria-pressed', String(selected[entry.name] !== false));
      button.append(swatch(entry), entry.name);
      button.addEventListener('click', () => {
        toggle(entry.name);
        button.setAttribute('aria-pressed', String(button.getAttribute('aria-pressed') !== 'true'));
      });
      button.addEventListener('pointerenter', () => point(entry.name));
      button.addEventListener('pointerleave', () => point(null));
      const item = document.createElement('li');
      item.append(button);
      return item;
    }),
  );
}

/** @param {LegendEntry} entry */
function swatch({ color, stroke, symbol, dash }) {
  const svg = document.createElementNS(SVG, 'svg');
  for (const [name, value] of Object.entries({
    viewBox: '0 0 24 12',
    width: '24',
    height: '12',
    'aria-hidden': 'true',
  }))
    svg.setAttribute(name, value);
  if (dash !== null) {
    const line = document.createElementNS(SVG, 'path');
    line.setAttribute('d', 'M0 6h24');
    line.setAttribute('stroke', color);
    line.setAttribute('stroke-width', '2');
    line.setAttribute('stroke-dasharray', DASHES[dash] ?? 'none');
    svg.append(line);
  }
  if (symbol !== 'none') {
    const shape = document.createElementNS(SVG, 'path');
    shape.setAttribute('d', SHAPES[symbol] ?? SHAPES.circle);
    shape.setAttribute('fill', color);
    // Bands are transparent, so their swatch needs an outline.
    if (symbol === 'roundRect') shape.setAttribute('stroke', 'currentColor');
    else if (stroke !== null) shape.setAttribute('stroke', stroke);
    shape.setAttribute('stroke-width', stroke === null ? '0.5' : '1.5');
    svg.append(shape);
  }
  return svg;
}
