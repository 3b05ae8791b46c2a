/** The clients of rounds. A new one is an entry in clients.yaml and the module that it loads. Nothing else knows their names. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parse } from 'yaml';

/** @import { ClientKind } from './types.js' */

/** @param {string} library a package that this one depends on */
const versionOf = (library) => () => createRequire(import.meta.url)(`${library}/package.json`).version;

/** @param {string} path */
const moduleOf = (path) => new URL(`../${path}.js`, import.meta.url).href;

/** @type {ClientKind[]} */
const listed = parse(readFileSync(new URL('clients.yaml', import.meta.url), 'utf8'));

/** In the order of reports. @type {readonly ClientKind[]} */
export const clients = Object.freeze(
  listed.map(({ connect, program, ...entry }) => ({
    ...entry,
    ...(entry.library && { version: versionOf(entry.name) }),
    ...(connect && { connect: moduleOf(`clients/${connect}`) }),
    ...(program && { program: moduleOf(`load/programs/${program}`) }),
  })),
);

/** The clients of Redis in the load thread, for `--client`. */
export const clientNames = Object.freeze(
  clients.filter(({ system, connect }) => system === 'redis' && connect !== undefined).map(({ name }) => name),
);

/** The programs that make load by themselves. */
export const programNames = Object.freeze(
  clients.filter(({ program }) => program !== undefined).map(({ name }) => name),
);

/** @param {string} name @returns {ClientKind | undefined} undefined: it is not in the list; a result may be from a version that had it */
export function findClient(name) {
  return clients.find((client) => client.name === name);
}

/** @param {string} name @returns {string} how reports call it; its name if it is not in the list */
export function clientTitle(name) {
  return findClient(name)?.title ?? name;
}

/** @param {string} name @returns {boolean} it is part of this tool, and has its version */
export function isOwnClient(name) {
  const client = findClient(name);
  return client?.connect !== undefined && !client.library;
}

/** @param {string} name of a client or a writer @returns {string} the name as a part of an id, which is fit for a file name */
export function idPart(name) {
  return name.replace(/[^A-Za-z0-9._-]/g, '-');
}
