/** For tests only: Python, for its readers of formats that we write. */
import { spawnSync } from 'node:child_process';
import { skipFor } from '../../test/needs.js';

/** Debian's comes first: its packages are modules of that one only. */
const PYTHONS = ['/usr/bin/python3', 'python3'];

/**
 * @param {string} name of a module
 * @returns {{python: string, skip: string | false}} skip: why tests with it cannot run here
 */
export function pythonWith(name) {
  const python = PYTHONS.find((each) => spawnSync(each, ['-c', `import ${name}`]).status === 0);
  return {
    python: python ?? PYTHONS[0],
    skip: skipFor(python === undefined && `there is no Python with the module ${name}`),
  };
}

/**
 * @param {string} python
 * @param {string} script prints JSON
 * @param {string} input
 * @returns {any} what it printed
 */
export function runPython(python, script, input) {
  const { status, stdout, stderr, error } = spawnSync(python, ['-c', script], {
    input,
    encoding: 'utf8',
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
    maxBuffer: 2 ** 28,
  });
  if (status !== 0) throw new Error(`${python} ended with ${status}: ${stderr}`, { cause: error });
  return JSON.parse(stdout);
}
