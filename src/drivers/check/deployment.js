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
 * @import { Client, Command, Login, Server } from './server.js'
 */

/**
 * @typedef {Object} Attempt a write as it arrived
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
 * @typedef {Object} Script
 * @property {(number: number, attempt: number) => Act} write attempt: how often the write arrived before
 * @property {(after: number, connection: number) => {count: number} | {error: string}} wait what WAIT answers after this write, the last one of
 *   any connection, on this connection
 *
 * @typedef {Object} Deployment
 * @property {Address[]} sentinels
 * @property {Attempt[]} attempts in the order of arrival
 * @property {Waited[]} waits in the same order
 * @property {string[]} strange what arrived and should not: keys of others, other values
 * @property {() => void} close
 */

export const MASTER_NAME = 'mymaster';
const RUN_ID = 'a'.repeat(40);
const WRITES = new Set(['SET', 'APPEND']);
const UNKNOWN_MASTER = new Failure('ERR No such master with that name');

/**
 * @param {Object} options
 * @param {Script} options.script
 * @param {string} options.keyPrefix
 * @param {(number: number) => string} options.value of each write
 * @param {Login | null} [options.login] of the nodes
 * @param {Login | null} [options.sentinelLogin]
 * @param {boolean} [options.lost] the Sentinels know no primary
 * @returns {Promise<Deployment>}
 */
export async function startDeployment({ script, keyPrefix, value, login = null, sentinelLogin = null, lost = false }) {
  /** @type {Attempt[]} */
  const attempts = [];
  /** @type {Waited[]} */
  const waits = [];
  /** @type {string[]} */
  const strange = [];
  let lastWrite = -1;
  /** How often each write arrived. @type {Map<number, number>} */
  const times = new Map();
  /** @type {Map<Attempt, Client>} */
  const connections = new Map();
  /** The commands of open transactions. @type {WeakMap<Client, string[][]>} */
  const transactions = new WeakMap();
  /** @type {Server[]} */
  const replicas = [];

  /** @param {string[]} words @param {Client} client @returns {Value | Promise<Value> | undefined} */
  function write([name, key = '', text = ''], client) {
    const number = Number(key.slice(-12));
    const isOurs = key.startsWith(keyPrefix) && key === keyName(keyPrefix, number);
    if (!isOurs) {
      strange.push(`${name} ${key}`);
      return OK;
    }
    const right = text === value(number);
    if (!right) strange.push(`value of write ${number}`);
    /** @type {Attempt} */
    const attempt = { number, client: client.id, at: now(), answeredAt: 0, answer: '', lostAt: 0, right };
    const before = times.get(number) ?? 0;
    times.set(number, before + 1);
    attempts.push(attempt);
    connections.set(attempt, client);
    lastWrite = number;
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

  /** @param {Client} client @returns {Value} */
  function wait(client) {
    const answer = script.wait(lastWrite, client.id);
    const count = 'count' in answer ? answer.count : -1;
    waits.push({ client: client.id, at: now(), answeredAt: now(), count });
    return 'count' in answer ? answer.count : new Failure(answer.error);
  }

  /** @type {Record<string, Command>} */
  const common = {
    READONLY: () => new Failure('ERR This instance has cluster support disabled'),
    CLUSTER: () => new Failure('ERR This instance has cluster support disabled'),
    CONFIG: ([word = '']) => (word.toUpperCase() === 'GET' ? new Pairs([]) : OK),
    GET: () => null,
    EXISTS: () => 0,
    DEL: () => 0,
    DBSIZE: () => 0,
  };

  /** @type {Record<string, Command>} */
  const primaryCommands = {
    ...common,
    ...Object.fromEntries(
      [...WRITES].map((name) => [
        name,
        (/** @type {string[]} */ words, /** @type {Client} */ client) =>
          queued([name, ...words], client) ?? write([name, ...words], client),
      ]),
    ),
    WAIT: (words, client) => queued(['WAIT', ...words], client) ?? wait(client),
    MULTI: (_, client) => {
      transactions.set(client, []);
      return OK;
    },
    DISCARD: (_, client) => {
      transactions.delete(client);
      return OK;
    },
    WATCH: () => OK,
    UNWATCH: () => OK,
    EXEC: (_, client) => {
      const commands = transactions.get(client);
      transactions.delete(client);
      if (commands === undefined) return new Failure('ERR EXEC without MULTI');
      const values = commands.map((words) => (words[0] === 'WAIT' ? wait(client) : write(words, client)));
      // A write that is never answered leaves the whole transaction without an answer.
      if (values.some((each) => each === undefined)) return undefined;
      return Promise.all(/** @type {Value[]} */ (values));
    },
    ROLE: () => ['master', 1000, replicas.map(({ address }) => [address.host, String(address.port), '1000'])],
  };

  /** @param {string[]} words @param {Client} client @returns {Value | undefined} undefined: no transaction is open */
  function queued(words, client) {
    const commands = transactions.get(client);
    if (commands === undefined) return undefined;
    commands.push(words);
    return new Status('QUEUED');
  }

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
    commands: primaryCommands,
  });
  const readOnly = () => new Failure("READONLY You can't write against a read only replica.");
  for (let i = 0; i < 2; i++) {
    replicas.push(
      await startServer({
        login,
        mode: 'standalone',
        role: () => 'slave',
        info: () =>
          nodeInfo([
            'role:slave',
            `master_host:${primary.address.host}`,
            `master_port:${primary.address.port}`,
            'master_link_status:up',
            'slave_read_only:1',
          ]),
        commands: {
          ...common,
          SET: readOnly,
          APPEND: readOnly,
          WAIT: () =>
            new Failure(
              'ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated.',
            ),
          ROLE: () => ['slave', primary.address.host, primary.address.port, 'connected', 1000],
        },
      }),
    );
  }

  /** @type {Server[]} */
  const sentinels = [];
  for (let i = 0; i < 3; i++) sentinels.push(await startSentinel(i));

  /** @param {number} index */
  function startSentinel(index) {
    return startServer({
      login: sentinelLogin,
      mode: 'sentinel',
      role: () => 'sentinel',
      info: () =>
        `# Server\r\nredis_version:${VERSION}\r\nredis_mode:sentinel\r\n# Sentinel\r\nsentinel_masters:${lost ? 0 : 1}\r\n${lost ? '' : `master0:name=${MASTER_NAME},status=ok,address=${primary.address.host}:${primary.address.port},slaves=2,sentinels=3\r\n`}`,
      commands: {
        ROLE: () => ['sentinel', lost ? [] : [MASTER_NAME]],
        SENTINEL: ([word = '', name]) => sentinelCommand(index, word.toLowerCase(), name),
      },
    });
  }

  /** @param {number} index @param {string} word @param {string | undefined} name @returns {Value} */
  function sentinelCommand(index, word, name) {
    if (word === 'masters') return lost ? [] : [primaryFields()];
    if (word === 'myid') return `${index}`.repeat(40);
    const isKnown = name === MASTER_NAME && !lost;
    if (word === 'get-master-addr-by-name')
      return isKnown ? [primary.address.host, String(primary.address.port)] : null;
    if (!['master', 'slaves', 'replicas', 'sentinels', 'ckquorum', 'is-master-down-by-addr'].includes(word)) {
      return new Failure(`ERR unknown subcommand '${word}'. Try SENTINEL HELP.`);
    }
    if (!isKnown) return UNKNOWN_MASTER;
    if (word === 'master') return primaryFields();
    if (word === 'sentinels')
      return sentinels.filter((_, i) => i !== index).map(({ address }) => sentinelFields(address));
    if (word === 'ckquorum')
      return new Status('OK 3 usable Sentinels. Quorum and failover authorization can be reached');
    return replicas.map(({ address }) => replicaFields(address));
  }

  function primaryFields() {
    return fields(MASTER_NAME, primary.address, 'master', {
      'role-reported': 'master',
      'num-slaves': '2',
      'num-other-sentinels': '2',
      quorum: '2',
    });
  }

  /** @param {Address} address */
  function replicaFields(address) {
    return fields(`${address.host}:${address.port}`, address, 'slave', {
      'role-reported': 'slave',
      'master-link-status': 'ok',
      'master-host': primary.address.host,
      'master-port': String(primary.address.port),
      'slave-priority': '100',
      'slave-repl-offset': '1000',
      'replica-announced': '1',
    });
  }

  return {
    sentinels: sentinels.map(({ address }) => address),
    get attempts() {
      for (const attempt of attempts) attempt.lostAt = connections.get(attempt)?.closedAt ?? 0;
      return attempts;
    },
    waits,
    strange,
    close() {
      for (const server of [...sentinels, ...replicas, primary]) server.close();
    },
  };
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
