/**
 * The writers of trials. A new one is an entry here, and a module if no module makes its kind yet. Nothing else knows their names.
 *
 * A writer may live in a part of the network: `sticky@minority` is the writer `sticky` in the part `minority`.
 */

/** @import { WriterKind } from './types.js' */

const NATIVE = new URL('../load/writers/native-writer.js', import.meta.url).href;
const LIBRARY = new URL('../load/writers/library-writer.js', import.meta.url).href;
const DRIVER = new URL('../load/writers/driver-writer.js', import.meta.url).href;
const HAPROXY = new URL('../load/writers/haproxy-writer.js', import.meta.url).href;
const VIRTUAL_ADDRESS = new URL('../load/writers/virtual-address-writer.js', import.meta.url).href;
const EXAMPLE = new URL('../load/writers/example-writer.js', import.meta.url).href;

/** The clients of examples/, exactly as people copy them. */
const COPIED = Object.freeze({
  word: 'example',
  how: 'as in `examples/`',
  what: 'the client in `examples/`',
  confirms: true,
});

/** In the order of reports. @type {readonly WriterKind[]} */
export const writers = Object.freeze([
  {
    // Keeps its node until an error or a lost connection, and then asks the Sentinels for the primary.
    name: 'sticky',
    title: 'sticky',
    style: { colour: 'grey' },
    appends: false,
    client: 'native',
    create: NATIVE,
    options: { failoverAware: false },
  },
  {
    // Also moves as soon as a Sentinel says `+switch-master`.
    name: 'failover-aware',
    title: 'failover-aware',
    style: { colour: 'sky', symbol: 'rect' },
    appends: false,
    client: 'native',
    create: NATIVE,
    options: { failoverAware: true },
  },
  {
    name: 'redis',
    title: 'node-redis',
    style: { colour: 'red', symbol: 'rect' },
    appends: true,
    client: 'redis',
    create: LIBRARY,
    options: { library: 'redis' },
  },
  {
    name: 'redis-example',
    title: 'node-redis example',
    style: { colour: 'green' },
    appends: false,
    client: 'redis',
    create: EXAMPLE,
    options: { library: 'redis' },
    variant: COPIED,
  },
  {
    name: 'ioredis',
    title: 'ioredis',
    style: { colour: 'blue', symbol: 'triangle' },
    appends: true,
    client: 'ioredis',
    create: LIBRARY,
    options: { library: 'ioredis' },
  },
  {
    name: 'ioredis-detector',
    title: 'ioredis detector',
    style: { colour: 'orange', symbol: 'diamond' },
    appends: true,
    client: 'ioredis',
    create: LIBRARY,
    options: { library: 'ioredis', changes: { failoverDetector: true } },
    variant: {
      word: 'detector',
      how: 'with `failoverDetector: true`',
      what: '`failoverDetector: true`',
      confirms: false,
    },
  },
  {
    name: 'ioredis-example',
    title: 'ioredis example',
    style: { colour: 'green', symbol: 'rect' },
    appends: false,
    client: 'ioredis',
    create: EXAMPLE,
    options: { library: 'ioredis' },
    variant: COPIED,
  },
]);

/** Only benchmarks that name them measure these. @type {readonly WriterKind[]} */
const others = Object.freeze([
  {
    // Keeps its connection until HAProxy ends it.
    name: 'haproxy',
    title: 'behind HAProxy',
    style: { colour: 'purple' },
    appends: false,
    client: 'native',
    create: HAPROXY,
  },
  {
    // Keeps its connection until an error, and then dials the same address again.
    name: 'virtual-address',
    title: 'by virtual IP',
    style: { colour: 'purple', symbol: 'rect' },
    appends: false,
    client: 'native',
    create: VIRTUAL_ADDRESS,
  },
]);

/**
 * A folder in drivers/ is all that a library takes.
 * @param {string} name such as `driver.redis-py` or `driver.redis-py.best`
 * @returns {WriterKind | undefined} undefined: it is no driver's
 */
function driverNamed(name) {
  const [, driver, variant] = /^driver\.([^.]+)(?:\.([^.]+))?$/.exec(name) ?? [];
  if (driver === undefined) return undefined;
  const title = variant === undefined ? driver : `${driver} (${variant})`;
  return { name, title, style: { colour: 'purple' }, appends: true, client: 'driver', create: DRIVER };
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

/**
 * @param {string} name of a writer, with or without its place
 * @returns {string} how reports call it; its name if it is not in the list
 */
export function writerTitle(name) {
  const { kind, place } = placedWriter(name);
  const title = findWriter(name)?.title ?? kind;
  return place === undefined ? title : `${title} (${place})`;
}

/**
 * @param {string} client `native` or a library
 * @returns {readonly WriterKind[]} those that write through it
 */
export function writersOf(client) {
  return writers.filter((writer) => writer.client === client);
}
