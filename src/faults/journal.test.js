/** The journal in memory and on disk: what its file says about a stack, and how steps are undone. */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from '../private-files.js';
import { journalNames, keepStateApart } from './fixture.js';
import { adoptJournal, createJournal, describeStep, doStep, placeOf } from './journal.js';
import { journalFolder, listJournalFiles, readJournalFile } from './journal-file.js';

/**
 * @import { Stack } from '../stacks/types.js'
 * @import { UndoStep } from './types.js'
 */

/**
 * A stack in memory that writes down what is asked of it.
 * @param {Object} [how]
 * @param {string[]} [how.can] default: everything
 * @param {string[]} [how.doubts] why it is not ready
 * @param {(id: string, action: string) => void} [how.onAct] throws what goes wrong
 * @param {'local' | 'external'} [how.backend]
 * @param {object} [how.credentials]
 * @param {object[]} [how.nodes]
 */
function stackOf({
  can = ['kill', 'stop', 'pause', 'partition', 'slow-link'],
  doubts = [],
  onAct = () => {},
  backend = 'local',
  credentials = {},
  nodes = ['redis-1', 'redis-2'].map((id) => ({ id, kind: 'redis' })),
} = {}) {
  const calls = /** @type {unknown[][]} */ ([]);
  let keys = 3;
  const stack = /** @type {Stack} */ (
    /** @type {unknown} */ ({
      about: { backend, identity: 'a stack in memory' },
      access: { masterName: 'mymaster', credentials },
      nodes,
      can: new Set(can),
      host: {
        async act(/** @type {string} */ id, /** @type {string} */ action) {
          calls.push([action, id]);
          onAct(id, action);
        },
      },
      network: {
        slow: async (/** @type {null} */ shape, /** @type {string} */ id) => calls.push(['slow', shape, id]),
        groups: null,
      },
      heal: async () => calls.push(['heal']),
      database: {
        observe: async () => 'what is seen',
        primary: async () => ({ id: 'redis-2' }),
        whyNotReady: (/** @type {string} */ seen) => (seen === 'what is seen' ? doubts : ['nothing was seen']),
        isReplyError: () => false,
        connect: async (/** @type {{id: string}} */ { id }, /** @type {object} */ _, /** @type {object} */ limits) => ({
          call: async (/** @type {unknown[]} */ ...command) => calls.push([id, ...command, limits]),
          lost: () => false,
          close() {},
        }),
        keys: {
          async removeByPrefix(/** @type {object} */ _, /** @type {string} */ prefix) {
            calls.push(['remove', prefix]);
            return keys > 0 ? keys-- : 0;
          },
        },
        settings: {
          restore: async (/** @type {Stack} */ _, /** @type {{id: string}} */ { id }) => calls.push(['restore', id]),
        },
      },
    })
  );
  return { stack, calls };
}

/** @param {string} id @returns {UndoStep} */
const start = (id) => ({ kind: 'act', id, action: 'start' });

/** @type {[step: UndoStep, words: string, calls: unknown[][]][]} */
const STEPS = [
  [start('redis-1'), 'start redis-1', [['start', 'redis-1']]],
  [{ kind: 'act', id: 'redis-1', action: 'join' }, 'join redis-1 with its peers', [['join', 'redis-1']]],
  [{ kind: 'slow' }, 'make the links fast again', [['slow', null, undefined]]],
  [{ kind: 'slow', id: 'redis-1' }, 'make the links of redis-1 fast again', [['slow', null, 'redis-1']]],
  [
    { kind: 'call', id: 'redis-1', command: ['PING', 2], withinMs: 5 },
    'send PING 2 to redis-1',
    [['redis-1', 'PING', 2, { timeoutMs: 5 }]],
  ],
  [{ kind: 'heal' }, 'heal the stack', [['heal']]],
  [{ kind: 'network' }, 'join the groups of nodes and clients', []],
  [
    { kind: 'keys', prefix: 'sentinel-bench:x' },
    'remove the keys that start with sentinel-bench:x',
    Array(4).fill(['remove', 'sentinel-bench:x']),
  ],
  [
    { kind: 'settings', id: 'redis-1', settings: { a: '1', b: '2' } },
    'put back a, b of redis-1',
    [['restore', 'redis-1']],
  ],
];

test('each step is undone, and named', async () => {
  for (const kind of ['config', 'sentinel'])
    assert.equal(describeStep(/** @type {any} */ ({ kind, id: 'x', settings: { a: '1' } })), 'put back a of x');
  for (const [step, words, expected] of STEPS) {
    assert.equal(describeStep(step), words);
    const { stack, calls } = stackOf();
    await doStep(stack, step);
    assert.deepEqual(calls, expected, words);
  }
});

test('a node that is busy with a script is asked again, until the step has taken too long', async () => {
  /** @param {number} times that it is busy */
  const busyStack = (times) => {
    let asked = 0;
    const call = async () => {
      asked++;
      if (asked <= times) throw new Error('BUSY Redis is busy running a script.');
    };
    const { stack } = stackOf();
    const database = { isReplyError: () => true, connect: async () => ({ call, lost: () => false, close() {} }) };
    return { stack: /** @type {any} */ ({ ...stack, database }), asked: () => asked };
  };
  /** @type {UndoStep} */
  const step = { kind: 'call', id: 'redis-1', command: ['PING'], withinMs: 1000 };
  const { stack, asked } = busyStack(2);
  await doStep(stack, step);
  assert.equal(asked(), 3);
  await assert.rejects(doStep(busyStack(1000).stack, { ...step, withinMs: 1 }), /^Error: BUSY/);
});

test('a node of somebody else’s deployment cannot be started: it counts as undone once the deployment is healthy', async () => {
  const healthy = stackOf({ can: ['pause'] });
  await doStep(healthy.stack, start('redis-1'));
  // Its links cannot be slowed, so they are fast already.
  await doStep(healthy.stack, { kind: 'slow' });
  assert.deepEqual(healthy.calls, []);
  const ill = stackOf({ can: ['pause'], doubts: ['redis-1 does not answer', 'more'] });
  await assert.rejects(doStep(ill.stack, start('redis-1')), {
    name: 'UserError',
    message: 'No command was given to start redis-1, and the deployment is not healthy: redis-1 does not answer.',
    remedy: /redis-1 runs/,
  });
});

describe('a journal', () => {
  keepStateApart();

  /** @returns {Promise<any>} */
  const content = async () => readJournalFile(listJournalFiles()[0]);

  test('steps are undone newest first, each once, and the file goes with the last', async () => {
    const { stack, calls } = stackOf();
    const journal = createJournal(stack);
    assert.deepEqual(journalNames(), [], 'no file before there is something to undo');
    const undo = await journal.note(start('redis-1'));
    await journal.note(start('redis-2'));
    const strike = await journal.note({ kind: 'act', id: 'redis-1', action: 'resume' });
    await strike.strike();
    await strike.strike();
    assert.deepEqual(
      (await content()).pending.map((/** @type {{n: number}} */ { n }) => n),
      [1, 2],
    );
    await journal.undoAll();
    await journal.undoAll();
    await undo();
    assert.deepEqual(calls, [
      ['start', 'redis-2'],
      ['start', 'redis-1'],
    ]);
    await journal.close();
    await journal.close();
    assert.deepEqual(journalNames(), []);
    await assert.rejects(journal.note(start('redis-1')), /a closed journal takes no notes/);
  });

  test('all steps are tried; one that fails is named and stays, on disk too, and can be tried again', async () => {
    let fails = true;
    const { stack, calls } = stackOf({
      onAct(id) {
        if (fails && id === 'redis-2') throw new Error('7.0 has no room.');
      },
    });
    const journal = createJournal(stack);
    await journal.note(start('redis-1'));
    const undo = await journal.note(start('redis-2'));
    await assert.rejects(journal.undoAll(), {
      name: 'UserError',
      message: 'Not everything could be undone. Left to undo: start redis-2 (7.0 has no room).',
      remedy: /sentinel-bench recover/,
    });
    assert.deepEqual(calls, [
      ['start', 'redis-2'],
      ['start', 'redis-1'],
    ]);
    assert.equal((await content()).pending.length, 1);
    fails = false;
    // Two that undo a step at once do it once.
    await Promise.all([undo(), undo()]);
    assert.equal(calls.length, 3);
    assert.equal((await content()).pending.length, 0);
    await journal.close();
    assert.deepEqual(journalNames(), []);
  });

  test('closed with something left to undo, the file stays; abandoned, it goes', async () => {
    const kept = createJournal(stackOf().stack);
    await kept.note(start('redis-1'));
    await kept.close();
    assert.equal(journalNames().length, 1);
    rmSync(join(journalFolder(), journalNames()[0]));
    const abandoned = createJournal(stackOf().stack);
    await abandoned.note(start('redis-1'));
    await abandoned.close({ abandon: true });
    assert.deepEqual(journalNames(), []);
    await createJournal(stackOf().stack).close();
  });

  test('an undo that ends after the journal was closed leaves the file as it is', async () => {
    const { stack, calls } = stackOf();
    const journal = createJournal(stack);
    const undo = await journal.note(start('redis-1'));
    await journal.close();
    await undo();
    assert.equal(calls.length, 1);
    assert.equal((await content()).pending.length, 1);
    rmSync(join(journalFolder(), journalNames()[0]));
  });

  test('a recovery continues the steps of a dead process, and reports each one undone', async () => {
    const dead = createJournal(stackOf().stack);
    await dead.note(start('redis-1'));
    await dead.note(start('redis-2'));
    await dead.close();
    const { stack, calls } = stackOf();
    const undone = /** @type {UndoStep[]} */ ([]);
    const journal = await adoptJournal(stack, listJournalFiles()[0], { undone: (step) => undone.push(step) });
    await journal.note({ kind: 'heal' });
    assert.deepEqual(
      (await content()).pending.map((/** @type {{n: number}} */ { n }) => n),
      [1, 2, 3],
    );
    await journal.undoAll();
    assert.deepEqual(calls, [['heal'], ['start', 'redis-2'], ['start', 'redis-1']]);
    assert.deepEqual(undone, [{ kind: 'heal' }, start('redis-2'), start('redis-1')]);
    await journal.close();
    assert.deepEqual(journalNames(), []);
  });

  test('the file says which stack, and where it is looked for', async () => {
    const journal = createJournal(stackOf().stack);
    await journal.note(start('redis-1'));
    const { header } = await content();
    assert.deepEqual(
      [header.backend, header.identity, header.place, header.deployment],
      ['local', 'a stack in memory', temporaryFolder(), undefined],
    );
    await journal.close({ abandon: true });
    process.env.DOCKER_HOST = 'unix:///here';
    assert.deepEqual([placeOf('docker'), placeOf('external')], ['unix:///here', '']);
    delete process.env.DOCKER_HOST;
    assert.equal(placeOf('docker'), '');
  });

  test('of somebody else’s deployment it says how to attach again, without passwords or keys', async () => {
    const address = { host: '10.0.0.1', port: 6379 };
    const nodes = [{ id: 'redis-1', kind: 'redis', address, announced: address }];
    const of = (/** @type {object} */ credentials) => stackOf({ backend: 'external', nodes, credentials }).stack;
    const credentials = {
      username: 'bench',
      password: 'secret-1',
      sentinelUsername: 'watch',
      tls: { ca: 'the CA', serverName: 'redis.example', insecure: false, cert: 'secret-2', key: 'secret-3' },
    };
    const commands = { start: 'systemctl start redis', kill: 'kill -9 it' };
    const stack = of(credentials);
    stack.about.endsWithRun = true;
    stack.access.keyPrefix = 'bench:';
    const journal = createJournal(stack, { commands });
    await journal.note(start('redis-1'));
    const { header } = await content();
    assert.deepEqual(header.deployment, {
      masterName: 'mymaster',
      endsWithRun: true,
      keyPrefix: 'bench:',
      nodes,
      username: 'bench',
      sentinelUsername: 'watch',
      password: true,
      sentinelPassword: false,
      tls: { ca: 'the CA', serverName: 'redis.example', insecure: false, clientCertificate: true },
      // Only commands that undo.
      commands: { start: 'systemctl start redis' },
    });
    assert.doesNotMatch(readFileSync(listJournalFiles()[0].path, 'utf8'), /secret/);
    await journal.close({ abandon: true });
    const plain = createJournal(of({ sentinelPassword: 'x', tls: {} }));
    await plain.note(start('redis-1'));
    const { password, sentinelPassword, tls, commands: none } = (await content()).header.deployment;
    assert.deepEqual([password, sentinelPassword, tls, none], [false, true, { clientCertificate: false }, {}]);
    await plain.close({ abandon: true });
  });
});
