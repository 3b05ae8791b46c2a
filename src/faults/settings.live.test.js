import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { UserError } from '../errors.js';
import { askNode } from '../stacks/ask.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { toRecord } from '../stacks/redis/observe.js';
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
    before(async () => {
      stack = await startLocal({ server });
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

    /** @param {string} name @returns {Promise<string[]>} what each node says */
    const redis = (name) =>
      Promise.all(
        stack.nodes
          .filter(({ kind }) => kind === 'redis')
          .map(({ id }) =>
            askNode(stack, id, async (control) => toRecord(await control.call('CONFIG', 'GET', name))[name]),
          ),
      );

    /** @param {string} name */
    const sentinel = (name) =>
      Promise.all(
        stack.nodes
          .filter(({ kind }) => kind === 'sentinel')
          .map(({ id }) =>
            askNode(
              stack,
              id,
              async (control) => toRecord(await control.call('SENTINEL', 'MASTER', stack.access.masterName))[name],
            ),
          ),
      );

    /** @param {Wanted} wanted @param {RegExp} message */
    const refused = (wanted, message) =>
      assert.rejects(apply(wanted), (error) => {
        assert.ok(error instanceof UserError);
        assert.match(error.message, message);
        assert.match(error.remedy, /^[A-Z].*\.$/);
        return true;
      });

    test('every node gets them, in any spelling, and then the former values', async () => {
      const limits = await redis('client-output-buffer-limit');
      const undo = await apply({
        all: {
          'repl-backlog-size': '3mb',
          save: '900 1',
          'client-output-buffer-limit': 'replica 1mb 512kb 10',
          'notify-keyspace-events': 'KEA',
        },
        sentinels: { 'down-after-milliseconds': '1234', 'failover-timeout': '99000', 'parallel-syncs': '2' },
        nodes: { 'redis-3': { 'replica-priority': '5' }, 'redis-2': { save: '800 2' } },
      });
      assert.deepEqual(await redis('repl-backlog-size'), Array(3).fill(String(3 * 2 ** 20)));
      assert.deepEqual(await redis('save'), ['900 1', '800 2', '900 1']);
      assert.deepEqual(await redis('replica-priority'), ['100', '100', '5']);
      for (const value of await redis('client-output-buffer-limit')) assert.match(value, / 1048576 524288 10 /);
      assert.deepEqual(await sentinel('down-after-milliseconds'), Array(3).fill('1234'));
      assert.deepEqual(await sentinel('parallel-syncs'), Array(3).fill('2'));
      await undo();
      await undo();
      assert.deepEqual(await redis('repl-backlog-size'), Array(3).fill(String(2 ** 20)));
      assert.deepEqual(await redis('save'), ['', '', '']);
      assert.deepEqual(await redis('replica-priority'), ['100', '100', '100']);
      assert.deepEqual(await redis('client-output-buffer-limit'), limits);
      assert.deepEqual(await redis('notify-keyspace-events'), ['', '', '']);
      assert.deepEqual(await sentinel('down-after-milliseconds'), Array(3).fill('5000'));
      assert.deepEqual(await sentinel('failover-timeout'), Array(3).fill('60000'));
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
      await refused(
        { all: { 'repl-backlog-size': '3mb' }, nodes: { 'redis-2': { appendfsync: 'sometimes' } } },
        /^redis-2 refuses appendfsync "sometimes": ERR /,
      );
      await refused(
        { all: { 'repl-backlog-size': '3mb', hz: '1000' } },
        /^redis-\d accepted hz 1000, but reports 500\.$/,
      );
      await refused({ all: { databases: '3' } }, /databases "3": ERR .*immutable/);
      await refused({ sentinels: { 'down-after-milliseconds': '0' } }, /^sentinel-\d refuses down-after/);
      assert.deepEqual(await redis('repl-backlog-size'), Array(3).fill(String(2 ** 20)));
      assert.deepEqual(await redis('hz'), ['10', '10', '10']);
      const lines = journalLines();
      assert.equal(lines.filter(({ undo }) => undo).length, lines.filter(({ done }) => done).length);
    });
  });
}
