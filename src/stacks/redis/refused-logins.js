/** Logins that the primary refuses again and again. A replica without the right masterauth is on no list before it has logged in. */
/** @import { Stack } from '../types.js' */
/** @import { Snapshot } from './observe.js' */
import { setTimeout as delay } from 'node:timers/promises';
import { askNode } from '../ask.js';

/** A replica tries again once a second. */
const WATCHED_MS = 2200;
/** One may be somebody who mistyped. */
const SEVERAL = 2;

/** @param {Stack} stack @param {Snapshot} snapshot @returns a sentence without a full stop; null: no refused logins, or not known */
export async function refusedLogins(stack, { redis }) {
  try {
    const { id } = await stack.database.primary();
    const read = () => askNode(stack, id, (control) => control.info('errorstats'));
    const before = await read();
    if (refusalsIn(before) === 0) return null;
    await delay(WATCHED_MS);
    const refusals = refusalsIn(await read()) - refusalsIn(before);
    // A replica that could log in once has a row.
    const down = redis.filter(({ role, linkUp }) => role === 'replica' && !linkUp).map((replica) => replica.id);
    return explainRefusals(id, refusals, down);
  } catch {
    return null;
  }
}

/** @param {string} id of the primary @param {number} refusals meanwhile @param {readonly string[]} down replicas whose link is down */
export function explainRefusals(id, refusals, down) {
  if (refusals < SEVERAL) return null;
  const which =
    down.length === 0 ? 'a replica that is in no row' : `${down.join(', ')}, or a replica that is in no row,`;
  return `${id} refuses logins again and again: ${which} has no masterauth, or a wrong one`;
}

/** @param {Record<string, string>} info INFO errorstats; empty before Redis 6.2 */
function refusalsIn({ errorstat_NOAUTH: noauth, errorstat_WRONGPASS: wrong }) {
  return [noauth, wrong].reduce((sum, value) => sum + Number(/^count=(\d+)$/.exec(value ?? '')?.[1] ?? 0), 0);
}
