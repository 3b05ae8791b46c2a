import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { UserError } from '../errors.js';
import { commandsOf, parseSetting, planChanges, redisCliLogin, undoOf } from './plan.js';

/** @import { NodeAnswers } from './plan.js' */

const FORMER = { appendonly: 'no', appendfsync: 'everysec', 'min-replicas-to-write': '0' };
const WANTED = { 'min-replicas-to-write': '2', appendonly: 'yes', appendfsync: 'always' };

/** @param {Partial<NodeAnswers>} [changed] of the primary @returns {NodeAnswers[]} */
function nodes(changed = {}) {
  return [1, 2, 3].map((number) => ({
    id: `redis-${number}`,
    address: { host: '10.0.0.1', port: 6378 + number },
    isPrimary: number === 1,
    settings: FORMER,
    hasFile: true,
    savedWell: true,
    memoryBytes: 2 ** 20,
    ...(number === 1 && changed),
  }));
}

test('replicas come first, and on each node the file is complete before writes may be refused', () => {
  const plan = planChanges(nodes(), WANTED, { keep: true });
  assert.deepEqual(plan.refusals, []);
  assert.deepEqual(
    plan.nodes.map(({ node }) => node.id),
    ['redis-2', 'redis-3', 'redis-1'],
  );
  assert.deepEqual(commandsOf(plan.nodes[2], { keep: true }), [
    'redis-cli -e -h 10.0.0.1 -p 6379 CONFIG SET appendfsync always  # was everysec',
    'redis-cli -e -h 10.0.0.1 -p 6379 CONFIG SET appendonly yes  # was no',
    '# Here --apply waits until the append-only file is complete.',
    'redis-cli -e -h 10.0.0.1 -p 6379 CONFIG SET min-replicas-to-write 2  # was 0',
    'redis-cli -e -h 10.0.0.1 -p 6379 CONFIG REWRITE',
  ]);
});

test('undoing begins with the primary, in the opposite order', () => {
  const undo = undoOf(planChanges(nodes(), WANTED, { keep: false }), { keep: false });
  assert.deepEqual(undo.slice(0, 3), [
    'redis-cli -e -h 10.0.0.1 -p 6379 CONFIG SET min-replicas-to-write 0',
    'redis-cli -e -h 10.0.0.1 -p 6379 CONFIG SET appendonly no',
    'redis-cli -e -h 10.0.0.1 -p 6379 CONFIG SET appendfsync everysec',
  ]);
  assert.equal(undo.length, 9);
});

test('a node that has the settings already is left alone', () => {
  const plan = planChanges(nodes({ settings: WANTED }), WANTED, { keep: true });
  assert.deepEqual(commandsOf(plan.nodes[2], { keep: true }), []);
  assert.equal(undoOf(plan, { keep: true }).length, 8);
});

test('a value of several words is one word of a shell', () => {
  const settings = { save: '' };
  const plan = planChanges(nodes({ settings }), { save: '3600 1' }, { keep: false });
  assert.deepEqual(commandsOf(plan.nodes[2], { keep: false }), [
    "redis-cli -e -h 10.0.0.1 -p 6379 CONFIG SET save '3600 1'  # was ''",
  ]);
});

describe('it is refused', () => {
  /** @type {[string, RegExp, Partial<NodeAnswers>, Record<string, string>][]} */
  const refusals = [
    ['more replicas than there are', /^With 2 replicas/, {}, { 'min-replicas-to-write': '3' }],
    ['without a configuration file', /^redis-1 runs without a configuration file/, { hasFile: false }, WANTED],
    ['after a save that failed', /^The last save of redis-1 failed/, { savedWell: false }, WANTED],
    ['a former value nobody could paste', /^redis-1 does not say/, { settings: { appendonly: 'no; reboot' } }, WANTED],
  ];
  for (const [name, expected, changed, wanted] of refusals) {
    test(name, () => {
      const { refusals: found } = planChanges(nodes(changed), wanted, { keep: true });
      assert.equal(found.length, 1);
      assert.match(found[0], expected);
    });
  }

  for (const text of [
    'dir=/',
    'appendonly',
    'appendonly=maybe',
    'min-replicas-to-write=01',
    'save=3600',
    '__proto__=1',
  ]) {
    test(text, () => assert.throws(() => parseSetting(text), UserError));
  }
});

test('a printed command logs in as the user did, and the password stays in the environment', () => {
  const environment = { SENTINEL_BENCH_PASSWORD: 'secret-1' };
  assert.deepEqual(redisCliLogin({ user: "o'neil", tlsCa: 'my ca.pem', tlsInsecure: true }, environment), {
    login: ['--tls', '--insecure', "--user 'o'\\''neil'", "--cacert 'my ca.pem'"],
    before: ['export REDISCLI_AUTH="$SENTINEL_BENCH_PASSWORD"'],
  });
  assert.deepEqual(redisCliLogin({ masterName: 'mymaster' }, {}), { login: [], before: [] });
});
