/**
 * The options of benchmarks that compare storage.
 */
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { ExitStatus, UserError } from '../errors.js';
import { DEFAULT_STORAGE_LABEL, SLOW_STORAGE_LABEL } from '../run/storages.js';
import { countBetween, durationBetween } from '../units.js';

/** @import { Benchmark } from '../run/types.js' */

/** Labels that the tool itself gives. */
const TAKEN = [DEFAULT_STORAGE_LABEL, SLOW_STORAGE_LABEL];

/** About what a replicated network volume takes for a write. */
export const DEFAULT_SLOW_VOLUME_MS = 5;

/**
 * @param {string} text `LABEL=PATH`
 * @param {{label: string, path: string}[]} [earlier]
 * @returns {{label: string, path: string}[]} paths are absolute
 */
export function collectDataDirs(text, earlier = []) {
  const [, label, path] = /^([a-z0-9-]{1,20})=(.+)$/s.exec(text) ?? [];
  if (label === undefined) {
    throw new InvalidArgumentError(
      'It must be LABEL=PATH, the label of at most 20 small letters, digits and hyphens, for instance ssd=/mnt/ssd.',
    );
  }
  if (TAKEN.includes(label)) {
    throw new InvalidArgumentError(`The label ${label} is the tool’s own; choose another.`);
  }
  if (earlier.some((each) => each.label === label)) {
    throw new InvalidArgumentError(`The label ${label} is given twice; choose another for one of them.`);
  }
  return [...earlier, { label, path: resolve(path) }];
}

/** Whole milliseconds, as nbdkit delays by; `0` needs no unit and leaves the emulated volume out. */
export const parseSlowVolume = (/** @type {string} */ text) => (text === '0' ? 0 : Math.round(slowVolume(text)));
const slowVolume = durationBetween({ least: 1, most: 1000, shown: '1ms and 1s' });

export const parsePreloadKeys = countBetween({ least: 1, most: 100_000_000, shown: '1 and 100m' });

/**
 * What is not heeded would mislead.
 *
 * @param {Record<string, any>} options as commander parsed them
 * @param {readonly Pick<Benchmark, 'stacks'>[]} benchmarks of the run
 * @throws {UserError} an option that none of them has a use for
 */
export function checkHeeded({ dataDir, preloadKeys }, benchmarks) {
  if (benchmarks.some(({ stacks }) => stacks?.storage)) return;
  const unused = dataDir !== undefined ? '--data-dir' : preloadKeys !== undefined ? '--preload-keys' : null;
  if (unused === null) return;
  throw new UserError(
    `${unused} is for benchmarks that compare storage, and none of those chosen does.`,
    'Choose `persistence`, or leave the option out.',
    ExitStatus.badInput,
  );
}
