/**
 * A writer's connections. They go to the node that the Sentinels call the primary; lost ones are replaced, and all of them move when the
 * Sentinels name another node. They behave as an ordinary client does. It asks after an error or a lost connection, believes the first
 * Sentinel that answers, and checks that the node itself says it is a primary.
 * @import { NativeConnection } from '../../clients/native.js'
 * @import { Target } from '../../clients/types.js'
 * @import { TrialPlan } from '../trial-thread.js'
 */
import pTimeout from 'p-timeout';
import { errorKind } from '../../clients/outcome.js';
import { parseInfo } from '../../resp/info.js';
import { sameAddress } from '../../stacks/address.js';
import { askOnce } from '../../stacks/ask.js';
import { connectControl, loginFor } from '../../stacks/redis/control.js';
import { primaryAddress } from '../../stacks/redis/observe.js';
import { watchSentinels } from '../../stacks/redis/sentinel-events.js';
import { clockMs } from '../../stats/clock.js';
import { waitFor } from '../../wait.js';
import { problem } from '../sentences.js';

/** A writer asks the Sentinels no more often than this. */
const ASK_EVERY_MS = 100;
/** After this the attempt to connect is given up, and the Sentinels are asked again. */
const CONNECT_MS = 1000;
/** A Sentinel that answers at all answers within this. One that hangs must not delay the question. */
const ANSWER_MS = 300;
const OPEN_DEADLINE_MS = 15_000;

/** @typedef {Pick<NativeConnection, 'lost' | 'onError' | 'onBatch' | 'request' | 'close'>} Placeable what a connection has to have */

/** @template {Placeable} C @typedef {{index: number, connection: C, node: number}} Taken a place with its connection */

/** @template {Placeable} C @typedef {{index: number, connection: C | null, node: number, busy: boolean}} ConnectionPlace node: from 1 on */

/**
 * @template {Placeable} C @typedef {Object} ConnectionsOptions
 * @property {(target: Target) => Promise<C>} connect @property {number} places how many connections
 * @property {boolean} failoverAware moves as soon as a Sentinel says `+switch-master`
 * @property {(node: number) => void} onMove the first connection after a time without any
 * @property {(text: string) => void} onError as `LoadConnection.onError`
 * @property {(place: number, connection: C) => void} onAnswer the write on this place has its outcome
 * @property {() => void} onFree a connection can take a write
 */

/** @template {Placeable} C */
export class PrimaryConnections {
  #trial;
  #options;
  /** @type {ConnectionPlace<C>[]} */
  #places;
  #findPrimary;
  /** The node that all connections should go to; 0: unknown. */
  #goal = 0;
  /** A new primary that a Sentinel announced, until it is acted upon. @type {number | null} */
  #news = null;
  #doubt = false;
  #closed = false;
  #onChange = () => {};
  #watch = /** @type {{close: () => void} | null} */ (null);

  /** @param {TrialPlan} trial @param {ConnectionsOptions<C>} options */
  constructor(trial, options) {
    this.#trial = trial;
    this.#options = options;
    this.#findPrimary = primaryFinder(trial);
    this.#places = Array.from({ length: options.places }, (_, index) => ({
      index,
      connection: null,
      node: 0,
      busy: false,
    }));
  }

  /** Connects every place and goes on looking after them. @throws {UserError} not within 15 s */
  async open() {
    if (this.#options.failoverAware) await this.#listen();
    const isOpen = () => this.#closed || this.#places.every(({ connection }) => connection !== null);
    const opened = waitFor(isOpen, { deadlineMs: OPEN_DEADLINE_MS, pollMs: 5 });
    // It ends before `opened` only with an error, or when this is closed.
    await Promise.race([opened, this.#keep()]);
    if (await opened) return;
    throw problem('not-in-time', { master: this.#trial.masterName, seconds: OPEN_DEADLINE_MS / 1000 });
  }

  /** The place is busy from now on. @returns {Taken<C> | null} null: no connection can take a write */
  take() {
    for (const place of this.#places) {
      if (place.busy || place.connection === null || place.connection.lost) continue;
      place.busy = true;
      return /** @type {Taken<C>} */ (place);
    }
    return null;
  }

  /** Looks for connections that were lost while idle, which raises no event. */
  notice() {
    for (const place of this.#places) {
      if (place.busy || !place.connection?.lost) continue;
      place.connection = null;
      this.#options.onError('CLOSED while nothing was under way');
      this.#onChange();
    }
  }

  /** Writes under way are `unknown` when this returns. */
  close() {
    this.#closed = true;
    this.#watch?.close();
    for (const place of this.#places) this.#drop(place);
    this.#onChange();
  }

  async #listen() {
    const { sentinels, nodes, credentials } = this.#trial;
    const listenedTo = [
      ...nodes.map((node) => ({ ...node, kind: /** @type {const} */ ('redis') })),
      ...sentinels.map((address) => ({ id: '', kind: /** @type {const} */ ('sentinel'), address, announced: address })),
    ];
    this.#watch = await watchSentinels({ nodes: listenedTo, credentials }, ({ event, about }) => {
      if (event !== '+switch-master') return;
      const node = nodes.findIndex(({ id }) => id === about) + 1;
      if (node > 0 && node !== this.#goal) this.#hear(node);
    });
    if (this.#closed) this.#watch.close();
  }

  #hear(/** @type {number} */ node) {
    if (this.#closed) return;
    this.#news = node;
    // At once: no connection should wait for what the old node may still answer.
    for (const place of this.#places) this.#drop(place);
    this.#onChange();
  }

  async #keep() {
    while (!this.#closed) {
      await this.#until(() => this.#doubt || this.#news !== null || this.#places.some((place) => !place.connection));
      if (this.#closed) return;
      const began = clockMs();
      this.#doubt = false;
      const answer = this.#news ?? (await this.#unlessNews(this.#findPrimary()));
      // An announcement that came meanwhile is newer than the answer.
      const node = this.#news ?? answer;
      this.#news = null;
      if (node && !this.#closed) await this.#settle(node);
      await this.#until(() => this.#news !== null, began + ASK_EVERY_MS - clockMs());
    }
  }

  /** @param {number} node to which all connections should go */
  async #settle(node) {
    this.#goal = node;
    for (const place of this.#places) if (place.node !== node) this.#drop(place);
    const missing = this.#places.filter(({ connection }) => connection === null);
    const connecting = Promise.all(missing.map((place) => this.#connect(place, node)));
    await this.#unlessNews(pTimeout(connecting, { milliseconds: CONNECT_MS, fallback: () => [] }));
  }

  /** Never rejects. Closes a connection that comes too late. @param {ConnectionPlace<C>} place @param {number} node */
  async #connect(place, node) {
    const { address } = this.#trial.nodes[node - 1];
    try {
      const target = { ...address, credentials: this.#trial.credentials };
      const connection = await this.#options.connect(target);
      if (this.#isWanted(place, node) && (await isPrimary(connection)) && this.#isWanted(place, node)) {
        this.#fill(place, connection, node);
      } else {
        await connection.close();
      }
    } catch {
      // Refused, or no answer: `#keep` asks again.
    }
  }

  /** @param {ConnectionPlace<C>} place @param {number} node */
  #isWanted(place, node) {
    return !this.#closed && this.#news === null && this.#goal === node && place.connection === null;
  }

  /** @param {ConnectionPlace<C>} place @param {C} connection @param {number} node */
  #fill(place, connection, node) {
    const had = this.#places.some((each) => each.connection !== null);
    place.connection = connection;
    place.node = node;
    place.busy = false;
    connection.onError = (text) => {
      this.#options.onError(text);
      // A lost connection needs no doubt: its place is empty.
      if (errorKind(text) !== 'CLOSED') this.#doubt = true;
    };
    connection.onBatch = () => {
      place.busy = false;
      this.#options.onAnswer(place.index, connection);
      if (connection.lost && place.connection === connection) place.connection = null;
      if (this.#doubt || connection.lost) this.#onChange();
      if (place.connection === connection) this.#options.onFree();
    };
    if (!had) this.#options.onMove(node);
    this.#options.onFree();
  }

  #drop(/** @type {ConnectionPlace<C>} */ place) {
    const { connection } = place;
    place.connection = null;
    // Settles what is under way before it returns.
    connection?.close();
  }

  /** @template T @param {Promise<T>} doing continues in the background if news comes first @returns {Promise<T | null>} null: there is news */
  async #unlessNews(doing) {
    const news = this.#until(() => this.#news !== null).then(() => null);
    return Promise.race([doing, news]);
  }

  /**
   * One wait at a time: a new one replaces the one before, which then ends only by its time limit. Closing ends all.
   * @param {() => boolean} condition @param {number} [ms] time limit @returns {Promise<void>}
   */
  #until(condition, ms) {
    return new Promise((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, Math.max(0, ms));
      this.#onChange = () => {
        if (!this.#closed && !condition()) return;
        clearTimeout(timer);
        resolve();
      };
      this.#onChange();
    });
  }
}

/** @param {Placeable} connection idle; lost if it does not answer within 1 s */
async function isPrimary(connection) {
  const timer = setTimeout(() => connection.close(), CONNECT_MS);
  try {
    return parseInfo((await connection.request(['INFO', 'replication'])) ?? '').role === 'master';
  } finally {
    clearTimeout(timer);
  }
}

/**
 * One Sentinel after the other, the one that answered last first: https://redis.io/docs/latest/develop/reference/sentinel-clients/.
 * @param {Pick<TrialPlan, 'sentinels' | 'nodes' | 'masterName' | 'credentials'>} stack without Sentinels it is always the first node
 * @returns {() => Promise<number>} the primary's number, counted from 1; 0: no Sentinel knows it. Never rejects
 */
function primaryFinder({ sentinels, nodes, masterName, credentials }) {
  const order = [...sentinels];
  const login = loginFor(credentials, 'sentinel');

  async function ask(/** @type {Target} */ sentinel) {
    const connecting = connectControl(sentinel, login, { timeoutMs: ANSWER_MS });
    const address = await askOnce(connecting, (control) => primaryAddress(control, masterName));
    return nodes.findIndex(({ announced }) => sameAddress(announced, address)) + 1;
  }

  return async () => {
    if (order.length === 0) return 1;
    for (const sentinel of [...order]) {
      const node = await ask(sentinel).catch(() => 0);
      if (node === 0) continue;
      order.splice(order.indexOf(sentinel), 1);
      order.unshift(sentinel);
      return node;
    }
    return 0;
  };
}
