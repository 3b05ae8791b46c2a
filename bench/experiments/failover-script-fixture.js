/**
 * What the tests of examples/planned-failover.sh share: the script as a process, writers that remember what was acknowledged, and a client
 * that ends the script at a chosen command.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { programPath } from '../../src/programs.js';
import { connectControl } from '../../src/stacks/redis/control.js';

/**
 * @import { Login } from '../../src/stacks/redis/control.js'
 * @import { Address, NodeInfo, Stack } from '../types.js'
 * @import { Control } from '../../src/stacks/types.js'
 */
/** The most arguments of a call that fit on the stack. A fast machine acknowledges more writes. */
const KEYS_AT_ONCE = 10_000;

export const SCRIPT = fileURLToPath(new URL('../../examples/planned-failover.sh', import.meta.url));
/** The smallest shell that is common: what works there is POSIX. */
const SHELL = programPath('dash') ?? 'sh';
const PAYLOAD = 'x'.repeat(64);
const RETRY_MS = 20;

/** @param {Address} address */
export const textOf = ({ host, port }) => `${host}:${port}`;

/**
 * @typedef {Object} ScriptDeployment
 * @property {readonly NodeInfo[]} nodes
 * @property {string} masterName
 * @property {() => Promise<NodeInfo>} primary asked of the Sentinels
 * @property {Login} [login] of the nodes
 */

/** @param {Stack} stack @returns {ScriptDeployment} */
export const deploymentOf = ({ nodes, access: { masterName }, database: { primary } }) => ({
  nodes,
  masterName,
  primary,
});

/**
 * @param {Pick<ScriptDeployment, 'nodes' | 'masterName'>} deployment
 * @returns {string[]} arguments of the script that say which deployment it is
 */
function deploymentArguments({ nodes, masterName }) {
  const sentinels = nodes.filter(({ kind }) => kind === 'sentinel');
  return [...sentinels.flatMap(({ announced }) => ['--sentinel', textOf(announced)]), '--name', masterName];
}

/** @param {Pick<ScriptDeployment, 'nodes'>} deployment @returns {string} for PLANNED_FAILOVER_ADDRESSES */
function addressMap({ nodes }) {
  return nodes.map(({ announced, address }) => `${textOf(announced)}=${textOf(address)}`).join(' ');
}

/**
 * Runs the script.
 * @param {string[]} args
 * @param {{cli?: string, env?: Record<string, string>, script?: string, shell?: string}} [how]
 */
export function startScript(args, { cli, env = {}, script = SCRIPT, shell = SHELL } = {}) {
  const child = spawn(shell, [script, ...(cli ? ['--cli', cli] : []), ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = once(child, 'close').then(([status, signal]) => ({ status, signal, output }));
  return { child, ended, output: () => output };
}

/**
 * Runs the script on a deployment, to its end.
 * @param {ScriptDeployment} deployment
 * @param {Parameters<typeof startScript>[1] & {args?: string[]}} [how]
 */
export function failOver(deployment, { args = [], env = {}, ...how } = {}) {
  const all = { PLANNED_FAILOVER_ADDRESSES: addressMap(deployment), ...env };
  return startScript([...deploymentArguments(deployment), ...args], { ...how, env: all });
}

/**
 * A client that ends the script with SIGKILL, just before or after a command.
 * @param {string} folder
 * @param {{cli: string, at: string, when: 'before' | 'after'}} where at: words of the command
 * @returns {{cli: string, script: string}} to be given to {@link failOver}
 */
export function killer(folder, { cli, at, when }) {
  const [pid, client, script] = ['pid', 'client', 'script'].map((name) => join(folder, `killer-${name}`));
  const kill = `kill -9 "$(cat '${pid}')"`;
  const meets = when === 'before' ? kill : `'${cli}' "$@"; ${kill}`;
  writeFileSync(client, `#!/bin/sh\ncase "$*" in\n*'${at}'*) ${meets} ;;\n*) exec '${cli}' "$@" ;;\nesac\n`, {
    mode: 0o700,
  });
  writeFileSync(script, `echo $$ > '${pid}'\nexec '${SHELL}' '${SCRIPT}' "$@"\n`, { mode: 0o600 });
  return { cli: client, script };
}

/**
 * Writers as applications have them: each stays with its connection until an error, then asks the Sentinels for the primary.
 * @param {ScriptDeployment} deployment
 * @param {{wait?: number, connections?: number}} [how] wait: replicas that have to confirm a write
 */
export function startWriters(deployment, { wait = 0, connections = 6 } = {}) {
  /** @type {string[]} keys that were acknowledged */
  const acked = [];
  let stopped = false;
  let key = 0;
  const prefix = `failover-script:${Date.now()}:`;

  /** @param {Control} control */
  async function writeOn(control) {
    while (!stopped) {
      const name = `${prefix}${key++}`;
      const [, confirmed] = await Promise.all([
        control.call('SET', name, PAYLOAD),
        wait > 0 ? control.call('WAIT', wait, 1000) : 0,
      ]);
      if (Number(confirmed) >= wait) acked.push(name);
    }
  }

  async function writer() {
    while (!stopped) {
      /** @type {Control | null} */
      let control = null;
      try {
        const { address } = await deployment.primary();
        control = await connectControl(address, deployment.login, { timeoutMs: 60_000 });
        await writeOn(control);
      } catch {
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      } finally {
        control?.close();
      }
    }
  }

  const all = Promise.all(Array.from({ length: connections }, writer));
  return {
    acked,
    /** @returns {Promise<{acked: number, lost: number}>} lost: acknowledged keys that the primary does not have */
    async stop() {
      stopped = true;
      await all;
      const { address } = await deployment.primary();
      const control = await connectControl(address, deployment.login, { timeoutMs: 20_000 });
      try {
        let lost = 0;
        for (let from = 0; from < acked.length; from += KEYS_AT_ONCE) {
          const values = await control.call('MGET', ...acked.slice(from, from + KEYS_AT_ONCE));
          lost += /** @type {(string | null)[]} */ (values).filter((value) => value !== PAYLOAD).length;
        }
        return { acked: acked.length, lost };
      } finally {
        control.close();
      }
    },
  };
}
