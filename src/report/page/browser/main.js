/**
 * Starts what the page can do.
 */
import { startContents, startFoldControl, startThemeControl, themeNow } from './controls.js';
import { showFigures } from './figures.js';
import { enhanceTables } from './tables.js';

const figures = showFigures(JSON.parse(document.getElementById('charts')?.textContent ?? '[]'), themeNow);
enhanceTables(document);
startThemeControl(figures.redraw);
startFoldControl();
startContents();
/** @type {HTMLElement} */ (document.querySelector('.controls')).hidden = false;

addEventListener('beforeprint', figures.drawVisible);
// By then the page has the width of the paper.
matchMedia('print').addEventListener('change', figures.redraw);
