/**
 * The rounds of a benchmark: all its cases, interleaved in random order.
 * @import { AgentsLoad } from '../agents/agents-load.js'
 * @import { Wish as AgentsWish } from '../agents/agents-nodes.js'
 * @import { AgentsOfRun } from '../agents/agents-run.js'
 * @import { LoadThread, Turns } from '../load/load-thread.js'
 * @import { RoundPlan } from '../load/types.js'
 * @import { BenchmarkResult, CaseResult, RoundResult } from '../result/schema.js'
 * @import { Stack, Control, Keys, NodeInfo } from '../stacks/types.js'
 * @import { Estimate, Piece } from './estimate.js'
 * @import { Progress } from './progress.js'
 * @import { Tuning } from './testbed.js'
 * @import { SuiteParameters, Case, CustomBenchmark, LoadBenchmark, Pace, Profile, RoundBenchmark } from './types.js'
 */
import { duration, rate } from '../format.js';
import { findClient } from '../registry/clients.js';
import { shuffle } from '../stats/random.js';
import { summarise, throughputRatios } from '../stats/summary.js';
import { createAllocation } from './allocation.js';
import { readOwn, shapeOf, withOwn } from './case.js';
import { benchmarkDocument } from './document.js';
import { untilAborted } from './interruption.js';
import { keyspaceFor } from './keys.js';
import { repeated, sampledNodes, timeRound, timeTurns } from './round.js';
import { primaryControl } from './testbed.js';

/** Many independent users arrive at random. */
const ARRIVALS = 'poisson';
/** Of cases that take turns: longer than a batch, shorter than most disturbances of a machine. */
const PART_SECONDS = 0.015;
/** Two looks at what the backend counts take as long as two seconds, on Docker: only a round that is not far shorter is worth them. */
const COUNTED_FROM_SECONDS = 1;
/** Overdue operations may still be sent for so long after an open-loop round. */
const LONGEST_GRACE_SECONDS = 1;
/** Of a round of a number of requests. */
const LONGEST_SECONDS = 60;

/**
 * @typedef {Object} Testbed everything that a round needs
 * @property {Stack} stack @property {Map<string, Control>} controls of the nodes that hold data
 * @property {NodeInfo} [primary] set if there are no Sentinels to ask
 * @property {readonly NodeInfo[]} [replicas] set if it is fixed which ones run; else the Sentinels are asked
 * @property {(count: number) => Promise<Testbed[]>} [others] this many more empty stacks of our own, started once and closed with this one
 * @property {LoadThread & Partial<Turns & Pick<AgentsLoad, 'aim' | 'parts' | 'repeatable'>>} loadThread agents take no turns
 * @property {Partial<AgentsOfRun>} [agents]
 * @property {(wish: AgentsWish) => Promise<Stack>} [startOnAgents] agents end the nodes of the last stack, and start one for a trial
 * @property {Tuning} tuning @property {Profile} profile @property {() => number} random @property {AbortSignal} signal
 * @property {(text: string) => void} [now] shown on the progress display @property {(line: string) => void} [tell] printed at once
 * @typedef {Object} Teller
 * @property {(round: number, cases: Case[]) => void} onRound before each round, from 1 on, of a case or of several that take turns
 * @property {(theCase: Case, result: RoundResult) => void} [onRoundEnd]
 * @property {(rounds: number) => void} [onMore] so many further rounds of cases were planned
 * @property {(theCase: Case) => Testbed} [testbedOf] of cases on several stacks; cases that take turns share one
 */

/**
 * The n-th rounds of all cases are interleaved, a case right beside its baseline, so they can be paired.
 * @param {Testbed} testbed @param {RoundBenchmark} benchmark @param {Case[]} cases @param {string} keyPrefix @param {Teller} teller
 * @returns {Promise<Map<string, {rounds: RoundResult[], stop?: CaseResult['stop']}>>} by case id; rounds in order
 */
export async function measureRounds(testbed, benchmark, cases, keyPrefix, teller) {
  const { onRound, onRoundEnd, onMore, testbedOf = () => testbed } = teller;
  const { profile, random } = testbed;
  /** @type {Map<string, RoundResult[]>} */
  const results = new Map(cases.map(({ id }) => [id, []]));
  const precision = precisionOf(benchmark, profile);
  const allocation = createAllocation(cases, profile.rounds, precision);
  const begins = performance.now();
  const isTimeUp = () => precision !== undefined && performance.now() - begins > precision.seconds * 1000;
  const groups = groupsOf(cases);
  for (let round = 1; ; round++) {
    const open = groups
      .map((group) => group.filter((each) => allocation.takesPart(each, round)))
      .filter(({ length }) => length > 0);
    if (open.length === 0) break;
    const begins = (/** @type {Case[]} */ next) => onRound(round, next);
    for (const group of shuffle(open, random)) {
      if (round > profile.rounds && isTimeUp()) break;
      const site = { testbedOf, benchmark, keyPrefix, begins };
      for (const { theCase, result } of await measureGroup(shuffle(group, random), site)) {
        results.get(theCase.id)?.push(result);
        onRoundEnd?.(theCase, result);
      }
    }
    if (round >= profile.rounds && isTimeUp()) break;
    const before = allocation.total();
    allocation.look(round, ({ id, baseline = '' }) =>
      throughputRatios(results.get(id) ?? [], results.get(baseline) ?? []),
    );
    if (allocation.total() > before) onMore?.(allocation.total() - before);
  }
  return new Map([...results].map(([id, rounds]) => [id, { rounds, stop: allocation.stopOf(id) }]));
}

/** @param {Case[]} cases @returns {Case[][]} each baseline with the cases that are compared with it, and each other case alone */
function groupsOf(cases) {
  /** @type {Map<string, Case[]>} */
  const groups = new Map();
  for (const theCase of cases) {
    const key = theCase.baseline ?? theCase.id;
    groups.set(key, [...(groups.get(key) ?? []), theCase]);
  }
  return [...groups.values()];
}

/**
 * @param {Case[]} group in the order of measuring
 * @param {{testbedOf: (theCase: Case) => Testbed, benchmark: RoundBenchmark, keyPrefix: string, begins: (next: Case[]) => void}} site
 */
async function measureGroup(group, { testbedOf, benchmark, keyPrefix, begins }) {
  const { loadThread } = testbedOf(group[0]);
  // Their clients work in the load thread, where connections can stay open between turns.
  const canTakeTurns = group.length > 1 && group.every(({ params }) => findClient(params.client)?.connect);
  if (benchmark.kind === 'load' && benchmark.turns && canTakeTurns && loadThread.turn) {
    begins(group);
    const testbed = { ...testbedOf(group[0]), loadThread: /** @type {LoadThread & Turns} */ (loadThread) };
    const rounds = await measureTurns(testbed, benchmark, group, keyPrefix);
    return group.map((theCase, i) => ({ theCase, result: rounds[i] }));
  }
  const measured = [];
  for (const theCase of group) {
    begins([theCase]);
    const testbed = testbedOf(theCase);
    const result =
      benchmark.kind === 'custom'
        ? await measureOwn(testbed, benchmark, theCase, keyPrefix)
        : await measureRound(testbed, benchmark, theCase, keyPrefix);
    measured.push({ theCase, result });
  }
  return measured;
}

/** @param {Testbed} testbed @param {CustomBenchmark} benchmark @param {Case} theCase @param {string} keyPrefix */
async function measureOwn(testbed, benchmark, theCase, keyPrefix) {
  const { tuning, primary, replicas = [], signal } = testbed;
  if (!primary) throw new Error(`${benchmark.name} needs stacks without Sentinels`);
  await tuning.become(theCase.params, { primary: primary.id, replicas: replicas.map(({ id }) => id) });
  signal.throwIfAborted();
  return benchmark.measure({ testbed, theCase, keyPrefix, now: testbed.now ?? (() => {}) });
}

/** @param {Testbed} testbed @param {LoadBenchmark} benchmark @param {Case} theCase @param {string} keyPrefix */
async function measureRound(testbed, benchmark, theCase, keyPrefix) {
  const { stack, loadThread, signal } = testbed;
  const { credentials } = stack.access;
  const { params } = theCase;
  const roles = await prepareNodes(testbed, benchmark, params);
  const { primary } = roles;
  const plan = planOf(testbed, benchmark, theCase, { ...roles, keyPrefix });
  const counted = benchmark.usePerNode ?? plan.seconds >= COUNTED_FROM_SECONDS;
  const nodes = sampledNodes(testbed, primary.id, { counted });
  const once = () => timeRound({ loadThread, plan, ...nodes, signal });
  const timed = () => repeated(once, { load: loadThread, tell: testbed.tell ?? (() => {}), signal });
  if (params.during === undefined) return timed();
  const { backgroundWork } = stack.database;
  if (!backgroundWork) throw new Error(`${stack.database.name} has no work in the background`);
  const busy = await backgroundWork.keepBusy(primary.address, params.during, { credentials, signal });
  const round = await timed().catch(async (error) => {
    // The first failure is the one to report.
    await busy.stop().catch(() => {});
    throw error;
  });
  return { ...round, duringShare: (await busy.stop()).share };
}

/** @param {Testbed & {loadThread: Turns}} testbed @param {LoadBenchmark} benchmark @param {Case[]} group @param {string} keyPrefix */
async function measureTurns(testbed, benchmark, group, keyPrefix) {
  const { loadThread, random, signal } = testbed;
  const roles = await prepareNodes(testbed, benchmark, group[0].params);
  return timeTurns({
    loadThread,
    plans: group.map((theCase) => planOf(testbed, benchmark, theCase, { ...roles, keyPrefix })),
    partSeconds: PART_SECONDS,
    random,
    ...sampledNodes(testbed, roles.primary.id),
    signal,
  });
}

/** Makes nodes and links as the case asks for. @param {Testbed} testbed @param {LoadBenchmark} benchmark @param {Case['params']} params */
async function prepareNodes({ stack, controls, tuning, signal, replicas: fixed }, { stacks }, params) {
  const primary = await untilAborted(stack.database.primary(), signal);
  const replicas = fixed ?? (await untilAborted(stack.database.replicas(), signal));
  // Not aborted half-way: a setting made during the clean-up would stay.
  await tuning.become(params, { primary: primary.id, replicas: replicas.map(({ id }) => id) });
  signal.throwIfAborted();
  if (stacks?.links) await stack.network.slow(params.linkLatencyMs ? { latencyMs: params.linkLatencyMs } : null);
  if (params.settings) {
    for (const control of controls.values()) await stack.database.backgroundWork?.settled(control, { signal });
  }
  return { primary, replicas };
}

/**
 * @param {Testbed} testbed @param {LoadBenchmark} benchmark @param {Case} theCase
 * @param {{primary: NodeInfo, replicas: readonly NodeInfo[], keyPrefix: string}} where @returns {RoundPlan}
 */
function planOf({ stack, profile, random }, benchmark, { params }, { primary, replicas, keyPrefix }) {
  const { credentials } = stack.access;
  const targetOf = (/** @type {NodeInfo} */ { address }) => ({ ...address, credentials });
  const { client, operation, requests, rate, connections, backgroundConnections = 0 } = params;
  return {
    generator: benchmark.load ?? 'writes',
    client,
    ...(operation && { operation }),
    primary: targetOf(primary),
    replicas: replicas.map(targetOf),
    ...(params.readFrom === 'replicas' && { targets: replicas.map(targetOf) }),
    shape: shapeOf(params, keyPrefix),
    connections,
    backgroundConnections,
    keyspace: keyspaceFor(params),
    seconds: requests === undefined ? profile.seconds : LONGEST_SECONDS,
    ...(requests !== undefined && { operations: requests }),
    warmUpSeconds: profile.warmUpSeconds,
    ...(rate !== undefined && {
      openLoop: { rate, arrivals: ARRIVALS, graceSeconds: Math.min(profile.seconds, LONGEST_GRACE_SECONDS) },
    }),
    seed: Math.floor(random() * 2 ** 32),
  };
}

/** @param {RoundBenchmark} benchmark @param {Profile} profile */
function precisionOf(benchmark, profile) {
  return benchmark.kind === 'load' ? benchmark.precision?.(profile) : undefined;
}

/** Of connecting, draining and sampling, roughly, for the first estimate. */
const ROUND_OVERHEAD_SECONDS = 0.04;

/** @typedef {{progress: Progress, estimate: Estimate, seed: number} & Pick<Teller, 'testbedOf'>} CasesOptions */

/**
 * @param {Testbed} run @param {RoundBenchmark} benchmark @param {Case[]} cases
 * @param {Keys} keys removed at the end, but not if this rejects @param {CasesOptions & {parameters?: SuiteParameters}} options
 */
export async function measureBenchmark(run, benchmark, cases, keys, options) {
  const { estimate, parameters } = options;
  const testbed = { ...run, profile: { ...run.profile, ...paceOf(benchmark, run.profile) } };
  const more = benchmark.kind === 'load' ? benchmark.more : undefined;
  const removed = await testbed.tuning.willWrite(keys.prefix);
  // Before a case changes settings.
  const own = await readOwn(testbed.stack, await primaryControl(testbed));
  /** @type {BenchmarkResult['cases']} */
  const measured = [];
  const soFar = () => benchmarkDocument(benchmark, { cases: measured, parameters });
  for (let next = cases; next.length > 0; next = more?.(soFar(), { parameters }) ?? []) {
    if (next !== cases) estimate.plan(roundPiece(benchmark, testbed.profile), next.length * testbed.profile.rounds);
    const found = await measureCases(testbed, benchmark, next, keys, options);
    measured.push(...found.map((one) => ({ ...one, params: withOwn(one.params, own) })));
  }
  if (more) measured.sort((a, b) => a.id.localeCompare(b.id, 'en', { numeric: true }));
  // Settings first: one of them may refuse every write.
  await testbed.tuning.back();
  await testbed.stack.database.keys.remove(await primaryControl(testbed), keys);
  await removed();
  const pace = benchmark.pace && paceOf(benchmark, run.profile);
  const { headline, ...precision } = precisionOf(benchmark, run.profile) ?? {};
  return benchmarkDocument(benchmark, {
    cases: measured,
    ...(pace && { pace }),
    ...(headline && { precision: /** @type {BenchmarkResult['precision']} */ (precision) }),
    parameters,
  });
}

/**
 * @param {Testbed} testbed @param {RoundBenchmark} benchmark @param {Case[]} cases measured interleaved; their baselines are among them
 * @param {Pick<Keys, 'prefix'>} keys @param {CasesOptions} options
 */
export async function measureCases(testbed, benchmark, cases, keys, { progress, estimate, seed, testbedOf }) {
  const { rounds, seconds } = testbed.profile;
  const piece = roundPiece(benchmark, testbed.profile);
  progress.tell(`${benchmark.name}: ${cases.length} cases × ${rounds} rounds of ${seconds} s, ${estimate.left()}`);
  const results = await measureRounds(testbed, benchmark, cases, keys.prefix, {
    onRound(round, next) {
      progress.now(`round ${round}${round <= rounds ? ` of ${rounds}` : ''}, ${next.map(({ id }) => id).join(', ')}`);
    },
    onRoundEnd({ id }, result) {
      estimate.ended(piece);
      const { throughput, latencyNs } = result;
      // Some rounds write nothing. The most important figure comes first: the end may be cut off.
      if (throughput > 0) progress.figures?.(`${rate(throughput)}, p99 ${duration(latencyNs.p99)}, ${id}`);
    },
    onMore: (more) => estimate.plan(piece, more),
    testbedOf,
  });
  const of = (id = '') => results.get(id) ?? { rounds: [] };
  return cases.map(({ id, params, baseline }) => {
    const { rounds: own, stop } = of(id);
    const summary = summarise(own, of(baseline).rounds, { baselineId: baseline, seed });
    return { id, params, rounds: own, summary, ...(stop && { stop }) };
  });
}

/** @param {Pick<RoundBenchmark, 'name' | 'pace' | 'overheadSeconds'>} benchmark @param {Profile} profile @returns {Piece} a round */
export function roundPiece(benchmark, profile) {
  const { seconds, warmUpSeconds } = paceOf(benchmark, profile);
  const overhead = benchmark.overheadSeconds ?? ROUND_OVERHEAD_SECONDS;
  return { of: benchmark.name, seconds: seconds + warmUpSeconds + overhead };
}

/** @param {Pick<RoundBenchmark, 'pace'>} benchmark @param {Profile} profile @returns {Pace} */
export function paceOf({ pace }, profile) {
  const { rounds, seconds, warmUpSeconds } = pace?.(profile) ?? profile;
  return { rounds, seconds, warmUpSeconds };
}
