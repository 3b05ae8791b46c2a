/** The processes of a local MariaDB stack: their files, their start, and what the operating system says about them. */
import { LOOPBACK } from '../../address.js';
import { portOf, signalNode, startProgram } from '../../local/nodes.js';
import { dataFolder, nodeFolder, pidOf } from '../../local/record.js';
import { answers } from '../../probe.js';
import { HAS_PROC, readProc, startTimeOf } from '../../processes.js';
import { connectControl } from '../control.js';
import { commandOf, removeData, writeConf, writeData } from './files.js';

/**
 * @import { Credentials } from '../../types.js'
 * @import { StackRecord } from '../../local/record.js'
 * @import { NodePlace } from './files.js'
 */

/** A busy machine needs longer, above all after a crash. */
const ANSWER_DEADLINE_MS = 60_000;

/** An attempt to connect to a server that starts. */
const ATTEMPT_MS = 500;

/**
 * The nodes of one stack.
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

  /** @param {string} id @returns {NodePlace} */
  const placeOf = (id) => ({
    id,
    folder: nodeFolder(record, id),
    data: dataFolder(record, id),
    host: LOOPBACK,
    port: portOf(record, id),
  });

  /** @param {string} id */
  function configure(id) {
    writeConf(placeOf(id), { ...settings, ...kept.get(id) });
  }

  /** @param {string} id */
  async function prepare(id) {
    await writeData(placeOf(id), {
      template: data,
      login: { password: credentials.password ?? '', from: LOOPBACK },
    });
    configure(id);
  }

  /** @param {string} id of a node that does not run @param {AbortSignal} [signal] */
  async function launch(id, signal) {
    const address = { host: LOOPBACK, port: portOf(record, id) };
    await startProgram(record, id, {
      command: commandOf(program, placeOf(id)),
      // The password is this stack's own, so no other server accepts it.
      isUp: () => answers(() => connectControl(address, credentials, { timeoutMs: ATTEMPT_MS })),
      deadlineMs: ANSWER_DEADLINE_MS,
      signal,
    });
  }

  return {
    prepare,
    launch,
    /** Begins again with an empty database, as a new machine would. @param {string} id */
    async rebuild(id) {
      await signalNode(record, id, 'kill');
      removeData(placeOf(id));
      await prepare(id);
      await launch(id);
    },
    /** The setting survives a restart. @param {string} id @param {string} name @param {string} value */
    keep(id, name, value) {
      kept.set(id, { ...kept.get(id), [name]: value });
      configure(id);
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
