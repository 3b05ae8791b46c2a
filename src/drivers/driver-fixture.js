#!/usr/bin/env node
/**
 * A driver for tests, without a library: one connection a write under way. Its argument is how it lies; without one it is honest.
 */
import net from 'node:net';
import readline from 'node:readline';
import { KEY_DIGITS } from '../clients/native-batch.js';
import { ErrorReply, ReplyReader } from '../resp/reader.js';
import { encodeCommand } from '../resp/writer.js';

/**
 * @import { Socket } from 'node:net'
 * @import { Reply } from '../resp/reader.js'
 * @import { Task } from './task.js'
 */

const lie = process.argv[2] ?? '';
const CONNECT_MS = 15_000;

const nowNs = () => process.hrtime.bigint();
/** @param {string} text */
const log = (text) => void process.stderr.write(`${text}\n`);

/** @param {number} status @param {string} why @returns {never} */
function fail(status, why) {
  log(why);
  process.exit(status);
}

/** A connection that answers one command at a time. */
class DriverConnection {
  lost = false;
  /** @type {((reply: Reply | undefined) => void)[]} */
  #waiting = [];

  /** @param {Socket} socket */
  constructor(socket) {
    this.socket = socket;
    const reader = new ReplyReader((reply) => this.#waiting.shift()?.(reply));
    socket.on('data', (chunk) => reader.receive(chunk));
    socket.on('error', () => {});
    socket.on('close', () => {
      this.lost = true;
      for (const each of this.#waiting.splice(0)) each(undefined);
    });
  }

  /** @param {...string} words @returns {Promise<Reply | undefined>} undefined: the connection was lost */
  call(...words) {
    if (this.lost) return Promise.resolve(undefined);
    this.socket.write(encodeCommand(words));
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** @param {string} host @param {number} port @returns {Promise<DriverConnection | null>} */
function dial(host, port) {
  return new Promise((resolve) => {
    const socket = net.connect(port, host);
    socket.once('connect', () => resolve(new DriverConnection(socket)));
    socket.once('error', () => resolve(null));
  });
}

/** @param {DriverConnection} connection @param {string | null} username @param {string | null} password */
async function login(connection, username, password) {
  if (password === null) return;
  await connection.call('AUTH', ...(username === null ? [] : [username]), password);
}

/** @param {Task} task @returns {Promise<DriverConnection | null>} */
async function openPrimary(task) {
  for (const { host, port } of task.sentinels) {
    const sentinel = await dial(host, port);
    if (!sentinel) continue;
    await login(sentinel, task.sentinelUsername, task.sentinelPassword);
    const address = await sentinel.call('SENTINEL', 'get-master-addr-by-name', task.masterName);
    sentinel.socket.destroy();
    if (!Array.isArray(address)) continue;
    const connection = await dial(String(address[0]), Number(address[1]));
    if (!connection) continue;
    await login(connection, task.username, task.password);
    return connection;
  }
  return null;
}

/** @param {Task} task */
async function main(task) {
  if (lie === 'hangs') setInterval(() => {}, 1000);
  if (lie === 'hangs') return;
  if (lie === 'leaks') log(`connecting with ${task.password} and ${task.sentinelPassword}`);
  const until = performance.now() + CONNECT_MS;
  let first = await openPrimary(task);
  while (first === null && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    first = await openPrimary(task);
  }
  if (first === null) fail(4, 'no connection to the primary');
  /** @type {DriverConnection[]} */
  const free = [first];
  let busy = 0;
  let next = 0;
  let dueCount = Number.POSITIVE_INFINITY;
  let beganNs = 0n;
  let ending = false;

  /** @param {bigint} at */
  const us = (at) => Number((at - beganNs) / 1000n);
  const dueNs = (/** @type {number} */ number) => beganNs + BigInt(Math.round((number * 1e9) / task.rate));

  /** @param {string} line */
  function print(line) {
    if (lie === 'garbage' && next % 10 === 0) process.stdout.write(`some library says hello\n${'x'.repeat(10_000)}\n`);
    process.stdout.write(`${line}\n`);
    if (lie === 'twice' && line.startsWith('w 7 ')) process.stdout.write(`${line}\n`);
  }

  /** @param {number} number */
  function valueFor(number) {
    const digits = String(number).padStart(KEY_DIGITS, '0');
    let sum = task.valueSeed;
    for (const c of digits) sum = Math.imul(sum ^ c.charCodeAt(0), 16777619) >>> 0;
    return `${digits}:${sum.toString(16).padStart(8, '0')}${task.valueFiller}`;
  }

  /** @param {number} number */
  async function write(number) {
    busy++;
    let connection = free.pop();
    if (connection === undefined || connection.lost) {
      connection = (await openPrimary(task)) ?? undefined;
    }
    if (connection === undefined) fail(4, 'the primary is gone');
    const sent = nowNs();
    const key = `${task.keyPrefix}${String(number).padStart(KEY_DIGITS, '0')}`;
    const words = [task.command, key, lie === 'values' ? 'v' : valueFor(number)];
    if (lie === 'early') print(`w ${number} acked -1 ${us(sent)} ${us(sent) + 1} -`);
    const reply = await connection.call(...words);
    let outcome = 'acked';
    let count = -1;
    let kind = '-';
    if (reply === undefined) [outcome, kind] = ['unknown', 'CLOSED'];
    else if (reply instanceof ErrorReply) [outcome, kind] = ['rejected', reply.message.split(' ')[0]];
    else if (task.wait !== null) {
      const other = lie === 'crosses' ? free[0] : undefined;
      const waited = await (other ?? connection).call('WAIT', String(task.wait.replicas), String(task.wait.timeoutMs));
      count = typeof waited === 'number' ? waited : -1;
      if (count < task.wait.replicas && lie !== 'ignores-count') outcome = 'under-acked';
    }
    if (lie === 'optimist' && outcome !== 'acked') [outcome, kind] = ['acked', '-'];
    if (lie === 'rejects' && outcome === 'unknown') outcome = 'rejected';
    busy--;
    if (!connection.lost) free.push(connection);
    if (lie === 'early' || (lie === 'forgets' && number % 20 === 3)) return;
    // Answered while the last lines are written.
    if (reported.has(number)) return;
    const answered = reply === undefined ? 0 : us(nowNs());
    print(`w ${number} ${outcome} ${count} ${us(sent)} ${answered} ${kind}`);
    reported.add(number);
  }
  /** @type {Set<number>} */
  const reported = new Set();

  function tick() {
    const now = nowNs();
    if (ending && dueCount === Number.POSITIVE_INFINITY) {
      dueCount = next;
      while (dueNs(dueCount) <= endedNs) dueCount++;
    }
    const late = ending && lie !== 'sends-on' && Number(now - endedNs) / 1e6 > task.drainMs;
    while (
      beganNs !== 0n &&
      !late &&
      next < dueCount &&
      (lie === 'ahead' ? dueNs(next) - 20_000_000n : dueNs(next)) <= now
    ) {
      if (now - dueNs(next) > BigInt(task.giveUpMs) * 1_000_000n) {
        print(`w ${next} unsent -1 0 0 -`);
        reported.add(next++);
      } else if (busy < (lie === 'one-at-a-time' ? 1 : task.concurrency)) void write(next++);
      else break;
    }
    if (!ending || (next < dueCount && !late)) return;
    if (busy > 0 && !late) return;
    if (late && lie !== 'forgets') {
      for (let number = 0; number < dueCount; number++) {
        if (reported.has(number)) continue;
        reported.add(number);
        print(number < next ? `w ${number} unknown -1 ${us(dueNs(number))} 0 TIMEOUT` : `w ${number} unsent -1 0 0 -`);
      }
    }
    process.stdout.write(`done ${dueCount}\n`, () => process.exit(0));
    clearInterval(ticker);
  }
  let endedNs = 0n;
  const ticker = setInterval(tick, 1);

  function end() {
    if (ending || lie === 'never-stops') return;
    ending = true;
    endedNs = nowNs();
    if (beganNs === 0n) dueCount = 0;
  }
  onLine = (line) => {
    if (line.startsWith('start ')) beganNs = BigInt(line.slice('start '.length));
    if (line === 'stop') end();
  };
  onEnd = end;
  process.on('SIGTERM', end);
  print(
    `ready ${JSON.stringify({ library: 'none', version: '1', language: 'JavaScript', wait: 'same-connection', pipeline: false })}`,
  );
}

/** @type {(line: string) => void} */
let onLine = () => {};
/** @type {() => void} */
let onEnd = () => process.exit(0);
let begun = false;
readline
  .createInterface({ input: process.stdin })
  .on('line', (line) => {
    if (begun) {
      onLine(line);
      return;
    }
    begun = true;
    let task;
    try {
      task = JSON.parse(line);
    } catch {
      fail(2, 'the task is no JSON');
    }
    if (task.protocol !== 'sentinel-bench/driver@1') fail(2, 'this driver speaks sentinel-bench/driver@1');
    main(task);
  })
  .on('close', () => onEnd());
