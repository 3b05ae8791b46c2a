/**
 * Machines that are up, for tests: their parts are killed and started again, as a supervisor would.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';
import { leftIn, runCli } from '../cli/fixture.js';
import { ownUid } from '../private-files.js';
import { actOnProcess, runApart } from '../stacks/hosts/daemons.js';
import { listStacks } from '../stacks/hosts/local/record.js';
import { commandIn } from '../stacks/network/namespaces.js';
import { connectControl } from '../stacks/redis/control.js';
import { NATS_PASSWORD_VARIABLE } from '../untrusted.js';

/** @import { Address } from '../stacks/types.js' */

const CLI = fileURLToPath(new URL('../cli/index.js', import.meta.url));
const NATS = 'nats';

/**
 * For all tests of a suite. Afterwards nothing may be left of them.
 *
 * @param {string} tmp
 * @param {number} count of hosts in namespaces, each with an agent
 */
export function withAgentsUp(tmp, count) {
  before(async () => {
    const up = await runCli(['agents', 'up', '--namespaces', String(count)], { tmp });
    assert.equal(up.status, 0, up.stderr);
  });
  after(async () => {
    const down = await runCli(['agents', 'down'], { tmp });
    assert.equal(down.status, 0, down.stderr);
    assert.deepEqual(leftIn(tmp), []);
  });
}

/** @param {string} tmp @returns {string | null} folder of the machines there */
export function machinesFolder(tmp) {
  const base = join(tmp, `sentinel-bench-agents-${ownUid()}`);
  const [name] = existsSync(base) ? readdirSync(base) : [];
  return name === undefined ? null : join(base, name);
}

/**
 * @param {string} folder of machines
 * @param {string} part `nats` or the name of an agent
 * @returns {Promise<void>} it was killed before this function returns, and has ended when the promise resolves
 */
export function killPart(folder, part) {
  return actOnProcess(part, Number(readFileSync(join(folder, part, 'pid'), 'utf8')), 'kill');
}

/**
 * @param {string} folder of machines
 * @param {string} part `nats` or the name of an agent, which has ended
 */
export function startPart(folder, part) {
  const configuration = join(folder, NATS, 'nats.json');
  const { listen, authorization } = JSON.parse(readFileSync(configuration, 'utf8'));
  const { password } = authorization.users.find((/** @type {{user: string}} */ { user }) => user === part) ?? {};
  const host = part === NATS ? 0 : Number(part.split('-')[1]) - 1;
  const command =
    part === NATS
      ? ['nats-server', '-c', configuration]
      : [process.execPath, CLI, 'agent', '--allow', 'load,writers,faults,nodes', '--name', part, '--nats-user', part];
  const cwd = join(folder, part);
  const env = { SENTINEL_BENCH_NATS: `nats://${listen}`, [NATS_PASSWORD_VARIABLE]: password };
  runApart([...commandIn(String(folder.split('/').at(-1)), host), ...command], { cwd, log: join(cwd, 'log'), env });
}

/** @returns {Promise<number>} keys on the first node of the stack that is up; 0: none is */
export async function keysWritten() {
  const [record] = listStacks();
  return record?.net ? keysOn({ host: `${record.net}.1`, port: record.nodes[0].port }, {}) : 0;
}

/** @param {string} tmp @returns {string} folder with a folder for each agent that started nodes */
export function nodesOfAgents(tmp) {
  return join(tmp, `sentinel-bench-${ownUid()}`);
}

/**
 * @param {string} tmp
 * @returns {Promise<number>} keys on the first node that agents started; 0: none is up
 */
export async function keysOnAgents(tmp) {
  const base = nodesOfAgents(tmp);
  const files = (existsSync(base) ? readdirSync(base) : []).map((name) => join(base, name, 'redis-1', 'node.conf'));
  const file = files.find((each) => existsSync(each));
  if (!file) return 0;
  const text = readFileSync(file, 'utf8');
  // A server that rewrites its file quotes values.
  const setting = (/** @type {string} */ name) => new RegExp(`^${name} "?([^"\\s]+)`, 'm').exec(text)?.[1] ?? '';
  return keysOn({ host: setting('bind'), port: Number(setting('port')) }, { password: setting('requirepass') });
}

/**
 * @param {Address} address
 * @param {{password?: string}} login
 * @returns {Promise<number>} 0: it does not answer
 */
async function keysOn(address, login) {
  try {
    const control = await connectControl(address, login);
    try {
      return Number(await control.call('DBSIZE'));
    } finally {
      control.close();
    }
  } catch {
    return 0;
  }
}
