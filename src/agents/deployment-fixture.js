/**
 * For tests only: a deployment of somebody else on three hosts of namespaces. A partition may leave the third with a majority of the Sentinels.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../stacks/fixture.js';
import { commandIn } from '../stacks/network/namespaces.js';
import { connectControl } from '../stacks/redis/control.js';

export const HOSTS = [0, 1, 2];
export const REDIS_PORT = 6379;
/** The host and the port of each Sentinel. */
export const SENTINELS = [
  { host: 0, port: 26_379 },
  { host: 2, port: 26_379 },
  { host: 2, port: 26_380 },
];

/**
 * @param {string} machines folder of machines that are up, three at least
 * @param {string} tmp
 * @param {{downAfterMs: number}} options
 */
export async function startDeployment(machines, tmp, { downAfterMs }) {
  const { net } = JSON.parse(readFileSync(join(machines, 'stack.json'), 'utf8'));
  const identity = String(machines.split('/').at(-1));
  const folder = mkdtempSync(join(tmp, 'deployment-'));
  const hostOf = (/** @type {number} */ host) => `${net}.${host + 1}`;
  const primary = `${hostOf(0)} ${REDIS_PORT}`;

  /** @param {number} host @param {string} name @param {string[]} lines @param {string[]} [flags] */
  function start(host, name, lines, flags = []) {
    const dir = join(folder, name);
    mkdirSync(dir);
    const conf = join(dir, 'server.conf');
    writeFileSync(conf, [`bind ${hostOf(host)}`, 'protected-mode no', `dir ${dir}`, ...lines, ''].join('\n'));
    const [program, ...args] = [...commandIn(identity, host), 'redis-server', conf, ...flags];
    spawn(program, args, { detached: true, stdio: 'ignore' }).unref();
  }

  for (const host of HOSTS) {
    const follows = host === 0 ? [] : [`replicaof ${primary}`];
    // The last host becomes the primary only if there is no other.
    const settings = ['save ""', 'repl-diskless-sync-delay 0', `replica-priority ${host === 2 ? 200 : 100}`];
    start(host, `redis-${host + 1}`, [`port ${REDIS_PORT}`, ...settings, ...follows]);
  }
  for (const [index, { host, port }] of SENTINELS.entries()) {
    const watched = [
      `sentinel monitor mymaster ${primary} 2`,
      `sentinel down-after-milliseconds mymaster ${downAfterMs}`,
      'sentinel failover-timeout mymaster 5000',
    ];
    start(host, `sentinel-${index + 1}`, [`port ${port}`, ...watched], ['--sentinel']);
  }
  const sentinel = { host: hostOf(0), port: SENTINELS[0].port };
  await eventually('the Sentinels know all nodes', async () => {
    const control = await connectControl(sentinel, {});
    const reply = await control.call('SENTINEL', 'MASTER', 'mymaster').finally(control.close);
    const words = /** @type {string[]} */ (reply);
    const told = (/** @type {string} */ name) => words[words.indexOf(name) + 1];
    return told('num-slaves') === '2' && told('num-other-sentinels') === '2';
  });

  /** @returns {number[]} its processes */
  const running = () =>
    readdirSync('/proc').flatMap((pid) =>
      /^\d+$/.test(pid) && workingFolder(pid).startsWith(folder) ? Number(pid) : [],
    );

  return {
    sentinel,
    hostOf,
    identity,
    running,
    /** @param {number} host @returns {number | undefined} process of its Redis node */
    pidOf: (host) => running().find((pid) => workingFolder(pid).endsWith(`/redis-${host + 1}`)),
    end() {
      for (const pid of running()) process.kill(pid, 'SIGKILL');
    },
  };
}

/** @param {number | string} pid */
function workingFolder(pid) {
  const link = `/proc/${pid}/cwd`;
  try {
    return existsSync(link) ? readlinkSync(link) : '';
  } catch {
    return '';
  }
}
