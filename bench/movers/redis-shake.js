/**
 * RedisShake 4 as a mover. It reports progress at most once a second, and never the end of its scan, so a marker key is set on the source: it arrives on the
 * copy after everything before it.
 */
import { randomUUID } from 'node:crypto';
import { connect, infoOf } from '../../src/clients/connection.js';
import { once } from '../../src/once.js';
import { programPath } from '../../src/programs.js';
import { freePort } from '../../src/stacks/hosts/ports.js';
import { sum } from '../../src/stats/statistics.js';
import { waitFor } from '../../src/wait.js';
import { countWrites, NOT_COUNTED, SETTLE_MS, within } from './move.js';
import { startShake, switchNoticesOn, watchStatus } from './redis-shake-process.js';

/** @import { Address, Connection } from '../types.js' */
/** @import { Move, Mover, MoverOptions, Pair } from './move.js' */
/** @import { Shake } from './redis-shake-process.js' */

const PROGRAM = 'redis-shake';
const POLL_MS = 10;
const MARKER_COMMANDS = [['SET', 'set', 'PX', String(2 * SETTLE_MS)], ['DEL']];
/** RedisShake connects to both nodes and begins to read within this time. */
const START_MS = 20_000;

/**
 * @typedef {{source: Connection, copy: Connection, scansBefore: number, tag: string}} ShardNodes of one shard, or of a pair without shards. scansBefore: SCANs
 *   of the source before it was started; tag: what a key begins with that belongs to these nodes
 *
 * @typedef {Object} ShakeReader how RedisShake reads
 * @property {(scanCount: number) => Record<string, string | number | boolean>} options of its section
 * @property {'sync_reader' | 'scan_reader'} section
 * @property {boolean} notices
 * @property {(nodes: ShardNodes) => Promise<boolean>} [reading] it reads, and notices what changes from now on; default: at once
 * @property {(nodes: ShardNodes) => Promise<boolean>} [behind] a key set from now on arrives behind the data set; without: it ends when
 *   it has copied that
 */

/** @type {ShakeReader} */
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

/** @type {ShakeReader} */
const scanReader = {
  section: 'scan_reader',
  notices: false,
  options: (count) => ({ scan: true, ksn: false, count }),
};

/** @type {ShakeReader} */
const noticesReader = {
  section: 'scan_reader',
  notices: true,
  options: (count) => ({ scan: true, ksn: true, count }),
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

/** @param {string} name @param {ShakeReader} reader @returns {Mover} */
function shakeMover(name, reader) {
  return {
    name,
    takesShards: true,
    start: (pairs, options) => startMove(pairs, reader, options),
  };
}

/** @type {(pairs: readonly Pair[], reader: ShakeReader, options: MoverOptions) => Promise<Move>} */
async function startMove(pairs, reader, { scanCount, signal }) {
  const ending = new AbortController();
  const either = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal;
  const statusPort = await freePort();
  const putBack = await switchNoticesOn(reader.notices ? pairs : [], signal);
  /** @type {Shake | undefined} */
  let shake;
  /** @type {ReturnType<typeof watchStatus> | undefined} */
  let status;
  const close = once(async () => {
    ending.abort(new Error('the copying was ended'));
    await shake?.end();
    await status?.close();
    await putBack();
  });
  try {
    /** @type {ShardNodes[]} */
    const nodes = [];
    for (const { source: from, copy: to, credentials, keyTag: tag = '' } of pairs) {
      const source = await connect({ ...from, credentials }, either);
      const copy = await connect({ ...to, credentials }, either);
      nodes.push({ source, copy, scansBefore: await scansOf(source), tag });
    }
    shake = await startShake(programPath(PROGRAM) ?? PROGRAM, (folder) =>
      configuration(pairs[0], reader, { scanCount, cluster: pairs.length > 1, statusPort, folder }),
    );
    status = watchStatus(statusPort);
    const { figures } = status;
    const move = await moveOf(nodes, reader, either, shake);
    return { ...move, totals: () => ({ ...move.totals(), reported: figures() }), close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param {readonly ShardNodes[]} shards at least one @param {ShakeReader} reader @param {AbortSignal} signal @param {Shake} shake @returns when it reads */
async function moveOf(shards, { reading, behind }, signal, shake) {
  const counter = counterOf(shards);

  /** @param {(nodes: ShardNodes) => Promise<boolean>} holds of each shard */
  const until = (holds) => {
    const look = async () => {
      const answers = await Promise.all(shards.map(holds));
      await counter.look();
      shake.cpuSeconds();
      return answers.every(Boolean);
    };
    const done = waitFor(look, { deadlineMs: Number.POSITIVE_INFINITY, pollMs: POLL_MS, signal });
    // It rejects when it ends early, too.
    const early = shake.ended.then(() => {
      throw new Error('redis-shake ended before it had copied everything');
    });
    return Promise.race([done, early]);
  };

  async function passMarker() {
    const name = `sentinel-bench:marker:${randomUUID()}`;
    for (const command of MARKER_COMMANDS) {
      await Promise.all(shards.map(({ source, tag }) => source.call(command[0], `${tag}${name}`, ...command.slice(1))));
      const exists = command[0] === 'SET' ? 1 : 0;
      await until(async ({ copy, tag }) => (await copy.call('EXISTS', `${tag}${name}`)) === exists);
    }
    counter.ignore(MARKER_COMMANDS.length * shards.length);
    await counter.look();
  }

  async function copyAll() {
    if (behind) await until(behind).then(passMarker);
    else await shake.ended;
    await counter.full();
  }

  if (reading) await within(START_MS, 'redis-shake did not begin', until(reading));
  const full = copyAll();
  full.catch(() => {});
  return {
    full,
    async settle() {
      await full;
      if (behind) await within(SETTLE_MS, 'the copy did not catch up', passMarker());
    },
    totals: () => ({
      ...NOT_COUNTED,
      keys: counter.keys(),
      cpuSeconds: shake.cpuSeconds(),
      blockOutBytes: shake.diskBytes(),
    }),
  };
}

/**
 * What has arrived on the copies: keys until these are full, because of a hash RedisShake may make a command a field; then commands, without those of
 * markers.
 * @param {readonly ShardNodes[]} shards
 */
function counterOf(shards) {
  let [loaded, written, ignored] = [0, 0, 0];
  /** @type {(() => Promise<number>)[] | null} */
  let writes = null;
  async function look() {
    if (writes) written = sum(await Promise.all(writes.map((each) => each())));
    else loaded = sum(await Promise.all(shards.map(async ({ copy }) => Number(await copy.call('DBSIZE')))));
  }
  return {
    look,
    keys: () => loaded + Math.max(0, written - ignored),
    /** @param {number} commands of a marker */
    ignore(commands) {
      if (writes) ignored += commands;
    },
    async full() {
      await look();
      writes = await Promise.all(shards.map(({ copy }) => countWrites(copy)));
    },
  };
}

/**
 * @param {Pair} pair
 * @param {ShakeReader} reader
 * @param {{scanCount: number, cluster: boolean, statusPort: number, folder: string}} options cluster: it finds the other shards itself
 * @returns {string} TOML
 */
function configuration(pair, reader, { scanCount, cluster, statusPort, folder }) {
  const { username = '', password = '', tls } = pair.credentials;
  const node = (/** @type {Address} */ { host, port }) => ({
    cluster,
    address: `${host}:${port}`,
    username,
    password,
    tls: tls !== undefined,
  });
  const sections = {
    [reader.section]: { ...node(pair.source), ...reader.options(scanCount) },
    redis_writer: node(pair.copy),
    // The copy may hold keys of an earlier copy.
    advanced: {
      dir: folder,
      status_port: statusPort,
      log_level: 'warn',
      log_interval: 0,
      rdb_restore_command_behavior: 'rewrite',
    },
  };
  return Object.entries(sections)
    .flatMap(([name, fields]) => [
      `[${name}]`,
      ...Object.entries(fields).map(([field, value]) => `${field} = ${JSON.stringify(value)}`),
      '',
    ])
    .join('\n');
}
