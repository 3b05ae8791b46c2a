/**
 * What a run becomes in its result: the document of each benchmark, what is said about the stack, and failures in words.
 * @import { BenchmarkResult, Result } from '../result/schema.js'
 * @import { Stack, Control, NodeInfo } from '../stacks/types.js'
 * @import { Progress } from './progress.js'
 * @import { Benchmark, CaseOptions } from './types.js'
 * @typedef {Partial<Pick<BenchmarkResult, 'status' | 'reason' | 'cases' | 'pace' | 'precision' | 'audit' | 'timeline'>> &
 *   Partial<Pick<CaseOptions, 'parameters' | 'storages' | 'server'>>} Outcome of a benchmark
 */
import { messageOf } from '../errors.js';
import { firstSentences } from '../format.js';
import { describeEnvironment, publicConfig, toolCommit, toolVersion } from '../measure/environment.js';
import { SCHEMA_ID } from '../result/schema.js';
import { formatAddress } from '../stacks/address.js';
import { hostsByAddress } from '../stacks/network/placement.js';
import { cleanDocument } from '../untrusted.js';
import { explainFull, FullMemory } from './full-memory.js';

const LOG_LINES = 200;

/**
 * The one builder of a benchmark's document. Checks and findings are computed where there is a case to compute them from.
 * @param {Pick<Benchmark, 'name' | 'question' | 'checks' | 'findings'>} benchmark
 * @param {Outcome} outcome status: default: `failed` with a reason, else `ok`. reason: why it failed or was skipped
 */
export function benchmarkDocument(benchmark, outcome) {
  const { reason, cases = [], parameters, storages, server, ...more } = outcome;
  const { name, question } = benchmark;
  const failed = reason !== undefined && { status: /** @type {const} */ ('failed'), reason };
  /** @type {BenchmarkResult} */
  const document = { name, question, status: 'ok', ...failed, cases, findings: [], checks: [], ...more };
  if (cases.length === 0) return document;
  document.checks = benchmark.checks(document, { server });
  document.findings = benchmark.findings?.(document, { parameters, storages, server }) ?? [];
  return document;
}

/**
 * The one place where an error becomes a reported failure of a benchmark or a trial.
 * @param {unknown} error @param {{name: string, stack?: Stack, stopped?: readonly string[], progress: Progress, logs: Map<string, string[]>}} where
 *   name: of the benchmark or trial; stack: if it had one; stopped: nodes that do not run, on purpose; logs: gets `<name>.<node>` → last lines
 * @returns {Promise<string>} the reason, without addresses
 */
export async function reportFailure(error, { name, stack, stopped, progress, logs }) {
  const reason = stack ? await whyFailed(await explainFull(stack, error), stack, stopped) : messageOf(error);
  progress.tell(`${name}: failed. ${reason}`);
  if (stack?.can.has('logs')) {
    for (const { id } of stack.nodes) {
      logs.set(`${name}.${id}`, await stack.host.logs(id, LOG_LINES).catch((why) => [String(why)]));
    }
  }
  return reason;
}

/** @param {unknown} error @param {Stack} stack @param {readonly string[]} [stopped] */
async function whyFailed(error, { nodes, database }, stopped = []) {
  const silent = database.silentNodes(await database.observe()).filter(({ id }) => !stopped.includes(id));
  const sentences = [
    error instanceof FullMemory ? `${error.message} ${error.remedy}` : messageOf(error),
    ...silent.map((state) => `Right after that ${state.id} did not answer: ${state.error}`),
  ];
  return withoutAddresses(sentences.map((text) => text.replace(/\.?$/, '.')).join(' '), nodes);
}

/** @param {string} text @param {readonly NodeInfo[]} nodes @returns {string} the nodes are called by their ids */
function withoutAddresses(text, nodes) {
  const addresses = nodes.flatMap(({ id, address, announced }) =>
    [address, announced].map((each) => ({ id, ...each })),
  );
  const names = addresses.flatMap(({ id, host, port }) => [
    [formatAddress({ host, port }), id],
    [`${host}:${port}`, id],
  ]);
  const hosts = addresses.map(({ host }) => [host, '…']);
  return [...names, ...hosts].reduce((shown, [place, name]) => shown.replaceAll(place, name), text);
}

/** What failed, else what was found first. Why it was not measured was told before. @param {BenchmarkResult} document @param {Progress} progress */
export function tellEnd({ name, status, checks, findings }, { tell }) {
  if (status !== 'ok') return;
  const failed = checks.find(({ ok }) => !ok);
  if (failed) tell(`${name}: FAILED: ${failed.name}: ${failed.detail}`);
  else tell(`${name}: ${findings.length > 0 ? firstSentences(findings[0].text) : 'done'}`);
}

/**
 * @param {Omit<Result, 'schema' | 'finishedAt' | 'tool' | 'environment'>} run
 * @returns {Promise<Result>} without anything that a terminal or a browser would execute
 */
export async function resultDocument({ startedAt, ...run }) {
  const [environment, commit] = await Promise.all([describeEnvironment(), toolCommit()]);
  const tool = { version: toolVersion, commit };
  const finishedAt = new Date().toISOString();
  return cleanDocument({ schema: SCHEMA_ID, startedAt, finishedAt, tool, environment, ...run });
}

/**
 * @param {Stack} stack @param {ReadonlyMap<string, Control>} controls
 * @returns {Promise<Result['stack']>} without secrets, paths and addresses
 */
export async function describeStack(stack, controls) {
  const primary = await stack.database.primary();
  /** @type {Result['stack']['config']} */
  const config = {};
  if (stack.can.has('configure')) {
    for (const [id, control] of controls) {
      config[id] = publicConfig(await stack.database.configuration(control));
    }
  }
  const { backend, why, server, path, inMemory } = stack.about;
  const hosts = backend === 'external' ? hostsByAddress(stack.nodes, primary.id) : null;
  return {
    backend,
    why,
    server,
    path,
    ...(inMemory && { inMemory: true }),
    masterName: stack.access.masterName,
    nodes: stack.nodes.map(({ id, kind }) => ({
      id,
      kind,
      role: kind === 'sentinel' ? 'sentinel' : id === primary.id ? 'primary' : 'replica',
    })),
    ...(hosts && { hosts }),
    config,
  };
}
