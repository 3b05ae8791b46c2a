/**
 * What is mutated, area by area, and what is left out because only real servers, sockets, threads or programs can exercise it.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {Object} Area
 * @property {string[]} files
 * @property {string[]} tests folders and files of unit tests
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** @type {Readonly<Record<string, Area>>} */
export const AREAS = Object.freeze({
  audit: {
    files: filesIn('src/audit', ['ledger', 'timeline', 'value', 'verdict']),
    tests: filesIn('src/audit', ['timeline.test', 'value.test', 'verdict.test', 'verdict.property.test']),
  },
  stats: {
    files: filesIn('src/stats', ['comparison', 'histogram', 'random', 'statistics', 'summary']),
    tests: ['src/stats'],
  },
  sweep: {
    files: filesIn('bench/sweep', ['decision', 'recommend', 'risk']),
    tests: ['bench/sweep'],
  },
  compare: {
    files: filesIn('src/report/compare', ['compare', 'failures', 'history']),
    tests: ['src/report/compare'],
  },
  load: {
    files: filesIn('src/load', ['closed-loop', 'open-loop', 'recorder']),
    tests: ['src/load', 'src/run/throughput.test.js'],
  },
  clients: {
    files: filesIn('src/clients', ['library', 'native', 'native-batch', 'outcome']),
    tests: ['src/clients'],
  },
  faults: {
    files: filesIn('src/faults', ['index', 'journal', 'journal-file', 'settings']),
    tests: ['src/faults'],
  },
  catalogue: {
    files: filesIn('bench/experiments', ['benchmark', 'cases', 'checks', 'data', 'groups', 'index', 'lengths']).concat(
      filesIn('bench/experiments', ['placement', 'rows', 'selection', 'steps']),
    ),
    tests: ['bench/experiments', 'bench/failure', 'bench/index.test.js'],
  },
  run: {
    files: filesIn('src/run', ['allocation', 'recover', 'rounds']),
    tests: ['allocation', 'measure-benchmark', 'recover', 'rounds', 'throughput'].map(
      (name) => `src/run/${name}.test.js`,
    ),
  },
});

/** Files of these areas without any mutant, and why. */
export const LIVE_FILES = Object.freeze({
  'src/audit/recheck.js': 'reads nodes',
  'src/audit/files.js': 'files; its tests have hooks, which would run around all others of the process',
  'src/stats/clock.js': 'reads the clocks of this machine',
  'src/load/{drain,load-thread,load-worker,thread,traffic*,trial-*}.js': 'threads and sockets',
  'src/load/{program-load,read-after-write,stale-reads}.js': 'other programs and servers',
  'src/load/writers/*.js': 'sockets and the clients of examples/',
  'src/clients/{connection,dial,mysql}.js': 'sockets',
  'src/clients/{ioredis,redis,sentinel-*}.js': 'the libraries themselves',
  'bench/sweep/{failures,healthy}.js': 'data, and scripts that disturb servers',
});

/** Functions without any mutant, and why. @type {Readonly<Record<string, string>>} */
export const LIVE_FUNCTIONS = Object.freeze({
  isOtherRecovering: 'src/run/recover.js: needs a second recovery',
  undoOn: 'src/run/recover.js: needs a stack that can be attached to again',
  whyLeft: 'src/run/recover.js: likewise',
});

/** @param {string} folder @param {string[]} names */
function filesIn(folder, names) {
  return names.map((name) => `${folder}/${name}.js`);
}

/**
 * @param {string} place a folder, or a file
 * @returns {string[]} its unit tests, without simulations
 */
export function unitTests(place) {
  if (place.endsWith('.js')) return [place];
  return readdirSync(join(ROOT, place))
    .filter((file) => file.endsWith('.test.js') && !/\.(live|soak|simulation)\.test\.js$/.test(file))
    .map((file) => join(place, file));
}
