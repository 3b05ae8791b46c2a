/** Changing settings of real servers. The rules are in settings.test.js. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { askNode } from '../stacks/ask.js';
import { settingsOf } from '../stacks/redis/conformance-help.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { journalLines, ownState } from './fixture.js';
import { createJournal } from './journal.js';
import { applySettings } from './settings.js';

/**
 * @import { Stack } from '../stacks/types.js'
 * @import { Wanted } from './settings.js'
 * @import { Journal } from './types.js'
 */

await ownState();

const SERVERS = ['redis-server', 'valkey-server'];

for (const server of SERVERS) {
  describe(server, { skip: await needs(server) }, () => {
    /** @type {Stack} */
    let stack;
    /** @type {Journal} */
    let journal;
    /** @type {Record<string, any>} */
    let former;
    before(async () => {
      stack = await startLocal({ server });
      former = await settingsOf(stack);
    });
    after(() => stack?.close());
    beforeEach(() => {
      journal = createJournal(stack);
    });
    afterEach(async () => {
      try {
        await stack.heal();
        await journal.undoAll();
      } finally {
        await journal.close({ abandon: true });
      }
    });

    /** @param {Wanted} wanted */
    const apply = (wanted) => applySettings({ stack, journal }, wanted);

    test('every node gets them, in any spelling, and then the former values', async () => {
      const undo = await apply({
        all: {
          'repl-backlog-size': '3mb',
          save: '900 1',
          'client-output-buffer-limit': 'replica 1mb 512kb 10',
          'notify-keyspace-events': 'KEA',
        },
        sentinels: { 'down-after-milliseconds': '1234', 'failover-timeout': '99000', 'parallel-syncs': '2' },
        nodes: { 'redis-2': { save: '800 2' } },
      });
      /** @type {Record<string, any>} */
      const now = await settingsOf(stack);
      for (const id of ['redis-1', 'redis-2', 'redis-3']) {
        assert.equal(now[id]['repl-backlog-size'], String(3 * 2 ** 20));
        assert.equal(now[id].save, id === 'redis-2' ? '800 2' : '900 1');
        assert.match(now[id]['client-output-buffer-limit'], / 1048576 524288 10 /);
      }
      for (const id of ['sentinel-1', 'sentinel-2', 'sentinel-3']) {
        assert.equal(now[id]['down-after-milliseconds'], '1234');
        assert.equal(now[id]['parallel-syncs'], '2');
      }
      await undo();
      await undo();
      assert.deepEqual(await settingsOf(stack), former);
    });

    test('an append-only file is complete when the setting is in force', async () => {
      await apply({ all: { appendonly: 'yes', appendfsync: 'always' } });
      const { id } = await stack.database.primary();
      const info = await askNode(stack, id, (control) => control.info('persistence'));
      assert.equal(info.aof_enabled, '1');
      assert.equal(info.aof_rewrite_in_progress, '0');
      assert.equal(info.aof_rewrite_scheduled, '0');
      assert.ok(Number(info.aof_base_size) > 0);
    });

    test('if one server refuses a value, all nodes get the former values', async () => {
      /** @type {[wanted: Wanted, message: RegExp][]} */
      const refused = [
        [
          { all: { 'repl-backlog-size': '3mb' }, nodes: { 'redis-2': { appendfsync: 'sometimes' } } },
          /^redis-2 refuses appendfsync "sometimes": ERR /,
        ],
        [{ all: { hz: '1000' } }, /^redis-\d accepted hz 1000, but reports 500\.$/],
        [{ sentinels: { 'down-after-milliseconds': '0' } }, /^sentinel-\d refuses down-after/],
      ];
      for (const [wanted, message] of refused) await assert.rejects(apply(wanted), { message });
      assert.deepEqual(await settingsOf(stack), former);
      const lines = journalLines();
      assert.equal(lines.filter(({ undo }) => undo).length, lines.filter(({ done }) => done).length);
    });
  });
}
