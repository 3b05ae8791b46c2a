/** The scripts of a page, which are parts of it: bundled, packed, and with a digest for its policy. */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { deflateSync } from 'node:zlib';
import { buildSync } from 'esbuild';
import { once } from '../../once.js';

/** @import { BuildOptions } from 'esbuild' */

/** A third of the size: people send the page by mail. Its own script unpacks this. @param {string} text @returns {string} Base64 */
export function pack(text) {
  return deflateSync(text, { level: 9 }).toString('base64');
}

/** The page's script besides ECharts; adds nothing to the global scope. */
export const browserScript = once(() => bundle('main.js'));

const LICENSE = '/* Apache ECharts, Apache License 2.0, with zrender, BSD 3-Clause License */';
/** The parts of ECharts that charts use, as the global `echarts`. */
export const echartsScript = once(() => bundle('echarts.js', { globalName: 'echarts', banner: { js: LICENSE } }));

/** @param {string} file in `browser/` @param {Pick<BuildOptions, 'globalName' | 'banner'>} [options] */
function bundle(file, options) {
  const [{ text }] = buildSync({
    ...options,
    entryPoints: [fileURLToPath(new URL(`./browser/${file}`, import.meta.url))],
    bundle: true,
    // An installed copy has the tsconfig.json of the browser folder, but not the one that it extends.
    tsconfigRaw: {},
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    // Comments with paths relative to the working directory would change the hash of the page.
    minify: true,
  }).outputFiles;
  return text;
}

/**
 * @param {string} script @returns {{element: string, hash: string}} hash: for a Content-Security-Policy
 * @throws {Error} the script contains text that would end its element
 */
export function scriptElement(script) {
  if (/<\/script|<!--/i.test(script)) throw new Error('a script of the page holds </script or <!--');
  return {
    element: `<script>${script}</script>`,
    hash: `sha256-${createHash('sha256').update(script).digest('base64')}`,
  };
}
