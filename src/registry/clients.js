/** The clients of rounds. A new one is an entry here and the module that it loads. Nothing else knows their names. */
import { createRequire } from 'node:module';

/** @import { ClientKind } from './types.js' */

/** @param {string} library a package that this one depends on */
const versionOf = (library) => () => createRequire(import.meta.url)(`${library}/package.json`).version;

/** A replica of MariaDB applies in one thread, and with a flush each, what the primary has committed in many. */
export const CATCH_UP_SECONDS = 150;

/** In the order of reports. @type {readonly ClientKind[]} */
export const clients = Object.freeze([
  {
    name: 'native',
    title: 'native',
    style: { colour: 'grey' },
    system: 'redis',
    library: false,
    connect: new URL('../clients/native.js', import.meta.url).href,
  },
  {
    name: 'redis',
    title: 'node-redis',
    style: { colour: 'red', symbol: 'rect' },
    system: 'redis',
    library: true,
    version: versionOf('redis'),
    connect: new URL('../clients/redis.js', import.meta.url).href,
  },
  {
    name: 'ioredis',
    title: 'ioredis',
    style: { colour: 'blue', symbol: 'triangle' },
    system: 'redis',
    library: true,
    version: versionOf('ioredis'),
    connect: new URL('../clients/ioredis.js', import.meta.url).href,
  },
  {
    name: 'mysql2',
    title: 'mysql2',
    style: { colour: 'olive', symbol: 'diamond' },
    system: 'mariadb',
    library: true,
    version: versionOf('mysql2'),
    connect: new URL('../clients/mysql.js', import.meta.url).href,
    catchUpSeconds: CATCH_UP_SECONDS,
  },
  {
    name: 'redis-benchmark',
    title: 'redis-benchmark',
    style: { colour: 'orange', symbol: 'diamond' },
    system: 'redis',
    library: false,
    program: new URL('../load/programs/redis-benchmark.js', import.meta.url).href,
  },
  {
    name: 'memtier_benchmark',
    title: 'memtier_benchmark',
    style: { colour: 'green', symbol: 'rect' },
    system: 'redis',
    library: false,
    program: new URL('../load/programs/memtier-benchmark.js', import.meta.url).href,
    // It does not pad numbers. With the lowest 12-digit number its keys are as long as ours.
    firstKey: 10 ** 11,
  },
]);

/** The clients of Redis in the load thread, for `--client`. */
export const clientNames = Object.freeze(
  clients.filter(({ system, connect }) => system === 'redis' && connect !== undefined).map(({ name }) => name),
);

/** The programs that make load by themselves. */
export const programNames = Object.freeze(
  clients.filter(({ program }) => program !== undefined).map(({ name }) => name),
);

/**
 * @param {string} name
 * @returns {ClientKind | undefined} undefined: it is not in the list; a result may be from a version that had it
 */
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

/**
 * @param {string} name of a client or a writer
 * @returns {string} the name as a part of an id, which is fit for a file name
 */
export function idPart(name) {
  return name.replace(/[^A-Za-z0-9._-]/g, '-');
}
