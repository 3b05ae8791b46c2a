/**
 * Machines that are up, for tests: their parts are killed and started again, as a supervisor would.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownUid } from '../private-files.js';
import { runApart } from '../stacks/daemons.js';
import { listStacks } from '../stacks/local/record.js';
import { commandIn } from '../stacks/network/namespaces.js';
import { connectControl } from '../stacks/redis/control.js';
import { NATS_PASSWORD_VARIABLE } from '../untrusted.js';

const CLI = fileURLToPath(new URL('../cli/index.js', import.meta.url));
const NATS = 'nats';

/** @param {string} tmp @returns {string | null} folder of the machines there */
export function machinesFolder(tmp) {
  const base = join(tmp, `sentinel-bench-agents-${ownUid()}`);
  const [name] = existsSync(base) ? readdirSync(base) : [];
  return name === undefined ? null : join(base, name);
}

/**
 * @param {string} folder of machines
 * @param {string} part `nats` or the name of an agent
 */
export function killPart(folder, part) {
  process.kill(Number(readFileSync(join(folder, part, 'pid'), 'utf8')), 'SIGKILL');
}

/**
 * @param {string} folder of machines
 * @param {string} part `nats` or the name of an agent, which does not run
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
  if (!record?.net) return 0;
  try {
    const control = await connectControl({ host: `${record.net}.1`, port: record.nodes[0].port }, {});
    try {
      return Number(await control.call('DBSIZE'));
    } finally {
      control.close();
    }
  } catch {
    return 0;
  }
}
