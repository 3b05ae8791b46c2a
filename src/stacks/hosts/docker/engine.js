/** The Docker engine, the `docker` command and the images. Compose has no API, so it runs as a child process. */
import { fileURLToPath } from 'node:url';
import { codeOf, UserError } from '../../../errors.js';
import { runProgram } from '../../../programs.js';
import { problem, text } from '../../texts.js';

/**
 * @import { DockerOptions } from 'dockerode'
 * @import { Ended } from '../../../programs.js'
 * @typedef {import('dockerode')} Engine
 * @typedef {{usual: readonly string[], variable: string, remedy: string}} Images interchangeable ones. usual: the first one that is present
 *   is used; docker-compose.yml names the first of them; variable: of the environment, which names another one; remedy: id of a text
 * @typedef {Images & {needs: string, folder: string}} NodeImages of the nodes of a database. needs: what an image needs, in a sentence;
 *   folder: where its nodes keep their files, as in docker-compose.yml
 */

/** An engine on this machine answers in milliseconds; on a busy machine within this. */
const ANSWER_DEADLINE_MS = 15_000;

/** Longer than any call of ours takes: the longest one waits for the end of a container until its stack is ready. */
const CALL_DEADLINE_MS = 90_000;

/** Loaded when it is needed: its own libraries take a tenth of a second. */
const loadDocker = async () => (await import('dockerode')).default;

/** Connects to the engine that the `docker` command uses, if it answers and Compose is installed. @throws {UserError} which is missing */
export async function openEngine() {
  const [endpoint, compose] = await Promise.all([
    runDocker(['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'], { timeoutMs: ANSWER_DEADLINE_MS }),
    runDocker(['compose', 'version', '--short'], { timeoutMs: ANSWER_DEADLINE_MS }),
  ]);
  if (endpoint.failure?.code === 'ENOENT') throw problem('no-docker');
  if (endpoint.status !== 0)
    throw problem('docker-context', {}, { detail: endpoint.stderr.trim() || String(endpoint.failure ?? 'no answer') });

  const url = endpoint.stdout.trim();
  const options = connectionOptions(url);
  try {
    await new (await loadDocker())({ ...options, timeout: ANSWER_DEADLINE_MS }).ping();
  } catch (error) {
    const values = { endpoint: url };
    if (!['EACCES', 'EPERM'].includes(codeOf(error))) throw problem('engine-silent', values, { cause: error });
    throw problem('engine-forbidden', values, { cause: error });
  }
  if (compose.status !== 0) throw problem('no-compose');
  return withDeadline(options);
}

/** @returns null: no usable engine, so it cannot run stacks of ours */
export async function engineOrNull() {
  try {
    return await openEngine();
  } catch (error) {
    if (error instanceof UserError) return null;
    throw error;
  }
}

/** An engine can hang for ever: calls reject then. @param {DockerOptions | undefined} options @param {number} [deadlineMs] for each */
export async function withDeadline(options, deadlineMs = CALL_DEADLINE_MS) {
  const engine = new (await loadDocker())({ ...options, timeout: deadlineMs });
  const dial = engine.modem.dial.bind(engine.modem);
  engine.modem.dial = (request, callback) => {
    const began = performance.now();
    dial(request, (/** @type {NodeJS.ErrnoException | null} */ error, answer) => {
      const hangs = error?.code === 'ECONNRESET' && performance.now() - began >= deadlineMs;
      callback?.(hangs ? problem('engine-hangs', { seconds: deadlineMs / 1000 }, { cause: error }) : error, answer);
    });
  };
  return engine;
}

/** @param {string} endpoint a URL from the context @returns {DockerOptions | undefined} undefined: take DOCKER_HOST and its companions */
function connectionOptions(endpoint) {
  const socket = /^(?:unix|npipe):\/\/(.+)$/.exec(endpoint);
  if (socket) return { socketPath: socket[1] };
  if (process.env.DOCKER_HOST && /^(?:tcp|https?):\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])[:/]/.test(endpoint))
    return undefined;
  // Containers mount conf/ from this machine's disk, and published ports are on the engine's loopback.
  throw problem('engine-elsewhere', { endpoint });
}

const COMPOSE_FILE = fileURLToPath(new URL('../../../../docker-compose.yml', import.meta.url));

/** @param {string[]} args @param {Parameters<typeof runProgram>[1]} [options] */
export function runDocker(args, options) {
  return runProgram(['docker', ...args], options);
}

/**
 * @param {string} project @param {string[]} args
 * @param {Parameters<typeof runDocker>[1] & {files?: readonly string[]}} [options] files: further Compose files; the last one wins
 */
export function runCompose(project, args, { files = [], ...options } = {}) {
  const named = [COMPOSE_FILE, ...files].flatMap((each) => ['--file', each]);
  return runDocker(['compose', ...named, '--project-name', project, ...args], options);
}

/** An image built here comes before a pull: people build one where they cannot pull. @type {NodeImages} */
export const SERVER_IMAGES = {
  usual: ['redis:7.4', 'sentinel-bench/redis:local', 'sentinel-bench/valkey:local'],
  variable: 'SENTINEL_BENCH_IMAGE',
  remedy: 'build-image',
  needs: text('image-needs'),
  folder: '/data',
};

const REGISTRY_DEADLINE_MS = 5000;
const PULL_DEADLINE_MS = 300_000;

/**
 * The image asked for; else the first of the usual ones that is present; else the first of them, if it can be pulled.
 * @param {Engine} engine @param {string} [wanted] default: the environment decides @param {Images} [images]
 * @returns present: false: it has to be pulled, and the registry has it. Takes up to 5 s if a registry has to be asked
 * @throws {UserError} no image is available
 */
export async function chooseImage(engine, wanted, images = SERVER_IMAGES) {
  const named = wanted ?? process.env[images.variable];
  const candidates = named ? [named] : images.usual;
  for (const image of candidates)
    if ((await ifThere(engine.getImage(image).inspect())) !== null) return { image, present: true };
  const [image] = candidates;
  const manifest = await runDocker(['manifest', 'inspect', image], { timeoutMs: REGISTRY_DEADLINE_MS });
  if (manifest.status === 0) return { image, present: false };
  throw unavailable(image, images, manifest, REGISTRY_DEADLINE_MS);
}

/**
 * Chooses an image, and pulls it if need be. @param {Engine} engine @param {string | undefined} wanted
 * @param {{tell?: (line: string) => void, signal?: AbortSignal}} options @param {Images} [images] @throws {UserError} no image is available
 */
export async function obtainImage(engine, wanted, { tell, signal }, images = SERVER_IMAGES) {
  const { image, present } = await chooseImage(engine, wanted, images);
  if (present) return image;
  tell?.(`Pulling ${image}; this happens once and may take minutes.`);
  const pull = await runDocker(['pull', '--quiet', image], { signal, timeoutMs: PULL_DEADLINE_MS });
  signal?.throwIfAborted();
  if (pull.status === 0) return image;
  throw unavailable(image, images, pull, PULL_DEADLINE_MS);
}

/** @template T @param {Promise<T>} answer of the engine @returns null: it has no such thing */
export async function ifThere(answer) {
  try {
    return await answer;
  } catch (error) {
    if (/** @type {{statusCode?: number}} */ (error).statusCode === 404) return null;
    throw error;
  }
}

/** @param {string} image @param {Images} images @param {Ended} ended @param {number} deadlineMs */
function unavailable(image, { remedy }, { timedOut, stderr }, deadlineMs) {
  const detail = timedOut ? `The registry was not done after ${deadlineMs / 1000} s.` : stderr.trim();
  return problem('no-image', { image, remedy: text(remedy) }, { detail });
}
