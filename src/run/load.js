/**
 * One ad-hoc load on any Redis node, named by its address or by its Sentinels.
 * @import { AgentsLoad } from '../agents/agents-load.js'
 * @import { WantedAgents } from '../agents/controller.js'
 * @import { LoadThread } from '../load/load-thread.js'
 * @import { RoundPlan } from '../load/types.js'
 * @import { LoadDocument } from '../result/schema.js'
 * @import { Address, Control, Credentials, Keys, Stack, StackOptions } from '../stacks/types.js'
 * @import { Progress } from './progress.js'
 * @typedef {Awaited<ReturnType<typeof findTarget>>} LoadTarget
 * @typedef {Object} LoadOptions
 * @property {Address} [target] the node; default: its Sentinels are asked
 * @property {StackOptions} [stack] how to ask the Sentinels @property {Credentials} credentials
 * @property {string} [keyPrefix] what the names of our keys begin with
 * @property {WantedAgents} [agents] send the load from their machines, instead of this process
 * @property {LoadDocument['params']} params @property {'constant' | 'poisson'} arrivals
 * @property {number} seed 32-bit
 * @property {string} command @property {Progress} progress @property {AbortSignal} signal
 * @property {AbortSignal} hurry aborted when the user asks to stop a second time
 * @property {(document: LoadDocument) => void | Promise<void>} onMeasured called with the result before the keys are removed
 */
import { messageOf, UserError } from '../errors.js';
import { createJournal } from '../faults/journal.js';
import { count } from '../format.js';
import { startLoadThreads } from '../load/load-thread.js';
import { describeEnvironment, toolCommit, toolVersion } from '../measure/environment.js';
import { availableMemory } from '../measure/limits.js';
import { findClient } from '../registry/clients.js';
import { LOAD_SCHEMA_ID } from '../result/schema.js';
import { formatAddress, NoAddress, readAddress } from '../stacks/address.js';
import { openStack } from '../stacks/index.js';
import { checkUnlocked } from '../stacks/locks/stack-lock.js';
import { attachNode } from '../stacks/redis/external/index.js';
import { remedyForKeys } from '../stacks/redis/external/refusal.js';
import { serverOf } from '../stacks/redis/members.js';
import { removeWhatWasWritten } from '../stacks/redis/remove-keys.js';
import { limitOf } from '../stats/summary.js';
import { inUnits } from '../units.js';
import { shapeOf } from './case.js';
import { createEstimate } from './estimate.js';
import { explainFull, FullMemory } from './full-memory.js';
import { NotPutBack } from './interruption.js';
import { fillKeys, newKeyPrefix } from './keys.js';
import { repeated, timeRound } from './round.js';
import { SENTENCES } from './sentences.js';

/** Of a load that a number of operations ends. */
const LONGEST_SECONDS = 24 * 3600;
const TARGET_ID = 'target';
/** A faulty server may report further keys for ever. */
const LONGEST_CLEAN_UP_MS = 600_000;
/** A server on this machine needs memory for the values, too. */
const SHARE_OF_MEMORY = 1 / 2;
/** Copies of each value that is under way: a library makes strings and buffers of it. */
const COPIES = { own: 1, library: 5 };
/** A batch is one buffer. */
const MOST_BATCH_BYTES = 2 ** 31 - 1;

/**
 * Hands over the result before it removes the keys, so that no later failure can cost the figures. An abort during the timed part ends it
 * early, and what was measured counts.
 * @param {LoadOptions} options
 * @throws {UserError} exit status 3: too little memory; the target cannot be reached, answered nothing or closed every connection; keys are left
 */
export async function runLoad(options) {
  const { params, progress, signal, hurry, onMeasured } = options;
  checkMemory(params);
  progress.now('connecting');
  const target = await findTarget(options);
  const loadThreads = await startLoad(options).catch(async (error) => {
    await target.close();
    throw error;
  });
  const keyPrefix = newKeyPrefix(target.stack.access.keyPrefix);
  const journal = createJournal(target.stack);
  let wrote = false;
  /** @type {unknown} */
  let failure;
  try {
    warnOfWait(params, target.replicas.length, progress);
    // On disk before the first write: this process may be killed.
    await journal.note({ kind: 'keys', prefix: keyPrefix });
    wrote = true;
    const { document, trouble, lost } = await measure(options, target, { keyPrefix, loadThreads });
    await onMeasured(document);
    if (document.interrupted) failure = signal.reason;
    else if (lost === params.connections) failure = allLost(target.address, document, trouble);
  } catch (error) {
    const look = async (/** @type {NonNullable<Stack['database']['samples']['room']>} */ room) =>
      new FullMemory(formatAddress(target.address), await room(target.control));
    failure = await explainFull(target.stack, error, look);
  }
  await loadThreads.close();
  // A request to stop during the removal ends that, too.
  const stop = signal.aborted ? hurry : signal;
  const left = wrote ? await cleanUp(target, { prefix: keyPrefix, count: params.keys }, progress, stop) : null;
  await journal.close({ abandon: left === null });
  await target.close();
  // The message of an interruption says that everything was put back, so keys that are left take precedence.
  if (left && (failure === undefined || signal.aborted)) throw left;
  if (left) progress.tell(`${left.message} ${left.remedy}`);
  if (failure !== undefined) throw failure;
}

/** @param {LoadOptions} options @returns {Promise<LoadThread & Partial<Pick<AgentsLoad, 'aim' | 'parts' | 'repeatable'>>>} */
async function startLoad({ agents, params }) {
  if (!agents) return startLoadThreads(params.threads);
  // One host needs no NATS: its libraries load only here.
  const { openAgentsLoad } = await import('../agents/agents-load.js');
  return openAgentsLoad(agents, params.threads);
}

/**
 * @param {LoadOptions} options @param {LoadTarget} target @param {{keyPrefix: string, loadThreads: Awaited<ReturnType<typeof startLoad>>}} site
 * @returns {Promise<{document: LoadDocument, trouble: string, lost: number}>} trouble: the first error; lost: connections
 */
async function measure(options, { stack, address, control, info, replicas }, { keyPrefix, loadThreads }) {
  const { params, progress, signal, credentials } = options;
  const node = { ...address, credentials };
  if (params.readRatio > 0) {
    progress.now(`writing ${params.keys} keys to read`);
    await fillKeys(node, { keyPrefix, count: params.keys, payloadBytes: params.payloadBytes, signal });
  }
  progress.now('warming up');
  followLoad(params, progress);
  let trouble = 'no answer came';
  let lost = 0;
  const timed = () =>
    timeRound({
      loadThread: loadThreads,
      system: stack.database,
      plan: planOf(options, node, replicas, keyPrefix),
      controls: new Map([[TARGET_ID, control]]),
      primaryId: TARGET_ID,
      mayEnd: true,
      endsEarly: true,
      signal,
      onProgress: progressTeller(progress),
      onTrouble: (firstError, lostConnections) => {
        trouble = firstError ?? 'no reason was given';
        lost = lostConnections;
      },
    });
  const round = await repeated(timed, { load: loadThreads, tell: progress.tell, signal }).catch((error) => {
    throw signal.aborted ? error : cannotLoad(address, error);
  });
  const { outcomes, reads } = round;
  // Without a figure there is nothing to hand over.
  if (outcomes.acked + outcomes.underAcked + (reads?.answered ?? 0) === 0) {
    signal.throwIfAborted();
    throw nothingDone(address, round, trouble);
  }
  /** @type {LoadDocument} */
  const document = {
    schema: LOAD_SCHEMA_ID,
    command: options.command,
    tool: { version: toolVersion, commit: await toolCommit() },
    environment: await describeEnvironment(),
    server: serverOf(info),
    replicas: replicas.length,
    seed: options.seed,
    params,
    round,
    ...(signal.aborted && { interrupted: true }),
    limitedBy: limitOf([round]),
  };
  return { document, trouble, lost };
}

/** @param {LoadDocument['params']} params @throws {UserError} the operations under way do not fit into memory */
function checkMemory({ client, connections, pipeline, payloadBytes }) {
  const size = inUnits(payloadBytes);
  if (pipeline * payloadBytes > MOST_BATCH_BYTES) throw SENTENCES.problem('pipeline-too-large', { pipeline, size });
  const needed = COPIES[findClient(client)?.library ? 'library' : 'own'] * connections * pipeline * payloadBytes;
  const allowed = availableMemory() * SHARE_OF_MEMORY;
  if (needed <= allowed) return;
  const values = { connections, pipeline, size, needed: inUnits(needed), allowed: inUnits(allowed, Math.floor) };
  throw SENTENCES.problem('memory-too-small', values);
}

/** @param {LoadDocument['params']} params @param {number} replicas @param {Progress} progress */
function warnOfWait({ wait }, replicas, progress) {
  if (wait <= replicas) return;
  const there = replicas === 0 ? 'no replica follows' : `only ${replicas} follow${replicas === 1 ? 's' : ''}`;
  progress.tell(SENTENCES.text('wait-too-many', { wait, there }));
}

/** @param {LoadOptions} options @param {RoundPlan['primary']} target @param {Address[]} replicas @param {string} keyPrefix @returns {RoundPlan} */
function planOf({ params, arrivals, credentials, seed }, target, replicas, keyPrefix) {
  const { client, connections, rate, seconds = LONGEST_SECONDS, operations, readRatio, warmUpSeconds } = params;
  return {
    generator: 'writes',
    client,
    primary: target,
    replicas: replicas.map((address) => ({ ...address, credentials })),
    shape: shapeOf(params, keyPrefix),
    connections,
    backgroundConnections: 0,
    keyspace: params.keys,
    ...{ readRatio, seconds, operations, warmUpSeconds, seed },
    ...(rate !== undefined && { openLoop: { rate, arrivals, graceSeconds: Math.min(seconds, 1) } }),
    progress: true,
  };
}

/** Of a load that ends after a given time. @param {LoadOptions['params']} params @param {Progress} progress */
function followLoad({ seconds, operations, warmUpSeconds }, progress) {
  if (seconds === undefined || operations !== undefined) return;
  const estimate = createEstimate();
  estimate.plan({ of: 'load', seconds: warmUpSeconds + seconds });
  progress.follow?.(estimate);
}

/** @param {Progress} progress */
function progressTeller(progress) {
  let last = { operations: 0, at: performance.now() };
  return (/** @type {number} */ operations) => {
    const at = performance.now();
    // Several threads report at about the same time.
    if (at - last.at < 100) return;
    const perSecond = ((operations - last.operations) / (at - last.at)) * 1000;
    last = { operations, at };
    progress.now(`${count(operations)} operations, ${count(Math.round(perSecond))} /s`);
  };
}

/** @param {Address} address @param {unknown} error */
function cannotLoad(address, error) {
  const values = {
    address: formatAddress(address),
    why: messageOf(error).replace(/\.+$/, ''),
    remedy: error instanceof UserError ? error.remedy : SENTENCES.text('check-node'),
  };
  return SENTENCES.problem('load-failed', values, { cause: error });
}

/** @param {Address} address @param {LoadDocument['round']} round @param {string} trouble */
function nothingDone(address, { operations, errors }, trouble) {
  const [kind] = Object.keys(errors);
  const id = SENTENCES.has(`load-${kind}`) ? `load-${kind}` : 'check-node';
  const remedy = kind === 'NOPERM' ? remedyForKeys() : SENTENCES.text(id);
  return SENTENCES.problem('nothing-done', { operations, address: formatAddress(address), trouble, remedy });
}

/** @param {Address} address @param {LoadDocument} document @param {string} trouble */
function allLost(address, { params: { connections }, round: { seconds } }, trouble) {
  return SENTENCES.problem('all-lost', {
    connections,
    address: formatAddress(address),
    seconds: seconds.toFixed(2),
    trouble: trouble.replace(/\.+$/, ''),
  });
}

/** @param {LoadTarget} target @param {Keys} keys @param {Progress} progress @param {AbortSignal} stop @returns {Promise<NotPutBack | null>} null: all are removed */
async function cleanUp({ address, control }, keys, progress, stop) {
  progress.now('removing the keys');
  let gone = 0;
  const tooLate = AbortSignal.timeout(LONGEST_CLEAN_UP_MS);
  try {
    await removeWhatWasWritten(control, keys, {
      signal: AbortSignal.any([stop, tooLate]),
      onRemoved(removed) {
        gone += removed;
        progress.now(`removing the keys: ${count(gone)} are gone`);
      },
    });
    return null;
  } catch (error) {
    const late = SENTENCES.text('removal-late', { minutes: LONGEST_CLEAN_UP_MS / 60_000 });
    const why = stop.aborted ? SENTENCES.text('removal-interrupted') : tooLate.aborted ? late : messageOf(error);
    const values = { prefix: keys.prefix, address: formatAddress(address), why: why.replace(/\.$/, '') };
    return new NotPutBack(...SENTENCES.words('load-keys-left', values), error);
  }
}

/** @param {LoadOptions} options */
async function findTarget({ target, stack, credentials, keyPrefix, command, progress, signal }) {
  if (target) {
    const { stack: node, control, info } = await attachNode(target, credentials, keyPrefix);
    const close = () => closeBoth(control, node);
    try {
      await checkUnlocked(node, target);
      return { stack: node, address: target, control, info, replicas: followers(target, info), close };
    } catch (error) {
      await close();
      throw error;
    }
  }
  // Another run on the same deployment would spoil both.
  const found = await openStack({ ...stack, keyPrefix, backend: 'external', command, tell: progress.tell, signal });
  try {
    const { address } = await found.database.primary();
    const replicas = (await found.database.replicas()).map((replica) => replica.address);
    const { stack: node, control, info } = await attachNode(address, credentials);
    await node.close();
    return { stack: found, address, control, info, replicas, close: () => closeBoth(control, found) };
  } catch (error) {
    await found.close();
    throw error;
  }
}

/** @param {Pick<Control, 'close'>} control @param {Pick<Stack, 'close'>} stack */
function closeBoth(control, stack) {
  control.close();
  return stack.close();
}

/** @param {Address} address @param {Record<string, string>} info INFO replication of it @throws {UserError} a replica has no address */
function followers(address, info) {
  return Object.entries(info).flatMap(([name, value]) => {
    if (!/^slave\d+$/.test(name)) return [];
    const { ip, port, state } = Object.fromEntries(value.split(',').map((field) => field.split('=')));
    if (state !== 'online') return [];
    try {
      return [readAddress(ip, port)];
    } catch (error) {
      if (!(error instanceof NoAddress)) throw error;
      throw SENTENCES.problem('address-in-info', { address: formatAddress(address), why: error.message });
    }
  });
}
