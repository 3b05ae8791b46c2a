/**
 * One run at a time on a stack that stays: two would change each other's settings. A run takes two locks. One is on this machine and ends
 * with the process. The other is a key on the primary, against runs of other machines and users; it expires unless it is renewed.
 * @import { Holder, Purpose } from './lock.js'
 * @import { Address, Control, Stack, StackFacts, NodeInfo } from '../types.js'
 * @typedef {Purpose & {tell?: (line: string) => void, signal?: AbortSignal, expiryMs?: number, renewMs?: number}} LockOptions expiryMs,
 *   renewMs: of the key; for tests
 * @typedef {Awaited<ReturnType<typeof lockStack>>} StackLock
 * @typedef {{key: string, heldBy: Holder | null, expiresInMs: number}} HeldKey another run's; heldBy: null: not valid; expiresInMs:
 *   negative: never
 */
import { setTimeout as delay } from 'node:timers/promises';
import { KEY_NAMESPACE } from '../../clients/types.js';
import { askAt } from '../redis/control.js';
import { isKeyRefused, refusedKeys } from '../redis/external/refusal.js';
import { text, words } from '../texts.js';
import * as locks from './lock.js';

/** Its time to live is longer than a failover. */
export const LOCK_KEY = `${KEY_NAMESPACE}lock`;

/** @param {Pick<Stack, 'access'>} stack */
const lockKeyOf = ({ access: { keyPrefix = '' } }) => keyPrefix + LOCK_KEY;

const EXPIRY_MS = 60_000;
/** One small write in ten seconds does not affect the figures. */
const RENEW_MS = 10_000;
const RETRY_MS = 1000;

/** Several runs may write the key at the same moment. */
const ATTEMPTS = 5;

/** @param {Pick<StackFacts, 'backend' | 'identity'>} stack @returns name of its lock on this machine */
export function lockNameOf({ backend, identity }) {
  return `${backend} ${identity}`;
}

/** @param {Stack} stack that stays @param {LockOptions} options @throws {InUse} */
export async function lockStack(stack, options) {
  const holder = locks.thisHolder(options);
  const name = lockNameOf(stack.about);
  const here = await locks.untilFree(() => locks.tryLock(name, holder), {
    ...options,
    refuse: ({ heldBy }) => inUseHere(describeStack(stack), heldBy),
  });
  try {
    const key = new StackKey(stack, holder, options);
    await key.open();
    return {
      confirm: () => key.confirm(),
      /** Stops renewing the key and does not remove it: the stack is about to be taken down. */
      leaveKey: () => key.end({ remove: false }),
      /** To be called while the nodes still run. */
      async release() {
        await key.end({ remove: true });
        here.release();
      },
    };
  } catch (error) {
    here.release();
    throw error;
  }
}

/** @param {Pick<StackFacts, 'backend' | 'identity'>} stack @returns a living process of this machine has its lock */
export function isLockedHere(stack) {
  return locks.holderOf(lockNameOf(stack)) !== null;
}

/** @param {Stack} stack of one node @param {Address} address @throws {InUse} a run has it @throws {UserError} our keys are refused */
export async function checkUnlocked(stack, address) {
  const key = lockKeyOf(stack);
  const heldKey = await onNode(stack, { address }, (control) => readKey(control, key)).catch((error) => {
    if (isKeyRefused(error)) throw refusedKeys(stack, address, error);
    // Unknown if the node does not show the key.
    return null;
  });
  if (heldKey && !locks.isLeftover(heldKey.heldBy)) throw inUseByKey('The stack of this node', heldKey);
}

/** @param {string} what the beginning of the sentence @param {Holder | null} holder */
export function inUseHere(what, holder) {
  return new locks.InUse(...words('in-use', { inUse: locks.inUseBy(what, holder) }));
}

function inUseByKey(/** @type {string} */ what, /** @type {HeldKey} */ { key, heldBy, expiresInMs }) {
  const inUse = locks.inUseBy(what, heldBy);
  if (expiresInMs < 0) return new locks.InUse(...words('in-use-forever', { inUse, key }));
  const seconds = Math.max(1, Math.ceil(expiresInMs / 1000));
  return new locks.InUse(...words('in-use-for-now', { inUse, seconds }));
}

function describeStack(/** @type {Stack} */ { about: { backend }, access }) {
  return backend === 'external' ? `The deployment ${access.masterName}` : `The ${backend} stack`;
}

/** The key of a stack, which this process keeps renewing. */
class StackKey {
  #stack;
  #options;
  #ours;
  #ended = new AbortController();
  /** False: not set yet, or missing when it was renewed. */
  #isHeld = false;
  #everHeld = false;
  #toldOfOther = false;
  /** Why it could not be set. @type {unknown} */
  #trouble = null;
  #renewing = Promise.resolve();
  /** @type {Promise<void> | null} */
  #ending = null;

  /** @param {Stack} stack @param {Holder} holder @param {LockOptions} options */
  constructor(stack, holder, { tell = () => {}, signal, expiryMs = EXPIRY_MS, renewMs = RENEW_MS }) {
    this.#stack = stack;
    this.#options = { tell, signal, renewMs };
    this.#ours = { key: lockKeyOf(stack), mine: JSON.stringify(holder), expiryMs };
  }

  /** @throws {InUse} another run has it */
  async open() {
    await this.#untilTaken();
    this.#renewing = this.#keepRenewing();
  }

  /** Sets the key if there was no primary before; reports if that is impossible. @throws {InUse} */
  async confirm() {
    if (this.#isHeld) return;
    await this.#untilTaken();
    if (this.#trouble === null) return;
    this.#options.tell(text('no-lock-key', { key: this.#ours.key, error: this.#trouble }));
  }

  /** Idempotent. @param {{remove: boolean}} how */
  end({ remove }) {
    this.#ending ??= this.#end(remove);
    return this.#ending;
  }

  async #end(/** @type {boolean} */ remove) {
    this.#ended.abort();
    await this.#renewing;
    if (remove && this.#everHeld) await removeKey(this.#stack, this.#ours.mine).catch(() => {});
  }

  #untilTaken() {
    return locks.untilFree(() => this.#take(), { ...this.#options, refuse: (held) => this.#inUse(held) });
  }

  #inUse(/** @type {HeldKey} */ held) {
    return inUseByKey(describeStack(this.#stack), held);
  }

  /** @returns {Promise<{} | HeldKey>} */
  async #take() {
    const { primary: id } = await this.#stack.database.observe();
    const primary = this.#stack.nodes.find((node) => node.id === id);
    try {
      this.#trouble = null;
      return await this.#takeOn(primary);
    } catch (error) {
      if (primary && isKeyRefused(error)) throw refusedKeys(this.#stack, primary.address, error);
      this.#trouble = error;
      // During a failover a replica still has the key.
      return (await keyAnywhere(this.#stack)) ?? {};
    }
  }

  /** @param {NodeInfo | undefined} primary @returns {Promise<{} | HeldKey>} */
  async #takeOn(primary) {
    this.#isHeld = false;
    const held = await onNode(this.#stack, primary, (control) => claim(control, this.#ours));
    if (held) return held;
    this.#isHeld = true;
    this.#everHeld = true;
    return {};
  }

  async #keepRenewing() {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      // A failover may have lost the key, or there is no primary now. The run goes on, and the next attempt is soon.
      await delay(this.#isHeld ? this.#options.renewMs : RETRY_MS, undefined, { ref: false, signal })
        .then(() => this.#renew())
        .catch(() => {});
    }
  }

  async #renew() {
    const primary = await this.#stack.database.primary();
    if (this.#ended.signal.aborted) return;
    const held = await this.#takeOn(primary);
    if (!('heldBy' in held) || this.#toldOfOther) return;
    this.#toldOfOther = true;
    this.#options.tell(text('goes-on', { inUse: this.#inUse(held).message }));
  }
}

/**
 * Sets the key, or renews it. A key of ours or of a dead process of this machine stays as it is meanwhile: the lock of this machine keeps
 * others from it, and its time to live is much longer than this takes.
 * @param {Control} control of the primary @param {{key: string, mine: string, expiryMs: number}} ours @returns null: it is ours now
 */
async function claim(control, { key, mine, expiryMs }) {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    if ((await control.call('SET', key, mine, 'PX', expiryMs, 'NX')) !== null) return null;
    const heldKey = await readKey(control, key);
    if (heldKey === null) continue;
    if (heldKey.value !== mine && !locks.isLeftover(heldKey.heldBy)) return heldKey;
    if ((await control.call('SET', key, mine, 'PX', expiryMs, 'XX')) !== null) return null;
  }
  throw new Error('other runs write it at the same moment');
}

/** @param {Stack} stack @param {string} mine another value stays */
async function removeKey(stack, mine) {
  const key = lockKeyOf(stack);
  await onNode(stack, await stack.database.primary(), async (control) => {
    if ((await control.call('GET', key)) === mine) await control.call('DEL', key);
  });
}

/** @param {Control} control of any node @param {string} key @returns {Promise<(HeldKey & {value: string}) | null>} null: there is none */
async function readKey(control, key) {
  const [value, expiresInMs] = [await control.call('GET', key), await control.call('PTTL', key)];
  // Without a time in the answer the stack does not count as locked. -2: the key has expired meanwhile.
  if (value === null || typeof expiresInMs !== 'number' || expiresInMs === -2) return null;
  return { key, value: String(value), heldBy: locks.parseHolder(String(value)), expiresInMs };
}

/** @param {Stack} stack @returns {Promise<HeldKey | null>} of another living process, on any node that answers */
async function keyAnywhere(stack) {
  const key = lockKeyOf(stack);
  const nodes = stack.nodes.filter(({ kind }) => kind === 'redis');
  const asked = nodes.map((node) => onNode(stack, node, (control) => readKey(control, key)).catch(() => null));
  const answers = await Promise.all(asked);
  return answers.find((heldKey) => heldKey && !locks.isLeftover(heldKey.heldBy)) ?? null;
}

/**
 * Over its own connection: a kept one would not survive faults. @template T @param {Pick<Stack, 'access'>} stack
 * @param {Pick<NodeInfo, 'address'> | undefined} node @param {(control: Control) => Promise<T>} question
 */
async function onNode({ access: { credentials } }, node, question) {
  if (!node) throw new Error('the Sentinels agree on no primary');
  return askAt(node.address, credentials, 'redis', question);
}
