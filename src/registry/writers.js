/**
 * The writers of trials. A new one is an entry in writers.yaml, and a module if no module makes its kind yet. Nothing else knows their names.
 *
 * A writer may live in a part of the network: `sticky@minority` is the writer `sticky` in the part `minority`.
 * @import { WriterKind } from './types.js'
 */
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** @param {string} name */
const moduleOf = (name) => new URL(`../load/writers/${name}.js`, import.meta.url).href;

/** @type {Record<'measured' | 'named', WriterKind[]>} */
const listed = parse(readFileSync(new URL('writers.yaml', import.meta.url), 'utf8'));

/** @param {WriterKind} entry */
const withModule = ({ create, ...entry }) => Object.freeze({ ...entry, create: moduleOf(create) });

/** In the order of reports. @type {readonly WriterKind[]} */
export const writers = Object.freeze(listed.measured.map(withModule));

/** Only benchmarks that name them measure these. */
const others = listed.named.map(withModule);

/**
 * A folder in drivers/ is all that a library takes.
 * @param {string} name such as `driver.redis-py` or `driver.redis-py.best`
 * @returns {WriterKind | undefined} undefined: it is no driver's
 */
function driverNamed(name) {
  const [, driver, variant] = /^driver\.([^.]+)(?:\.([^.]+))?$/.exec(name) ?? [];
  if (driver === undefined) return undefined;
  const title = variant === undefined ? driver : `${driver} (${variant})`;
  return {
    name,
    title,
    style: { colour: 'purple' },
    appends: true,
    client: 'driver',
    create: moduleOf('driver-writer'),
  };
}

/**
 * @param {string} name of a writer, such as `sticky` or `sticky@minority`
 * @returns {{kind: string, place?: string}} place: the part of the network that it lives in; absent: it reaches every node
 */
export function placedWriter(name) {
  const [kind, place] = name.split('@');
  return place === undefined ? { kind } : { kind, place };
}

/**
 * @param {string} name of a writer, with or without its place
 * @returns {WriterKind | undefined} undefined: it is not in the list; a result may be from a version that had it
 */
export function findWriter(name) {
  const { kind } = placedWriter(name);
  return [...writers, ...others].find((writer) => writer.name === kind) ?? driverNamed(kind);
}

/** @param {string} name of a writer, with or without its place @returns {string} how reports call it; its name if it is not in the list */
export function writerTitle(name) {
  const { kind, place } = placedWriter(name);
  const title = findWriter(name)?.title ?? kind;
  return place === undefined ? title : `${title} (${place})`;
}

/** @param {string} client `native` or a library @returns {readonly WriterKind[]} those that write through it */
export function writersOf(client) {
  return writers.filter((writer) => writer.client === client);
}
