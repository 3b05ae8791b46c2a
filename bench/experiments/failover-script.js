/** A planned failover by examples/planned-failover.sh: the benchmark runs the very script that reports tell people to run. */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { UserError } from '../../src/errors.js';
import { environmentForPrograms, programPath } from '../../src/programs.js';

/** @import { Address, Credentials, Fault, Stack } from '../types.js' */

export const COORDINATED = 'coordinated';
const SCRIPT = fileURLToPath(new URL('../../examples/planned-failover.sh', import.meta.url));
/** For the promotion; a trial gives a bare failover as long. */
const SWITCH_SECONDS = 20;

/** @param {Pick<Stack, 'about'>} stack @returns {string | null} the client that the script uses: that of the server if it is installed */
function clientFor({ about: { server } }) {
  return programPath(`${server.name}-cli`) ?? programPath('redis-cli') ?? programPath('valkey-cli');
}

/** @param {Pick<Stack, 'about'>} stack @returns {string | null} why the script cannot run here, and the remedy; null: it can */
export function whyNoScript(stack) {
  return clientFor(stack) === null
    ? 'examples/planned-failover.sh needs redis-cli or valkey-cli, and neither is on PATH. Install the package redis-tools or valkey-tools.'
    : null;
}

/**
 * The old primary follows the new one when it resolves. There is nothing to undo: the new roles stay. If this process is killed, the
 * script finishes by itself.
 * @type {Fault}
 */
export const safeFailover = Object.freeze({
  name: 'safe-failover',
  what: 'is replaced as the primary by examples/planned-failover.sh',
  needs: /** @type {Fault['needs']} */ (['failover']),
  planned: /** @type {const} */ (true),
  /** @type {Fault['inject']} */
  async inject({ stack, journal }, id) {
    // The script releases the writes by itself. This is for the case that it is killed.
    const { strike } = await journal.note({ kind: 'call', id, command: ['CLIENT', 'UNPAUSE'] });
    const files = tlsFiles(stack.access.credentials);
    try {
      const { status, output } = await run(String(clientFor(stack)), stack, files.args);
      if (status !== 0) {
        throw new UserError(
          `The safe failover ended with status ${status}: ${output.trim().replaceAll('\n', ' ')}`,
          'Heal the stack with `sentinel-bench recover`, and see with `sentinel-bench status` that each replica is in sync.',
        );
      }
    } finally {
      files.remove();
    }
    await strike();
    return async () => {};
  },
});

/** @param {Address} address */
const textOf = ({ host, port }) => `${host}:${port}`;

/** @param {string} client @param {Stack} stack @param {string[]} args */
function run(client, { nodes, access: { masterName, credentials } }, args) {
  const { username, password, sentinelUsername, sentinelPassword } = credentials;
  const sentinels = nodes.filter(({ kind }) => kind === 'sentinel');
  const words = [
    SCRIPT,
    ...sentinels.flatMap(({ announced }) => ['--sentinel', textOf(announced)]),
    ...['--name', masterName, '--cli', client, '--switch', `${SWITCH_SECONDS}`],
    ...(username && password ? ['--user', username] : []),
    ...(sentinelUsername && sentinelPassword ? ['--sentinel-user', sentinelUsername] : []),
    ...args,
  ];
  const elsewhere = nodes.filter(({ announced, address }) => textOf(announced) !== textOf(address));
  const env = {
    ...environmentForPrograms(),
    REDISCLI_AUTH: password ?? '',
    SENTINEL_AUTH: sentinelPassword ?? '',
    PLANNED_FAILOVER_ADDRESSES: elsewhere
      .map(({ announced, address }) => `${textOf(announced)}=${textOf(address)}`)
      .join(' '),
  };
  return new Promise((resolve, reject) => {
    // In a process group of its own: Ctrl-C must not end it half-way through.
    const child = spawn('sh', words, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.once('error', reject);
    child.once('close', (status, signal) => resolve({ status: status ?? signal, output }));
  });
}

/** The command line client reads certificates from files; a stack holds their text. @param {Credentials} credentials */
function tlsFiles({ tls }) {
  if (!tls) return { args: [], remove: () => {} };
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-bench-tls-'));
  const args = ['--tls'];
  for (const [option, text] of /** @type {const} */ ([
    ['--cacert', tls.ca],
    ['--cert', tls.cert],
    ['--key', tls.key],
  ])) {
    if (!text) continue;
    const file = join(folder, option.slice(2));
    writeFileSync(file, text, { mode: 0o600 });
    args.push(option, file);
  }
  if (tls.serverName) args.push('--sni', tls.serverName);
  if (tls.insecure) args.push('--insecure');
  return { args, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
