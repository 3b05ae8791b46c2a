/**
 * `sentinel-bench agent` serves this machine to a controller; `sentinel-bench agents` says which agents are there, and places some on
 * hosts of network namespaces; `sentinel-bench collect` gets the ledgers of a killed run from the agents.
 */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { InvalidArgumentError } from 'commander';
import { serveAgent } from '../agents/agent.js';
import { collectLedgers } from '../agents/collect.js';
import { connectNats } from '../agents/connection.js';
import { discoverAgents, offsetOf } from '../agents/controller.js';
import { AgentHost } from '../agents/host.js';
import { loadWork } from '../agents/load-work.js';
import { bringUpMachines, MOST_MACHINES, takeDownMachines } from '../agents/machines.js';
import { AgentName, ALLOWABLE, inboxOf } from '../agents/protocol.js';
import { AgentWriters } from '../agents/writers-work.js';
import { messageOf } from '../errors.js';
import { bytes, duration, plural } from '../format.js';
import { abortable } from '../run/interruption.js';
import { recoverAgent } from '../run/recover.js';
import { isPort } from '../stacks/address.js';
import { recoverNodes } from '../stacks/hosts/local/recover.js';
import { left, makeTable, right, terminalTable } from '../table.js';
import { NS_A_MS } from '../units.js';
import { cleanLine } from '../untrusted.js';
import { natsOptions } from './nats-options.js';
import { passwords } from './options.js';
import { print, printJson, tell, withProgress } from './output.js';
import { refusal } from './refusals.js';

/**
 * @import { NatsConnection } from '@nats-io/nats-core' @import { ClockOffset } from '../agents/clock.js'
 * @import { Allowable } from '../agents/operations.js' @import { AgentDescription } from '../agents/protocol.js'
 * @import { Address } from '../stacks/types.js' @import { Column } from '../table.js'
 */

export const commands = {
  agent: {
    run: agent,
    readings: {
      allow: { parse: parseAllow, isMandatory: true },
      name: { parse: parseName, isMandatory: true, env: 'SENTINEL_BENCH_AGENT_NAME' },
      start: { parse: collectStarts },
    },
    values: { allowable: ALLOWABLE.join(', ') },
  },
  agents: {},
  'agents list': { run: list },
  'agents up': {
    run: up,
    readings: { namespaces: { count: `1 and ${MOST_MACHINES}`, isMandatory: true } },
    values: { most: MOST_MACHINES },
  },
  'agents down': { run: down },
  collect: { run: collect },
};

/** @param {{namespaces: number}} options */
async function up({ namespaces }) {
  const start = [process.execPath, fileURLToPath(new URL('./index.js', import.meta.url))];
  const { names } = await withProgress((progress, signal) => {
    progress.now(`starting ${plural(namespaces, 'agent')}`);
    const command = [...start, 'agent', '--allow', ALLOWABLE.join(',')];
    return bringUpMachines({ count: namespaces, agent: command, signal, tell: progress.tell });
  });
  tell(`These agents serve: ${names.join(', ')}. Take them down with \`sentinel-bench agents down\`.`);
}

async function down() {
  const count = await takeDownMachines();
  tell(count > 0 ? `${plural(count, 'agent')} and their hosts are gone.` : 'No agents are up.');
}

/** @param {string} text */
function parseName(text) {
  const { success, error, data } = AgentName.safeParse(text);
  if (!success) throw new InvalidArgumentError(`${error.issues[0].message}.`);
  return data;
}

/** @param {string} text @returns {Allowable[]} */
function parseAllow(text) {
  return text.split(',').map((word) => {
    const found = ALLOWABLE.find((each) => each === word);
    if (!found) throw new InvalidArgumentError(`It must be a list of ${ALLOWABLE.join(', ')}, with commas.`);
    return found;
  });
}

/** @param {string} text @param {Map<number, string>} [earlier] */
function collectStarts(text, earlier = new Map()) {
  const [, port, command] = /^(\d{1,5})=(.*\S.*)$/s.exec(text) ?? [];
  if (!isPort(port)) throw new InvalidArgumentError('It must be PORT=COMMAND.');
  return new Map([...earlier, [Number(port), command]]);
}

/** @param {NatsConnection} nats @returns {Promise<Address>} the server that it uses */
async function natsServer(nats) {
  const { hostname, port } = new URL(`tcp://${nats.getServer()}`);
  const { address } = await lookup(hostname, { family: 4 });
  return { host: address, port: Number(port) };
}

/** @param {Record<string, any>} options */
async function agent({ name, allow, start = new Map(), ...options }) {
  await abortable(async (signal) => {
    if (allow.includes('faults')) await recoverAgent(name, tell);
    if (allow.includes('nodes')) await recoverNodes(tell);
    const nats = await connectNats(
      { ...natsOptions(options, `sentinel-bench agent ${name}`), inbox: inboxOf(name) },
      { reconnect: true },
    );
    const say = (/** @type {string} */ line) => tell(cleanLine(line));
    const server = await natsServer(nats);
    const writers = new AgentWriters(name, () => host.slowsWriters);
    const own = { starts: start, credentials: passwords(), writes: () => writers.areOpen };
    const host = new AgentHost({ name, ...own, nats: server, tell: say });
    const served = serveAgent({ nats, name, allow, works: [loadWork(), writers, host], tell: say });
    tell(`The agent ${name} serves ${allow.join(', ')}.`);
    const gone = nats.closed();
    await Promise.race([signal.aborted || once(signal, 'abort'), gone]);
    await served.close();
    if (!signal.aborted) throw refusal('nats-ended', { why: messageOf((await gone) ?? 'closed') });
  }, tell);
}

/** @param {Record<string, any>} options */
async function list({ json, ...options }) {
  const rows = await withNats(options, 'sentinel-bench agents list', async (nats) => {
    const listed = [];
    for (const found of await discoverAgents(nats)) listed.push({ ...found, clock: await clockOf(nats, found) });
    return listed;
  });
  if (json) printJson({ schema: 'sentinel-bench/agents@1', agents: rows });
  else if (rows.length > 0) print(terminalTable(makeTable(COLUMNS, rows)));
  if (rows.length === 0) throw refusal('no-agent-answers');
}

/** @param {string} folder @param {Record<string, any>} options */
async function collect(folder, options) {
  const collected = await withNats(options, 'sentinel-bench collect', (nats) => collectLedgers(nats, folder));
  for (const { agent: name, placed, had } of collected)
    tell(`${name}: ${plural(placed, 'ledger')} collected${had > 0 ? `, ${had} were here already` : ''}`);
  if (collected.length === 0) tell('The agents hold no ledgers of that run.');
}

/** @template T @param {Record<string, any>} options @param {string} name of ours there @param {(nats: NatsConnection) => Promise<T>} work */
async function withNats(options, name, work) {
  const nats = await connectNats(natsOptions(options, name), { reconnect: false });
  try {
    return await work(nats);
  } finally {
    await nats.close();
  }
}

/** @type {Column<AgentDescription & {clock: ClockOffset | null}>[]} */
const COLUMNS = [
  left('agent', ({ name }) => name),
  left('allows', ({ allow }) => allow.join(', ')),
  right('cores', ({ cores }) => String(cores)),
  right('memory', ({ memoryBytes }) => bytes(memoryBytes)),
  right('round trip', ({ clock }) => (clock ? duration(clock.roundTripMs * NS_A_MS) : 'no answer')),
  right('clock off by', ({ clock }) => clockText(clock)),
  left('state', ({ busy }) => (busy ? `run ${busy}` : 'free')),
];

/** @param {ClockOffset | null} clock */
function clockText(clock) {
  if (!clock) return '';
  if (!clock.ticks) return 'does not run as this one';
  return `${Math.round(clock.wallMs)} ms ± ${clock.wallBoundMs.toFixed(1)}`;
}

/** @param {NatsConnection} nats @param {AgentDescription} found */
async function clockOf(nats, { name }) {
  try {
    return await offsetOf(nats, name);
  } catch (error) {
    tell(cleanLine(`${name}: ${messageOf(error)}`));
    return null;
  }
}
