/** A client for any commands: it finds the primary as the writers of trials do, and takes a free connection for each command. */
/** @import { Connection, Reply, TrialPlan, Word } from '../../types.js' */
/** @import { OperationOutcome, Setting } from '../types.js' */
import { connect } from '../../../src/clients/connection.js';
import { classifyWriteError, NOT_SENT, outcomeOfOk } from '../../../src/clients/outcome.js';
import { Outcome } from '../../../src/clients/types.js';
import { messageOf } from '../../../src/errors.js';
import { PrimaryConnections } from '../../../src/load/writers/primary-connections.js';
import { ErrorReply } from '../../../src/resp/reader.js';
import { waitFor } from '../../../src/wait.js';

/** @typedef {readonly Word[] | readonly (readonly Word[])[]} Commands one, or several as one transaction */
/** @typedef {(commands: readonly (readonly Word[])[]) => Promise<Reply[]>} Send */
/**
 * @typedef {{outcome: OperationOutcome, answered: boolean, reply: Reply, error?: string}} CommandAnswer answered: the server has executed the
 *   command, and `reply` is its answer, of a transaction a list
 */

/** A command for which no connection is found within this is refused. */
const GIVE_UP_MS = 1000;
const LOOK_MS = 5;
/** Like the writers of trials, it trusts TCP: it hangs with its node until there is an error. */
const NO_TIMEOUT = { silenceMs: 0 };

export class CommandClient {
  #connections;
  #wait;
  /** @type {string[][]} */
  #waiting;

  /**
   * @param {Setting['trial']} trial
   * @param {{places: number, failoverAware: boolean, wait: Setting['wait']}} options places: commands under way at once
   */
  constructor(trial, { places, failoverAware, wait }) {
    this.#wait = wait;
    this.#waiting = waitingOf(wait);
    this.#connections = new PrimaryConnections(/** @type {TrialPlan} */ (trial), {
      connect: async (target) => new CommandConnection(await connect(target, undefined, NO_TIMEOUT)),
      places,
      failoverAware,
      onMove() {},
      onError() {},
      onAnswer() {},
      onFree() {},
    });
  }

  /** @throws {UserError} the primary cannot be reached */
  open() {
    return this.#connections.open();
  }

  /** Commands under way are `unknown` when this returns. */
  close() {
    this.#connections.close();
  }

  /** Looks for connections that were lost while idle. To be called often. */
  notice() {
    this.#connections.notice();
  }

  /** @param {...Word} words @returns {Promise<Reply>} rejects with an error reply's text, or when the connection is lost */
  async ask(...words) {
    const connection = await this.#take();
    const [reply] = await connection.inOne((send) => send([words]));
    if (reply instanceof ErrorReply) throw reply;
    return reply;
  }

  /** Never rejects; `ok` only if the WAIT of the mode counted enough replicas. @param {Commands} command @returns {Promise<CommandAnswer>} */
  write(command) {
    return this.#answered((send) => this.#confirmed(send, command));
  }

  /**
   * Sends the command if the key has this value, and has not changed by then. Never rejects; `no`: the key has another value.
   * @type {(key: string, token: string, command: readonly Word[]) => Promise<CommandAnswer>}
   */
  compared(key, token, command) {
    return this.#answered(async (send) => {
      const [, value] = await send([
        ['WATCH', key],
        ['GET', key],
      ]);
      if (value instanceof ErrorReply) throw value;
      if (String(value) !== token) {
        await send([['UNWATCH']]);
        return { outcome: 'no', answered: true, reply: null };
      }
      const answer = await this.#confirmed(send, [command]);
      return answer.answered && answer.reply === null ? { ...answer, outcome: 'no' } : answer;
    });
  }

  /** @type {CommandConnection['subscribe']} never rejects */
  async subscribe(channel, onMessage, until) {
    try {
      await (await this.#take()).subscribe(channel, onMessage, until);
    } catch {
      // The caller subscribes again.
    }
  }

  /** @returns {Promise<CommandConnection>} busy from now on */
  async #take() {
    const take = () => /** @type {CommandConnection | undefined} */ (this.#connections.take()?.connection);
    let taken = take();
    const isTaken = () => {
      taken ??= take();
      return taken !== undefined;
    };
    if (!taken) await waitFor(isTaken, { deadlineMs: GIVE_UP_MS, pollMs: LOOK_MS });
    if (!taken) throw new Error(NOT_SENT);
    return taken;
  }

  /** @param {(send: Send) => Promise<CommandAnswer>} work @returns {Promise<CommandAnswer>} */
  async #answered(work) {
    try {
      const connection = await this.#take();
      return await connection.inOne(work);
    } catch (error) {
      const text = messageOf(error);
      const outcome = classifyWriteError(text) === Outcome.rejected ? 'refused' : 'unknown';
      return { outcome, answered: false, reply: null, error: text };
    }
  }

  /** @param {Send} send @param {Commands} command @returns {Promise<CommandAnswer>} */
  async #confirmed(send, command) {
    const commands = isSeveral(command) ? [['MULTI'], ...command, ['EXEC']] : [command];
    const replies = await send([...commands, ...this.#waiting]);
    const refused = replies.slice(0, commands.length).find((each) => each instanceof ErrorReply);
    if (refused) throw refused;
    const reply = replies[commands.length - 1];
    const waited = replies[commands.length];
    const [local, count] = Array.isArray(waited) ? waited.map(Number) : [-1, Number(waited)];
    if (outcomeOfOk(this.#wait, count, local) === Outcome.acked) return { outcome: 'ok', answered: true, reply };
    return { outcome: 'unknown', answered: true, reply, error: `WAIT counted ${count}` };
  }
}

/** @param {Setting['wait']} wait */
function waitingOf({ waitReplicas, waitLocal, waitTimeoutMs }) {
  const limits = [waitReplicas, waitTimeoutMs].map(String);
  if (waitLocal !== undefined) return [['WAITAOF', String(waitLocal), ...limits]];
  return waitReplicas === 0 ? [] : [['WAIT', ...limits]];
}

/** @param {Commands} command @returns {command is readonly (readonly Word[])[]} */
function isSeveral(command) {
  return Array.isArray(command[0]);
}

/** A connection as PrimaryConnections looks after it. */
class CommandConnection {
  /** @type {(error: string) => void} */
  onError = () => {};
  /** Called when its work has ended. @type {() => void} */
  onBatch = () => {};
  lost = false;

  #connection;

  /** @param {Connection} connection */
  constructor(connection) {
    this.#connection = connection;
    connection.onEnd = () => {
      this.lost = true;
    };
  }

  /** @param {string[]} words */
  async request(words) {
    return String(await this.#connection.call(...words));
  }

  /** @template T @param {(send: Send) => Promise<T>} work several exchanges that belong together */
  async inOne(work) {
    try {
      return await work(async (commands) => {
        const replies = await this.#connection.pipeline(commands);
        for (const reply of replies) if (reply instanceof ErrorReply) this.onError(reply.message);
        return replies;
      });
    } catch (error) {
      if (this.lost) this.onError(`CLOSED ${messageOf(error)}`);
      throw error;
    } finally {
      this.onBatch();
    }
  }

  /** @type {(channel: string, onMessage: (text: string) => void, until: Promise<unknown>) => Promise<void>} resolves at its end */
  async subscribe(channel, onMessage, until) {
    const ended = new Promise((resolve) => {
      this.#connection.onEnd = () => {
        this.lost = true;
        resolve(undefined);
      };
    });
    this.#connection.onMessage = (reply) => {
      const [kind, , text] = /** @type {Reply[]} */ (reply);
      if (String(kind) === 'message') onMessage(String(text));
    };
    await this.inOne(async (send) => {
      await send([['SUBSCRIBE', channel]]);
      await Promise.race([ended, until]);
      await this.close();
    });
  }

  async close() {
    this.#connection.close();
  }
}
