/**
 * The processes of a local MariaDB stack: their files, their start, and what the operating system says about them.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE, ENTRIES } from '../../../clients/mysql.js';
import { waitFor } from '../../../wait.js';
import { HAS_PROC, startTimeOf } from '../../processes.js';
import { LOOPBACK, portOf, readLog, signalNode, spawnProgram } from '../../redis/local/nodes.js';
import { nodeFolder, PID_FILE, pidOf } from '../../redis/local/record.js';
import { readProc } from '../../redis/local/stack.js';
import { connectControl } from '../control.js';
import { ADMIN, APPLICATION, MARIADB_NODES } from '../topology.js';
import { copyData, REDO_LOG_BYTES } from './template.js';

/**
 * @import { Action, Credentials } from '../../types.js'
 * @import { StackRecord } from '../../redis/local/record.js'
 */

const CONF = 'node.cnf';
const FIRST_STATEMENTS = 'first.sql';
/** In the node's folder beside its data. */
const OURS = [CONF, FIRST_STATEMENTS, PID_FILE, 'log'];

/** A busy machine needs longer, above all after a crash. */
const ANSWER_DEADLINE_MS = 60_000;

/** An attempt to connect to a server that starts. */
const ATTEMPT_MS = 500;

/**
 * The nodes of one stack.
 *
 * @param {Object} site
 * @param {StackRecord} site.stack
 * @param {string} site.program path of mariadbd
 * @param {string} site.data directory to copy
 * @param {Credentials} site.credentials of the application; the harness has the same password
 * @param {Readonly<Record<string, string>>} [site.settings] of every node, beside ours
 */
export function createNodes({ stack, program, data, credentials, settings = {} }) {
  /** What was set meanwhile. @type {Map<string, Record<string, string>>} */
  const kept = new Map();

  /** @param {string} id */
  function writeConf(id) {
    const lines = { ...baseOf(stack, id), ...settings, ...kept.get(id) };
    const text = Object.entries(lines).map(([name, value]) => `${name} = ${value}\n`);
    writeFileSync(join(nodeFolder(stack, id), CONF), `[mariadbd]\n${text.join('')}`, { mode: 0o600 });
  }

  /** @param {string} id */
  function prepare(id) {
    copyData(data, nodeFolder(stack, id));
    writeFileSync(join(nodeFolder(stack, id), FIRST_STATEMENTS), firstStatements(credentials.password ?? ''), {
      mode: 0o600,
    });
    writeConf(id);
  }

  /**
   * @param {string} id of a node that does not run
   * @param {AbortSignal} [signal]
   */
  async function launch(id, signal) {
    const failure = new AbortController();
    const conf = join(nodeFolder(stack, id), CONF);
    spawnProgram(stack, id, [program, `--defaults-file=${conf}`]).then(
      () => failure.abort(new Error(`${id} ended right after its start: ${readLog(stack, id, 5).join(' / ')}`)),
      (error) => failure.abort(error),
    );
    const ends = AbortSignal.any(signal ? [signal, failure.signal] : [failure.signal]);
    const answers = async () => {
      try {
        const address = { host: LOOPBACK, port: portOf(stack, id) };
        // The password is this stack's own, so no other server accepts it.
        (await connectControl(address, credentials, { timeoutMs: ATTEMPT_MS })).close();
        return true;
      } catch {
        return false;
      }
    };
    if (await waitFor(answers, { deadlineMs: ANSWER_DEADLINE_MS, signal: ends })) return;
    throw new Error(`${id} did not answer within ${ANSWER_DEADLINE_MS / 1000} s: ${readLog(stack, id, 3).join(' / ')}`);
  }

  return {
    prepare,
    launch,
    /** @param {string} id @param {Action} action */
    async act(id, action) {
      portOf(stack, id);
      if (action !== 'start') return signalNode(stack, id, action);
      if (pidOf(stack, id) === null) await launch(id);
    },
    /** Begins again with an empty database, as a new machine would. @param {string} id */
    async rebuild(id) {
      await signalNode(stack, id, 'kill');
      const folder = nodeFolder(stack, id);
      for (const name of readdirSync(folder)) {
        if (!OURS.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
      }
      prepare(id);
      await launch(id);
    },
    /** The setting survives a restart. @param {string} id @param {string} name @param {string} value */
    keep(id, name, value) {
      kept.set(id, { ...kept.get(id), [name]: value });
      writeConf(id);
    },
    /** @param {string} id */
    processInfo(id) {
      const pid = pidOf(stack, id);
      if (pid === null) return {};
      /** @type {Record<string, string>} */
      const info = { run_id: `${pid}-${startTimeOf(pid)}` };
      if (!HAS_PROC) return info;
      const { cpuSeconds, memoryBytes } = readProc(pid);
      return { ...info, cpu_seconds: String(cpuSeconds), memory_bytes: String(memoryBytes) };
    },
  };
}

/**
 * @param {StackRecord} stack
 * @param {string} id
 * @returns {Record<string, string>} of every node. It begins as a replica does: whoever makes it the primary says so
 */
function baseOf(stack, id) {
  return {
    ...(process.getuid?.() === 0 ? { user: 'root' } : {}),
    datadir: nodeFolder(stack, id),
    socket: 'socket',
    'pid-file': 'mariadbd.pid',
    'init-file': join(nodeFolder(stack, id), FIRST_STATEMENTS),
    'bind-address': LOOPBACK,
    port: String(portOf(stack, id)),
    'skip-name-resolve': 'ON',
    'server-id': String(MARIADB_NODES.findIndex((node) => node.id === id) + 1),
    'log-bin': 'binlog',
    'relay-log': 'relay',
    'log-slave-updates': 'ON',
    'binlog-format': 'ROW',
    'read-only': 'ON',
    // Otherwise an old primary with transactions of its own follows without an error, and lacks some of the new primary's.
    'gtid-strict-mode': 'ON',
    'performance-schema': 'OFF',
    'local-infile': 'OFF',
    'max-connections': '300',
    'innodb-buffer-pool-size': '64M',
    'innodb-log-file-size': String(REDO_LOG_BYTES),
    tmpdir: nodeFolder(stack, id),
  };
}

/**
 * @param {string} password of 32 hexadecimal digits
 * @returns {string} statements, one a line, that every node executes at its start and does not replicate
 */
function firstStatements(password) {
  const [admin, application] = [ADMIN, APPLICATION].map((user) => `'${user}'@'${LOOPBACK}'`);
  const lines = [
    'SET sql_log_bin = 0',
    `CREATE USER IF NOT EXISTS ${admin} IDENTIFIED BY '${password}'`,
    `CREATE USER IF NOT EXISTS ${application} IDENTIFIED BY '${password}'`,
    // Neither may read or write files of the machine.
    `GRANT SUPER, RELOAD, PROCESS, BINLOG MONITOR, REPLICATION SLAVE, SLAVE MONITOR, REPLICATION SLAVE ADMIN, REPLICATION MASTER ADMIN, READ_ONLY ADMIN ON *.* TO ${admin}`,
    `GRANT SELECT, INSERT, DELETE ON ${DATABASE}.* TO ${admin}`,
    `GRANT REPLICATION SLAVE, SLAVE MONITOR ON *.* TO ${application}`,
    `GRANT SELECT, INSERT, UPDATE ON ${DATABASE}.* TO ${application}`,
    `CREATE DATABASE IF NOT EXISTS ${DATABASE}`,
    `CREATE TABLE IF NOT EXISTS ${ENTRIES} (k VARBINARY(96) PRIMARY KEY, v VARBINARY(60000) NOT NULL) ENGINE = InnoDB`,
  ];
  return `${lines.join(';\n')};\n`;
}
