/**
 * Makes docs/choose.md, and the tables of README.md between their marks, from the samples.
 *
 *     node perf/docs.js
 */

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ResultSchema } from '../bench/index.js';
import { chooseData } from '../bench/sweep/choose.js';
import { writeWhole } from '../src/files.js';
import { renderTemplate, renderText } from '../src/report/template.js';
import { readResult } from '../src/result/read.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TEMPLATE = new URL('../bench/sweep/choose.md', import.meta.url);
/** These pages have no charts of their own. */
const NO_CHARTS = { figure: () => '' };

/** @param {string} sample */
const sampleOf = (sample) => readResult(path.join(ROOT, 'results/sample', sample), ResultSchema);

/** @returns {Promise<Record<string, string>>} by file, relative to the repository */
export async function documents() {
  const [sweep, main] = await Promise.all(['config-sweep', 'main'].map(sampleOf));
  const data = chooseData({ sweep, main });
  const readme = readFileSync(path.join(ROOT, 'README.md'), 'utf8');
  return {
    'docs/choose.md': `${renderTemplate(TEMPLATE, data, NO_CHARTS)}\n`,
    'README.md': readme.replaceAll(
      /(<!-- (\w+) -->\n).*?(<!-- \/\2 -->)/gs,
      (_, start, name, end) => `${start}${renderText(`{% table ${name} %}`, data, NO_CHARTS)}\n${end}`,
    ),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [file, text] of Object.entries(await documents())) await writeWhole(path.join(ROOT, file), text);
}
