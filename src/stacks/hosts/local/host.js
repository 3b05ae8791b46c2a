/** Processes of this machine as a host, of a recorded stack: in its own network, or in network namespaces. */
/** @import { Disks } from '../../volumes/disks.js' */
/** @import { Host, Program } from '../host.js' */
/** @import { Action } from '../../types.js' */
/** @import { StackRecord } from './record.js' */
import { constants, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { nullIf } from '../../../errors.js';
import { isInMemory, notWritable } from '../../../private-files.js';
import { execute } from '../../../programs.js';
import { waitFor } from '../../../wait.js';
import { nodeOf } from '../../ask.js';
import { plainName } from '../../records/files-folder.js';
import { LOST_AND_FOUND, NO_DISKS } from '../../volumes/disks.js';
import { actOnProcess, PID_FILE, runApart } from '../daemons.js';
import * as processes from '../processes.js';
import { HOSTS_PATH, wordsBefore } from './hosts.js';
import { dataFolder, identityOf, nodeFolder, pidOf, recordPid, removeStack } from './record.js';

const LOG = 'log';
/** Not data of the node. */
const OURS = [PID_FILE, LOG, LOST_AND_FOUND];

const POLL_MS = 5;
const LOG_LINES = 4;

/** @param {StackRecord} record @param {Disks} [disks] of its nodes @returns {Host & Required<Pick<Host, 'read' | 'put' | 'empty'>>} */
export function openLocalHost(record, disks = NO_DISKS) {
  const places = record.nodes.map(({ id, ...at }) => {
    return { id, ...at, folder: nodeFolder(record, id), data: dataFolder(record, id) };
  });
  const placeOf = (/** @type {string} */ id) => nodeOf({ nodes: places }, id);
  const fileOf = (/** @type {string} */ id, /** @type {string} */ name) => join(placeOf(id).folder, name);
  const dataOf = (/** @type {string} */ id, /** @type {string} */ name) => join(placeOf(id).data, plainName(name));

  function pidNow(/** @type {string} */ id) {
    const pid = pidOf(record, id);
    if (pid === null) throw new Error(`${id} does not run`);
    return pid;
  }

  return {
    backend: 'local',
    identity: identityOf(record),
    path: record.hosts ? HOSTS_PATH : 'loopback',
    inMemory: isInMemory(record.files ?? record.folder),
    nodes: places,
    can: disks.can,
    write: async (id, name, text) => writeFileSync(fileOf(id, name), text, { mode: 0o600 }),
    read: async (id, name) => readFileSync(fileOf(id, name), 'utf8'),
    async put(id, from) {
      const { folder, data } = placeOf(id);
      try {
        await cp(from, data, { recursive: true, mode: constants.COPYFILE_FICLONE });
      } catch (error) {
        throw notWritable(data, 'TMPDIR', error);
      }
      // A power loss must not damage what the node was given.
      if (data !== folder) await execute('sync', ['--file-system', data]);
    },
    async empty(id, kept) {
      const { data } = placeOf(id);
      const names = readdirSync(data).filter((name) => !OURS.includes(name) && !kept.includes(name));
      for (const name of names) rmSync(join(data, name), { recursive: true, force: true });
    },
    start: (id, program) => disks.act(id, 'start', () => startProgram(record, id, program)),
    async process(id) {
      const pid = pidOf(record, id);
      if (pid === null) return null;
      return { pid, life: `${pid}-${processes.startTimeOf(pid)}`, paused: processes.isPaused(pid) };
    },
    act: (id, action) => disks.act(id, action, (each) => signalNode(record, id, each)),
    ...(processes.HAS_PROC && { used: async (_id, { pid }) => processes.readProc(pid) }),
    logs: async (id, lines) => readLog(record, id, lines),
    files: {
      has: async (id, name) => lstatSync(dataOf(id, name), { throwIfNoEntry: false }) !== undefined,
      remove: async (id, name) => rmSync(dataOf(id, name), { recursive: true, force: true }),
    },
    memoryLimit: {
      by: 'address space of the process (prlimit)',
      whyNot: async () => processes.whyNoMemoryLimit(),
      set: async (id, moreBytes) => processes.limitMemory(pidNow(id), moreBytes),
      async lift(id) {
        const pid = pidOf(record, id);
        if (pid !== null) processes.liftMemoryLimit(pid);
      },
    },
    remove: () => removeStack(record),
  };
}

/** @param {StackRecord} record @param {string} id of a node that does not run @param {Program} program */
async function startProgram(record, id, { command, gid, env, isUp, deadlineMs, signal }) {
  const cwd = nodeFolder(record, id);
  const failure = new AbortController();
  const lastWords = () => readLog(record, id, LOG_LINES).join(' / ');
  const child = runApart([...wordsBefore(record, id), ...command], { cwd, log: join(cwd, LOG), gid, env });
  if (child.pid !== undefined) recordPid(record, id, child.pid);
  child.once('error', (error) => failure.abort(error));
  child.once('exit', () => failure.abort(new Error(`${id} ended right after its start: ${lastWords()}`)));
  const either = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
  if (await waitFor(isUp, { deadlineMs, pollMs: POLL_MS, signal: either })) return;
  throw new Error(`${id} did not answer within ${deadlineMs / 1000} s of its start: ${lastWords()}`);
}

/** @param {StackRecord} record @param {string} id @param {Action} action that is a signal */
async function signalNode(record, id, action) {
  const pid = pidOf(record, id);
  if (pid !== null) return actOnProcess(id, pid, action, { force: true });
  if (action === 'pause') throw new Error(`${id} does not run, so it cannot be paused`);
}

/** @param {StackRecord} record @param {string} id @param {number} lines @returns {string[]} also empty: its stack was removed */
function readLog(record, id, lines) {
  const log = nullIf(['ENOENT'], () => readFileSync(join(nodeFolder(record, id), LOG), 'utf8'));
  return log === null ? [] : log.trimEnd().split('\n').slice(-lines);
}
