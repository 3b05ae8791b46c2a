/** Containers as a host, of a Compose project. Compose has made them: their commands and configurations are in docker-compose.yml. */
import { messageOf } from '../../../errors.js';
import { once } from '../../../once.js';
import { waitFor } from '../../../wait.js';
import { nodeOf } from '../../ask.js';
import { plainName } from '../../records/files-folder.js';
import { problem, text } from '../../texts.js';
import { NO_DISKS } from '../../volumes/disks.js';
import { takenBy } from '../ports.js';
import { answers } from '../probe.js';
import { runDocker } from './engine.js';
import { removeProject } from './project.js';
import { usageIn } from './stats.js';

/** @import { Container } from 'dockerode' */
/** @import { Disks } from '../../volumes/disks.js' */
/** @import { Host, Nodes, Program } from '../host.js' */
/** @import { Action, Address } from '../../types.js' */
/** @import { NodeImages } from './engine.js' */
/** @import { DockerSite } from './nodes.js' */

/** A primary that shuts down waits up to 10 s for lagging replicas. */
const STOP_SECONDS = 12;

export const PORT_LOST = /port is already allocated|address already in use|ports are not available/i;

const RUN_DEADLINE_MS = 10_000;
const LOG_LINES = 8;
/** On a busy machine the runtime may not stop all threads in its time; it lets them go on then. */
const FREEZE_TRIES = 3;

/** @param {DockerSite} site @param {NodeImages} images of its nodes @param {Disks} [disks] of its nodes @returns {Host} */
export function openDockerHost(site, { folder, needs }, disks = NO_DISKS) {
  const { engine, project, direct, find, open } = site;
  const inside = (/** @type {string} */ name) => `${folder}/${plainName(name)}`;
  /** @type {Host['logs']} */
  async function logs(id, lines) {
    const args = ['logs', '--tail', String(lines), find(id).container];
    const { stdout, stderr } = await runDocker(args, { timeoutMs: RUN_DEADLINE_MS });
    return (stdout + stderr).trimEnd().split('\n');
  }

  /** @type {Host['process']} */
  async function processOf(id) {
    const { State } = await open(id).inspect();
    return State.Running ? { pid: State.Pid, life: State.StartedAt, paused: State.Paused } : null;
  }

  async function start(/** @type {string} */ id, /** @type {Program} */ { isUp, deadlineMs, signal }) {
    if ((await processOf(id)) === null) await startContainer(open(id), id, find(id).published.port);
    const isReady = async () => {
      if ((await processOf(id)) !== null) return isUp();
      const why = `${text('see-log-lines')} ${needs}`;
      throw problem('ended-too-soon', { id, why }, { detail: (await logs(id, LOG_LINES)).join('\n') });
    };
    if (await waitFor(isReady, { deadlineMs, signal })) return;
    throw problem('node-silent', { id, seconds: deadlineMs / 1000 });
  }

  return {
    backend: 'docker',
    identity: project,
    path: direct ? 'container address' : 'published port',
    nodes: site.containers.map(({ id, announced, onClients, published }) => {
      return { id, ...(direct ? onClients : published), announced, folder, data: folder };
    }),
    can: disks.can,
    async write(id, name, content) {
      await runIn(find(id).container, ['sh', '-c', 'printf %s "$1" > "$0"', inside(name), content]);
    },
    start: (id, program) => disks.act(id, 'start', () => start(id, program)),
    process: processOf,
    act: (id, action) => disks.act(id, action, (each) => actOnContainer(open(id), id, each)),
    used: (id) => usageIn(engine, find(id).container),
    usedIsAll: true,
    logs,
    files: {
      has: (id, name) => hasFile(find(id).container, inside(name)),
      async remove(id, name) {
        const { container } = find(id);
        await runIn(container, ['rm', '-rf', inside(name)]);
        if (await hasFile(container, inside(name))) throw new Error(`rm -rf did not remove ${name} in ${id}`);
      },
    },
    remove: once(() => removeProject(engine, project).finally(disks.close)),
  };
}

/**
 * Nodes that write their own configurations, as docker-compose.yml has them do. @param {Host} host
 * @param {{connect: (address: Address) => Promise<{close: () => unknown}>, deadlineMs: number}} options connect: rejects while the node does
 *   not answer; deadlineMs: for the answer of a node that starts @returns {Nodes}
 */
export function containedNodes(host, { connect, deadlineMs }) {
  /** @type {Nodes['start']} */
  const start = (id, signal) => {
    const isUp = () => answers(() => connect(nodeOf(host, id)));
    return host.start(id, { command: [], isUp, deadlineMs, signal });
  };
  return { prepare: async () => {}, start, startAgain: start };
}

/** Does nothing that is already done. @param {Container} container @param {string} id of its node @param {Action} action */
async function actOnContainer(container, id, action) {
  const { State } = await container.inspect();
  if (action === 'pause') {
    if (!State.Running) throw new Error(`${id} does not run, so it cannot be paused`);
    if (!State.Paused) await freeze(container);
  } else if (action === 'resume') {
    if (State.Paused) await container.unpause();
  } else if (action === 'stop') {
    if (State.Running) await container.stop({ t: STOP_SECONDS });
  } else if (action === 'kill') {
    if (State.Running) await container.kill();
  } else throw new RangeError(`no action on a container: ${action}`);
}

/** @param {Container} container that runs */
async function freeze(container) {
  for (let left = FREEZE_TRIES; ; left--) {
    try {
      return await container.pause();
    } catch (error) {
      if (left === 1 || !/unable to freeze/.test(messageOf(error))) throw error;
    }
  }
}

/** @param {Container} container @param {string} id of its node @param {number} port of this machine, published */
async function startContainer(container, id, port) {
  try {
    await container.start();
  } catch (error) {
    if (!PORT_LOST.test(messageOf(error))) throw error;
    throw problem('port-taken-meanwhile', { id, port, by: takenBy(port) }, { cause: error });
  }
}

/** @param {string} container running @param {string} path in it @returns it has such a file or folder */
const hasFile = async (container, path) => (await runIn(container, ['sh', '-c', 'test -e "$0"', path])) === 0;

/** @param {string} container running @param {string[]} command says nothing unless it fails @returns its exit status, 0 or 1 */
async function runIn(container, command) {
  const { status, stdout, stderr, failure } = await runDocker(['exec', container, ...command], {
    timeoutMs: RUN_DEADLINE_MS,
  });
  // Others are those of an engine that could not run it.
  if ((status === 0 || status === 1) && stderr === '') return status;
  throw new Error(`${command.join(' ')} failed: ${failure?.message ?? (stderr || stdout).trim()}`);
}
