/** The manifests of drivers: `drivers/<language>/driver.json`, which other people write. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, parse, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { messageOf } from '../errors.js';
import { programPath } from '../programs.js';
import { cleanLine } from '../untrusted.js';
import { cacheOf, isBuilt } from './build.js';
import { problem } from './sentences.js';

/** @import { Command } from './child.js' */

const OWN_FOLDER = fileURLToPath(new URL('../../drivers', import.meta.url));
const VARIABLE = 'SENTINEL_BENCH_DRIVERS';

const FILE = 'driver.json';
const MOST_BYTES = 256 * 1024;

/** What drivers of workloads can keep in Redis (docs/drivers.md). */
export const DRIVEN_WORKLOADS = Object.freeze(/** @type {const} */ (['lock', 'limiter', 'queue']));

const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,40}$/, 'it has to be small letters, digits and hyphens');
const Text = z.string().min(1).max(300).transform(cleanLine);
const Words = z.array(z.string().max(2000)).min(1).max(50);

const DriverSchema = z.object({
  name: Name,
  title: Text,
  run: Words,
  /** What a user of the library should set before all else, for tables. */
  setFirst: Text.optional(),
  variants: z.record(Name, Text).refine((variants) => 'defaults' in variants, 'it has no variant `defaults`'),
});

const WorkloadSchema = DriverSchema.extend({
  workload: z.enum(DRIVEN_WORKLOADS),
  /** Operations a second, if the library cannot keep up with as many as others. */
  rate: z.number().positive().optional(),
});

const ManifestSchema = z
  .object({
    language: Text,
    needs: z.array(Text).max(20).default([]),
    install: Text.optional(),
    build: z.array(Words).max(20).default([]),
    drivers: z.array(DriverSchema).max(50).default([]),
    workloads: z.array(WorkloadSchema).max(50).default([]),
  })
  .superRefine(({ drivers, workloads }, context) => {
    const names = [...drivers, ...workloads].map(({ name }) => name);
    const complain = (/** @type {string} */ message) =>
      context.addIssue({ code: 'custom', path: ['drivers'], message });
    if (names.length === 0) complain('there is none');
    if (new Set(names).size < names.length) complain('two drivers have the same name');
  });

/**
 * @typedef {ReturnType<typeof readLanguage>} Language a folder of drivers
 * @typedef {Omit<z.infer<typeof DriverSchema>, 'run'> & {command: Command, missing: string | null}} DriverEntry
 * @typedef {DriverEntry & Omit<z.infer<typeof WorkloadSchema>, keyof DriverEntry | 'run'>} WorkloadEntry
 */

/**
 * @param {string} [folder] of the languages' folders; default: SENTINEL_BENCH_DRIVERS, else that of the program
 * @returns {Language[]} in the order of their names @throws {UserError} a manifest is invalid
 */
export function readLanguages(folder = process.env[VARIABLE] || OWN_FOLDER) {
  if (!existsSync(folder)) return [];
  const found = readdirSync(folder)
    .sort()
    .filter((id) => existsSync(join(folder, id, FILE)))
    .map((id) => readLanguage(join(folder, id)));
  const names = found.flatMap(({ drivers, workloads }) => [...drivers, ...workloads].map(({ name }) => name));
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw invalid(folder, `two drivers are called ${twice}`);
  return found;
}

/** @param {string} folder of one language @throws {UserError} its manifest is invalid */
export function readLanguage(folder) {
  const source = realpathSync(folder);
  const { needs, drivers, workloads, install = null, ...manifest } = parseManifest(join(source, FILE));
  const id = basename(source);
  const cache = cacheOf(source);
  const places = (/** @type {readonly string[]} */ words) =>
    words.map((word) => word.replaceAll('{source}', source).replaceAll('{cache}', cache));
  const build = manifest.build.map(places);
  const missing = needs.filter((program) => programPath(program) === null);
  /** Nothing has changed since it was built, or it needs no building. */
  const built = build.length === 0 || isBuilt({ source, cache, build });
  const why = whyMissing({ id, missing, install, built });
  /** @template {{name: string, run: string[]}} T @param {T} entry */
  const runnable = ({ run, ...entry }) => ({
    ...entry,
    command: { name: entry.name, run: places(run), cwd: source },
    /** Why it cannot run, and the remedy, in two sentences; null: it can. */
    missing: why,
  });
  return {
    id,
    source,
    cache,
    language: manifest.language,
    needs,
    missing,
    install,
    build,
    built,
    drivers: drivers.map(runnable),
    workloads: workloads.map(runnable),
  };
}

/** @param {string} name @param {string} [folder] of the languages' folders @returns {DriverEntry} @throws {UserError} there is no such driver */
export function findDriver(name, folder) {
  const all = readLanguages(folder).flatMap(({ drivers }) => drivers);
  const found = all.find((driver) => driver.name === name);
  if (found) return found;
  throw unknownDriver(name, all);
}

/**
 * What a user names: a driver, a language's folder, `folder/driver`, or a program that speaks the protocol.
 * @param {string} path @returns {{drivers: DriverEntry[], workloads: WorkloadEntry[]}} a program counts as a driver of writes
 * @throws {UserError} there is nothing to run
 */
export function driversAt(path) {
  const absolute = resolve(path);
  const found = statSync(absolute, { throwIfNoEntry: false });
  if (found?.isDirectory()) {
    if (existsSync(join(absolute, FILE))) return readLanguage(absolute);
    throw problem('no-manifest', { folder: cleanLine(absolute), file: FILE });
  }
  if (found) {
    // The name of a client may hold its variant after a dot.
    const name = parse(absolute).name.replace(/[^A-Za-z0-9]+/g, '-') || 'driver';
    const command = { name, run: [absolute], cwd: dirname(absolute) };
    const variants = { defaults: 'as the program is' };
    return { drivers: [{ name: command.name, title: command.name, variants, command, missing: null }], workloads: [] };
  }
  const above = dirname(absolute);
  const isIn = path.includes('/') && existsSync(join(above, FILE));
  const languages = isIn ? [readLanguage(above)] : readLanguages();
  const name = isIn ? basename(absolute) : path;
  const all = languages.flatMap((language) => language.drivers);
  const allOfWorkloads = languages.flatMap((language) => language.workloads);
  const drivers = all.filter((driver) => driver.name === name);
  const workloads = allOfWorkloads.filter((driver) => driver.name === name);
  if (drivers.length + workloads.length > 0) return { drivers, workloads };
  throw unknownDriver(name, [...all, ...allOfWorkloads]);
}

/** @param {string} name @param {readonly DriverEntry[]} all */
function unknownDriver(name, all) {
  const names = all.map((each) => each.name).join(', ');
  const drivers = names === '' ? 'Give the path of a driver.' : `The drivers are ${names}.`;
  return problem('unknown', { name: cleanLine(name), drivers });
}

/** @param {DriverEntry} driver @param {string} variant @throws {UserError} it has no such variant, or cannot run here */
export function checkRunnable({ name, variants, missing }, variant) {
  if (!Object.hasOwn(variants, variant)) {
    throw problem('no-variant', { name, variant: cleanLine(variant), variants: Object.keys(variants).join(', ') });
  }
  if (missing !== null) throw problem('cannot-run', { name, missing });
}

function parseManifest(/** @type {string} */ file) {
  let document;
  try {
    if (statSync(file).size > MOST_BYTES) throw new Error('it is too large');
    document = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw invalid(file, messageOf(error));
  }
  const { success, data, error } = ManifestSchema.safeParse(document);
  if (success) return data;
  const [{ path, message }] = error.issues;
  throw invalid(file, `${path.join('.') || 'the document'}: ${message}`);
}

/** @param {string} file @param {string} why */
function invalid(file, why) {
  return problem('bad-manifest', { file: cleanLine(file), why: cleanLine(why) });
}

/** @param {{id: string, missing: readonly string[], install: string | null, built: boolean}} language */
function whyMissing({ id, missing, install, built }) {
  if (missing.length > 0) {
    const remedy = install === null ? 'Install it and put it on PATH.' : `To install it: ${install}.`;
    return `${missing.join(' and ')} is not on PATH. ${remedy}`;
  }
  return built ? null : `It is not built, or has changed since. Run \`sentinel-bench drivers build ${id}\`.`;
}
