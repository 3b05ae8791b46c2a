/** Starts the page: its theme, folds and contents, its figures and tables. @import { DrawnChart } from './figures.js' */

import { startCopying } from './copying.js';
import { showFigures } from './figures.js';
import { startFilters } from './filters.js';
import { enhanceTables } from './tables.js';

const THEMES = /** @type {const} */ (['auto', 'light', 'dark']);
const isDark = matchMedia('(prefers-color-scheme: dark)');
const isWide = matchMedia('(min-width: 88em)');
const onPaper = matchMedia('print');

/** @param {() => void} changed */
function startThemeControl(changed) {
  const button = /** @type {HTMLElement} */ (document.querySelector('[data-control="theme"]'));
  /** @type {(typeof THEMES)[number]} */
  let chosen = 'auto';
  const apply = () => {
    if (chosen === 'auto') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    button.textContent = `Theme: ${chosen}`;
    changed();
  };
  button.addEventListener('click', () => {
    chosen = THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length];
    apply();
  });
  isDark.addEventListener('change', changed);
  apply();
}

/** On wide screens the contents are open beside the text, else folded above it. A link to a folded section opens it. */
function startContents() {
  const contents = /** @type {HTMLDetailsElement | null} */ (document.querySelector('nav details'));
  const fit = () => {
    if (contents) contents.open = isWide.matches;
  };
  fit();
  isWide.addEventListener('change', fit);
  contents?.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLAnchorElement && !isWide.matches) contents.open = false;
  });
  const unfold = () => {
    const target =
      location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    for (let fold = target?.closest('details'); fold; fold = fold.parentElement?.closest('details')) fold.open = true;
    target?.scrollIntoView();
  };
  unfold();
  addEventListener('hashchange', unfold);
}

/** @param {string} id of the element that holds it @returns {Promise<string>} the unpacked text */
async function unpack(id) {
  const letters = atob(document.getElementById(id)?.textContent ?? '');
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'))).text();
}

/** Runs the library of charts. The page's policy allows this very text. */
async function loadCharts() {
  const charts = /** @type {DrawnChart[]} */ (JSON.parse(await unpack('charts')));
  if (charts.length === 0) return charts;
  const script = document.createElement('script');
  script.textContent = await unpack('echarts');
  document.head.append(script);
  return charts;
}

async function start() {
  /** @type {ReturnType<typeof showFigures> | undefined} */
  let figures;
  startThemeControl(() => figures?.redraw());
  enhanceTables(document);
  startContents();
  startCopying();
  startFilters((chosen) => figures?.redraw(chosen));
  addEventListener('beforeprint', () => figures?.drawVisible());
  // At this event the page has the width of the paper.
  onPaper.addEventListener('change', () => figures?.redraw());
  figures = showFigures(await loadCharts());
  /** @type {HTMLElement} */ (document.querySelector('.controls')).hidden = false;
}

start();
