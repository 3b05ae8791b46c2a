/**
 * One ad-hoc load against any Redis node, named by its address or by its Sentinels.
 */
import { formatAddress } from '../cluster/address.js';
import { connectControl, loginFor } from '../cluster/control.js';
import { attachExternal } from '../cluster/external.js';
import { explainRefusal } from '../cluster/external-errors.js';
import { serverOf } from '../cluster/members.js';
import { ExitStatus, UserError } from '../errors.js';
import { startLoadThreads } from '../load/load-threads.js';
import { describeEnvironment } from '../measure/environment.js';
import { limitedBy } from '../measure/limited-by.js';
import { toolVersion } from '../measure/version.js';
import { LOAD_SCHEMA_ID } from '../report/load-schema.js';
import { toolCommit } from './commit.js';
import { createEstimate } from './estimate.js';
import { fillKeys } from './fill.js';
import { newKeyPrefix, removeKeysForGood } from './keys.js';
import { timeRound } from './round.js';

/**
 * @typedef {import('../report/load-schema.js').LoadDocument} LoadDocument
 * @typedef {import('../cluster/types.js').Credentials} Credentials
 * @typedef {import('../cluster/control.js').Control} Control
 *
 * @typedef {Object} LoadOptions
 * @property {import('../cluster/types.js').Address} [target] the node; else its Sentinels are asked
 * @property {import('../cluster/types.js').ClusterOptions} [cluster] how to ask the Sentinels
 * @property {Credentials} credentials
 * @property {LoadDocument['params']} params
 * @property {'constant' | 'poisson'} arrivals
 * @property {number} seed 32-bit
 * @property {string} command
 * @property {import('./progress.js').Progress} progress
 * @property {AbortSignal} signal
 */

/** Without a limit in time, one in operations decides; this only bounds a load that gets nowhere. */
const LONGEST_SECONDS = 24 * 3600;
/** Somebody else's network may be slow; the target is asked once. */
const CONNECT_TIMEOUT_MS = 3000;
const TARGET_ID = 'target';

/**
 * @param {LoadOptions} options
 * @returns {Promise<LoadDocument>}
 * @throws {UserError} exit status 3: the target cannot be reached, or refused or answered nothing of the load
 */
export async function runLoad(options) {
  const { params, progress, signal, credentials } = options;
  progress.now('connecting');
  const { address, replicas, close } = await findTarget(options);
  /** @type {Control | undefined} */
  let control;
  const loadThreads = startLoadThreads(params.threads);
  const keyPrefix = newKeyPrefix();
  let wrote = false;
  try {
    const { info, ...connected } = await connectTarget(address, credentials);
    control = connected.control;
    const following = replicas ?? followers(info);
    warnOfWait(params, following.length, progress);
    const target = { ...address, credentials };
    wrote = true;
    if (params.readRatio > 0) {
      progress.now(`writing ${params.keys} keys to read`);
      await fillKeys(target, { keyPrefix, count: params.keys, payloadBytes: params.payloadBytes, signal });
    }
    progress.now('warming up');
    followLoad(params, progress);
    let trouble = 'no answer came';
    const round = await timeRound({
      loadThread: loadThreads,
      plan: planOf(options, target, following, keyPrefix),
      controls: new Map([[TARGET_ID, control]]),
      primaryId: TARGET_ID,
      signal,
      onProgress: progressTeller(progress),
      onTrouble: (firstError) => {
        trouble = firstError;
      },
    }).catch((error) => {
      throw signal.aborted ? error : cannotLoad(address, error);
    });
    if (!isAnswered(round)) throw nothingDone(address, round, trouble);
    return {
      schema: LOAD_SCHEMA_ID,
      command: options.command,
      tool: { version: toolVersion, commit: await toolCommit() },
      environment: await describeEnvironment(),
      server: serverOf(info),
      replicas: following.length,
      seed: options.seed,
      params,
      round,
      limitedBy: limitedBy({
        loadCpu: round.load.cpu,
        eventLoopUtilization: round.load.eventLoopUtilization,
        primaryMainThreadCpu: round.nodes[0]?.mainThreadCpu ?? round.nodes[0]?.cpu ?? null,
        machineCpu: round.machineCpu,
        sustained: round.openLoop?.sustained,
      }),
    };
  } finally {
    await loadThreads.close();
    if (control && wrote) await cleanUp(control, keyPrefix, params.keys, progress);
    control?.close();
    await close();
  }
}

/**
 * @param {LoadOptions} options
 * @returns {Promise<{address: import('../cluster/types.js').Address, replicas?: import('../cluster/types.js').Address[],
 *   close: () => Promise<void>}>} `replicas` only when the Sentinels were asked
 */
async function findTarget({ target, cluster, progress, signal }) {
  if (target) return { address: target, close: async () => {} };
  const found = await attachExternal({ ...cluster, tell: progress.tell, signal });
  try {
    const primary = await found.primary();
    const replicas = await found.replicas();
    return { address: primary.address, replicas: replicas.map((node) => node.address), close: found.close };
  } catch (error) {
    await found.close();
    throw error;
  }
}

/**
 * @param {import('../cluster/types.js').Address} address
 * @param {Credentials} credentials
 */
async function connectTarget(address, credentials) {
  /** @type {Control | undefined} */
  let control;
  try {
    control = await connectControl(address, loginFor(credentials, 'redis'), { timeoutMs: CONNECT_TIMEOUT_MS });
    return { control, info: await control.info('server', 'replication') };
  } catch (error) {
    control?.close();
    const { what, remedy } = explainRefusal(error, { tls: credentials.tls !== undefined });
    throw new UserError(`Cannot use ${formatAddress(address)}: ${what}.`, remedy);
  }
}

/**
 * @param {Record<string, string>} info INFO replication of the node
 * @returns {import('../cluster/types.js').Address[]} the replicas that follow it now
 */
function followers(info) {
  return Object.entries(info).flatMap(([name, value]) => {
    if (!/^slave\d+$/.test(name)) return [];
    const { ip, port, state } = Object.fromEntries(value.split(',').map((field) => field.split('=')));
    return state === 'online' ? [{ host: ip, port: Number(port) }] : [];
  });
}

/**
 * @param {LoadDocument['params']} params
 * @param {number} replicas
 * @param {import('./progress.js').Progress} progress
 */
function warnOfWait({ wait }, replicas, progress) {
  if (wait <= replicas) return;
  const there = replicas === 0 ? 'no replica follows' : `only ${replicas} follow${replicas === 1 ? 's' : ''}`;
  progress.tell(`WAIT asks for ${wait} replicas, but ${there} this node: no write can be acknowledged as asked.`);
}

/**
 * @param {LoadOptions} options
 * @param {import('../client/types.js').Target} target
 * @param {import('../cluster/types.js').Address[]} replicas
 * @param {string} keyPrefix
 * @returns {import('../load/types.js').RoundPlan}
 */
function planOf({ params, arrivals, credentials, seed }, target, replicas, keyPrefix) {
  const { rate, seconds = LONGEST_SECONDS } = params;
  return {
    generator: 'writes',
    client: params.client,
    primary: target,
    replicas: replicas.map((address) => ({ ...address, credentials })),
    shape: {
      payloadBytes: params.payloadBytes,
      pipeline: params.pipeline,
      waitReplicas: params.wait,
      waitLocal: params.waitLocal,
      waitTimeoutMs: params.waitTimeoutMs,
      habit: params.habit,
      keyPrefix,
    },
    connections: params.connections,
    backgroundConnections: 0,
    keyspace: params.keys,
    readRatio: params.readRatio,
    seconds,
    operations: params.operations,
    ...(rate !== undefined && { openLoop: { rate, arrivals, graceSeconds: Math.min(seconds, 1) } }),
    warmUpSeconds: params.warmUpSeconds,
    progress: true,
    seed,
  };
}

/**
 * How far a load is, when it is the time that ends it.
 *
 * @param {LoadOptions['params']} params
 * @param {import('./progress.js').Progress} progress
 */
function followLoad({ seconds, operations, warmUpSeconds }, progress) {
  if (seconds === undefined || operations !== undefined) return;
  const estimate = createEstimate();
  estimate.begin({ kind: 'rounds', of: 'load', seconds: warmUpSeconds + seconds });
  progress.follow?.(estimate);
}

/** @param {import('./progress.js').Progress} progress */
function progressTeller(progress) {
  let last = { operations: 0, at: performance.now() };
  return (/** @type {number} */ operations) => {
    const at = performance.now();
    // Several threads tell at about the same time.
    if (at - last.at < 100) return;
    const perSecond = ((operations - last.operations) / (at - last.at)) * 1000;
    last = { operations, at };
    progress.now(
      `${operations.toLocaleString('en-US')} operations, ${Math.round(perSecond).toLocaleString('en-US')} /s`,
    );
  };
}

/** @param {LoadDocument['round']} round */
function isAnswered({ outcomes, reads }) {
  return outcomes.acked + outcomes.underAcked + (reads?.answered ?? 0) > 0;
}

/**
 * @param {import('../cluster/types.js').Address} address
 * @param {unknown} error
 */
function cannotLoad(address, error) {
  const why = error instanceof Error ? error.message : String(error);
  return new UserError(
    `The load on ${formatAddress(address)} could not be run: ${why.replace(/\.+$/, '')}.`,
    'Check that a healthy Redis or Valkey node answers there, with the options given.',
    ExitStatus.environment,
    { cause: error },
  );
}

/**
 * @param {import('../cluster/types.js').Address} address
 * @param {LoadDocument['round']} round
 * @param {string} trouble
 */
function nothingDone(address, { operations, errors }, trouble) {
  return new UserError(
    `Not one of ${operations} operations on ${formatAddress(address)} succeeded: ${trouble}`,
    REMEDIES[Object.keys(errors)[0]] ??
      'Check that a healthy Redis or Valkey node answers there, with the options given.',
  );
}

/** @type {Record<string, string>} by the kind of error */
const REMEDIES = {
  LOADING: 'The server is still reading its data; start again when it has finished.',
  READONLY: 'This node is a replica; name the primary, or its Sentinels with --sentinel.',
  NOREPLICAS: 'min-replicas-to-write asks for more healthy replicas than there are; bring them back or lower it.',
  OOM: 'The server has reached its maxmemory; raise it, or use fewer keys or smaller values.',
  NOPERM: 'Allow the user SET, GET, WAIT and UNLINK on keys that start with sentinel-bench:.',
};

/**
 * @param {Control} control
 * @param {string} keyPrefix
 * @param {number} keys
 * @param {import('./progress.js').Progress} progress
 */
async function cleanUp(control, keyPrefix, keys, progress) {
  progress.now('removing the keys');
  try {
    await removeKeysForGood(control, { prefix: keyPrefix, count: keys });
  } catch (error) {
    // What was measured is still worth having; and a server that refused every write holds none of our keys.
    const why = error instanceof Error ? error.message : String(error);
    progress.tell(`The keys that start with ${keyPrefix} could not be removed: ${why}`);
  }
}
