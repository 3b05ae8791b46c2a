/**
 * A scripted deployment on loopback: a primary, two replicas and three Sentinels that never disagree. The primary notes every write that
 * arrives, and what it answered.
 */
import { keyName } from '../../clients/native-batch.js';
import { Failure, OK, Pairs, Status } from './reply.js';
import { now, startServer, VERSION } from './server.js';

/**
 * @import { Address } from '../../stacks/types.js'
 * @import { Value } from './reply.js'
 * @import { DriverConnection, CommandHandler, NeededLogin, FakeServer } from './server.js'
 */

/**
 * @typedef {Object} ArrivedWrite a write as it arrived
 * @property {number} number of the write
 * @property {number} client id of the connection
 * @property {number} at when it arrived, `now()`
 * @property {number} answeredAt when the answer was sent; 0: never
 * @property {string} answer `OK`, an error reply, or empty
 * @property {number} lostAt when its connection was closed; 0: it was not
 * @property {boolean} right key and value are those of the task
 *
 * @typedef {Object} Waited a WAIT as it arrived
 * @property {number} client id of the connection
 * @property {number} at
 * @property {number} answeredAt 0: never
 * @property {number} count that was answered; -1: an error
 *
 * @typedef {Object} Act what the primary does with a write
 * @property {string} [error] the error reply
 * @property {number} [delayMs] before the answer
 * @property {'drop' | 'silent'} [instead] of an answer: closes the connection, or never answers
 *
 * @typedef {Object} AnswerScript
 * @property {(number: number, attempt: number) => Act} write attempt: how often the write arrived before
 * @property {(after: number, connection: number) => {count: number} | {error: string}} wait what WAIT answers after this write, the last one of
 *   any connection, on this connection
 *
 * @typedef {Object} FakeDeployment
 * @property {Address[]} sentinels
 * @property {ArrivedWrite[]} attempts in the order of arrival
 * @property {Waited[]} waits in the same order
 * @property {string[]} strange what arrived and should not: keys of others, other values
 * @property {() => void} close
 */

export const MASTER_NAME = 'mymaster';
const RUN_ID = 'a'.repeat(40);
const UNKNOWN_MASTER = new Failure('ERR No such master with that name');

/**
 * @typedef {Object} ToldTask what the driver was told to write
 * @property {AnswerScript} script
 * @property {string} keyPrefix
 * @property {(number: number) => string} value of each write
 */

/**
 * @param {ToldTask & {login?: NeededLogin | null, sentinelLogin?: NeededLogin | null, lost?: boolean}} options login: of the nodes; lost: the Sentinels know no
 *   primary
 * @returns {Promise<FakeDeployment>}
 */
export async function startDeployment({ login = null, sentinelLogin = null, lost = false, ...task }) {
  const writes = new Writes(task);
  /** @type {FakeServer[]} */
  const replicas = [];
  const primary = await startServer({
    login,
    mode: 'standalone',
    role: () => 'master',
    info: () =>
      nodeInfo([
        'role:master',
        `connected_slaves:${replicas.length}`,
        ...replicas.map(
          ({ address }, i) => `slave${i}:ip=${address.host},port=${address.port},state=online,offset=1000,lag=0`,
        ),
      ]),
    commands: {
      ...COMMON,
      ...writes.commands(),
      ROLE: () => ['master', 1000, replicas.map(({ address }) => [address.host, String(address.port), '1000'])],
    },
  });
  for (let i = 0; i < 2; i++) replicas.push(await startReplica(primary.address, login));
  /** @type {FakeServer[]} */
  const sentinels = [];
  const known = { primary: lost ? null : primary.address, replicas, sentinels };
  for (let i = 0; i < 3; i++) sentinels.push(await startSentinel(i, known, sentinelLogin));

  return {
    sentinels: sentinels.map(({ address }) => address),
    get attempts() {
      return writes.attempts();
    },
    waits: writes.waits,
    strange: writes.strange,
    close() {
      for (const server of [...sentinels, ...replicas, primary]) server.close();
    },
  };
}

/** What the primary is asked to write, and what it answers. */
class Writes {
  #task;
  /** @type {ArrivedWrite[]} */
  #attempts = [];
  /** @type {Waited[]} */
  waits = [];
  /** @type {string[]} */
  strange = [];
  #lastWrite = -1;
  /** How often each write arrived. @type {Map<number, number>} */
  #times = new Map();
  /** @type {Map<ArrivedWrite, DriverConnection>} */
  #connections = new Map();
  /** The commands of open transactions. @type {WeakMap<DriverConnection, string[][]>} */
  #transactions = new WeakMap();

  /** @param {ToldTask} task */
  constructor(task) {
    this.#task = task;
  }

  attempts() {
    for (const attempt of this.#attempts) attempt.lostAt = this.#connections.get(attempt)?.closedAt ?? 0;
    return this.#attempts;
  }

  /** @returns {Record<string, CommandHandler>} */
  commands() {
    /** @param {string} name @returns {CommandHandler} */
    const writing = (name) => (words, client) =>
      this.#queued([name, ...words], client) ?? this.#write([name, ...words], client);
    return {
      SET: writing('SET'),
      APPEND: writing('APPEND'),
      WAIT: (words, client) => this.#queued(['WAIT', ...words], client) ?? this.#wait(client),
      MULTI: (_, client) => {
        this.#transactions.set(client, []);
        return OK;
      },
      DISCARD: (_, client) => {
        this.#transactions.delete(client);
        return OK;
      },
      WATCH: () => OK,
      UNWATCH: () => OK,
      EXEC: (_, client) => this.#execute(client),
    };
  }

  /** @param {string[]} words @param {DriverConnection} client @returns {Value | Promise<Value> | undefined} */
  #write([name, key = '', text = ''], client) {
    const { script, keyPrefix, value } = this.#task;
    const number = Number(key.slice(-12));
    const isOurs = key.startsWith(keyPrefix) && key === keyName(keyPrefix, number);
    if (!isOurs) {
      this.strange.push(`${name} ${key}`);
      return OK;
    }
    const right = text === value(number);
    if (!right) this.strange.push(`value of write ${number}`);
    /** @type {ArrivedWrite} */
    const attempt = { number, client: client.id, at: now(), answeredAt: 0, answer: '', lostAt: 0, right };
    const before = this.#times.get(number) ?? 0;
    this.#times.set(number, before + 1);
    this.#attempts.push(attempt);
    this.#connections.set(attempt, client);
    this.#lastWrite = number;
    const { error, delayMs = 0, instead } = script.write(number, before);
    if (instead === 'silent') return undefined;
    if (instead === 'drop') {
      client.destroy();
      return undefined;
    }
    const answer = () => {
      if (!client.open) return new Failure('ERR closed');
      attempt.answeredAt = now();
      attempt.answer = error ?? 'OK';
      if (error !== undefined) return new Failure(error);
      return name === 'APPEND' ? text.length : OK;
    };
    return delayMs === 0 ? answer() : new Promise((resolve) => setTimeout(() => resolve(answer()), delayMs));
  }

  /** @param {DriverConnection} client @returns {Value} */
  #wait(client) {
    const answer = this.#task.script.wait(this.#lastWrite, client.id);
    const count = 'count' in answer ? answer.count : -1;
    this.waits.push({ client: client.id, at: now(), answeredAt: now(), count });
    return 'count' in answer ? answer.count : new Failure(answer.error);
  }

  /** @param {string[]} words @param {DriverConnection} client @returns {Value | undefined} undefined: no transaction is open */
  #queued(words, client) {
    const commands = this.#transactions.get(client);
    if (commands === undefined) return undefined;
    commands.push(words);
    return new Status('QUEUED');
  }

  /** @param {DriverConnection} client @returns {Value | Promise<Value> | undefined} */
  #execute(client) {
    const commands = this.#transactions.get(client);
    this.#transactions.delete(client);
    if (commands === undefined) return new Failure('ERR EXEC without MULTI');
    const values = commands.map((words) => (words[0] === 'WAIT' ? this.#wait(client) : this.#write(words, client)));
    // A write that is never answered leaves the whole transaction without an answer.
    if (values.some((each) => each === undefined)) return undefined;
    return Promise.all(/** @type {Value[]} */ (values));
  }
}

/** What every node answers. @type {Record<string, CommandHandler>} */
const COMMON = {
  READONLY: () => new Failure('ERR This instance has cluster support disabled'),
  CLUSTER: () => new Failure('ERR This instance has cluster support disabled'),
  CONFIG: ([word = '']) => (word.toUpperCase() === 'GET' ? new Pairs([]) : OK),
  GET: () => null,
  EXISTS: () => 0,
  DEL: () => 0,
  DBSIZE: () => 0,
};

const readOnly = () => new Failure("READONLY You can't write against a read only replica.");

/** @param {Address} primary @param {NeededLogin | null} login */
function startReplica({ host, port }, login) {
  return startServer({
    login,
    mode: 'standalone',
    role: () => 'slave',
    info: () =>
      nodeInfo([
        'role:slave',
        `master_host:${host}`,
        `master_port:${port}`,
        'master_link_status:up',
        'slave_read_only:1',
      ]),
    commands: {
      ...COMMON,
      SET: readOnly,
      APPEND: readOnly,
      WAIT: () =>
        new Failure(
          'ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated.',
        ),
      ROLE: () => ['slave', host, port, 'connected', 1000],
    },
  });
}

/**
 * @typedef {Object} KnownNodes to the Sentinels
 * @property {Address | null} primary
 * @property {readonly FakeServer[]} replicas
 * @property {readonly FakeServer[]} sentinels
 */

/** @param {number} index @param {KnownNodes} known @param {NeededLogin | null} login */
function startSentinel(index, known, login) {
  const { primary } = known;
  const masters =
    primary === null
      ? 'sentinel_masters:0\r\n'
      : `sentinel_masters:1\r\nmaster0:name=${MASTER_NAME},status=ok,address=${primary.host}:${primary.port},slaves=2,sentinels=3\r\n`;
  return startServer({
    login,
    mode: 'sentinel',
    role: () => 'sentinel',
    info: () => `# Server\r\nredis_version:${VERSION}\r\nredis_mode:sentinel\r\n# Sentinel\r\n${masters}`,
    commands: {
      ROLE: () => ['sentinel', primary === null ? [] : [MASTER_NAME]],
      SENTINEL: ([word = '', name]) => answerOfSentinel(index, known, word.toLowerCase(), name),
    },
  });
}

/** @param {number} index @param {KnownNodes} known @param {string} word @param {string | undefined} name @returns {Value} */
function answerOfSentinel(index, { primary, replicas, sentinels }, word, name) {
  if (word === 'masters') return primary === null ? [] : [primaryFields(primary)];
  if (word === 'myid') return `${index}`.repeat(40);
  const found = name === MASTER_NAME ? primary : null;
  if (word === 'get-master-addr-by-name') return found && [found.host, String(found.port)];
  if (!['master', 'slaves', 'replicas', 'sentinels', 'ckquorum', 'is-master-down-by-addr'].includes(word)) {
    return new Failure(`ERR unknown subcommand '${word}'. Try SENTINEL HELP.`);
  }
  if (found === null) return UNKNOWN_MASTER;
  if (word === 'master') return primaryFields(found);
  if (word === 'sentinels')
    return sentinels.filter((_, i) => i !== index).map(({ address }) => sentinelFields(address));
  if (word === 'ckquorum') return new Status('OK 3 usable Sentinels. Quorum and failover authorization can be reached');
  return replicas.map(({ address }) => replicaFields(address, found));
}

/** @param {Address} primary */
function primaryFields(primary) {
  return fields(MASTER_NAME, primary, 'master', {
    'role-reported': 'master',
    'num-slaves': '2',
    'num-other-sentinels': '2',
    quorum: '2',
  });
}

/** @param {Address} address @param {Address} primary */
function replicaFields(address, primary) {
  return fields(`${address.host}:${address.port}`, address, 'slave', {
    'role-reported': 'slave',
    'master-link-status': 'ok',
    'master-host': primary.host,
    'master-port': String(primary.port),
    'slave-priority': '100',
    'slave-repl-offset': '1000',
    'replica-announced': '1',
  });
}

/** @param {string[]} replication */
function nodeInfo(replication) {
  const lines = [
    '# Server',
    `redis_version:${VERSION}`,
    'redis_mode:standalone',
    'os:Linux',
    `run_id:${RUN_ID}`,
    '# Persistence',
    'loading:0',
    '# Replication',
    ...replication,
    `master_replid:${RUN_ID}`,
    'master_repl_offset:1000',
    '# Cluster',
    'cluster_enabled:0',
  ];
  return `${lines.join('\r\n')}\r\n`;
}

/**
 * @param {string} name
 * @param {Address} address
 * @param {string} flags
 * @param {Record<string, string>} more
 * @returns {Pairs}
 */
function fields(name, { host, port }, flags, more) {
  const all = {
    name,
    ip: host,
    port: String(port),
    runid: RUN_ID,
    flags,
    'link-pending-commands': '0',
    'link-refcount': '1',
    'last-ping-sent': '0',
    'last-ok-ping-reply': '100',
    'last-ping-reply': '100',
    'down-after-milliseconds': '2000',
    'info-refresh': '100',
    ...more,
  };
  return new Pairs(Object.entries(all));
}

/** @param {Address} address */
function sentinelFields(address) {
  return fields(`${address.host}${address.port}`, address, 'sentinel', {
    'last-hello-message': '100',
    'voted-leader': '?',
    'voted-leader-epoch': '0',
  });
}
