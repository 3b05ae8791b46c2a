/**
 * Where a writer's connections go: to the node that the Sentinels call the primary. Connections that are lost are replaced,
 * and all move when the Sentinels name another node.
 *
 * An ordinary client's ways: it asks when it has a reason to (an error, a lost connection), believes the first Sentinel
 * that answers, and checks that the node itself says it is a primary.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { native } from '../../clients/native.js';
import { errorKind } from '../../clients/outcome.js';
import { UserError } from '../../errors.js';
import { parseInfo } from '../../resp/info.js';
import { watchSentinels } from '../../stacks/redis/sentinel-events.js';
import { clockMs } from '../../stats/clock.js';
import { primaryFinder } from './sentinels.js';

/**
 * @import { NativeConnection } from '../../clients/native-connection.js'
 * @import { Shape } from '../../clients/types.js'
 * @import { TrialPlan } from '../trial-types.js'
 */

/** A writer asks the Sentinels no more often than this. */
const ASK_EVERY_MS = 100;
/** A node that does not let a writer in within this is left alone, and the Sentinels are asked again. */
const CONNECT_MS = 1000;
const OPEN_DEADLINE_MS = 15_000;

/**
 * @typedef {{index: number, connection: NativeConnection, node: number}} Taken a place with its connection
 *
 * @typedef {Object} Place of a connection
 * @property {number} index
 * @property {NativeConnection | null} connection
 * @property {number} node that it is connected to, counted from 1
 * @property {boolean} busy
 *
 * @typedef {Object} HomeOptions
 * @property {Shape} shape
 * @property {number} places how many connections
 * @property {boolean} follows moves as soon as a Sentinel says `+switch-master`
 * @property {(node: number) => void} onMove connected, having had no connection before
 * @property {(text: string) => void} onError as a connection tells it
 * @property {(place: number, connection: NativeConnection) => void} onAnswer the write on this place has its outcome
 * @property {() => void} onFree a connection can take a write
 */

export class Home {
  #trial;
  #options;
  /** @type {Place[]} */
  #places;
  #findPrimary;
  /** The node that all connections are to go to; 0: not known yet. */
  #goal = 0;
  /** What a Sentinel announced and nobody has acted upon. @type {number | null} */
  #news = null;
  /** An error reply may mean that the primary is another. */
  #doubt = false;
  #closed = false;
  /** Called when something changes that the keeper may be waiting for. */
  #onChange = () => {};
  /** @type {{close: () => void} | null} */
  #watch = null;

  /**
   * @param {TrialPlan} trial
   * @param {HomeOptions} options
   */
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
    const deadline = clockMs() + OPEN_DEADLINE_MS;
    if (this.#options.follows) await this.#listen();
    const keeping = this.#keep();
    while (!this.#closed && this.#places.some(({ connection }) => connection === null)) {
      if (clockMs() > deadline) {
        throw new UserError(
          `A writer could not connect to the primary of ${this.#trial.masterName} within ${OPEN_DEADLINE_MS / 1000} s.`,
          'Check that the Sentinels agree on a primary and that it can be reached (sentinel-bench status).',
        );
      }
      await Promise.race([keeping, delay(5)]);
    }
  }

  /**
   * A place whose connection can take a write; it is busy from now on.
   *
   * @returns {Taken | null}
   */
  take() {
    for (const place of this.#places) {
      if (place.busy || place.connection === null || place.connection.lost) continue;
      place.busy = true;
      return /** @type {Taken} */ (place);
    }
    return null;
  }

  /** Looks for connections that were lost while they had nothing to do; they do not tell. */
  notice() {
    for (const place of this.#places) {
      if (place.busy || !place.connection?.lost) continue;
      place.connection = null;
      this.#options.onError('CLOSED while nothing was under way');
      this.#onChange();
    }
  }

  /** What is under way is settled when this returns: `unknown`. */
  close() {
    this.#closed = true;
    this.#watch?.close();
    for (const place of this.#places) this.#drop(place);
    this.#onChange();
  }

  /** Listens to every Sentinel; one that is away is tried again and again. */
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

  /** @param {number} node */
  #hear(node) {
    if (this.#closed) return;
    this.#news = node;
    // At once: whatever the old node still answers, the other connections are not to wait for it.
    for (const place of this.#places) this.#drop(place);
    this.#onChange();
  }

  /** Brings the connections to where they belong, one step at a time, until this home is closed. */
  async #keep() {
    while (!this.#closed) {
      await this.#until(() => this.#doubt || this.#news !== null || this.#places.some((place) => !place.connection));
      if (this.#closed) return;
      const began = clockMs();
      this.#doubt = false;
      const answer = this.#news ?? (await this.#unlessNews(this.#findPrimary()));
      // What was announced meanwhile is newer than the answer.
      const node = this.#news ?? answer;
      this.#news = null;
      if (node && !this.#closed) await this.#settle(node);
      await this.#until(() => this.#news !== null, began + ASK_EVERY_MS - clockMs());
    }
  }

  /** @param {number} node to which all connections are to go */
  async #settle(node) {
    this.#goal = node;
    for (const place of this.#places) {
      if (place.node !== node) this.#drop(place);
    }
    const missing = this.#places.filter(({ connection }) => connection === null);
    const connecting = Promise.all(missing.map((place) => this.#connect(place, node)));
    const late = new AbortController();
    await this.#unlessNews(
      Promise.race([connecting, delay(CONNECT_MS, null, { signal: late.signal }).catch(() => {})]),
    );
    late.abort();
  }

  /**
   * Never rejects. A connection that comes when its place is taken, or when all have gone elsewhere, is closed.
   *
   * @param {Place} place
   * @param {number} node
   */
  async #connect(place, node) {
    const { address } = this.#trial.nodes[node - 1];
    try {
      const target = { ...address, credentials: this.#trial.credentials };
      const connection = /** @type {NativeConnection} */ (await native.connect(target, this.#options.shape));
      if (this.#isWanted(place, node) && (await isPrimary(connection)) && this.#isWanted(place, node)) {
        this.#fill(place, connection, node);
      } else {
        await connection.close();
      }
    } catch {
      // Refused, or no answer: the keeper asks again.
    }
  }

  /**
   * @param {Place} place
   * @param {number} node
   */
  #isWanted(place, node) {
    return !this.#closed && this.#news === null && this.#goal === node && place.connection === null;
  }

  /**
   * @param {Place} place
   * @param {NativeConnection} connection
   * @param {number} node
   */
  #fill(place, connection, node) {
    const had = this.#places.some((each) => each.connection !== null);
    place.connection = connection;
    place.node = node;
    place.busy = false;
    connection.onError = (text) => {
      this.#options.onError(text);
      // A lost connection is a reason to ask, too: its place is empty.
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

  /** @param {Place} place */
  #drop(place) {
    const { connection } = place;
    place.connection = null;
    // Settles what is under way before it returns.
    connection?.close();
  }

  /**
   * @template T
   * @param {Promise<T>} doing goes on by itself when news comes first
   * @returns {Promise<T | null>} null: there is news
   */
  async #unlessNews(doing) {
    const news = this.#until(() => this.#news !== null).then(() => null);
    return Promise.race([doing, news]);
  }

  /**
   * One wait at a time: a new one takes the place of the one before, which then never ends unless by its time.
   *
   * @param {() => boolean} condition looked at now and whenever something changes
   * @param {number} [ms] no longer than this
   * @returns {Promise<void>} also when this home is closed
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

/**
 * INFO says what ROLE says, and its reply is one that the native connection reads.
 *
 * @param {NativeConnection} connection that has nothing else to do
 * @returns {Promise<boolean>} rejects, and the connection is lost, when there is no answer within 1 s
 */
async function isPrimary(connection) {
  const timer = setTimeout(() => connection.close(), CONNECT_MS);
  try {
    return parseInfo((await connection.request(['INFO', 'replication'])) ?? '').role === 'master';
  } finally {
    clearTimeout(timer);
  }
}
