/**
 * Which axes of a chart are zoomed, and how far. Imports nothing.
 */

const WHOLE = Object.freeze({ start: 0, end: 100 });
/** Of the whole, in percent: nearer than that nothing is seen. */
const LEAST_SPAN = 0.5;

/**
 * @param {Record<string, any>} option
 * @returns {Record<string, any>[] | null} parts of an option; null: nothing can be zoomed
 */
export function zoomOf(option) {
  if (option.dataZoom) return [option.dataZoom].flat();
  // A bar starts at zero: one that is cut off at its foot would lie.
  if ([option.series ?? []].flat().some(({ type }) => type === 'bar')) return null;
  const stretches = (/** @type {any} */ axes) => [axes ?? []].flat().some(({ type }) => type !== 'category');
  const axis = ['xAxis', 'yAxis'].find((each) => stretches(option[each]));
  if (axis === undefined) return null;
  return [
    {
      type: 'inside',
      [`${axis}Index`]: 'all',
      filterMode: 'none',
      // The wheel alone, and a finger, scroll the page.
      zoomOnMouseWheel: 'ctrl',
      moveOnMouseWheel: false,
      disabled: matchMedia('(pointer: coarse)').matches,
    },
  ];
}

/**
 * @param {{start: number, end: number}} window in percent of the whole
 * @param {'in' | 'out' | 'back' | 'forward' | 'all'} how
 * @returns {{start: number, end: number}}
 */
export function zoomWindow({ start, end }, how) {
  const span = end - start;
  if (how === 'all') return WHOLE;
  if (how === 'back' || how === 'forward') {
    const step = how === 'back' ? -Math.min(start, span / 2) : Math.min(100 - end, span / 2);
    return { start: start + step, end: end + step };
  }
  const next = Math.min(100, Math.max(LEAST_SPAN, how === 'in' ? span / 2 : span * 2));
  const from = Math.min(Math.max(0, (start + end - next) / 2), 100 - next);
  return { start: from, end: from + next };
}

/** @param {{start: number, end: number}} window */
export function isWhole({ start, end }) {
  return start <= WHOLE.start && end >= WHOLE.end;
}
