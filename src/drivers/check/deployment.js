/**
 * What a driver is checked with: a stack of real servers behind fronts. That of the primary answers writes by a scenario, and notes every write that
 * arrives and what it answered. The primary itself gets none.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { keyName } from '../../clients/native-batch.js';
import { formatAddress } from '../../stacks/address.js';
import { now, OK, openFront } from './front.js';
import { actOn, answerToWait } from './scenarios.js';

/**
 * @import { Address, Stack } from '../../stacks/types.js'
 * @import { CommandHandler, DriverConnection, NeededLogin } from './front.js'
 * @import { Scenario } from './scenarios.js'
 * @typedef {Object} ArrivedWrite a write as it arrived
 * @property {number} number @property {number} client id of the connection @property {number} at when it arrived, `now()`
 * @property {number} answeredAt when the answer was sent; 0: never @property {string} answer `OK`, an error reply, or empty
 * @property {number} lostAt when its connection was closed; 0: it was not
 * @typedef {{client: number, at: number, answeredAt: number, count: number}} Waited a WAIT as it arrived; count: -1: an error
 * @typedef {{scenario: Scenario, keyPrefix: string, value: (number: number) => string}} ToldTask value: of each write
 */

/** @param {Stack} stack @param {ToldTask & {login: NeededLogin | null, sentinelLogin: NeededLogin | null}} options login: of the nodes */
export async function openDeployment(stack, { login, sentinelLogin, ...task }) {
  const writes = new Writes(task);
  const { id: primary } = await stack.database.primary();
  const fronts = /** @type {Map<string, Address>} */ (new Map());
  const opened = /** @type {(Awaited<ReturnType<typeof openFront>> & {kind: string})[]} */ ([]);
  for (const { id, kind, address } of stack.nodes) {
    const commands = id === primary ? writes.commands() : {};
    const needed = kind === 'sentinel' ? sentinelLogin : login;
    const front = await openFront({ node: address, fronts, login: needed, commands });
    fronts.set(formatAddress(address), front.address);
    opened.push({ kind, ...front });
  }
  return {
    sentinels: opened.filter(({ kind }) => kind === 'sentinel').map(({ address }) => address),
    writes,
    close() {
      for (const front of opened) front.close();
    },
  };
}

class Writes {
  #task;
  /** In the order of arrival. @type {ArrivedWrite[]} */
  attempts = [];
  waits = /** @type {Waited[]} */ ([]);
  /** What arrived and should not: keys of others, other values. @type {string[]} */
  strange = [];
  #lastWrite = -1;
  /** How often each write arrived. @type {Map<number, number>} */
  #times = new Map();
  /** The commands of open transactions. @type {WeakMap<DriverConnection, string[][]>} */
  #transactions = new WeakMap();

  /** @param {ToldTask} task */
  constructor(task) {
    this.#task = task;
  }

  /** @returns {Record<string, CommandHandler>} */
  commands() {
    /** @type {CommandHandler} */
    const write = (words, client) => this.#queued(words, client) ?? this.#write(words, client);
    return {
      SET: write,
      APPEND: write,
      WAIT: (words, client) => this.#queued(words, client) ?? this.#wait(client),
      MULTI: (_, client) => {
        this.#transactions.set(client, []);
        return OK;
      },
      DISCARD: (_, client) => {
        this.#transactions.delete(client);
        return OK;
      },
      EXEC: (_, client) => this.#execute(client),
    };
  }

  /** @param {string[]} words @param {DriverConnection} client @returns {ReturnType<CommandHandler>} */
  #write([name, key = '', text = ''], client) {
    const { scenario, keyPrefix, value } = this.#task;
    const number = Number(key.slice(-12));
    if (!key.startsWith(keyPrefix) || key !== keyName(keyPrefix, number)) {
      this.strange.push(`${name} ${key}`);
      return OK;
    }
    if (text !== value(number)) this.strange.push(`value of write ${number}`);
    const attempt = {
      number,
      client: client.id,
      at: now(),
      answeredAt: 0,
      answer: '',
      get lostAt() {
        return client.closedAt;
      },
    };
    const before = this.#times.get(number) ?? 0;
    this.#times.set(number, before + 1);
    this.attempts.push(attempt);
    this.#lastWrite = number;
    const { error, delayMs, instead } = actOn(scenario, number, before);
    if (instead === 'drop') client.destroy();
    if (instead !== undefined) return undefined;
    const answer = () => {
      if (client.closedAt > 0) return '';
      attempt.answeredAt = now();
      attempt.answer = error ?? 'OK';
      if (error !== undefined) return `-${error}\r\n`;
      return name.toUpperCase() === 'APPEND' ? `:${text.length}\r\n` : OK;
    };
    return delayMs === 0 ? answer() : delay(delayMs).then(answer);
  }

  #wait(/** @type {DriverConnection} */ client) {
    const { count = -1, error } = answerToWait(this.#task.scenario, this.#lastWrite, client.id);
    this.waits.push({ client: client.id, at: now(), answeredAt: now(), count });
    return error === undefined ? `:${count}\r\n` : `-${error}\r\n`;
  }

  /** @param {string[]} words @param {DriverConnection} client @returns {string | undefined} undefined: no transaction is open */
  #queued(words, client) {
    const commands = this.#transactions.get(client);
    if (commands === undefined) return undefined;
    commands.push(words);
    return '+QUEUED\r\n';
  }

  /** @param {DriverConnection} client @returns {ReturnType<CommandHandler>} */
  #execute(client) {
    const commands = this.#transactions.get(client);
    this.#transactions.delete(client);
    if (commands === undefined) return '-ERR EXEC without MULTI\r\n';
    const replies = commands.map((words) =>
      words[0].toUpperCase() === 'WAIT' ? this.#wait(client) : this.#write(words, client),
    );
    // A write that is never answered leaves the whole transaction without an answer.
    if (replies.some((each) => each === undefined)) return undefined;
    return Promise.all(replies).then((all) => `*${all.length}\r\n${all.join('')}`);
  }
}
