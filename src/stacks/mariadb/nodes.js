/** The nodes of a MariaDB stack on any host: their files, and how they start. */
import { nodeOf } from '../ask.js';
import { answers } from '../hosts/probe.js';
import { LOST_AND_FOUND } from '../volumes/disks.js';
import { COMMON_CONF, confText, firstStatements } from './conf.js';
import { connectControl } from './control.js';
import { MARIADB_NODES } from './topology.js';

/**
 * @import { Host, Nodes } from '../hosts/host.js'
 * @typedef {Object} MariadbNodes
 * @property {string} program path of mariadbd
 * @property {string} template data directory to copy
 * @property {string} password of the harness and the application
 * @property {string} [from] the hosts that may log in, `%` for all; default: that of each node
 * @property {Readonly<Record<string, string>>} [settings] of every node, in addition to ours
 */

/** A busy machine needs longer, above all after a crash. */
const ANSWER_DEADLINE_MS = 60_000;
const ATTEMPT_MS = 1000;

const CONF = 'node.cnf';
const FIRST_STATEMENTS = 'first.sql';

/** @param {Host & Required<Pick<Host, 'put' | 'empty'>>} host @param {MariadbNodes} mariadb */
export function mariadbNodes(host, { program, template, password, from, settings = {} }) {
  /** What was set meanwhile. @type {Map<string, Record<string, string>>} */
  const kept = new Map();
  const placeOf = (/** @type {string} */ id) => nodeOf(host, id);

  function configure(/** @type {string} */ id) {
    const { folder, data, host: address, port } = placeOf(id);
    const lines = {
      ...COMMON_CONF,
      ...(process.getuid?.() === 0 ? { user: 'root' } : {}),
      datadir: data,
      socket: 'socket',
      'pid-file': 'mariadbd.pid',
      'init-file': `${folder}/${FIRST_STATEMENTS}`,
      'ignore-db-dirs': LOST_AND_FOUND,
      'bind-address': address,
      port: String(port),
      'server-id': String(MARIADB_NODES.findIndex((node) => node.id === id) + 1),
      tmpdir: folder,
    };
    return host.write(id, CONF, confText({ ...lines, ...settings, ...kept.get(id) }));
  }

  async function prepare(/** @type {string} */ id) {
    await host.put(id, template);
    await host.write(id, FIRST_STATEMENTS, firstStatements({ password, from: from ?? placeOf(id).host }));
    await configure(id);
  }

  /** @param {string} id @param {AbortSignal} [signal] */
  const start = (id, signal) =>
    host.start(id, {
      command: [program, `--defaults-file=${placeOf(id).folder}/${CONF}`],
      // The password is this stack's own, so no other server accepts it.
      isUp: () => answers(() => connectControl(placeOf(id), { password }, { timeoutMs: ATTEMPT_MS })),
      deadlineMs: ANSWER_DEADLINE_MS,
      signal,
    });

  /** @type {Nodes} */
  const nodes = {
    prepare,
    start,
    async startAgain(id) {
      await configure(id);
      await start(id);
    },
  };
  return {
    ...nodes,
    /** The node begins again with an empty database, as a new machine would. @param {string} id @param {AbortSignal} [signal] */
    async rebuild(id, signal) {
      await host.act(id, 'kill');
      await host.empty(id, [CONF, FIRST_STATEMENTS]);
      await prepare(id);
      signal?.throwIfAborted();
      await start(id, signal);
    },
    /** The node starts with this setting from now on. @param {string} id @param {string} name @param {string} value */
    keep: (id, name, value) => void kept.set(id, { ...kept.get(id), [name]: value }),
  };
}
