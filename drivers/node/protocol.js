/**
 * The driver protocol for Node.js, which docs/drivers.md describes: the task, the keys and values, the outcomes, the lines of the harness.
 * run.js and workload.js use it.
 */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** Error replies that say that nothing was written. */
export const NOT_WRITTEN = new Set(
  'NOAUTH NOPERM WRONGPASS DENIED OOM MISCONF NOREPLICAS READONLY MASTERDOWN LOADING BUSY EXECABORT CLUSTERDOWN'.split(
    ' ',
  ),
);
const FIELDS =
  'sentinels masterName command wait rate concurrency keyPrefix valueSeed valueFiller giveUpMs drainMs'.split(' ');

/** The write is OK, and its WAIT failed. */
class NotConfirmed extends Error {}

/** The count of a WAIT whose error does not make the write unknown. */
export async function confirming(waiting) {
  try {
    return await waiting;
  } catch (cause) {
    throw new NotConfirmed('WAIT failed', { cause });
  }
}

/** Ends the program. */
export function fail(status, sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(status);
}

export function readTask(line, variants) {
  let task;
  try {
    task = JSON.parse(line);
  } catch {
    fail(2, 'The task is not JSON.');
  }
  if (task?.protocol !== 'sentinel-bench/driver@1')
    fail(2, 'The task is of another protocol than sentinel-bench/driver@1.');
  if (!Object.hasOwn(variants, task.variant)) fail(2, `The variants are ${Object.keys(variants).join(', ')}.`);
  const missing = FIELDS.find((name) => task[name] === undefined);
  if (missing) fail(2, `The task has no ${missing}.`);
  if (!['SET', 'APPEND'].includes(task.command)) fail(2, 'The task names a command other than SET and APPEND.');
  return task;
}

/** TLS as node:tls names it. */
export function tlsOptions({ tls }) {
  if (!tls) return undefined;
  const read = (path) => (path === null ? undefined : readFileSync(path));
  return {
    ca: read(tls.ca),
    cert: read(tls.cert),
    key: read(tls.key),
    ...(tls.serverName && { servername: tls.serverName }),
  };
}

/** The key and the value of a write. */
export function pairOf({ keyPrefix, valueSeed, valueFiller }, number) {
  const digits = String(number).padStart(12, '0');
  let checksum = valueSeed;
  for (const byte of Buffer.from(digits)) checksum = Math.imul(checksum ^ byte, 16777619) >>> 0;
  return [keyPrefix + digits, `${digits}:${checksum.toString(16).padStart(8, '0')}${valueFiller}`];
}

/** The outcome of a write whose answer is `count`, or that failed with `error`. */
export function outcomeOf({ wait }, { count = -1, error }) {
  if (error instanceof NotConfirmed) return { outcome: 'under-acked', count: -1, kind: kindOf(error.cause) };
  if (error) {
    const kind = kindOf(error);
    return { outcome: NOT_WRITTEN.has(kind) ? 'rejected' : 'unknown', count: -1, kind };
  }
  return { outcome: wait === null || count >= wait.replicas ? 'acked' : 'under-acked', count, kind: '-' };
}

/** The first word of an error reply, or what happened to the connection. */
export function kindOf(error) {
  const { name } = error.constructor;
  const text = `${name} ${error.message} ${error.code}`;
  // node-redis, then ioredis and iovalkey.
  if (/^(?:SimpleError|BlobError|ErrorReply|ReplyError)$/.test(name))
    return /^[A-Z]+(?= )/.exec(error.message)?.[0] ?? 'ERR';
  if (/sentinels are unreachable|primary|master/i.test(text)) return 'NOPRIMARY';
  if (/time(?:d )?-?out/i.test(text)) return 'TIMEOUT';
  return /clos|disconnect|offline|socket|stream|econn|epipe|max ?retries/i.test(text) ? 'CLOSED' : 'OTHER';
}

/** The lines of the harness, one after the other. The end of input and SIGTERM count as the line `last`. */
export function createInput(last) {
  const lines = [];
  let wake = () => {};
  const receive = (line) => {
    lines.push(line);
    wake();
  };
  createInterface({ input: process.stdin })
    .on('line', receive)
    .on('close', () => receive(last));
  process.on('SIGTERM', () => receive(last));
  return async () => {
    while (lines.length === 0) {
      await new Promise((resolve) => {
        wake = () => resolve(undefined);
      });
    }
    return lines.shift();
  };
}
