/**
 * `sentinel-bench agent` serves this machine to a controller; `sentinel-bench agents` says which agents are there, and places some on
 * hosts of network namespaces.
 */
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { InvalidArgumentError } from 'commander';
import { serveAgent } from '../agents/agent.js';
import { connectNats } from '../agents/connection.js';
import { discoverAgents, offsetOf } from '../agents/controller.js';
import { hostWork } from '../agents/host.js';
import { loadWork } from '../agents/load-work.js';
import { bringUpMachines, MOST_MACHINES, takeDownMachines } from '../agents/machines.js';
import { recoverNodes } from '../agents/own-nodes.js';
import { AgentName, ALLOWABLE, inboxOf } from '../agents/protocol.js';
import { writersWork } from '../agents/writers-work.js';
import { messageOf, UserError } from '../errors.js';
import { bytes, duration, plural } from '../format.js';
import { countBetween } from '../quantities.js';
import { abortable } from '../run/interruption.js';
import { createProgress } from '../run/progress.js';
import { recoverAgent } from '../run/recover.js';
import { isPort } from '../stacks/address.js';
import { left, makeTable, right, terminalTable } from '../table.js';
import { NS_A_MS } from '../units.js';
import { cleanLine, keepSecret, PASSWORD_VARIABLE, SENTINEL_PASSWORD_VARIABLE } from '../untrusted.js';
import { declare } from './declare.js';
import { natsOptions } from './nats-options.js';
import { print, printJson, tell } from './output.js';

/**
 * @import { NatsConnection } from '@nats-io/nats-core'
 * @import { ClockOffset } from '../agents/clock.js'
 * @import { Allowable } from '../agents/operations.js'
 * @import { AgentDescription } from '../agents/protocol.js'
 * @import { Address, Credentials } from '../stacks/types.js'
 * @import { Command } from 'commander'
 */

/** @param {Command} program gets the commands */
export function addAgentCommands(program) {
  declare(
    program,
    'agent',
    {
      allow: { parse: parseAllow, isMandatory: true },
      name: { parse: parseName, isMandatory: true, env: 'SENTINEL_BENCH_AGENT_NAME' },
      start: { parse: collectStarts },
    },
    { allowable: ALLOWABLE.join(', ') },
  ).action(agent);
  const agents = declare(program, 'agents');
  declare(agents, 'agents list').action(list);
  const namespaces = { parse: machineCount, isMandatory: true };
  declare(agents, 'agents up', { namespaces }, { most: String(MOST_MACHINES) }).action(up);
  declare(agents, 'agents down').action(down);
}

const machineCount = countBetween({ least: 1, most: MOST_MACHINES, shown: `1 and ${MOST_MACHINES}` });

/** The command that starts an agent on a host. */
const AGENT = [
  process.execPath,
  fileURLToPath(new URL('./index.js', import.meta.url)),
  'agent',
  '--allow',
  ALLOWABLE.join(','),
];

/** @param {{namespaces: number}} options */
async function up({ namespaces }) {
  const progress = createProgress();
  progress.now(`starting ${plural(namespaces, 'agent')}`);
  const { names } = await abortable(
    (signal) => bringUpMachines({ count: namespaces, agent: AGENT, signal, tell: progress.tell }),
    tell,
  ).finally(progress.stop);
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

/** @returns {Credentials} of the servers beside this agent */
function passwords() {
  const [password, sentinelPassword] = [process.env[PASSWORD_VARIABLE], process.env[SENTINEL_PASSWORD_VARIABLE]];
  keepSecret(password, sentinelPassword);
  return { password: password || undefined, sentinelPassword: sentinelPassword || undefined };
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
    const writers = writersWork(name, () => host.slowsWriters());
    const host = hostWork({
      name,
      starts: start,
      credentials: passwords(),
      writes: writers.writes,
      nats: () => natsServer(nats),
      tell: say,
    });
    const served = serveAgent({ nats, name, allow, works: [loadWork(), writers, host], tell: say });
    tell(`The agent ${name} serves ${allow.join(', ')}.`);
    const gone = nats.closed();
    await Promise.race([signal.aborted || once(signal, 'abort'), gone]);
    await served.close();
    const why = signal.aborted ? undefined : await gone;
    if (!signal.aborted)
      throw new UserError(`NATS ended the connection: ${messageOf(why ?? 'closed')}.`, 'Start it again.');
  }, tell);
}

/** @param {Record<string, any>} options */
async function list({ json, ...options }) {
  const nats = await connectNats(natsOptions(options, 'sentinel-bench agents list'), { reconnect: false });
  try {
    const rows = [];
    for (const found of await discoverAgents(nats)) rows.push({ ...found, clock: await clockOf(nats, found) });
    if (json) printJson({ schema: 'sentinel-bench/agents@1', agents: rows });
    else if (rows.length > 0) print(terminalTable(makeTable(COLUMNS, rows)));
    if (rows.length === 0)
      throw new UserError(
        'No agent answers.',
        'Start one: `sentinel-bench agent --nats URL --allow load --name NAME`.',
      );
  } finally {
    await nats.close();
  }
}

/** @typedef {AgentDescription & {clock: ClockOffset | null}} ListedAgent */

const COLUMNS = [
  left('agent', (/** @type {ListedAgent} */ { name }) => name),
  left('allows', (/** @type {ListedAgent} */ { allow }) => allow.join(', ')),
  right('cores', (/** @type {ListedAgent} */ { cores }) => String(cores)),
  right('memory', (/** @type {ListedAgent} */ { memoryBytes }) => bytes(memoryBytes)),
  right('round trip', (/** @type {ListedAgent} */ { clock }) =>
    clock ? duration(clock.roundTripMs * NS_A_MS) : 'no answer',
  ),
  right('clock off by', (/** @type {ListedAgent} */ { clock }) => clockText(clock)),
  left('state', (/** @type {ListedAgent} */ { busy }) => (busy ? `run ${busy}` : 'free')),
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
