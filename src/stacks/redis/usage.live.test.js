import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { needs } from '../../../test/needs.js';
import { startServer } from '../../measure/fixture.js';
import { countersMoved } from '../../measure/nodes.js';
import { Counters } from '../../result/round-schema.js';
import { readCounters } from './usage.js';

const DEADLINE_MS = 60_000;

for (const program of ['redis-server', 'valkey-server']) {
  test(`${program}: what the node counts, with an append-only file and without`, {
    skip: await needs(program),
  }, async (t) => {
    const { control } = await startServer(t, program, () => [
      // With a sync each second a slow disk may hold back what is written, and count that as a delay.
      ...['--maxmemory-policy', 'allkeys-random', '--appendfsync', 'no'],
    ]);
    const until = async (/** @type {(info: Record<string, string>) => boolean} */ holds) => {
      const deadline = performance.now() + DEADLINE_MS;
      for (;;) {
        const info = await control.info();
        if (holds(info)) return readCounters(info);
        assert.ok(performance.now() < deadline, JSON.stringify(info));
        await delay(10);
      }
    };
    const idle = (/** @type {Record<string, string>} */ info) =>
      info.rdb_bgsave_in_progress === '0' && info.aof_rewrite_in_progress === '0';

    const off = await until(idle);
    await control.call('SET', 'key', 'x'.repeat(1000));
    await control.call('BGSAVE');
    await assert.rejects(control.call('INCR', 'key'));
    await control.call('CONFIG', 'SET', 'maxmemory', '1');
    await control.call('SET', 'other', 'x').catch(() => {});
    await control.call('CONFIG', 'SET', 'maxmemory', '0');
    const moved = countersMoved(off, await until(idle));
    assert.equal(Counters.safeParse(moved).success, true, JSON.stringify(moved));
    assert.deepEqual(
      { ...moved, errorReplies: Number(moved.errorReplies) > 0, latestForkUs: Number(moved.latestForkUs) > 0 },
      {
        replicationOutBytes: 0,
        evictedKeys: 1,
        rejectedConnections: 0,
        errorReplies: true,
        fullResyncs: 0,
        delayedFsyncs: null,
        aofBytes: null,
        rewrites: 0,
        snapshots: 1,
        latestForkUs: true,
      },
    );

    await control.call('CONFIG', 'SET', 'appendonly', 'yes');
    const on = await until((info) => idle(info) && info.aof_rewrite_scheduled === '0');
    await control.call('SET', 'key', 'x'.repeat(1000));
    const written = countersMoved(on, await until(idle));
    assert.ok(Number(written.aofBytes) > 1000, `${written.aofBytes} bytes`);
    assert.deepEqual([written.delayedFsyncs, written.rewrites], [0, 0]);
    await control.call('BGREWRITEAOF');
    assert.equal(countersMoved(on, await until(idle)).rewrites, 1);
    assert.equal(countersMoved(off, await until(idle)).aofBytes, null, 'it was off before');
  });
}

test('a field that INFO lacks is null, and fits the schema', () => {
  for (const text of [undefined, '', 'many', '-1', '1.5', '1e400', '99999999999999999999']) {
    const names = ['evicted_keys', 'rejected_connections', 'sync_full', 'latest_fork_usec'];
    const totals = readCounters(text === undefined ? {} : Object.fromEntries(names.map((name) => [name, text])));
    const moved = countersMoved(totals, totals);
    assert.deepEqual(
      [moved.evictedKeys, moved.rejectedConnections, moved.fullResyncs, moved.latestForkUs],
      [null, null, null, null],
      text,
    );
    assert.equal(Counters.safeParse(moved).success, true);
  }
});
