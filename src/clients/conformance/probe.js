/**
 * A connection under test. It also checks what every case demands: each batch ends in exactly one `onBatch`, never within the call that
 * starts it, and the connection closes.
 */
import assert from 'node:assert/strict';
import pTimeout from 'p-timeout';
import { KEY_DIGITS } from '../native-batch.js';
import { errorKind } from '../outcome.js';
import { Outcome } from '../types.js';

/**
 * @import { Client, LoadConnection, Shape, Target } from '../types.js'
 * @import { TestContext } from 'node:test'
 */

/** The name of each outcome, for readable comparisons. */
const WORDS = Object.fromEntries(Object.entries(Outcome).map(([word, code]) => [code, word]));

/** Longer than any step takes, so that a batch that never ends fails its case and not the whole run. */
const DEADLINE_MS = 60_000;

let prefixes = 0;

/**
 * @typedef {Object} BatchResult of one batch
 * @property {string[]} outcomes the words
 * @property {number} waitCount
 * @property {string[]} errors the kinds of the errors that `onError` got until `onBatch`
 */

/**
 * Connects, for the length of one test.
 * @param {TestContext} t
 * @param {Client} client
 * @param {Target} target
 * @param {Partial<Shape>} [shape] changes to the default of three small writes without WAIT
 */
export async function open(t, client, target, shape) {
  const keyPrefix = `sentinel-bench:conformance:${client.name}:${prefixes++}:`;
  const connection = await client.connect(target, {
    payloadBytes: 16,
    pipeline: 3,
    waitReplicas: 0,
    // WAIT succeeds at once in these cases, unless the machine stalls.
    waitTimeoutMs: 30_000,
    waitMode: 'pipelined',
    keyPrefix,
    ...shape,
  });
  const probe = new Probe(connection, shape?.keyPrefix ?? keyPrefix);
  t.after(() => probe.end());
  return probe;
}

class Probe {
  /** Batches written and batches answered. */
  started = 0;
  answered = 0;
  #writing = false;
  /** @type {string[]} */
  #errors = [];

  /** @param {LoadConnection} connection @param {string} prefix */
  constructor(connection, prefix) {
    this.connection = connection;
    this.prefix = prefix;
    connection.onError = (text) => {
      assert.equal(typeof text, 'string');
      this.#errors.push(errorKind(text));
    };
  }

  /** Writes one batch. @param {number[]} [keys] 0, 1, 2 … when left out */
  write(keys) {
    return this.#batch('write', keys);
  }

  /** Reads one batch. @param {number[]} [keys] 0, 1, 2 … when left out */
  fetch(keys) {
    return this.#batch('fetch', keys);
  }

  ping() {
    return this.#batch('ping');
  }

  /** @param {'write' | 'fetch' | 'ping'} kind @param {number[]} [keys] @returns {Promise<BatchResult>} */
  async #batch(kind, keys) {
    const { connection } = this;
    connection.keys.set(keys ?? connection.keys.map((_, i) => i));
    connection.outcomes.fill(255);
    this.#errors = [];
    const answer = new Promise((resolve) => {
      connection.onBatch = () => {
        this.answered++;
        resolve(this.#writing ? new Error(`onBatch was called within ${kind}`) : this.#result());
      };
    });
    this.started++;
    this.#writing = true;
    connection[kind]();
    this.#writing = false;
    const result = await within(answer, 'the batch is answered');
    if (result instanceof Error) throw result;
    return result;
  }

  /** @param {number} number @returns {string} the key's name */
  key(number) {
    return this.prefix + String(number).padStart(KEY_DIGITS, '0');
  }

  /** Closes the connection and makes the checks of every case. */
  async end() {
    await within(this.connection.close(), 'the connection closes');
    assert.equal(this.answered, this.started, 'as many onBatch as batches');
  }

  /** @returns {BatchResult} */
  #result() {
    const { outcomes, waitCount } = this.connection;
    return { outcomes: Array.from(outcomes, (code) => WORDS[code]), waitCount, errors: [...this.#errors] };
  }
}

/**
 * @template T
 * @param {Promise<T>} promise
 * @param {string} what
 * @param {number} [ms]
 * @returns {Promise<T>}
 */
export function within(promise, what, ms = DEADLINE_MS) {
  return pTimeout(promise, { milliseconds: ms, message: `not within ${ms} ms: ${what}` });
}

/** @template T @param {number} length @param {T} value @returns {T[]} */
export function times(length, value) {
  return Array(length).fill(value);
}
