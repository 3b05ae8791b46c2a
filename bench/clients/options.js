/** What a user may ask of the libraries: which of them write, and with which options. */
/** @import { DriverEntry, OptionGroup } from '../types.js' */
import { InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { readLanguages } from '../../src/drivers/manifest.js';
import { TrialParameters } from '../../src/run/parameters.js';

export const ClientsParameters = TrialParameters.extend({
  onlyDriver: z.array(z.string()),
  driverVariant: z.array(z.string()),
}).partial();

/**
 * @param {string} name @param {readonly string[]} [earlier]
 * @param {readonly {drivers: readonly Pick<DriverEntry, 'name' | 'missing'>[]}[]} [languages]
 * @returns {string[]} of drivers that can run here
 */
export function collectDrivers(name, earlier = [], languages = readLanguages()) {
  const drivers = languages.flatMap((language) => language.drivers);
  const names = collect(
    name,
    drivers.map((driver) => driver.name),
    earlier,
  );
  const missing = drivers.find((driver) => driver.name === name)?.missing;
  if (missing) throw new InvalidArgumentError(`It cannot run here. ${missing}`);
  return names;
}

/** @param {string} name @param {readonly string[]} [earlier] @returns {string[]} */
export function collectVariants(name, earlier = []) {
  const names = readLanguages().flatMap(({ drivers }) => drivers.flatMap(({ variants }) => Object.keys(variants)));
  return collect(name, [...new Set(names)], earlier);
}

/** @param {string} name @param {readonly string[]} names @param {readonly string[]} earlier */
function collect(name, names, earlier) {
  if (!names.includes(name)) throw new InvalidArgumentError(`It must be one of ${names.join(', ')}.`);
  return [...new Set([...earlier, name])];
}

/** @type {OptionGroup} */
export const options = {
  title: 'Suite clients',
  options: [
    {
      flags: '--only-driver <name>',
      description: 'a driver that writes, such as redis-py; repeatable; default: all that are there',
      parse: collectDrivers,
    },
    {
      flags: '--driver-variant <name>',
      description: 'options of the libraries, such as defaults or best; repeatable; default: by profile',
      parse: collectVariants,
    },
  ],
  examples: ['--suite clients --driver-variant best --only-driver redis-py'],
};
