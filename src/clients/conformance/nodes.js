/** Real nodes for single cases, and helpers that wait for them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../stacks/hosts/ports.js';
import { connectControl } from '../../stacks/redis/control.js';
import { findServer } from '../../stacks/redis/local/server.js';
import { waitFor } from '../../wait.js';

/**
 * @import { Control, Login } from '../../stacks/redis/control.js'
 * @import { Address } from '../../stacks/types.js'
 * @import { ChildProcess } from 'node:child_process'
 */

const HOST = '127.0.0.1';
const POLL_MS = 5;
/** A busy machine may stall for seconds, several times. Only a failing test waits this long. */
const DEADLINE_MS = 60_000;
/** For a command: a script on a busy server takes long. */
const ANSWER_MS = 30_000;

/**
 * @param {() => unknown} condition may be asynchronous
 * @param {string} what is waited for, for the error
 * @param {number} [deadlineMs]
 */
export async function until(condition, what, deadlineMs = DEADLINE_MS) {
  if (await waitFor(condition, { deadlineMs, pollMs: POLL_MS })) return;
  throw new Error(`not within ${deadlineMs} ms: ${what}`);
}

/**
 * For what must not happen. No event announces that, so the condition is watched for a while.
 * @param {() => unknown} condition may be asynchronous
 * @param {string} what is expected, for the error
 * @param {number} [windowMs] longer than the libraries wait before they reconnect for the first time
 */
export async function holds(condition, what, windowMs = 300) {
  const end = performance.now() + windowMs;
  do {
    if (!(await condition())) throw new Error(`no longer so: ${what}`);
    await delay(POLL_MS);
  } while (performance.now() < end);
}

/**
 * A control connection for tests: it waits longer for a node on a busy machine.
 * @param {Address} address
 * @param {Login} [login]
 */
export function connectPatiently(address, login) {
  return connectControl(address, login, { timeoutMs: ANSWER_MS });
}

/**
 * One command over a control connection of its own.
 * @param {Address} address
 * @param {string} command
 * @param {...(string | number)} args
 */
export async function call(address, command, ...args) {
  const control = await connectPatiently(address);
  try {
    return await control.call(command, ...args);
  } finally {
    control.close();
  }
}

/**
 * How often a node executed a command.
 * @param {Control} control
 * @param {string} command
 */
export async function commandCalls(control, command) {
  const stats = (await control.info('commandstats'))[`cmdstat_${command}`] ?? '';
  return Number(/calls=(\d+)/.exec(stats)?.[1] ?? 0);
}

/**
 * Starts a server without persistence.
 * @typedef {Awaited<ReturnType<typeof startNode>>} StartedNode
 * @param {string[]} [options] more of the server's arguments
 * @param {Login} [login] for the control connection
 */
export async function startNode(options = [], login = {}) {
  const server = await findServer();
  if (!server) throw new Error('there is neither a redis-server nor a valkey-server on PATH');
  const { path } = server;
  const dir = await mkdtemp(join(tmpdir(), 'client-conformance-'));
  const port = await freePort();
  const listen = login.tls ? ['--port', '0', '--tls-port', String(port)] : ['--port', String(port)];
  const args = [...listen, '--bind', HOST, '--dir', dir, '--save', '', '--repl-diskless-sync-delay', '0', ...options];

  /** @type {ChildProcess} */
  let child;
  /** @type {Control | undefined} */
  let control;

  async function start() {
    child = spawn(path, args, { stdio: 'ignore' });
    await until(async () => {
      if (child.exitCode !== null) throw new Error(`the server ended with status ${child.exitCode}`);
      control = await connectPatiently({ host: HOST, port }, login).catch(() => undefined);
      return control && !control.lost();
    }, `the server answers at port ${port}`);
  }

  async function kill() {
    control?.close();
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  async function close() {
    await kill();
    await rm(dir, { recursive: true, force: true });
  }

  /** @returns {Control} */
  function connected() {
    if (!control) throw new Error('the node was never started');
    return control;
  }

  try {
    await start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    address: { host: HOST, port },
    start,
    kill,
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    /** @type {Control['call']} */
    call: (command, ...words) => connected().call(command, ...words),
    /** @param {string} command how often it was executed */
    calls: (command) => commandCalls(connected(), command),
    close,
  };
}
