/** Trials whose writers run on agents, behind the interface of the thread of writers. Each agent has the writers of one place in the network. */
import { ledgerIn } from '../audit/files.js';
import { openLedger } from '../audit/ledger.js';
import { busiest } from '../load/load-thread.js';
import { once } from '../once.js';
import { placedWriter } from '../registry/writers.js';
import { clockMs } from '../stats/clock.js';
import { addCounts } from '../stats/statistics.js';
import { clockOver } from './clock.js';
import { fetchLedger, noteRun } from './collect.js';
import { runsOnAgents } from './writers-protocol.js';

/**
 * @import { Ledger } from '../audit/ledger.js'
 * @import { TrialPlan, TrialSample, TrialThread } from '../load/trial-thread.js'
 * @import { TrialResult } from '../result/failure-schema.js'
 * @import { Size } from '../stacks/redis/topology.js'
 * @import { Stack, SystemName } from '../stacks/types.js'
 * @import { AgentsNodes } from './agents-nodes.js'
 * @import { ClockOffset } from './clock.js'
 * @import { Controller } from './controller.js'
 * @import { AgentPlan, EndedWriters, WhichTrial } from './writers-protocol.js'
 */

/** Beyond what the writers have for their last answers. */
const END_MS = 70_000;
/** Between the request to begin and the first write: longer than a round trip. */
const LEAD_MS = 300;

/**
 * @typedef {Object} TrialOnAgents what writers on agents have beside those of one machine
 * @property {(stack: Stack) => Promise<void>} place tells the network of the stack from where the writers of each place will dial
 * @property {AbortSignal} lost aborted when an agent is lost: the trial is invalid
 * @property {() => Promise<NonNullable<TrialResult['agents']>>} agents what each of them did, after `stop`; reads the clocks once more
 * @typedef {TrialThread & TrialOnAgents} AgentsTrialThread
 * @typedef {Object} AgentsTrials
 * @property {(writers: readonly string[], size: Size, how?: {apart?: boolean}) => string | null} whyNot why these writers cannot run on the agents,
 *   and the remedy; apart: no writer may be on a machine with nodes
 * @property {(folder: string) => void} note writes the id of the run into its folder, for `collect`
 * @property {(trial: {which: WhichTrial, system: string, waits: boolean, writers: readonly string[], size: Size}) => AgentsTrialThread} open system: what
 *   they write to; size: of the stack
 */

/**
 * @param {Controller} controller @param {Pick<AgentsNodes, 'machines' | 'clientsApart'>} [nodes] agents start them, too
 * @returns {AgentsTrials}
 */
export function openAgentsTrials(controller, nodes) {
  const names = controller.agents.map(({ name }) => name);
  return {
    whyNot: (writers, size, { apart = false } = {}) =>
      whyNot(writers, names, nodes?.machines(size), apart ? SLOWED : nodes?.clientsApart ? REACHING : undefined),
    note: (folder) => noteRun(folder, controller.run),
    open: ({ size, ...trial }) =>
      openTrial(controller, { ...trial, assigned: assign(trial.writers, names, nodes?.machines(size)) }),
  };
}

const SLOWED = 'Links between machines are slowed';
const REACHING = 'Its clients reach every node in each of its failures';

/**
 * @param {readonly string[]} writers @param {readonly string[]} agents names @param {readonly string[]} [machines] as for {@link assign}
 * @param {string} [apart] why no writer may be on a machine with nodes; default: it may
 */
function whyNot(writers, agents, machines = [], apart) {
  const odd = writers.find((name) => !runsOnAgents(name));
  if (odd) return `Agents run no programs and no drivers, such as ${odd}; measure it without --agents.`;
  const { places, parties, alone } = partiesOf(writers, agents, machines);
  const lacking = Math.max(1, parties) - alone.length;
  if (apart && machines.length > 0 && lacking > 0)
    return `${apart}, so its writers need machines without nodes; use ${agents.length + lacking} agents or more.`;
  const short = parties - alone.length - (machines.length === 0 ? 0 : Math.min(places.length, BESIDE_NODES));
  if (short <= 0) return null;
  return `Its writers are in ${parties} places of the network (${places.join(', ')}); use ${agents.length + short} agents or more.`;
}

const placeOf = (/** @type {string} */ writer) => placedWriter(writer).place;

const placesOf = (/** @type {readonly string[]} */ writers) => [
  ...new Set(writers.flatMap((name) => placeOf(name) ?? [])),
];

/**
 * @param {readonly string[]} writers @param {readonly string[]} agents @param {readonly string[]} machines
 * @returns parties: agents that have to be apart: one for each place, and one for writers without a place beside them; alone: agents
 *   without nodes
 */
function partiesOf(writers, agents, machines) {
  const places = placesOf(writers);
  const others = places.length > 0 && writers.some((name) => placeOf(name) === undefined) ? 1 : 0;
  return { places, parties: places.length + others, alone: agents.filter((name) => !machines.includes(name)) };
}

/** So many places may be on machines with nodes: the first one with the first primary, the second one with the last node. */
const BESIDE_NODES = 2;

/**
 * The first agent has the first place, and so on. Writers without a place are dealt out to the agents without one. Where agents start the nodes, writers
 * are on machines without nodes. If these are too few for the places, the first two are on the machines whose sides of a partition they are on.
 * @param {readonly string[]} writers
 * @param {readonly string[]} agents names; enough of them
 * @param {readonly string[]} [machines] names of the agents that start the nodes: first that of the first primary
 * @returns {Map<string, string[]>} agent → writers
 */
export function assign(writers, agents, machines = []) {
  const { places, parties, alone } = partiesOf(writers, agents, machines);
  const sides = [machines[0], machines[machines.length - 1]].filter((name) => agents.includes(name));
  const sidesFirst = places.length > 0 && machines.length > 0 && alone.length < parties;
  const order = [...new Set([...(sidesFirst ? sides : []), ...alone, ...sides, ...agents])];
  const dealtTo = places.length === 0 && alone.length > 0 ? alone : order.slice(places.length);
  const assigned = /** @type {Map<string, string[]>} */ (new Map());
  let dealt = 0;
  for (const name of writers) {
    const place = placeOf(name);
    const agent = place === undefined ? dealtTo[dealt++ % dealtTo.length] : order[places.indexOf(place)];
    assigned.set(agent, [...(assigned.get(agent) ?? []), name]);
  }
  return assigned;
}

/**
 * @param {Controller} controller
 * @param {Omit<Parameters<AgentsTrials['open']>[0], 'writers' | 'size'> & {assigned: ReadonlyMap<string, string[]>}} trial assigned: agent → writers
 * @returns {AgentsTrialThread}
 */
function openTrial({ run, ask, clock, lost: lostOf }, { which, waits, assigned, ...trial }) {
  const system = /** @type {SystemName} */ (trial.system);
  const names = [...assigned.keys()];
  const lost = lostOf(names);
  let planned = /** @type {TrialPlan | null} */ (null);
  let clocks = /** @type {Map<string, ClockOffset>} */ (new Map());
  let replies = /** @type {Map<string, EndedWriters>} */ (new Map());

  /** @template T @param {(name: string) => Promise<T>} work @returns {Promise<Map<string, T>>} */
  const ofEach = async (work) =>
    new Map(await Promise.all(names.map(async (name) => /** @type {[string, T]} */ ([name, await work(name)]))));

  return {
    lost,
    async place({ network: { groups }, nodes }) {
      if (!groups) return;
      const to = [...new Set(nodes.map(({ address }) => address.host))];
      for (const [name, own] of assigned) {
        const places = placesOf(own);
        if (places.length === 0) continue;
        const { addresses } = await ask(name, 'writers-from', { to });
        for (const place of places) groups.adopt(place, addresses);
      }
    },
    async start(plan) {
      planned = plan;
      await ofEach((name) => {
        const own = partFor(plan, assigned.get(name) ?? []);
        return ask(name, 'writers-open', { which, system, waits, plan: own });
      });
      clocks = await ofEach(clock);
      const beganAt = clockMs() + LEAD_MS;
      await ofEach((name) => {
        const beginAtMs = beganAt + /** @type {ClockOffset} */ (clocks.get(name)).monotonicMs;
        return ask(name, 'writers-begin', { which, beginAtMs });
      });
      return { beganAt };
    },
    async stop() {
      const plan = /** @type {TrialPlan} */ (planned);
      replies = await ofEach((name) => ask(name, 'writers-end', { which }, plan.drainMs + END_MS));
      for (const [name, { ledgers }] of replies) {
        for (const ledger of ledgers) {
          const content = ledgerIn(await fetchLedger(ask, name, run, ledger), ledger);
          const writer = plan.writers.find((each) => each.name === ledger.writer);
          if (writer) copyLedger(content, openLedger(writer.ledger));
        }
      }
      return mergeSamples(plan, replies, clocks);
    },
    async agents() {
      const after = await ofEach(clock);
      return [...replies].map(([name, { sample, machineCpu }]) => ({
        name,
        writers: assigned.get(name) ?? [],
        clock: clockOver(/** @type {ClockOffset} */ (clocks.get(name)), /** @type {ClockOffset} */ (after.get(name))),
        lateMs: sample.lateMs,
        load: sample.load,
        machineCpu,
      }));
    },
    // By now the ledgers are on the disk here, or the trial does not count. An agent that is lost drops them when the trial is repeated.
    close: once(async () => {
      await Promise.allSettled(names.map((name) => ask(name, 'writers-drop', { which })));
    }),
  };
}

/** @param {TrialPlan} plan @param {readonly string[]} names of writers @returns {AgentPlan} */
function partFor({ module, virtualAddress, sentinelsAnnounced, readsPerSecond = 0, writers, ...plan }, names) {
  const own = writers.filter(({ name }) => names.includes(name));
  return {
    ...plan,
    sentinelsAnnounced: sentinelsAnnounced ?? plan.sentinels,
    // All writers together are looked after as closely as on one machine.
    readsPerSecond: (readsPerSecond * own.length) / writers.length,
    writers: own.map(({ from, ledger, appends = false, ...writer }) => ({
      ...writer,
      appends,
      capacity: openLedger(ledger).capacity,
    })),
  };
}

/** @param {Ledger} from with the writes that were due @param {Ledger} to with room for more */
function copyLedger(from, to) {
  for (const part of /** @type {const} */ (['ticks', 'states', 'nodes', 'waited', 'flags'])) to[part].set(from[part]);
}

/**
 * @param {TrialPlan} plan @param {ReadonlyMap<string, EndedWriters>} replies by agent
 * @param {ReadonlyMap<string, ClockOffset>} clocks by agent @returns {TrialSample} on our clock; the load is that of the busiest thread
 */
export function mergeSamples(plan, replies, clocks) {
  const samples = [...replies].map(([name, { sample }]) => {
    const offsetMs = clocks.get(name)?.monotonicMs ?? 0;
    return { ...sample, beganAt: sample.beganAt - offsetMs, endedAt: sample.endedAt - offsetMs };
  });
  const all = samples.flatMap(({ writers }) => writers);
  const reads = samples.map((sample) => sample.reads);
  return {
    beganAt: samples[0].beganAt,
    endedAt: Math.max(...samples.map(({ endedAt }) => endedAt)),
    writers: plan.writers.map(({ name }) => {
      const found = all.find((writer) => writer.name === name);
      if (!found) throw new Error(`no agent told of ${name}`);
      return found;
    }),
    reads: { ...addCounts(...reads), longestMs: Math.max(...reads.map(({ longestMs }) => longestMs)) },
    lateMs: Math.max(...samples.map(({ lateMs }) => lateMs)),
    load: busiest(samples),
  };
}
