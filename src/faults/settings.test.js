/** Changing settings of nodes that are in memory: what is noted, written, read back and put back. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { applySettings, meansSame } from './settings.js';

/**
 * @import { SettingsOf, Stack } from '../stacks/types.js'
 * @import { Journal } from './types.js'
 */

class Refusal extends Error {}

/**
 * @param {Object} [how]
 * @param {(id: string, name: string, value: string) => void} [how.onWrite] throws what a node answers
 * @param {(id: string) => void} [how.onRead]
 * @param {(value: string) => string} [how.spell] how nodes report a value that was written
 */
function siteOf({ onWrite = () => {}, onRead = () => {}, spell = (value) => value } = {}) {
  const calls = /** @type {unknown[][]} */ ([]);
  const nodes = ['redis-1', 'redis-2', 'sentinel-1'];
  const values = new Map(
    nodes.map((id) => [id, /** @type {Record<string, string>} */ ({ appendonly: 'no', save: '', quorum: '2' })]),
  );
  const of = (/** @type {string} */ id) => /** @type {Record<string, string>} */ (values.get(id));
  /** @type {Partial<SettingsOf>} */
  const settings = {
    barred: ['requirepass'],
    timeoutMs: () => 1000,
    async read(_, { id }) {
      onRead(id);
      return { ...of(id) };
    },
    async write(_, { id }, __, name, value) {
      calls.push(['write', id, name, value]);
      onWrite(id, name, value);
      of(id)[name] = spell(value);
    },
    undoStep: async (_, { id }, __, former) => ({ kind: 'settings', id, settings: former }),
  };
  const stack = /** @type {Stack} */ (
    /** @type {unknown} */ ({
      access: { credentials: {} },
      about: { server: { name: 'redis', version: '7.0.15' } },
      nodes: nodes.map((id) => ({ id, kind: id.startsWith('s') ? 'sentinel' : 'redis' })),
      database: {
        settings,
        isReplyError: (/** @type {unknown} */ error) => error instanceof Refusal,
        connect: async () => ({ lost: () => false, close() {} }),
      },
    })
  );
  const journal = /** @type {Journal} */ (
    /** @type {unknown} */ ({
      async note(/** @type {{id: string, settings: Record<string, string>}} */ { id, settings: former }) {
        calls.push(['note', id, former]);
        return async () => {
          calls.push(['undo', id, former]);
          Object.assign(of(id), former);
        };
      },
    })
  );
  return { site: { stack, journal }, calls, values };
}

/** @param {Promise<unknown>} promise @param {RegExp} message @param {RegExp} remedy */
const refuses = (promise, message, remedy) => assert.rejects(promise, { name: 'UserError', message, remedy });

describe('changing settings', () => {
  test('every change is noted before the first is made, and undone in reverse', async () => {
    const { site, calls, values } = siteOf();
    const before = structuredClone(values);
    const undo = await applySettings(site, {
      all: { appendonly: 'yes' },
      sentinels: { quorum: '1' },
      nodes: { 'redis-2': { appendonly: 'no', save: '60 1' } },
    });
    assert.deepEqual(calls, [
      ['note', 'redis-1', { appendonly: 'no' }],
      ['note', 'redis-2', { save: '' }],
      ['note', 'sentinel-1', { quorum: '2' }],
      ['write', 'redis-1', 'appendonly', 'yes'],
      ['write', 'redis-2', 'save', '60 1'],
      ['write', 'sentinel-1', 'quorum', '1'],
    ]);
    await undo();
    assert.deepEqual(
      calls.slice(6).map(([what, id]) => `${what} ${id}`),
      ['undo sentinel-1', 'undo redis-2', 'undo redis-1'],
    );
    assert.deepEqual(values, before);
  });

  test('values that are there already are neither noted nor written', async () => {
    const { site, calls } = siteOf();
    await applySettings(site, { all: { appendonly: 'NO' } });
    await applySettings(site, {});
    assert.deepEqual(calls, []);
  });

  test('a node that does not exist', async () => {
    const { site } = siteOf();
    await assert.rejects(applySettings(site, { nodes: { 'redis-9': { appendonly: 'yes' } } }), RangeError);
  });

  test('an unknown setting, or one that decides who may log in: nothing is changed', async () => {
    const { site, calls } = siteOf();
    const wanted = { all: { appendonly: 'yes' }, nodes: { 'redis-2': { appendonlyy: 'yes' } } };
    await refuses(
      applySettings(site, wanted),
      /^redis-2 \(redis 7\.0\.15\) has no setting called appendonlyy that can be changed; nothing was changed\.$/,
      /Correct the name/,
    );
    await refuses(
      applySettings(site, { all: { RequirePass: 'x' } }),
      /RequirePass of redis-1 cannot be changed during a run/,
      /where the node is started/,
    );
    assert.deepEqual(calls, []);
    site.stack.about.server.version = null;
    await refuses(applySettings(site, wanted), /\(redis of unknown version\)/, /./);
  });

  test('a node that refuses a value, or goes away meanwhile: the former values are back', async () => {
    for (const [error, remedy] of /** @type {[Error, RegExp][]} */ ([
      [new Refusal('7.0 CONFIG SET failed.'), /Use a value that this server accepts; the former values were put back/],
      [new Error('7.0 CONFIG SET failed.'), /Make sure that the node is healthy/],
    ])) {
      const { site, values } = siteOf({
        onWrite(id) {
          if (id === 'redis-2') throw error;
        },
      });
      const before = structuredClone(values);
      const changed = applySettings(site, { all: { save: '60 x' } });
      await refuses(changed, /^redis-2 refuses save "60 x": 7\.0 CONFIG SET failed\.$/, remedy);
      assert.deepEqual(values, before);
    }
  });

  test('a node that does not answer, or may not be asked', async () => {
    for (const [error, remedy] of /** @type {[Error, RegExp][]} */ ([
      [new Error('ECONNREFUSED'), /sentinel-bench status/],
      [new Refusal('NOPERM no CONFIG'), /Allow this user CONFIG/],
    ])) {
      const { site } = siteOf({
        onRead() {
          throw error;
        },
      });
      const changed = applySettings(site, { all: { save: '1 1' } });
      await refuses(changed, /^redis-\d did not report its settings \((ECONNREFUSED|NOPERM no CONFIG)\)\.$/, remedy);
    }
  });

  test('a node that accepts a value and reports another one', async () => {
    const { site, values } = siteOf({ spell: () => 'no' });
    const before = structuredClone(values);
    await refuses(
      applySettings(site, { nodes: { 'redis-1': { appendonly: 'yes' } } }),
      /^redis-1 accepted appendonly yes, but reports no\.$/,
      /Find out what changes appendonly/,
    );
    assert.deepEqual(values, before);
    const ownSpelling = siteOf({ spell: () => 'slave 0 0 0' });
    await applySettings(ownSpelling.site, { nodes: { 'redis-1': { save: 'replica 0 0 0' } } });
  });
});

test('sizes and words in different spellings mean the same; what nodes spell in their own way is not known', () => {
  for (const [wanted, reported, same] of /** @type {[string, string, boolean | null][]} */ ([
    ['YES', 'yes', true],
    ['yes', 'no', false],
    ['-1', '-1', true],
    ['-1', '1', false],
    ['10b', '10', true],
    ['1k', '1000', true],
    ['1kb', '1024', true],
    ['2MB', '2097152', true],
    ['1gb', '1000000000', false],
    ['1x', '1', null],
    ['x1', '1', null],
    ['x1kb', 'x1024', null],
    ['1kbx', '1', null],
    ['  ', '', true],
    ['', '3600 1', false],
    ['3600 1', '', false],
    [' 3600   1 ', '3600 1', true],
    ['3600 1', '3600 1 300 100', null],
    ['replica 1mb 0 0', 'slave 1048576 0 0', null],
    ['everysec', 'always', null],
    ['1 always', '2 always', null],
  ])) {
    assert.equal(meansSame(wanted, reported), same, `${wanted} and ${reported}`);
  }
});
