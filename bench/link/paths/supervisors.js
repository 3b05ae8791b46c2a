/** Programs that keep `ssh -C` running: autossh, and monit above autossh, as an article has them. */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentForPrograms, programPath } from '../../../src/programs.js';
import { LOOPBACK } from '../../../src/stacks/address.js';
import { childrenOf, supervise } from './processes.js';

/**
 * @import { CpuMeter, Supervised } from './processes.js'
 *
 * @typedef {'restart' | 'autossh' | 'monit' | 'monit-asks'} Supervisor
 *   restart: this tool starts a tunnel that ended again at once; autossh: autossh does; monit: monit looks once a second whether autossh runs, too;
 *   monit-asks: and whether Redis answers through the tunnel
 *
 * @typedef {Object} Tended the tunnel of a supervisor
 * @property {() => Promise<void>} hang SIGSTOP of ssh
 * @property {() => Promise<void>} killAll SIGKILL of ssh and autossh; this tool's own restart has no such process
 */

/** They end themselves after this time if this process is killed. */
const MOST_SECONDS = 600;

/**
 * @param {Supervisor} [supervisor]
 * @returns {string | null} what is missing here and the remedy, in two sentences; null: nothing
 */
export function whyNoSupervisor(supervisor = 'restart') {
  if (supervisor === 'restart') return null;
  const wanted = ['setpriv', 'autossh', ...(supervisor === 'autossh' ? [] : ['monit'])];
  const missing = wanted.find((name) => programPath(name) === null);
  if (missing === undefined) return null;
  const debian = missing === 'setpriv' ? 'util-linux' : missing;
  return `${missing} is not installed. Install it (Debian: \`apt install ${debian}\`).`;
}

/**
 * @param {Object} options
 * @param {Exclude<Supervisor, 'restart'>} options.supervisor
 * @param {string} options.ssh its path
 * @param {readonly string[]} options.args of ssh
 * @param {number} options.port that ssh listens on
 * @param {string} options.folder of this tunnel; files are written into it
 * @param {CpuMeter} options.cpu
 * @returns {Supervised & Tended}
 */
export function tend({ supervisor, ssh, args, port, folder, cpu }) {
  const pidFile = join(folder, 'autossh.pid');
  // Without GATETIME 0 autossh gives up if the first ssh ends within 30 s. Port 0: ssh's own keepalive finds a dark link.
  const settings = {
    AUTOSSH_PIDFILE: pidFile,
    AUTOSSH_GATETIME: '0',
    AUTOSSH_MAXLIFETIME: String(MOST_SECONDS),
    AUTOSSH_PATH: ssh,
  };
  const command = [programPath('autossh') ?? 'autossh', '-M', '0', ...args];
  const [program, ...words] =
    supervisor === 'autossh'
      ? command
      : [programPath('monit') ?? 'monit', '-I', '-c', writeMonit({ supervisor, command, settings, port, folder })];
  const outer = supervise({
    start: () =>
      spawn(programPath('setpriv') ?? 'setpriv', ['--pdeathsig', 'KILL', program, ...words], {
        env: { ...environmentForPrograms(), ...settings },
        stdio: ['ignore', 'ignore', 'pipe'],
      }),
    cpu,
  });
  const running = () => {
    const autossh = pidIn(pidFile, port);
    return autossh === null ? [] : [autossh, ...childrenOf(autossh)];
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
 * @param {Object} options
 * @param {Supervisor} options.supervisor
 * @param {readonly string[]} options.command of autossh
 * @param {Readonly<Record<string, string>>} options.settings of its environment
 * @param {number} options.port
 * @param {string} options.folder
 * @returns {string} path of the control file
 */
function writeMonit({ supervisor, command, settings, port, folder }) {
  const file = (/** @type {string} */ name) => join(folder, name);
  const quoted = (/** @type {string} */ word) => `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const environment = Object.entries(settings).map(([name, value]) => `${name}=${quoted(value)}`);
  const [program, ...args] = command;
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

/**
 * @param {string} file
 * @param {number} port in the process's arguments: another process may have the number by now
 * @returns {number | null} null: it does not run
 */
function pidIn(file, port) {
  try {
    const pid = Number(readFileSync(file, 'utf8'));
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${LOOPBACK}:${port}:`) ? pid : null;
  } catch {
    // It has not begun, or has ended.
    return null;
  }
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
