import { setTimeout as delay } from 'node:timers/promises';
import { openCpuMeter, startServices, unlessGone, untilLogged } from './docker-services.js';

/**
 * @import { UserError } from '../../../src/errors.js'
 * @import { Service } from '../../../src/stacks/docker/services.js'
 * @import { Address } from '../../../src/stacks/types.js'
 * @import { Project } from './docker-services.js'
 */

/**
 * `ssh -N -L` in one container and sshd in another, as both ends of a path.
 *
 * @typedef {Object} RunningTunnel
 * @property {Address} address its entry, on `data`
 * @property {string} by
 * @property {() => Promise<{primaryEnd: number, replicaEnd: number}>} cpuSeconds
 * @property {() => number} restarts of the replica's end
 * @property {() => Promise<void>} kill the replica's end
 * @property {() => Promise<void>} end kills both ends for good
 * @property {() => Promise<void>} close no more restarts
 */

export const SSH_PORT = 2222;
const REDIS_PORT = 6379;

/**
 * @param {Project} project
 * @param {Object} options
 * @param {Service} options.server
 * @param {string} options.through where the client finds the server
 * @param {Record<string, string>} options.env of the services
 * @param {boolean} options.compress
 * @param {number} [options.restartAfterMs]
 * @param {(line: string) => void} [options.tell]
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<RunningTunnel>}
 * @throws {UserError} it does not come up
 */
export async function startTunnel(project, { server, through, env, compress, restartAfterMs, tell, signal }) {
  const { engine } = project;
  const [client] = await startServices(project, ['ssh-client'], {
    env: {
      ...env,
      SENTINEL_BENCH_TUNNEL_THROUGH: through,
      SENTINEL_BENCH_TUNNEL_COMPRESSION: compress ? 'yes' : 'no',
    },
    present: true,
    signal,
  });
  const log = await untilLogged(engine, client, 'The tunnel stands.', signal);
  const version = /OpenSSH_([^ ,]+)/.exec(log)?.[1] ?? 'of an unknown version';
  const [primaryEnd, replicaEnd] = await Promise.all([server, client].map((each) => openCpuMeter(project, each)));
  const container = engine.getContainer(client.container);
  const over = new AbortController();
  let restarts = 0;

  async function supervise() {
    while (!over.signal.aborted) {
      await container.wait({ abortSignal: over.signal });
      if (restartAfterMs === undefined) return;
      await delay(restartAfterMs, undefined, { signal: over.signal });
      await container.start();
      restarts++;
      tell?.('The tunnel was started again.');
    }
  }
  /** @type {unknown} why a restart failed */
  let failure = null;
  const supervised = supervise().catch((error) => {
    if (!over.signal.aborted) failure = error;
  });

  async function close() {
    over.abort();
    await supervised;
  }

  /** @param {Service} service */
  function killNow({ container: id }) {
    return unlessGone(engine.getContainer(id).kill());
  }

  return {
    address: { host: client.onData, port: REDIS_PORT },
    by: `ssh${compress ? ' -C' : ''} (OpenSSH ${version})`,
    async cpuSeconds() {
      if (failure) throw failure;
      const [atPrimary, atReplica] = await Promise.all([primaryEnd.seconds(), replicaEnd.seconds()]);
      return { primaryEnd: atPrimary, replicaEnd: atReplica };
    },
    restarts: () => restarts,
    async kill() {
      await replicaEnd.lap();
      await killNow(client);
    },
    async end() {
      await close();
      await Promise.all([primaryEnd.lap(), replicaEnd.lap()]);
      await Promise.all([client, server].map(killNow));
    },
    close,
  };
}
