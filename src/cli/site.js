/** `sentinel-bench site`: a static site over runs. */
import { readdir } from 'node:fs/promises';
import { ResultSchema, suites } from '../../bench/index.js';
import { writeSite } from '../report/site.js';
import { everyRun } from '../result/runs.js';
import { print, tell } from './output.js';
import { refusal } from './refusals.js';

export const commands = { site: { run: site } };

/** @param {string} dir @param {string[]} folders @param {{force?: true}} options */
async function site(dir, folders, { force }) {
  const inside = await readdir(dir).catch(() => []);
  if (inside.length > 0 && !force) throw refusal('folder-used', { dir });
  const places = folders.length > 0 ? folders : ['results'];
  await writeSite(dir, everyRun(places, tell, ResultSchema), suites);
  print(`${dir}/index.html`);
}
