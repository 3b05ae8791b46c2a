/** Stands in for `node:test` while defects are planted: the same tests, whose results are recorded by their names. */
import * as real from 'node:test';

export { mock } from 'node:test';

/**
 * @typedef {Object} Recording of one run of one test file
 * @property {string} file
 * @property {(id: string) => boolean} isWanted asked right before a test; false: the test passes without being run
 * @property {(id: string | undefined) => void} runs called when a test begins, and with undefined when it has ended
 * @property {Map<string, Recorded>} results
 *
 * @typedef {Object} Recorded
 * @property {number} ms
 * @property {string | null} failure null: passed
 *
 * @typedef {(t: import('node:test').TestContext) => unknown} Body
 */

/** The name under which the loading of a test file and its hooks count as a test: they cover the constants of modules. */
export const LOADING = 'loading';

/** @type {Recording} */
let recording;
/** @type {Set<string>} */
let ids = new Set();
/** How many suites lie around what is being registered. */
let depth = 0;

/**
 * @param {Recording} next
 * @param {() => Promise<unknown>} load imports the test file
 * @returns {Promise<string[]>} the ids of its tests without those that are skipped
 * @throws {unknown} the file cannot be loaded
 */
export async function record(next, load) {
  recording = next;
  ids = new Set();
  await load();
  // Tests run one after the other, so this one ends after all of the file. The promise of a suite does not wait for its tests.
  await real.test('the end of a file', () => {});
  return [...ids];
}

/** @param {string} name @param {object | Body} options @param {Body} [body] */
export function test(name, options, body = /** @type {Body} */ (options)) {
  const { file, isWanted, runs, results } = recording;
  const first = `${file}: ${name}`;
  const id = ids.has(first) ? `${first} (${ids.size})` : first;
  const given = /** @type {{skip?: string | boolean}} */ (typeof options === 'object' ? options : {});
  if (!given.skip) ids.add(id);
  real.test(name, given, async (t) => {
    if (!isWanted(id)) return;
    const begins = performance.now();
    runs(id);
    try {
      await body(t);
      results.set(id, { ms: performance.now() - begins, failure: null });
    } catch (error) {
      results.set(id, { ms: performance.now() - begins, failure: String(error) });
    } finally {
      runs(undefined);
    }
  });
}

/** @param {string} name @param {object | (() => void)} options @param {() => void} [body] */
export function describe(name, options, body = /** @type {() => void} */ (options)) {
  real.describe(name, typeof options === 'object' ? options : {}, () => {
    depth++;
    body();
    depth--;
  });
}

export const before = hookAs(real.before);
export const after = hookAs(real.after);
export const beforeEach = hookAs(real.beforeEach);
export const afterEach = hookAs(real.afterEach);

/**
 * @param {(body: () => Promise<void>) => void} register
 * @returns {(body: Body) => void} a hook that fails counts as a failure of its file
 */
function hookAs(register) {
  return (body) => {
    const { file, results } = recording;
    if (depth === 0) throw new Error(`${file} has a hook outside of a suite, which would run for every other file`);
    register(async (/** @type {any[]} */ ...context) => {
      try {
        await body(context[0]);
      } catch (error) {
        results.set(`${file}: ${LOADING}`, { ms: 0, failure: String(error) });
        throw error;
      }
    });
  };
}
