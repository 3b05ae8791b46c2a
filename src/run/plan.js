/**
 * What a run is going to measure, and what it is not, and why: decided before anything is loaded.
 */
import { ExitStatus, UserError } from '../errors.js';
import { availableMemory } from '../measure/storage.js';
import { missingFor, whySkipped } from './abilities.js';
import { checkRoom, mayMeasure, preloadKeysFor } from './preflight.js';

/**
 * @import { Cluster } from '../stacks/types.js'
 * @import { Bench } from './rounds.js'
 * @import { RunOptions } from './suite.js'
 * @import { Benchmark, Case, StorageClass } from './types.js'
 */

/**
 * @typedef {Object} Planned
 * @property {Benchmark} benchmark
 * @property {Case[]} cases
 * @property {string | null} whyNot it is not measured at all, and the remedy
 * @property {string[]} leftOut levels of which no case is measured here
 * @property {{id: string, reason: string}[]} notMeasured cases that this machine lacks something for, and the remedy
 */

/** Of data sets that are loaded first; what a profile's number of keys is scaled by. */
const LARGE_VALUE_BYTES = 180_000;

/**
 * @param {Bench} bench
 * @param {Pick<RunOptions, 'benchmarks' | 'client' | 'trialParams' | 'preloadKeys' | 'cluster'>} options
 * @param {readonly StorageClass[]} storages
 * @returns {Promise<Planned[]>}
 * @throws {import('../errors.js').UserError} what was asked for does not fit, or a node does not take a setting; nothing is changed
 */
export async function planBenchmarks(
  bench,
  { benchmarks, client, trialParams, preloadKeys: asked, cluster: how },
  storages,
) {
  const { cluster, profile: own } = bench;
  const memoryBytes = availableMemory();
  const preloadKeys = preloadKeysFor(own, { payloadBytes: LARGE_VALUE_BYTES, memoryBytes, asked });
  const profile = { ...own, preloadKeys };
  const isAllowed = await mayMeasure(cluster, bench.controls.values());
  // A stack of our own was started with them.
  const everywhere = cluster.ours ? undefined : how.settings;
  if (everywhere && !isAllowed({ params: { settings: everywhere } })) {
    throw new UserError(
      'A node of this deployment has its append-only file off; switching it on would replace what may be left of one.',
      'Leave out `--set appendonly=yes`, or use --backend local or docker.',
      ExitStatus.badInput,
    );
  }
  if (everywhere) await tryOut(bench, everywhere);

  const plan = await inOrder(benchmarks, async (benchmark) => {
    const cases = benchmark
      .cases({ profile, client, server: cluster.server, storages })
      .filter(({ params }) => benchmark.kind !== 'custom' || client === undefined || params.client === client)
      .map((theCase) => withAsked(theCase, benchmark.kind === 'trial' ? trialParams : undefined, everywhere));
    const notMeasured = await whyNotCases(benchmark, cases, cluster);
    const allowed = cases.filter((each) => isAllowed(each) && !notMeasured.some(({ id }) => id === each.id));
    const missing = missingFor(benchmark, cluster, trialParams);
    const whyNot =
      missing.length > 0
        ? whySkipped(cluster, missing)
        : benchmark.stacks && !cluster.ours
          ? whyNotOwn(cluster)
          : cases.length === 0
            ? `None of its cases is measured through ${client}; leave out --client.`
            : null;
    // Of what is not measured at all there is another reason.
    const leftOut =
      whyNot === null ? cases.filter((each) => !isAllowed(each)).map(({ params, id }) => params.level ?? id) : [];
    const nothingLeft = whyNot === null && notMeasured.length > 0 && allowed.length === 0;
    const reason = nothingLeft ? notMeasured[0].reason : whyNot;
    return {
      benchmark,
      cases: allowed,
      whyNot: reason,
      leftOut: [...new Set(leftOut)],
      notMeasured: whyNot === null ? notMeasured.filter((each) => each.reason !== reason) : [],
    };
  });
  await checkRoom(
    plan.filter(({ whyNot }) => whyNot === null),
    { storages, profile },
  );
  return plan;
}

/**
 * @template T, R
 * @param {readonly T[]} items
 * @param {(item: T) => Promise<R>} work
 * @returns {Promise<R[]>}
 */
async function inOrder(items, work) {
  const results = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/**
 * @param {Benchmark} benchmark
 * @param {readonly Case[]} cases
 * @param {Cluster} cluster
 */
async function whyNotCases({ whyNotCase }, cases, cluster) {
  const reasons = await inOrder(cases, async (theCase) => ({
    id: theCase.id,
    reason: (await whyNotCase?.(theCase, cluster)) ?? null,
  }));
  return reasons.flatMap(({ id, reason }) => (reason === null ? [] : [{ id, reason }]));
}

/**
 * @param {Case} theCase
 * @param {Partial<Case['params']> | undefined} asked by the user
 * @param {Record<string, string> | undefined} settings that the user asks for
 * @returns {Case} what it is about weighs more
 */
function withAsked(theCase, asked, settings) {
  const params = { ...asked, ...theCase.params };
  return { ...theCase, params: settings ? { ...params, settings: { ...settings, ...params.settings } } : params };
}

/**
 * @param {Bench} bench
 * @param {Record<string, string>} settings
 * @throws {import('../errors.js').UserError} a node does not know or does not take one; the former values are back
 */
async function tryOut({ cluster, tuning }, settings) {
  const { id } = await cluster.primary();
  const replicas = await cluster.replicas();
  await tuning.become({ settings }, { primary: id, replicas: replicas.map((each) => each.id) });
  await tuning.back();
}

/** @param {Cluster} cluster that is not ours */
function whyNotOwn({ backend }) {
  return backend === 'external'
    ? 'It starts and stops stacks of its own, and never touches a deployment that exists; use --backend local or docker.'
    : 'It starts stacks of its own, and one is up; take it down with `sentinel-bench down` first.';
}
