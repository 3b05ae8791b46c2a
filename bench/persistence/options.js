/** What a user may ask of `persistence`: further storage, and the size of the loaded data set. */
import { resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { countBetween, durationBetween } from '../../src/quantities.js';
import { LoadParameters } from '../../src/run/parameters.js';
import { DEFAULT_STORAGE_LABEL, SLOW_STORAGE_LABEL } from '../../src/run/storages.js';

/** @import { OptionGroup } from '../types.js' */
/** @import { StorageChoice } from '../../src/run/storages.js' */
/** @import { SuiteParameters } from '../../src/run/types.js' */

/** About what a replicated network volume takes for a write. */
const DEFAULT_SLOW_VOLUME_MS = 5;
const TAKEN_LABELS = [DEFAULT_STORAGE_LABEL, SLOW_STORAGE_LABEL];

export const StorageParameters = LoadParameters.extend({
  dataDir: z.array(z.object({ label: z.string(), path: z.string() })),
  slowVolume: z.number().nonnegative(),
  replicatedVolume: z.boolean(),
  preloadKeys: z.int().positive(),
}).partial();

const writeDelay = durationBetween('1ms and 1s');

/** Whole milliseconds, because nbdkit delays by whole milliseconds; `0` needs no unit and means no emulated volume. */
export const parseSlowVolume = (/** @type {string} */ text) => (text === '0' ? 0 : Math.round(writeDelay(text)));

export const parsePreloadKeys = countBetween('1 and 100m');

/** @param {string} text `LABEL=PATH` @param {{label: string, path: string}[]} [earlier] @returns paths are absolute */
export function collectDataDirs(text, earlier = []) {
  const [, label, path] = /^([a-z0-9-]{1,20})=(.+)$/s.exec(text) ?? [];
  if (label === undefined) {
    throw new InvalidArgumentError(
      'It must be LABEL=PATH, with a label of at most 20 small letters, digits and hyphens, for instance ssd=/mnt/ssd.',
    );
  }
  if (TAKEN_LABELS.includes(label)) {
    throw new InvalidArgumentError(`The label ${label} is reserved; choose another.`);
  }
  if (earlier.some((each) => each.label === label)) {
    throw new InvalidArgumentError(`The label ${label} is given twice; choose another for one of them.`);
  }
  return [...earlier, { label, path: resolve(path) }];
}

/** @type {OptionGroup} */
export const options = {
  title: 'Benchmark persistence',
  options: [
    {
      flags: '--data-dir <label=path>',
      description: 'measure this storage too; repeatable',
      parse: collectDataDirs,
      isPrivate: true,
    },
    {
      flags: '--slow-volume <time>',
      description: 'also emulate storage that takes this long for each write; 0: do not',
      parse: parseSlowVolume,
      byDefault: { value: DEFAULT_SLOW_VOLUME_MS, text: `${DEFAULT_SLOW_VOLUME_MS} ms` },
    },
    { flags: '--no-replicated-volume', description: 'do not compare a GlusterFS volume' },
    {
      flags: '--preload-keys <number>',
      description: 'keys of the loaded data set; default: by profile',
      parse: parsePreloadKeys,
    },
  ],
  examples: ['persistence --data-dir network=/mnt/volume'],
};

/** @param {SuiteParameters} options @returns {StorageChoice} where the nodes keep their files */
export function storageOf({ dataDir, slowVolume, replicatedVolume }) {
  return { places: dataDir, delayMs: slowVolume ?? 0, replicated: replicatedVolume ?? false };
}
