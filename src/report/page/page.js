/**
 * A report as one HTML file: no network, light and dark, charts that can be hovered and zoomed, tables that can be sorted.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { PALETTES } from '../charts/palette.js';
import { escapeHtml } from '../markdown-text.js';
import { renderBody } from './page-body.js';

/** @import { Chart } from '../charts/types.js' */

/**
 * @param {{title: string, markdown: string, charts: readonly Chart[]}} report markdown: with
 *   `<figure data-chart="ID"></figure>` in the place of a chart; other HTML than `<details>` is shown as text. Sections after a second
 *   heading of the first level are folded.
 * @returns {string} the same for the same report
 * @throws {Error} the Markdown names an unknown chart
 */
export function renderPage({ title, markdown, charts }) {
  const { header, contents, main } = renderBody({ title, markdown, charts });
  const scripts = [...(charts.length === 0 ? [] : [readEcharts()]), browserScript()].map(scriptElement);
  const style = `${themeStyle()}\n${readFileSync(new URL('./page.css', import.meta.url), 'utf8')}`;
  // The page loads nothing and runs only these scripts, whatever texts the report holds. ECharts writes style attributes.
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.map(({ hash }) => `'${hash}'`).join(' ')}`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<style>
${style}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<div class="headline">
${header}
</div>
<div class="controls" hidden>
<button type="button" data-control="theme">Theme: auto</button>
<button type="button" data-control="fold">Unfold all</button>
</div>
</header>
${contents}
<main id="content" tabindex="-1">
${charts.length === 0 ? '' : '<noscript><p class="noscript">Charts need JavaScript, which is off. A sentence says what each one shows; the tables have the figures.</p></noscript>\n'}${main}
</main>
<script type="application/json" id="charts">${JSON.stringify(charts).replaceAll('<', '\\u003c')}</script>
${scripts.map(({ element }) => element).join('\n')}
</body>
</html>
`;
}

/** @type {string | undefined} */
let bundled;

/** @returns {string} what runs in the browser besides ECharts; it leaves nothing in the global scope */
export function browserScript() {
  bundled ??= buildSync({
    entryPoints: [fileURLToPath(new URL('./browser/main.js', import.meta.url))],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    // Otherwise comments name the files relative to the working directory, and the page's hash depends on it.
    minify: true,
  }).outputFiles[0].text;
  return bundled;
}

/** @returns {string} the whole library, of which any chart may use any part */
function readEcharts() {
  return readFileSync(createRequire(import.meta.url).resolve('echarts/dist/echarts.min.js'), 'utf8');
}

/**
 * @param {string} script
 * @returns {{element: string, hash: string}} hash: as a Content-Security-Policy names it
 * @throws {Error} HTML would end the element within the script
 */
function scriptElement(script) {
  if (/<\/script|<!--/i.test(script)) throw new Error('a script of the page holds </script or <!--');
  return {
    element: `<script>${script}</script>`,
    hash: `sha256-${createHash('sha256').update(script).digest('base64')}`,
  };
}

/** @returns {string} the colours of charts as custom properties: the page has the same */
function themeStyle() {
  const [light, dark] = [PALETTES.light, PALETTES.dark].map((colours) =>
    ['background', 'ink', 'muted', 'line', 'good', 'bad']
      .map((name) => `--${name}: ${colours[/** @type {keyof typeof colours} */ (name)]};`)
      .join(' '),
  );
  return `:root { color-scheme: light; ${light} }
:root[data-theme="dark"] { color-scheme: dark; ${dark} }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { color-scheme: dark; ${dark} } }
@media print { :root, :root[data-theme="dark"], :root:not([data-theme="light"]) { color-scheme: light; ${light} } }`;
}
