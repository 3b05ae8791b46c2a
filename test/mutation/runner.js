/**
 * A test runner for Stryker: runs tests of `node:test` in its own process, one test at a time, and loads what depends on changed files
 * afresh for each planted defect. A process for each defect, as Stryker's TAP runner has, takes ten times as long, and knows no single tests.
 */
import { register } from 'node:module';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commonTokens, declareClassPlugin, declareValuePlugin, PluginKind, tokens } from '@stryker-mutator/api/plugin';
import {
  DryRunStatus,
  determineHitLimitReached,
  TestStatus,
  toMutantRunResult,
} from '@stryker-mutator/api/test-runner';
import { LIVE_FUNCTIONS } from './areas.js';
import { dependents } from './dependents.js';
import { LOADING, record } from './recorder.js';

/**
 * @import { InstrumenterContext, StrykerOptions } from '@stryker-mutator/api/core'
 * @import { DryRunResult, MutantRunOptions, MutantRunResult } from '@stryker-mutator/api/test-runner'
 * @import { Recorded } from './recorder.js'
 */

/** Where the changed code looks for the defect to show, and counts what it runs. */
const ACTIVE = '__STRYKER_ACTIVE_MUTANT__';

class NodeTestRunner {
  static inject = tokens(commonTokens.options);

  /** @type {InstrumenterContext} */
  #context;
  #files;
  #mutated;
  #run = 0;

  /** @param {StrykerOptions} options */
  constructor(options) {
    this.#files = /** @type {string[]} */ (options.tests);
    this.#mutated = options.mutate;
    const shared = /** @type {{__stryker__?: InstrumenterContext}} */ (globalThis);
    shared.__stryker__ ??= /** @type {InstrumenterContext} */ ({});
    this.#context = shared.__stryker__;
  }

  capabilities() {
    return { reloadEnvironment: true };
  }

  async init() {
    const fresh = await dependents(this.#files, this.#mutated);
    register('./hooks.js', import.meta.url, { data: fresh.map((file) => pathToFileURL(resolve(file)).href) });
  }

  /** @returns {Promise<DryRunResult>} */
  async dryRun() {
    this.#context.mutantCoverage = { static: {}, perTest: {} };
    return { ...asResult(await this.#runAll(this.#files)), mutantCoverage: this.#context.mutantCoverage };
  }

  /** @param {MutantRunOptions} options @returns {Promise<MutantRunResult>} */
  async mutantRun({ activeMutant, hitLimit, testFilter, sandboxFileName }) {
    const wanted = testFilter && new Set(testFilter);
    const files = this.#files.filter((file) => !testFilter || testFilter.some((id) => id.startsWith(`${file}: `)));
    const testPrefix = `${basename(sandboxFileName, '.js')}.`;
    // The tests of the file itself come first: they most often notice the defect.
    files.sort((a, b) => Number(basename(b).startsWith(testPrefix)) - Number(basename(a).startsWith(testPrefix)));
    // Threads and programs that a test starts read it from there.
    process.env[ACTIVE] = activeMutant.id;
    Object.assign(this.#context, { activeMutant: activeMutant.id, hitCount: hitLimit && 0, hitLimit });
    try {
      const results = await this.#runAll(files, wanted);
      const limit = determineHitLimitReached(this.#context.hitCount, hitLimit);
      return toMutantRunResult(limit ?? asResult(results));
    } finally {
      delete process.env[ACTIVE];
      this.#context.activeMutant = undefined;
    }
  }

  /**
   * @param {string[]} files in the order in which they run
   * @param {Set<string>} [wanted] ends at the first failure of these tests; default: all tests, to the end
   * @returns {Promise<Map<string, Recorded>>}
   */
  async #runAll(files, wanted) {
    /** @type {Map<string, Recorded>} */
    const results = new Map();
    const hasFailed = () => wanted !== undefined && [...results.values()].some(({ failure }) => failure !== null);
    for (const file of files) {
      if (hasFailed()) break;
      const whole = wanted === undefined || wanted.has(`${file}: ${LOADING}`);
      const isWanted = (/** @type {string} */ id) => whole || wanted.has(id);
      const ids = await this.#runFile(file, { results, isWanted: (id) => isWanted(id) && !hasFailed() });
      // A hook that fails, or an error outside of its test, keeps a test from ending.
      const silent = hasFailed() ? undefined : ids.find((id) => isWanted(id) && !results.has(id));
      if (silent !== undefined) results.set(silent, { ms: 0, failure: 'The test did not end.' });
    }
    return results;
  }

  /**
   * @param {string} file
   * @param {{results: Map<string, Recorded>, isWanted: (id: string) => boolean}} options
   * @returns {Promise<string[]>} the ids of its tests
   */
  async #runFile(file, { results, isWanted }) {
    const loading = `${file}: ${LOADING}`;
    const context = this.#context;
    const runs = (/** @type {string | undefined} */ id) => {
      context.currentTestId = id;
    };
    const load = async () => {
      runs(loading);
      results.set(loading, { ms: 0, failure: null });
      await import(`${pathToFileURL(resolve(file)).href}?run=${++this.#run}`);
      runs(undefined);
    };
    try {
      return await record({ file, isWanted, runs, results }, load);
    } catch (error) {
      runs(undefined);
      results.set(loading, { ms: 0, failure: String(error) });
      return [];
    }
  }
}

/** @param {Map<string, Recorded>} results @returns {import('@stryker-mutator/api/test-runner').CompleteDryRunResult} */
function asResult(results) {
  return {
    status: DryRunStatus.Complete,
    tests: [...results].map(([id, { ms, failure }]) => {
      const test = { id, name: id, timeSpentMs: ms };
      return failure === null
        ? { ...test, status: TestStatus.Success }
        : { ...test, status: TestStatus.Failed, failureMessage: failure };
    }),
  };
}

/** Leaves out functions that only real servers can exercise. */
const ignorer = {
  /**
   * @param {{node: {type: string, id?: {name: string} | null}}} path
   * @returns {string | undefined} why its defects are not planted
   */
  shouldIgnore({ node: { type, id } }) {
    return type === 'FunctionDeclaration' && id ? LIVE_FUNCTIONS[id.name] : undefined;
  },
};

export const strykerPlugins = [
  declareClassPlugin(PluginKind.TestRunner, 'node-test', NodeTestRunner),
  declareValuePlugin(PluginKind.Ignore, 'live', ignorer),
];
export const strykerValidationSchema = { properties: { tests: { type: 'array', items: { type: 'string' } } } };
