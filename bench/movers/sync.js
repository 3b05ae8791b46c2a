/**
 * The mover `sync`: the copy follows the source as a replica, and is a node of its own again when it is closed. If the source
 * asks for a password, the copy must know it (`masterauth`).
 */
import { connect, infoOf } from '../../src/clients/connection.js';
import { once } from '../../src/once.js';
import { repeatedly } from '../../src/repeat.js';
import { connectControl, loginFor } from '../../src/stacks/redis/control.js';
import { stopFollowing } from '../../src/stacks/redis/replication.js';
import { waitFor } from '../../src/wait.js';
import { countWrites, NOT_COUNTED, SETTLE_MS, within } from './move.js';

/** @import { Connection } from '../types.js' */
/** @import { Mover } from './move.js' */

const POLL_MS = 10;
const TOTALS_MS = 250;
/** A copy that neither loads nor follows for so long never will. */
const STALLED_MS = 20_000;

/**
 * @typedef {Record<'following' | 'receiving' | 'caughtUp', boolean>} SyncState following: the copy has loaded the data set and applies the stream; receiving: it
 *   receives or loads it; caughtUp: it has applied everything that the source had sent when it was asked
 */

/** @type {Mover} */
export const sync = {
  name: 'sync',
  async start([pair], { signal }) {
    const { credentials } = pair;
    const ending = new AbortController();
    const either = signal ? AbortSignal.any([signal, ending.signal]) : ending.signal;

    const leave = async () => {
      ending.abort(new Error('the copying was ended'));
      const login = loginFor(credentials, 'redis');
      const again = await connectControl(pair.copy, login, { timeoutMs: SETTLE_MS }).catch(() => null);
      if (again) await stopFollowing(again).finally(() => again.close());
    };

    try {
      const source = await connect({ ...pair.source, credentials }, either);
      const copy = await connect({ ...pair.copy, credentials }, either);
      const { look, totals } = await lookout(source, copy);
      await copy.call('REPLICAOF', pair.sourceForPeers.host, String(pair.sourceForPeers.port));
      const full = until(look, 'following', either);
      full.then(() => repeatedly(look, TOTALS_MS, either)).catch(() => {});
      return {
        full,
        async settle() {
          await full;
          await within(SETTLE_MS, 'the copy did not catch up', until(look, 'caughtUp', either));
        },
        totals,
        close: once(leave),
      };
    } catch (error) {
      await leave();
      throw error;
    }
  },
};

/** @param {() => Promise<SyncState>} look @param {'following' | 'caughtUp'} state @param {AbortSignal} signal */
async function until(look, state, signal) {
  let movedAt = performance.now();
  const holds = async () => {
    const seen = await look();
    if (seen.receiving || seen.following) movedAt = performance.now();
    if (performance.now() - movedAt > STALLED_MS) {
      throw new Error(`the copy neither followed the source nor received its data set for ${STALLED_MS / 1000} s`);
    }
    return seen[state];
  };
  await waitFor(holds, { deadlineMs: Number.POSITIVE_INFINITY, pollMs: POLL_MS, signal });
}

/** @param {Connection} source @param {Connection} copy before it follows */
async function lookout(source, copy) {
  const writes = await countWrites(copy);
  const fullSyncs = async () => Number((await infoOf(source, 'stats')).sync_full);
  let syncs = await fullSyncs();
  let loaded = 0;
  let written = 0;

  const look = async () => {
    // The source first: what the copy has applied by then is not less than what it had to apply.
    const sourceState = await infoOf(source, 'replication');
    const [syncsNow, replication, persistence, writesNow] = await Promise.all([
      fullSyncs(),
      infoOf(copy, 'replication'),
      infoOf(copy, 'persistence'),
      writes(),
    ]);
    if (replication.role !== 'slave') throw new Error('the copy is not a replica any more');
    const following = replication.master_link_status === 'up' && persistence.loading === '0';
    written = writesNow;
    if (following && syncsNow > syncs) {
      syncs = syncsNow;
      loaded += Number(persistence.rdb_last_load_keys_loaded ?? (await copy.call('DBSIZE')));
    }
    return {
      following,
      receiving: replication.master_sync_in_progress === '1' || persistence.loading === '1',
      caughtUp: following && Number(replication.slave_repl_offset) >= Number(sourceState.master_repl_offset),
    };
  };

  return { look, totals: () => ({ ...NOT_COUNTED, keys: loaded + written }) };
}
