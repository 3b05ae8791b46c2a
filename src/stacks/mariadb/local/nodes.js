/**
 * The processes of a local MariaDB stack: their files, their start, and what the operating system says about them.
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execute } from '../../../programs.js';
import { waitFor } from '../../../wait.js';
import { LOOPBACK } from '../../address.js';
import { PID_FILE } from '../../daemons.js';
import { portOf, readLog, signalNode, spawnProgram } from '../../local/nodes.js';
import { dataFolder, nodeFolder, pidOf } from '../../local/record.js';
import { answers } from '../../probe.js';
import { HAS_PROC, readProc, startTimeOf } from '../../processes.js';
import { commonConf, confText, firstStatements } from '../conf.js';
import { connectControl } from '../control.js';
import { MARIADB } from '../dialect.js';
import { MARIADB_NODES } from '../topology.js';
import { copyData } from './template.js';

/**
 * @import { Action, Credentials } from '../../types.js'
 * @import { StackRecord } from '../../local/record.js'
 */

const CONF = 'node.cnf';
const FIRST_STATEMENTS = 'first.sql';
/** ext4 makes it on a disk of a node's own. */
const LOST_AND_FOUND = 'lost+found';
/** Files in the node's folder that are not its data. */
const OURS = [CONF, FIRST_STATEMENTS, PID_FILE, 'log', LOST_AND_FOUND];

/** A busy machine needs longer, above all after a crash. */
const ANSWER_DEADLINE_MS = 60_000;

/** An attempt to connect to a server that starts. */
const ATTEMPT_MS = 500;

/**
 * The nodes of one stack.
 *
 * @param {Object} site
 * @param {StackRecord} site.record
 * @param {string} site.program path of mariadbd
 * @param {string} site.data directory to copy
 * @param {Credentials} site.credentials of the application; the harness has the same password
 * @param {Readonly<Record<string, string>>} [site.settings] of every node, in addition to ours
 */
export function createNodes({ record, program, data, credentials, settings = {} }) {
  /** What was set meanwhile. @type {Map<string, Record<string, string>>} */
  const kept = new Map();

  /** @param {string} id */
  function writeConf(id) {
    const lines = { ...baseOf(record, id), ...settings, ...kept.get(id) };
    writeFileSync(join(nodeFolder(record, id), CONF), confText(lines), { mode: 0o600 });
  }

  /** @param {string} id */
  async function prepare(id) {
    const folder = dataFolder(record, id);
    copyData(data, folder);
    // A power loss must not damage what the node was given.
    if (folder !== nodeFolder(record, id)) await execute('sync', ['--file-system', folder]);
    const login = { password: credentials.password ?? '', from: LOOPBACK };
    writeFileSync(join(nodeFolder(record, id), FIRST_STATEMENTS), firstStatements(MARIADB, login), { mode: 0o600 });
    writeConf(id);
  }

  /**
   * @param {string} id of a node that does not run
   * @param {AbortSignal} [signal]
   */
  async function launch(id, signal) {
    const failure = new AbortController();
    const conf = join(nodeFolder(record, id), CONF);
    spawnProgram(record, id, [program, `--defaults-file=${conf}`]).then(
      () => failure.abort(new Error(`${id} ended right after its start: ${readLog(record, id, 5).join(' / ')}`)),
      (error) => failure.abort(error),
    );
    const ends = AbortSignal.any(signal ? [signal, failure.signal] : [failure.signal]);
    const address = { host: LOOPBACK, port: portOf(record, id) };
    // The password is this stack's own, so no other server accepts it.
    const isUp = () => answers(() => connectControl(address, credentials, { timeoutMs: ATTEMPT_MS }));
    if (await waitFor(isUp, { deadlineMs: ANSWER_DEADLINE_MS, signal: ends })) return;
    throw new Error(
      `${id} did not answer within ${ANSWER_DEADLINE_MS / 1000} s: ${readLog(record, id, 3).join(' / ')}`,
    );
  }

  return {
    prepare,
    launch,
    /** @param {string} id @param {Action} action */
    async act(id, action) {
      portOf(record, id);
      if (action !== 'start') return signalNode(record, id, action);
      if (pidOf(record, id) === null) await launch(id);
    },
    /** Begins again with an empty database, as a new machine would. @param {string} id */
    async rebuild(id) {
      await signalNode(record, id, 'kill');
      const folder = dataFolder(record, id);
      for (const name of readdirSync(folder)) {
        if (!OURS.includes(name)) rmSync(join(folder, name), { recursive: true, force: true });
      }
      await prepare(id);
      await launch(id);
    },
    /** The setting survives a restart. @param {string} id @param {string} name @param {string} value */
    keep(id, name, value) {
      kept.set(id, { ...kept.get(id), [name]: value });
      writeConf(id);
    },
    /** @param {string} id */
    processInfo(id) {
      const pid = pidOf(record, id);
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
 * @param {StackRecord} record
 * @param {string} id
 * @returns {Record<string, string>} its lines of configuration
 */
function baseOf(record, id) {
  return {
    ...commonConf(MARIADB),
    ...(process.getuid?.() === 0 ? { user: 'root' } : {}),
    datadir: dataFolder(record, id),
    socket: 'socket',
    'pid-file': 'mariadbd.pid',
    'init-file': join(nodeFolder(record, id), FIRST_STATEMENTS),
    // Not a database.
    'ignore-db-dirs': LOST_AND_FOUND,
    'bind-address': LOOPBACK,
    port: String(portOf(record, id)),
    'server-id': String(MARIADB_NODES.findIndex((node) => node.id === id) + 1),
    tmpdir: nodeFolder(record, id),
  };
}
