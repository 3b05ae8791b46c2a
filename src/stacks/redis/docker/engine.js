import Docker from 'dockerode';
import { UserError } from '../../../errors.js';
import { runDocker } from './command.js';

/** @import { DockerOptions } from 'dockerode' */

/** @typedef {import('dockerode')} Engine */

/** An engine on this machine answers in milliseconds; on a busy machine within this. */
const ANSWER_DEADLINE_MS = 15_000;

const INSTALL_DOCKER =
  'Install Docker and start it (Debian: `apt install docker.io docker-cli`; Fedora: `dnf install moby-engine`; Alpine: `apk add docker`; macOS: Docker Desktop), or use `--backend local`.';
const INSTALL_COMPOSE =
  'Install the plugin (Debian: `apt install docker-compose` of version 2, or `docker-compose-plugin` from Docker; Fedora: `dnf install docker-compose`; Alpine: `apk add docker-cli-compose`), or use `--backend local`.';

/**
 * Connects to the engine that the `docker` command uses (DOCKER_HOST, else the current context), and makes sure that it
 * answers and that Compose is there.
 *
 * @returns {Promise<Engine>}
 * @throws {UserError} saying which of the two is missing
 */
export async function openEngine() {
  const [endpoint, compose] = await Promise.all([
    runDocker(['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'], { timeoutMs: ANSWER_DEADLINE_MS }),
    runDocker(['compose', 'version', '--short'], { timeoutMs: ANSWER_DEADLINE_MS }),
  ]);
  if (endpoint.failure?.code === 'ENOENT') throw new UserError('There is no `docker` command.', INSTALL_DOCKER);
  if (endpoint.status !== 0) {
    throw new UserError(
      'The `docker` command does not tell where its engine is.',
      'Run `docker context ls`, and choose a context with `docker context use` or set DOCKER_HOST.',
      undefined,
      { detail: endpoint.stderr.trim() || String(endpoint.failure ?? 'no answer') },
    );
  }

  const url = endpoint.stdout.trim();
  const options = connectionOptions(url);
  await makeSureItAnswers(new Docker({ ...options, timeout: ANSWER_DEADLINE_MS }), url);
  if (compose.status !== 0) {
    throw new UserError('A Docker engine answers, but Docker Compose is missing.', INSTALL_COMPOSE);
  }
  return new Docker(options);
}

/**
 * @param {string} endpoint a URL, as the context has it
 * @returns {DockerOptions | undefined} undefined: as DOCKER_HOST and its companions say
 */
function connectionOptions(endpoint) {
  const socket = /^(?:unix|npipe):\/\/(.+)$/.exec(endpoint);
  if (socket) return { socketPath: socket[1] };
  if (process.env.DOCKER_HOST && /^(?:tcp|https?):\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])[:/]/.test(endpoint)) {
    return undefined;
  }
  // conf/ is mounted from this machine's disk, and the published ports are on the engine's own loopback.
  throw new UserError(
    `The Docker engine at ${endpoint} is not on this machine.`,
    'Choose a local engine with `docker context use default` or by unsetting DOCKER_HOST, or use `--backend external` with a stack you started there.',
  );
}

/**
 * @param {Engine} engine
 * @param {string} endpoint
 */
async function makeSureItAnswers(engine, endpoint) {
  try {
    await engine.ping();
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'EACCES' || code === 'EPERM') {
      throw new UserError(
        `This user may not use the Docker engine at ${endpoint}.`,
        'Add the user to the group `docker` and log in again, or use `--backend local`.',
        undefined,
        { cause: error },
      );
    }
    throw new UserError(`No Docker engine answers at ${endpoint}.`, INSTALL_DOCKER, undefined, { cause: error });
  }
}
