/** How the page calls libraries. */
/** @import { BenchmarkResult, DriverEntry } from '../types.js' */
/** @import { LibraryCases } from './queries.js' */
import { readLanguages } from '../../src/drivers/manifest.js';
import { driverOf } from '../../src/drivers/writer-name.js';
import { once } from '../../src/once.js';
import { writerTitle } from '../../src/registry/writers.js';
import { COPIED_WRITERS, REFERENCE } from './cases.js';

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
