/**
 * How a server that somebody else started is started again. It has to be known before the server is killed.
 * Redis and Valkey replace their arguments and their environment in /proc by a title (unless `set-proc-title no`). What is left of them is
 * their length. So a server that shows a title has to say in INFO which configuration file it reads, and may have had no further argument.
 */
/** @import { ServerStart } from '../../../faults/types.js' */
/** @import { Address, Credentials } from '../../types.js' */
import { spawn } from 'node:child_process';
import { basename, isAbsolute, resolve } from 'node:path';
import { messageOf } from '../../../errors.js';
import { environmentForPrograms, programPath } from '../../../programs.js';
import { executableOf, fieldsOf, statFields, textOf } from '../../hosts/processes.js';
import { askAt } from '../control.js';
import { realPath } from '../local/server.js';
import { argumentsOf } from './servers.js';

/** Such as `redis-server *:6379` or `redis-server 10.0.0.1:26379 [sentinel]`. */
const TITLE = /^\S+ \S*:\d+( \[\w+\])?$/;
const SENTINEL_PORT = 26_379;
const REDIS_PORT = 6379;
/** The places of the limits of the arguments among the fields that `statFields` gives. */
const [ARGUMENTS_START, ARGUMENTS_END] = [45, 46];

export class Unstartable extends Error {}

/**
 * @param {number} pid @param {Address} address on which it listens @param {Credentials} credentials of this machine, for INFO
 * @returns {Promise<ServerStart>} @throws {Unstartable} the message is why
 */
export async function startOf(pid, address, credentials) {
  const program = executableOf(pid);
  const cwd = realPath(`/proc/${pid}/cwd`);
  const status = fieldsOf(`/proc/${pid}/status`);
  const [uid, gid] = [status.Uid, status.Gid].map((ids) => Number.parseInt(ids ?? '', 10));
  if (program === null || cwd === null || Number.isNaN(uid + gid))
    throw new Unstartable('this user may not look at its process');
  const argv = argumentsOf(pid);
  const [first, ...others] = TITLE.test(argv[0]) ? await fromInfo(pid, argv[0], address, credentials) : argv;
  const file = [resolve(cwd, first), programPath(basename(first))].find((path) => path && realPath(path) === program);
  if (!file) throw new Unstartable(`its program ${program} is not found under its name`);
  return { argv: [file, ...others], cwd, uid, gid };
}

/** @param {number} pid @param {string} title @param {Address} address @param {Credentials} credentials */
async function fromInfo(pid, title, address, credentials) {
  const isSentinel = title.includes('[sentinel]');
  const kind = isSentinel ? 'sentinel' : 'redis';
  const asked = askAt(address, credentials, kind, (control) => control.info('server'));
  const { executable, config_file: file } = await asked.catch((error) => {
    throw new Unstartable(`it does not say how it was started (${messageOf(error)})`);
  });
  if (!executable || !file) throw new Unstartable('it was started without a configuration file');
  const flags = isSentinel && !basename(executable).endsWith('-sentinel') ? ['--sentinel'] : [];
  const names = (/** @type {string} */ path) => [path, basename(path)];
  const known = names(executable).flatMap((name) => names(file).map((conf) => lengthOf([name, conf, ...flags])));
  if (!known.includes(argumentBytes(pid)))
    throw new Unstartable('it was started with further arguments, which its process no longer shows');
  const settings = settingsIn(file);
  const folder = settings('dir') ?? '.';
  if (!isAbsolute(folder) && !/^\.\/?$/.test(folder))
    throw new Unstartable(`its configuration file ${file} names a folder relative to another`);
  if (Number(settings('port') ?? (isSentinel ? SENTINEL_PORT : REDIS_PORT)) !== address.port)
    throw new Unstartable(`its configuration file ${file} has another port`);
  return [executable, file, ...flags];
}

/** @param {number} pid @returns of its first arguments; 0: not shown to this user */
function argumentBytes(pid) {
  const stat = statFields(pid) ?? [];
  return Number(stat[ARGUMENTS_END]) - Number(stat[ARGUMENTS_START]);
}

/** Each with its end. @param {readonly string[]} words */
const lengthOf = (words) => Buffer.byteLength(`${words.join(' ')} `);

/** @param {string} file of settings @returns {(name: string) => string | undefined} the last value */
function settingsIn(file) {
  const lines = textOf(file)
    .split('\n')
    .map((line) => line.trim().split(/\s+/));
  return (name) => lines.findLast(([word]) => word.toLowerCase() === name)?.[1]?.replace(/^(["'])(.*)\1$/, '$2');
}

/** It outlives this process, and gets no passwords. @param {ServerStart} start @param {readonly string[]} before */
export function launch(start, before) {
  const isShell = 'shell' in start;
  const [program, ...words] = [...before, ...(isShell ? ['/bin/sh', '-c', start.shell] : start.argv)];
  const isOther = !isShell && (start.uid !== process.getuid?.() || start.gid !== process.getgid?.());
  const child = spawn(program, words, {
    cwd: isShell ? '/' : start.cwd,
    ...(isOther && { uid: start.uid, gid: start.gid }),
    env: environmentForPrograms(),
    detached: true,
    stdio: 'ignore',
  });
  // It is seen to fail by its port.
  child.once('error', () => {});
  child.unref();
}
