/** How the page calls libraries. */
/** @import { LibraryCases } from './queries.js' */
/** @import { BenchmarkResult, Case, CaseOptions, DriverEntry } from '../types.js' */
import { readLanguages } from '../../src/drivers/manifest.js';
import { driverOf, driverWriter } from '../../src/drivers/writer-name.js';
import { once } from '../../src/once.js';
import { writerTitle } from '../../src/registry/writers.js';
import { failureCases } from '../experiments/cases.js';

/** In the titles of the clients that this project offers to copy. */
const TO_COPY = 'examples/';
/** What Maven's versions end with. */
const RELEASE = /\.RELEASE$/;

/** Reading them takes milliseconds, and each row of a page asks several times. */
const drivers = once(
  () =>
    new Map(
      readLanguages().flatMap((language) =>
        language.drivers.map((driver) => [driver.name, { ...driver, language: language.language }]),
      ),
    ),
);

/** @param {string} writer @returns undefined: it is not the writer of a driver that is in drivers/ */
export function driverEntry(writer) {
  return drivers().get(driverOf(writer)?.driver ?? '');
}

/** @param {Pick<LibraryCases, 'writer'>} library @returns {string} without its language */
export function shortTitle({ writer }) {
  return COPIED_WRITERS[writer] ?? driverEntry(writer)?.title ?? writerTitle(writer);
}

/** @param {Pick<LibraryCases, 'writer'>} library @returns {string | undefined} undefined: no library */
export function languageOf({ writer }) {
  return writer in COPIED_WRITERS ? 'Node.js' : driverEntry(writer)?.language;
}

/** @param {Pick<LibraryCases, 'writer'>} library @param {string} [version] @returns {string} such as `go-redis 9.23.0 (Go)` */
export function titleOf(library, version = '') {
  const language = languageOf(library);
  const name = [shortTitle(library), version].join(' ').trim();
  if (library.writer === REFERENCE) return `${name} (no library)`;
  return language === undefined ? name : `${name} (${language})`;
}

/** @param {readonly BenchmarkResult[]} failures @returns version of the library by writer; an earlier result has none */
export function versionsOf(failures) {
  const audits = failures.flatMap(({ audit = [] }) => audit);
  return new Map(
    audits.flatMap(({ writer, library }) => (library ? [[writer, library.version.replace(RELEASE, '')]] : [])),
  );
}

/** @param {Pick<LibraryCases, 'writer'>} library @returns {boolean} this project offers it to copy */
export function isToCopy(library) {
  return shortTitle(library).startsWith(TO_COPY);
}

/** A careful client without a library, to compare with: it leaves the old primary as soon as a Sentinel says so. */
export const REFERENCE = 'failover-aware';
/** The clients of examples/ that write in this process, and the files that people copy. @type {Readonly<Record<string, string>>} */
const COPIED_WRITERS = Object.freeze({
  'redis-example': 'examples/node-redis.js',
  'ioredis-example': 'examples/ioredis.js',
});
/** Writes that an application has under way at once. */
const CONCURRENCY = 10;
/** A write every 20 ms. More than twenty clients share the machine with the servers. */
const RATE = 50;
const DEFAULTS = 'defaults';
export const BEST = 'best';

/**
 * @param {Pick<CaseOptions, 'profile' | 'client' | 'server' | 'parameters'>} options larger profiles add the best options
 * @param {readonly string[]} [modes]
 * @returns {Case[]}
 */
export function libraryCases({ profile, client, server, parameters = {} }, modes = ['async', 'wait1']) {
  const byProfile = profile.name === 'quick' ? [DEFAULTS] : [DEFAULTS, BEST];
  /** @type {{onlyDriver?: string[], driverVariant?: string[]}} */
  const { onlyDriver, driverVariant: variants = byProfile } = parameters;
  const options = { client, server, profile: { ...profile, writesPerSecond: RATE } };
  return variants.flatMap((variant) => {
    const drivers = driversThere(variant).filter(({ name }) => onlyDriver?.includes(name) ?? true);
    const named = drivers.map(({ name }) => driverWriter(name, variant));
    const how =
      variant === DEFAULTS
        ? { writers: [REFERENCE, ...named, ...Object.keys(COPIED_WRITERS)] }
        : { writers: [REFERENCE, ...named], variation: { setting: variant } };
    const cases = failureCases(options, { modes, connections: CONCURRENCY, ...how });
    return cases.map(({ id, params }) => ({ id, params: { ...params, waitMode: 'sequential' } }));
  });
}

/** @param {string} variant @returns {DriverEntry[]} those that can run and have the variant */
function driversThere(variant) {
  return readLanguages().flatMap(({ drivers }) =>
    drivers.filter(({ missing, variants }) => missing === null && Object.hasOwn(variants, variant)),
  );
}
