/**
 * What each node used during a round, from what it reports itself and from what its backend counts.
 * @import { NodeCounters, NodeUse } from '../result/schema.js'
 * @import { Control, ResourceSample, System } from '../stacks/types.js'
 * @typedef {Record<Exclude<keyof NodeCounters, 'events'>, number | null>} CounterTotals since the process started; null: not counted
 * @typedef {Object} CpuSample totals since the node's process started, taken right before and after a round: it may be short
 * @property {string} id @property {number} atMs on this process's monotonic clock
 * @property {number | null} cpuSeconds user and system time of the process; null: not known
 * @property {number | null} mainThreadCpuSeconds the same for the thread that executes commands
 * @typedef {{id: string, runId: string, memoryBytes: number | null, counters: CounterTotals | null}} StateSample runId: changes with a
 *   restart. memoryBytes: resident; null: not known
 * @typedef {{cpu: CpuSample[], state: StateSample[]}} NodeSamples
 * @typedef {{atMs: number, samples: ResourceSample[]}} BackendSample atMs: when the sample was taken; samples: of the running nodes
 * @typedef {ReadonlyMap<string, Pick<Control, 'info'>>} NodeControls node id → its control connection; no Sentinels
 */
/** In the order of the map; rejects when a node does not answer. @param {System} system @param {NodeControls} controls */
export function sampleCpu({ samples }, controls) {
  const sample = async (/** @type {string} */ id, /** @type {Pick<Control, 'info'>} */ control) => {
    const used = await samples.cpu(control);
    return { id, atMs: performance.now(), ...used };
  };
  return Promise.all([...controls].map(([id, control]) => sample(id, control)));
}

/** Likewise. @param {System} system @param {NodeControls} controls @returns {Promise<StateSample[]>} */
export function sampleState({ samples }, controls) {
  return Promise.all([...controls].map(async ([id, control]) => ({ id, ...(await samples.state(control)) })));
}

/**
 * What nodes used in several stretches of time, as one.
 * @param {readonly (readonly [before: CpuSample[], after: CpuSample[]])[]} stretches at least one; the same nodes in each
 * @param {readonly StateSample[]} state at the end; counters also count what lies between the stretches, so they are left out
 * @param {Readonly<Record<string, NodeUse['role']>>} roles node id → its role @returns {NodeUse[]} without counters
 */
export function nodeUseInStretches(stretches, state, roles) {
  const total = (/** @type {string} */ id, /** @type {'atMs' | 'cpuSeconds' | 'mainThreadCpuSeconds'} */ field) =>
    stretches.reduce((/** @type {number | null} */ sum, sides) => {
      const [from, to] = sides.map((samples) => samples.find((sample) => sample.id === id)?.[field] ?? null);
      return sum === null || from === null || to === null ? null : sum + to - from;
    }, 0);
  return state.map(({ id, memoryBytes }) => {
    const seconds = (total(id, 'atMs') ?? 0) / 1000;
    return {
      id,
      role: roles[id],
      cpu: share(0, total(id, 'cpuSeconds'), seconds),
      mainThreadCpu: share(0, total(id, 'mainThreadCpuSeconds'), seconds),
      memoryBytes,
      counters: null,
    };
  });
}

/** @param {() => Promise<ResourceSample[]>} stats of the stack @returns {Promise<BackendSample>} */
export async function sampleBackend(stats) {
  const samples = await stats();
  return { atMs: performance.now(), samples };
}

/**
 * @param {NodeSamples} before @param {NodeSamples} after the nodes to report, in this order
 * @param {Readonly<Record<string, NodeUse['role']>>} roles node id → its role during the round
 * @returns {NodeUse[]} CPU and counters are null if the server does not report them, `before` lacks the node, or it was restarted
 */
export function nodeUse(before, after, roles) {
  return nodeUseInStretches([[before.cpu, after.cpu]], after.state, roles).map((use, index) => {
    const { id, runId, counters } = after.state[index];
    const earlier = before.state.find((state) => state.id === id && state.runId === runId);
    if (!earlier) return { ...use, cpu: null, mainThreadCpu: null };
    return { ...use, counters: earlier.counters && counters ? countersMoved(earlier.counters, counters) : null };
  });
}

const TRAFFIC = /** @type {const} */ (['networkInBytes', 'networkOutBytes', 'blockInBytes', 'blockOutBytes']);

/**
 * Adds what the backend counted. A data node keeps the more precise CPU and memory that it reported itself; Sentinels report neither.
 * @param {readonly NodeUse[]} redis the data nodes @param {BackendSample} before
 * @param {BackendSample} after further nodes in it are Sentinels @returns {NodeUse[]} the data nodes, then the running Sentinels
 */
export function withBackend(redis, before, after) {
  const seconds = (after.atMs - before.atMs) / 1000;
  /** @param {string} id */
  const moved = (id) => {
    const from = before.samples.find((sample) => sample.id === id);
    const to = after.samples.find((sample) => sample.id === id);
    const by = (/** @type {typeof TRAFFIC[number]} */ name) => [name, difference(from?.[name], to?.[name])];
    return { ...Object.fromEntries(TRAFFIC.map(by)), pids: to?.pids ?? null };
  };
  const sentinels = after.samples.filter(({ id }) => !redis.some((node) => node.id === id));
  return [
    ...redis.map((node) => ({ ...node, ...moved(node.id) })),
    ...sentinels.map(({ id, cpuSeconds, memoryBytes }) => ({
      id,
      role: /** @type {const} */ ('sentinel'),
      cpu: share(before.samples.find((sample) => sample.id === id)?.cpuSeconds, cpuSeconds, seconds),
      mainThreadCpu: null,
      memoryBytes,
      ...moved(id),
    })),
  ];
}

/** @param {number | null | undefined} before @param {number | null | undefined} after @param {number} seconds */
function share(before, after, seconds) {
  if (before == null || after == null || seconds <= 0 || after < before) return null;
  return (after - before) / seconds;
}

/** Null: unknown, or the node was restarted. @param {number | undefined} before @param {number | undefined} after */
function difference(before, after) {
  return before === undefined || after === undefined || after < before ? null : after - before;
}

/** @param {CounterTotals} before @param {CounterTotals} after of the same process @returns {NodeCounters} */
export function countersMoved(before, after) {
  const moved = Object.entries(after).map(([name, to]) => {
    const from = before[/** @type {keyof CounterTotals} */ (name)];
    const by = from === null || to === null ? null : to - from;
    // Only CONFIG RESETSTAT lowers the others.
    return [name, by !== null && by < 0 && name !== 'aofBytes' ? null : by];
  });
  return { ...Object.fromEntries(moved), latestForkUs: after.latestForkUs };
}
