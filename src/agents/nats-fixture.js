/** For tests only: a real nats-server with the accounts of deploy/nats. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from '../stacks/fixture.js';
import { freePort } from '../stacks/hosts/ports.js';
import { answers } from '../stacks/hosts/probe.js';
import { connectNats } from './connection.js';

/** @import { NatsOptions } from './connection.js' */

const ACCOUNTS = fileURLToPath(new URL('../../deploy/nats/nats-server.conf', import.meta.url));

/** Of the users in deploy/nats. */
export const PASSWORDS = Object.freeze({ controller: 'of-the-controller', a: 'of-agent-a', b: 'of-agent-b' });

/**
 * @param {Object} [options]
 * @param {string[]} [options.args] further arguments
 * @param {(url: string) => NatsOptions} [options.client] one that this server lets in; default: the controller of deploy/nats
 */
export async function startNats({ args = [], client } = {}) {
  const port = await freePort();
  const url = `nats://127.0.0.1:${port}`;
  const child = spawn('nats-server', ['-c', ACCOUNTS, '-p', String(port), ...args], {
    stdio: 'ignore',
    env: {
      PATH: process.env.PATH,
      CONTROLLER_PASSWORD: PASSWORDS.controller,
      AGENT_A_PASSWORD: PASSWORDS.a,
      AGENT_B_PASSWORD: PASSWORDS.b,
    },
  });
  async function close() {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill();
    await exit;
  }
  const known = client?.(url) ?? clientOf(url, 'controller');
  try {
    await eventually('nats-server answers', () => answers(() => connectNats(known, { reconnect: false })));
  } catch (error) {
    await close();
    throw error;
  }
  return { url, port, close };
}

/** @param {string} url @param {keyof typeof PASSWORDS} user @returns {NatsOptions} */
export function clientOf(url, user) {
  return { url, user, password: PASSWORDS[user], name: 'test' };
}

/** @param {string} url @param {keyof typeof PASSWORDS} user @returns {NodeJS.ProcessEnv} for the command line */
export function natsEnvironment(url, user) {
  return { SENTINEL_BENCH_NATS: url, SENTINEL_BENCH_NATS_PASSWORD: PASSWORDS[user] };
}
