/** What a user may ask of the copies: the CPUs of each part. */
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { badInput } from '../../src/errors.js';
import { CustomParameters } from '../../src/run/parameters.js';

/** @import { SuiteParameters, Case, OptionGroup } from '../../src/run/types.js' */

/** Parts of a copy that can be pinned to CPUs. */
const CORE_PARTS = Object.freeze(/** @type {const} */ (['sources', 'copies', 'movers', 'writers']));

export const CopyParameters = CustomParameters.extend({
  cores: z.partialRecord(z.enum(CORE_PARTS), z.string()).describe('the CPUs of each part, as taskset writes them'),
}).partial();

/**
 * @param {string} text `PART=CPUS`
 * @param {Record<string, string>} [earlier]
 * @returns {Record<string, string>}
 */
export function collectCores(text, earlier = {}) {
  const [, part, cpus] = /^([a-z]+)=(\d+(?:-\d+)?(?:,\d+(?:-\d+)?)*)$/.exec(text) ?? [];
  if (part === undefined || !CORE_PARTS.some((each) => each === part)) {
    throw new InvalidArgumentError(
      `It must be PART=CPUS, for instance sources=0-3; a part is one of ${CORE_PARTS.join(', ')}.`,
    );
  }
  return { ...earlier, [part]: cpus };
}

/** @param {Record<string, string> | undefined} cores @throws {UserError} a part has no CPUs */
export function checkCores(cores) {
  const missing = CORE_PARTS.filter((part) => cores && !(part in cores));
  if (missing.length === 0) return;
  throw badInput(
    `--cores names no CPUs for ${missing.join(', ')}.`,
    'Name CPUs for each part, or leave out --cores: a part that is not pinned would take time from the others.',
  );
}

/** @type {OptionGroup} */
export const options = {
  title: 'Suite copy',
  options: [
    {
      flags: '--cores <part=cpus>',
      description:
        'pin sources, copies, movers or writers to these CPUs, such as sources=0-3; repeatable, once for each part',
      parse: collectCores,
      check: checkCores,
    },
  ],
};

/**
 * @param {readonly Case[]} cases
 * @param {SuiteParameters} [options]
 * @returns {Case[]} with the CPUs that the user asked for
 */
export function withCores(cases, { cores } = {}) {
  return cases.map((one) => (cores ? { ...one, params: { cores, ...one.params } } : one));
}
