/**
 * A static site over runs: a folder for each with its page, and an index.
 * @import { StoredRun } from '../result/runs.js' @import { Suite } from '../run/types.js'
 */
import path from 'node:path';
import { makeFolders, writeWhole } from '../files.js';
import { makeReport } from './document.js';
import { renderPage } from './page/page.js';
import { runOf } from './run.js';
import { renderTemplate } from './template.js';

const INDEX = new URL('site.md', import.meta.url);
const TITLE = 'sentinel-bench';
const PAGE = 'index.html';

/** Replaces what the folder has of the same names. @param {string} folder @param {AsyncIterable<StoredRun>} runs @param {readonly Suite[]} suites */
export async function writeSite(folder, runs, suites) {
  const names = new Set();
  const written = [];
  for await (const { folder: source, result } of runs) {
    const name = freeName(path.basename(path.resolve(source)), names);
    const { html, pictures } = makeReport(result, suites);
    for (const [file, text] of [[PAGE, html], ...pictures]) {
      const target = path.join(folder, name, file);
      makeFolders(path.dirname(target));
      await writeWhole(target, text);
    }
    written.push({ ...runOf(result), folder: name });
  }
  const markdown = renderTemplate(INDEX, { title: TITLE, runs: written });
  await writeWhole(path.join(folder, PAGE), renderPage({ title: TITLE, markdown, charts: [] }));
}

/** Safe in a path and in a link, and not taken yet. @param {string} name of the folder of a run @param {Set<string>} taken gets it */
function freeName(name, taken) {
  const safe = name.replaceAll(/[^\w.-]+/g, '-').replace(/^\.+/, '') || 'run';
  let free = safe;
  for (let number = 2; taken.has(free); number++) free = `${safe}-${number}`;
  taken.add(free);
  return free;
}
