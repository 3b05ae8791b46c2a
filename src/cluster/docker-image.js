import { UserError } from '../errors.js';
import { runDocker } from './docker-command.js';

/** What is run when nobody says otherwise. The same stands in docker-compose.yml. */
export const OFFICIAL_IMAGE = 'redis:7.4';

/** What s/build-image.sh builds. */
const BUILT_IMAGES = ['sentinel-bench/redis:local', 'sentinel-bench/valkey:local'];

const REGISTRY_DEADLINE_MS = 5000;
const PULL_DEADLINE_MS = 300_000;

const REMEDY =
  'Build one from the Redis installed here with `./s/build-image.sh`, or name one that is there in SENTINEL_BENCH_IMAGE.';

/**
 * @typedef {Object} ImageChoice
 * @property {string} image
 * @property {boolean} present false: it has to be pulled, and its registry says that it can be
 */

/**
 * Which image to run: the one asked for; else the official one if it is there; else one built here; else the official one
 * if it can be pulled. What was built here comes before a pull, since it is built where pulling is no good.
 *
 * @param {import('./docker-engine.js').Engine} engine
 * @param {string | undefined} asked `--image` or SENTINEL_BENCH_IMAGE
 * @returns {Promise<ImageChoice>} takes up to 5 s, when a registry has to be asked
 * @throws {UserError} when there is none to be had
 */
export async function chooseImage(engine, asked) {
  const candidates = asked ? [asked] : [OFFICIAL_IMAGE, ...BUILT_IMAGES];
  for (const image of candidates) {
    if (await isPresent(engine, image)) return { image, present: true };
  }
  const image = candidates[0];
  const manifest = await runDocker(['manifest', 'inspect', image], { timeoutMs: REGISTRY_DEADLINE_MS });
  if (manifest.status === 0) return { image, present: false };
  throw notToBeHad(image, reasonOf(manifest, REGISTRY_DEADLINE_MS));
}

/**
 * @param {ImageChoice} choice
 * @param {{tell?: (line: string) => void, signal?: AbortSignal}} options
 * @throws {UserError} when it cannot be pulled
 */
export async function ensureImage({ image, present }, { tell, signal }) {
  if (present) return;
  tell?.(`Pulling ${image}; this happens once and may take minutes.`);
  const pull = await runDocker(['pull', '--quiet', image], { signal, timeoutMs: PULL_DEADLINE_MS });
  signal?.throwIfAborted();
  if (pull.status === 0) return;
  throw notToBeHad(image, reasonOf(pull, PULL_DEADLINE_MS));
}

/**
 * @param {import('./docker-engine.js').Engine} engine
 * @param {string} image
 */
async function isPresent(engine, image) {
  try {
    await engine.getImage(image).inspect();
    return true;
  } catch (error) {
    if (/** @type {{statusCode?: number}} */ (error).statusCode === 404) return false;
    throw error;
  }
}

/**
 * @param {import('./docker-command.js').Ended} ended
 * @param {number} deadlineMs
 */
function reasonOf(ended, deadlineMs) {
  return ended.timedOut ? `The registry was not done after ${deadlineMs / 1000} s.` : ended.stderr.trim();
}

/**
 * @param {string} image
 * @param {string} reason
 */
function notToBeHad(image, reason) {
  return new UserError(`The image ${image} is not here and cannot be pulled.`, REMEDY, undefined, { detail: reason });
}
