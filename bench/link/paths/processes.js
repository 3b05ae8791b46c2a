/** The processes of a tunnel on this machine: restarting one that ended, and the CPU time of all. */
/** @import { ChildProcess } from 'node:child_process' */

import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { environmentForPrograms, programPath } from '../../../src/programs.js';
import { LOOPBACK } from '../../../src/stacks/address.js';
import { cpuSecondsIn, statFields, textOf } from '../../../src/stacks/hosts/processes.js';

/**
 * @typedef {Object} Supervised
 * @property {() => boolean} runs
 * @property {() => string} said the last lines it wrote to standard error
 * @property {() => number | null} cpuSeconds of it and its descendants, while they run; null: the system does not report it
 * @property {() => Promise<void>} kill SIGKILL; resolves when it has ended
 * @property {() => Promise<void>} hang SIGSTOP
 * @property {() => Promise<void>} killAll with what restarts it, if that is a process
 * @property {() => Promise<void>} close for good; idempotent
 */

const KEPT_CHARACTERS = 2000;
/** Without it the children of sshd would be left out. */
const IS_KNOWN = existsSync(`/proc/self/task/${process.pid}/children`);

/**
 * @param {() => ChildProcess} start with standard error piped
 * @param {number} [restartAfterMs] after its end; default: no restart
 * @returns {Supervised}
 */
export function supervise(start, restartAfterMs) {
  const closing = new AbortController();
  /** @type {ChildProcess | null} null: it has ended */
  let child = null;
  let ended = Promise.resolve();
  let said = '';

  /** @param {ChildProcess} launched @returns {Promise<void>} of its end */
  function watched(launched) {
    launched.stderr?.setEncoding('utf8').on('data', (text) => {
      said = (said + text).slice(-KEPT_CHARACTERS);
    });
    return new Promise((resolve) => {
      launched.once('exit', () => resolve());
      launched.once('error', (error) => {
        said += error.message;
        resolve();
      });
    });
  }

  async function goOn() {
    for (;;) {
      child = start();
      ended = watched(child);
      await ended;
      child = null;
      if (restartAfterMs === undefined) return;
      await delay(restartAfterMs, undefined, { signal: closing.signal }).catch(() => {});
      if (closing.signal.aborted) return;
    }
  }

  async function kill() {
    child?.kill('SIGKILL');
    await ended;
  }

  goOn();
  return {
    runs: () => child !== null,
    said: () => said.trim(),
    cpuSeconds: () => (IS_KNOWN ? treeSeconds(child?.pid) : null),
    kill,
    hang: async () => void child?.kill('SIGSTOP'),
    killAll: kill,
    async close() {
      closing.abort();
      await kill();
    },
  };
}

/** @param {number | undefined} pid @returns {number} CPU seconds of this process and all its descendants; 0: it is gone */
function treeSeconds(pid) {
  const stat = pid === undefined ? null : statFields(pid);
  if (!pid || !stat) return 0;
  const { ownSeconds, endedChildren } = cpuSecondsIn(stat);
  return childrenOf(pid).reduce((seconds, child) => seconds + treeSeconds(child), ownSeconds + endedChildren);
}

/** @param {number} pid of a process whose main thread starts its children @returns {number[]} empty: it is gone */
function childrenOf(pid) {
  return textOf(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/**
 * @typedef {'restart' | 'autossh' | 'monit' | 'monit-asks'} Supervisor restart: this tool starts a tunnel that ended again; autossh: autossh does;
 *   monit: monit looks once a second whether autossh runs, too; monit-asks: and whether Redis answers through the tunnel
 * @typedef {{supervisor: Supervisor, args: readonly string[], port: number, folder: string}} Tending args: of ssh; port: that it listens on
 */

/** They end themselves after this time if this process is killed. */
const MOST_SECONDS = 600;

/** @param {Supervisor} [supervisor] @returns {string | null} what is missing here and the remedy, in two sentences; null: nothing */
export function whyNoSupervisor(supervisor = 'restart') {
  if (supervisor === 'restart') return null;
  const wanted = ['setpriv', 'autossh', ...(supervisor === 'autossh' ? [] : ['monit'])];
  const missing = wanted.find((name) => programPath(name) === null);
  if (missing === undefined) return null;
  const debian = missing === 'setpriv' ? 'util-linux' : missing;
  return `${missing} is not installed. Install it (Debian: \`apt install ${debian}\`).`;
}

/** @param {Tending} tending @returns {Supervised} */
export function tend(tending) {
  const { supervisor, args, port, folder } = tending;
  const pidFile = join(folder, 'autossh.pid');
  // Without GATETIME 0 autossh gives up if the first ssh ends within 30 s. Port 0: ssh's own keepalive finds a dark link.
  const settings = {
    AUTOSSH_PIDFILE: pidFile,
    AUTOSSH_GATETIME: '0',
    AUTOSSH_MAXLIFETIME: String(MOST_SECONDS),
    AUTOSSH_PATH: String(programPath('ssh')),
  };
  const autossh = [String(programPath('autossh')), '-M', '0', ...args];
  const command = supervisor === 'autossh' ? autossh : ['monit', '-I', '-c', writeMonit(tending, autossh, settings)];
  const outer = supervise(() =>
    spawn('setpriv', ['--pdeathsig', 'KILL', ...command], {
      env: { ...environmentForPrograms(), ...settings },
      stdio: ['ignore', 'ignore', 'pipe'],
    }),
  );
  /** autossh and ssh: another process may have the number by now. */
  const running = () => {
    const pid = Number(textOf(pidFile));
    return textOf(`/proc/${pid}/cmdline`).includes(`${LOOPBACK}:${port}:`) ? [pid, ...childrenOf(pid)] : [];
  };

  return {
    ...outer,
    kill: async () => signal(running().slice(1), 'SIGKILL'),
    hang: async () => signal(running().slice(1), 'SIGSTOP'),
    killAll: async () => signal(running(), 'SIGKILL'),
    async close() {
      const pids = running();
      await outer.close();
      // monit may have started another one meanwhile.
      signal([...pids, ...running()], 'SIGKILL');
    },
  };
}

/**
 * @param {Tending} tending
 * @param {readonly string[]} autossh its command
 * @param {Readonly<Record<string, string>>} settings of its environment
 * @returns {string} path of the control file
 */
function writeMonit({ supervisor, port, folder }, [program, ...args], settings) {
  const file = (/** @type {string} */ name) => join(folder, name);
  const quoted = (/** @type {string} */ word) => `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const environment = Object.entries(settings).map(([name, value]) => `${name}=${quoted(value)}`);
  writeFileSync(file('start'), `${environment.join(' ')} exec ${[program, '-f', ...args].map(quoted).join(' ')}\n`);
  // A stopped ssh does not act on SIGTERM, and would keep the port.
  const pid = quoted(settings.AUTOSSH_PIDFILE);
  writeFileSync(file('stop'), `pid=$(cat ${pid}); kill -KILL $(cat /proc/$pid/task/$pid/children) $pid\n`);
  // It asks nothing before the time for a start is over, 30 s by default.
  const asks = `  if failed host ${LOOPBACK} port ${port} protocol redis with timeout 1 seconds for 2 cycles then restart\n`;
  writeFileSync(
    file('monitrc'),
    `set daemon 1
set pidfile ${file('monit.pid')}
set idfile ${file('monit.id')}
set statefile ${file('monit.state')}
check process autossh with pidfile ${settings.AUTOSSH_PIDFILE}
  start program = "/bin/sh ${file('start')}" with timeout 3 seconds
  stop program = "/bin/sh ${file('stop')}"
${supervisor === 'monit-asks' ? asks : ''}`,
    { mode: 0o600 },
  );
  return file('monitrc');
}

/** @param {readonly number[]} pids @param {NodeJS.Signals} name */
function signal(pids, name) {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It is gone.
    }
  }
}
