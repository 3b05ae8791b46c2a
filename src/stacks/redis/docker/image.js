import { UserError } from '../../../errors.js';
import { runDocker } from './command.js';

/**
 * @import { Ended } from './command.js'
 * @import { Engine } from './engine.js'
 */

/**
 * @typedef {Object} Images of which any will do
 * @property {readonly string[]} usual what is run when nobody says otherwise, the first that is here; docker-compose.yml names the
 *   first of them
 * @property {string} [base] the first of them is built by Compose, from this; default: it is pulled
 * @property {string} remedy when there is none to be had
 */

/** What was built here comes before a pull, since it is built where pulling is no good. */
export const SERVER_IMAGES = Object.freeze({
  usual: ['redis:7.4', 'sentinel-bench/redis:local', 'sentinel-bench/valkey:local'],
  remedy:
    'Build one from the Redis installed here with `./s/build-image.sh`, or name one that is there in SENTINEL_BENCH_IMAGE.',
});

const REGISTRY_DEADLINE_MS = 5000;
const PULL_DEADLINE_MS = 300_000;

/**
 * @typedef {Object} ImageChoice
 * @property {string} image
 * @property {boolean} present false: it has to be pulled or built, and its registry says that it can be
 */

/**
 * Which image to run: the one asked for; else the first of the usual ones that is here; else the first of them if it can be
 * pulled or built.
 *
 * @param {Engine} engine
 * @param {string | undefined} asked `--image`, or what a variable of the environment says
 * @param {Images} [images]
 * @returns {Promise<ImageChoice>} takes up to 5 s, when a registry has to be asked
 * @throws {UserError} when there is none to be had
 */
export async function chooseImage(engine, asked, { usual, base, remedy } = SERVER_IMAGES) {
  const candidates = asked ? [asked] : usual;
  for (const image of candidates) {
    if (await isPresent(engine, image)) return { image, present: true };
  }
  const source = asked ?? base ?? usual[0];
  const manifest = await runDocker(['manifest', 'inspect', source], { timeoutMs: REGISTRY_DEADLINE_MS });
  if (manifest.status === 0) return { image: candidates[0], present: false };
  const wanted = base && !asked ? 'built' : 'pulled';
  throw notToBeHad(candidates[0], wanted, remedy, reasonOf(manifest, REGISTRY_DEADLINE_MS));
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
  throw notToBeHad(image, 'pulled', SERVER_IMAGES.remedy, reasonOf(pull, PULL_DEADLINE_MS));
}

/**
 * @param {Engine} engine
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
 * @param {Ended} ended
 * @param {number} deadlineMs
 */
function reasonOf(ended, deadlineMs) {
  return ended.timedOut ? `The registry was not done after ${deadlineMs / 1000} s.` : ended.stderr.trim();
}

/**
 * @param {string} image
 * @param {'built' | 'pulled'} wanted
 * @param {string} remedy
 * @param {string} reason
 */
function notToBeHad(image, wanted, remedy, reason) {
  return new UserError(`The image ${image} is not here and cannot be ${wanted}.`, remedy, undefined, {
    detail: reason,
  });
}
