/**
 * RedisShake 4 as a mover: `redis-shake-sync` reads as a replica does, `redis-shake-scan` scans, `redis-shake-scan-ksn` also
 * copies what it is notified of. The copy receives commands in each of them.
 *
 * RedisShake reports progress at most once a second, and never the end of its scan. So this mover sets a marker key on the source. The
 * key arrives on the copy after everything before it.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, infoOf } from '../../../src/clients/connection.js';
import { UserError } from '../../../src/errors.js';
import { programPath } from '../../../src/programs.js';
import { countWrites, SETTLE_MS, within } from './move.js';
import { switchNoticesOn } from './notices.js';
import { startShake } from './redis-shake-process.js';

/**
 * @import { Connection } from '../../../src/clients/connection.js'
 * @import { Address } from '../../../src/stacks/types.js'
 * @import { Move, Mover, Pair } from './move.js'
 * @import { Shake } from './redis-shake-process.js'
 */

const PROGRAM = 'redis-shake';
const POLL_MS = 10;
/** Set and removed. */
const MARKER_WRITES = 2;
/** RedisShake connects to both nodes and begins to read within this time. */
const START_MS = 20_000;

/**
 * @typedef {Object} Nodes
 * @property {Connection} source
 * @property {Connection} copy
 * @property {number} scansBefore SCANs of the source before it was started
 *
 * @typedef {Object} Reader how RedisShake reads
 * @property {(pair: Pair, scanCount: number) => Record<string, string | number | boolean>} options of its section
 * @property {'sync_reader' | 'scan_reader'} section
 * @property {boolean} notices
 * @property {(nodes: Nodes) => Promise<boolean>} [reading] it reads, and notices what changes from now on; default: at once
 * @property {(nodes: Nodes) => Promise<boolean>} [behind] a key set from now on arrives behind the data set; without: it ends when
 *   it has copied that
 */

/** @type {Reader} */
const syncReader = {
  section: 'sync_reader',
  notices: false,
  options: () => ({ sync_rdb: true, sync_aof: true }),
  // The source's file is complete: later writes come in the stream behind it.
  async behind({ source }) {
    const followers = Object.entries(await infoOf(source, 'replication')).filter(([field]) => /^slave\d+$/.test(field));
    return followers.some(([, text]) => /state=(?:send_bulk|online)/.test(text));
  },
};

/** @type {Reader} */
const scanReader = {
  section: 'scan_reader',
  notices: false,
  options: (_, count) => ({ scan: true, ksn: false, count }),
};

/** @type {Reader} */
const noticesReader = {
  section: 'scan_reader',
  notices: true,
  options: (_, count) => ({ scan: true, ksn: true, count }),
  reading: async ({ source }) => Number(await source.call('PUBSUB', 'NUMPAT')) > 0,
  // RedisShake closes the connection of its scan at the end.
  behind: async ({ source, scansBefore }) =>
    (await scansOf(source)) > scansBefore && !/ cmd=scan /.test(String(await source.call('CLIENT', 'LIST'))),
};

/** @param {Connection} source */
async function scansOf(source) {
  return Number(/calls=(\d+)/.exec((await infoOf(source, 'commandstats')).cmdstat_scan ?? '')?.[1] ?? 0);
}

/** @type {readonly Mover[]} */
export const redisShakes = [
  shakeMover('redis-shake-sync', syncReader),
  shakeMover('redis-shake-scan', scanReader),
  shakeMover('redis-shake-scan-ksn', noticesReader),
];

/** @returns {string | null} why it cannot run here, and the remedy; null: it can */
export function whyNoShake() {
  return programPath(PROGRAM) ? null : `${PROGRAM} is not on PATH. Install RedisShake 4 from its releases.`;
}

/**
 * @param {string} name
 * @param {Reader} reader
 * @returns {Mover}
 */
function shakeMover(name, reader) {
  return {
    name,
    async start(pair, { scanCount, signal }) {
      const program = programPath(PROGRAM);
      if (!program) throw new UserError(`${PROGRAM} is not on PATH.`, 'Install RedisShake 4 from its releases.');
      const { credentials } = pair;
      const putBack = reader.notices ? await switchNoticesOn(pair, signal) : async () => {};
      const ending = new AbortController();
      const either = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal;
      /** @type {Shake | undefined} */
      let shake;
      /** @type {Promise<void> | null} */
      let closing = null;
      const close = async () => {
        ending.abort(new Error('the copying was ended'));
        await shake?.end();
        await putBack();
      };
      try {
        const source = await connect({ ...pair.source, credentials }, either);
        const copy = await connect({ ...pair.copy, credentials }, either);
        const scansBefore = await scansOf(source);
        const move = await begin({ source, copy, scansBefore }, reader, either, async () => {
          shake = await startShake(program, (folder) => configuration(pair, reader, scanCount, folder));
          return shake;
        });
        return {
          ...move,
          close() {
            closing ??= close();
            return closing;
          },
        };
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
}

/**
 * @param {Nodes} nodes
 * @param {Reader} reader
 * @param {AbortSignal} signal
 * @param {() => Promise<Shake>} start
 * @returns {Promise<Omit<Move, 'close'>>}
 */
async function begin(nodes, reader, signal, start) {
  const shake = await start();
  let keys = 0;
  // Before it is full, keys are counted: of a hash RedisShake may make a command a field. Then commands are, without its marker's.
  let count = async () => {
    keys = Number(await nodes.copy.call('DBSIZE'));
  };
  const countCommands = async () => {
    await count();
    const loaded = keys;
    const writes = await countWrites(nodes.copy);
    count = async () => {
      keys = loaded + Math.max(0, (await writes()) - markers);
    };
  };
  let markers = 0;

  /** @param {() => Promise<boolean>} holds */
  const until = async (holds) => {
    while (!(await holds())) {
      await count();
      shake.cpuSeconds();
      await delay(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  };
  /** @param {Promise<void>} done rejects when it ends early, too */
  const whileItRuns = (done) =>
    Promise.race([
      done,
      shake.ended.then(() => {
        throw new Error('redis-shake ended before it had copied everything');
      }),
    ]);

  const passMarker = async () => {
    const key = `sentinel-bench:marker:${randomUUID()}`;
    await nodes.source.call('SET', key, 'set', 'PX', String(2 * SETTLE_MS));
    await until(async () => (await nodes.copy.call('EXISTS', key)) === 1);
    await nodes.source.call('DEL', key);
    await until(async () => (await nodes.copy.call('EXISTS', key)) === 0);
    markers += MARKER_WRITES;
    await count();
  };

  const { reading, behind } = reader;
  if (reading) await within(START_MS, 'redis-shake did not begin', whileItRuns(until(() => reading(nodes))));
  const copyAll = async () => {
    if (behind) await whileItRuns(until(() => behind(nodes)).then(passMarker));
    else await shake.ended;
    markers = 0;
    await countCommands();
  };
  const full = copyAll();
  // `settle` reports the failure to callers that do not wait for this.
  full.catch(() => {});
  return {
    full,
    async settle() {
      await full;
      if (behind) await within(SETTLE_MS, 'the copy did not catch up', whileItRuns(passMarker()));
    },
    totals: () => ({ keys, cpuSeconds: shake.cpuSeconds(), bytesIn: null, bytesOut: null }),
  };
}

/**
 * @param {Pair} pair
 * @param {Reader} reader
 * @param {number} scanCount
 * @param {string} folder
 * @returns {string} TOML
 */
function configuration(pair, reader, scanCount, folder) {
  const { username = '', password = '', tls } = pair.credentials;
  /** @param {Address} address */
  const node = ({ host, port }) => ({ address: `${host}:${port}`, username, password, tls: tls !== undefined });
  return [
    section(reader.section, { ...node(pair.source), ...reader.options(pair, scanCount) }),
    section('redis_writer', node(pair.copy)),
    // The copy may hold keys of an earlier copy.
    section('advanced', { dir: folder, log_level: 'warn', log_interval: 0, rdb_restore_command_behavior: 'rewrite' }),
  ].join('\n');
}

/**
 * @param {string} name
 * @param {Record<string, string | number | boolean>} fields
 */
function section(name, fields) {
  return `[${name}]\n${Object.entries(fields)
    .map(([field, value]) => `${field} = ${JSON.stringify(value)}\n`)
    .join('')}`;
}
