import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { array, bulk, info, record, serve } from '../../src/hostile-fixture.js';
import { programPath } from '../../src/programs.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { needs } from '../../test/needs.js';
import { startScript, textOf } from './failover-script-fixture.js';

/**
 * @import { Address } from '../../src/stacks/types.js'
 * @import { TestContext } from 'node:test'
 */

/**
 * examples/planned-failover.sh among servers that say what no server should. They play one primary, one replica and one Sentinel.
 */

const folder = await ownTemporaryFolder();
const OWNED = join(folder, 'owned');
const SHELL_TEXT = `$(touch ${OWNED})\`touch ${OWNED}\`'"; touch ${OWNED} #`;
const ESCAPES = '\u001b]0;OWNED\u0007\u001b[2J\r\u009b31m';
const HISTORY = 'd'.repeat(40);
const OK = '+OK\r\n';
const UNSAFE = /(?!\n)[^ -~…]/;

/**
 * @typedef {Object} HostileReplies what the servers say; a test changes parts of it
 * @property {(words: string[]) => string | undefined} sentinel undefined: what a good one says
 * @property {(words: string[]) => string | undefined} primary
 * @property {(words: string[]) => string | undefined} replica
 */

/** @param {TestContext} t @param {Partial<HostileReplies>} replies */
async function play(t, replies) {
  /** @type {string[]} every command that changes something, in order */
  const changes = [];
  let demoted = false;
  let failoverAsked = false;
  const note = (/** @type {string} */ who, /** @type {string[]} */ words) => {
    const text = words.join(' ').toUpperCase();
    if (/^(CLIENT|REPLICAOF|CONFIG|SENTINEL FAILOVER)/.test(text)) changes.push(`${who} ${text}`);
    return text;
  };
  /** @type {Address} */
  let replicaAt;
  const primary = await serve(t, (words) => {
    const text = note('primary', words);
    const reply = replies.primary?.(words);
    if (text.startsWith('REPLICAOF')) demoted = text !== 'REPLICAOF NO ONE';
    if (reply !== undefined) return reply;
    if (text === 'TIME') return array([bulk(`${Math.floor(Date.now() / 1000)}`), bulk('1')]);
    if (!text.startsWith('INFO')) return OK;
    return info({
      role: demoted ? 'slave' : 'master',
      ...(demoted && { master_host: replicaAt.host, master_port: replicaAt.port }),
      master_replid: HISTORY,
      master_repl_offset: 1000,
    });
  });
  const replica = await serve(t, (words) => {
    const text = note('replica', words);
    const reply = replies.replica?.(words);
    if (reply !== undefined) return reply;
    if (!text.startsWith('INFO')) return OK;
    return info(
      failoverAsked
        ? { role: 'master', master_replid: 'e'.repeat(40), master_replid2: HISTORY, second_repl_offset: 1001 }
        : {
            role: 'slave',
            master_replid: HISTORY,
            master_link_status: 'up',
            slave_repl_offset: 1000,
            slave_priority: 100,
          },
    );
  });
  replicaAt = replica;
  const sentinel = await serve(t, (words) => {
    const text = note('sentinel', words);
    const reply = replies.sentinel?.(words);
    if (reply !== undefined) return reply;
    if (text.startsWith('INFO')) return info({ sentinel_tilt: 0 });
    if (text.startsWith('SENTINEL CKQUORUM')) return '+OK 1 usable Sentinels.\r\n';
    if (text.startsWith('SENTINEL FAILOVER')) {
      failoverAsked = true;
      return OK;
    }
    const leader = failoverAsked ? replica : primary;
    if (text.startsWith('SENTINEL GET-MASTER')) return array([bulk(leader.host), bulk(`${leader.port}`)]);
    if (text.startsWith('SENTINEL MASTER'))
      return record({ name: 'm', flags: 'master', 'down-after-milliseconds': 6000 });
    return array([record({ name: 'x', ip: replica.host, port: replica.port, flags: 'slave', 'slave-priority': 100 })]);
  });
  /** @param {string[]} args */
  const run = async (...args) => {
    const ended = await startScript(['--sentinel', textOf(sentinel), '--name', 'm', ...args], { cli: CLI }).ended;
    assert.doesNotMatch(ended.output, UNSAFE, 'nothing that means something to a terminal');
    assert.equal(existsSync(OWNED), false, 'nothing was executed');
    return { ...ended, changes };
  };
  return { run, changes };
}

const CLI = String(programPath('redis-cli') ?? programPath('valkey-cli'));
const skip = await needs('server');

/** @param {string} command @param {string} reply @returns {(words: string[]) => string | undefined} */
const to = (command, reply) => (words) => (words.join(' ').toUpperCase().startsWith(command) ? reply : undefined);

describe('the safe failover among hostile servers', { skip }, () => {
  test('good servers: each step in its order', async (t) => {
    const { run } = await play(t, {});
    const { status, output, changes } = await run();
    assert.equal(status, 0, output);
    assert.deepEqual(
      changes.map((change) => change.replace(/127\.0\.0\.1 \d+$/, 'REPLICA')),
      [
        'primary CLIENT PAUSE 4000 WRITE',
        'primary REPLICAOF REPLICA',
        'sentinel SENTINEL FAILOVER M',
        'primary CLIENT UNPAUSE',
        'primary CONFIG REWRITE',
        'primary CLIENT KILL TYPE NORMAL',
        'primary CLIENT KILL TYPE PUBSUB',
      ],
    );
  });

  /** @type {(command: string, reply: string) => Partial<HostileReplies>} */
  const says = (command, reply) => ({ sentinel: to(command, reply) });
  const names = (/** @type {string} */ host, /** @type {string} */ port) =>
    says('SENTINEL GET-MASTER', array([bulk(host), bulk(port)]));
  const flagged = (/** @type {object} */ fields) => says('SENTINEL MASTER', record({ flags: 'master', ...fields }));
  const unlinked = { role: 'slave', master_replid: HISTORY, master_link_status: 'down', slave_repl_offset: 1 };
  const FOR_A_SHELL = record({ name: 'x', ip: SHELL_TEXT, port: 1 });
  const NO_QUORUM = `-NOQUORUM ${ESCAPES.replace('\r', '')}\r\n`;

  /** @type {[string, Partial<HostileReplies>, number, RegExp][]} */
  const BEFORE = [
    ['a host for a shell', names(SHELL_TEXT, '6379'), 3, /does not say/],
    ['a host like an option', names('--eval', '6379'), 3, /does not say/],
    ['a port for a shell', names('::1', SHELL_TEXT), 3, /does not say/],
    ['an invalid port', names('::1', '65536'), 3, /does not say/],
    ['a line break in an address', names('::1\n7', '1'), 3, /does not say/],
    ['no such primary', says('SENTINEL GET-MASTER', '*-1\r\n'), 3, /Correct --name/],
    ['flags for a terminal', flagged({ flags: `master${ESCAPES}` }), 1, /Wait until all is well/],
    ['an error for a terminal', says('SENTINEL CKQUORUM', NO_QUORUM), 1, /could not agree/],
    ['a Sentinel in TILT', says('INFO', info({ sentinel_tilt: 1 })), 3, /TILT/],
    ['a replica for a shell', says('SENTINEL REPLICAS', array([FOR_A_SHELL])), 1, /is not an address/],
    ['no replicas', says('SENTINEL REPLICAS', '*0\r\n'), 1, /know no replica/],
    ['a long down-after', flagged({ 'down-after-milliseconds': '9'.repeat(40) }), 1, /names its down-after/],
    ['no link', { replica: to('INFO', info({ ...unlinked, slave_priority: 1 })) }, 1, /has lost its primary/],
    ['an octal priority', { replica: to('INFO', info({ role: 'slave', slave_priority: '08' })) }, 1, /does not answer/],
    [
      'a replication id for sed',
      { primary: to('INFO', info({ role: 'master', master_replid: '.*' })) },
      1,
      /does not answer as a primary/,
    ],
  ];
  for (const [name, replies, expected, message] of BEFORE) {
    test(`${name}: nothing is touched`, async (t) => {
      const { run } = await play(t, replies);
      const { status, output, changes } = await run();
      assert.deepEqual([status, changes], [expected, []], output);
      assert.match(output, message);
    });
  }

  test('a replica that lags: released, and no Sentinel was asked', async (t) => {
    const reply = info({
      role: 'slave',
      master_replid: HISTORY,
      master_link_status: 'up',
      slave_repl_offset: 999,
      slave_priority: 100,
    });
    const { run } = await play(t, { replica: to('INFO', reply) });
    const { status, output, changes } = await run();
    assert.equal(status, 1, output);
    assert.match(output, /is 1 bytes behind after 2000 ms/);
    assert.deepEqual(changes, ['primary CLIENT PAUSE 4000 WRITE', 'primary CLIENT UNPAUSE']);
  });

  test('a primary that accepted a write after all: its roles come back, and no Sentinel was asked', async (t) => {
    let looks = 0;
    const { run } = await play(t, {
      // The last look, after the demotion, shows a write that the replica does not have.
      primary: (words) =>
        words[0] === 'INFO' && ++looks === 3
          ? info({ role: 'slave', master_replid: HISTORY, master_repl_offset: 1001 })
          : undefined,
    });
    const { status, output, changes } = await run();
    assert.equal(status, 1, output);
    assert.match(output, /is 1 bytes behind/);
    assert.deepEqual(changes.slice(2), ['primary REPLICAOF NO ONE', 'primary CLIENT UNPAUSE']);
  });

  test('a failover that never ends: the old primary stays a replica, and status 4 says so', async (t) => {
    let failoverAsked = false;
    const { run } = await play(t, {
      sentinel: (words) => {
        if (words[1] === 'FAILOVER') {
          failoverAsked = true;
          return '-INPROG Failover already in progress\r\n';
        }
        const flags = failoverAsked ? 'master,failover_in_progress' : 'master';
        return words[1] === 'MASTER' ? record({ flags, 'down-after-milliseconds': 6000 }) : undefined;
      },
    });
    const { status, output, changes } = await run('--switch', '2');
    assert.equal(status, 4, output);
    assert.equal(changes.includes('primary REPLICAOF NO ONE'), false);
    assert.equal(changes.at(-1), 'primary CLIENT UNPAUSE');
  });

  test('a server that never answers is left after seconds', async (t) => {
    const { run } = await play(t, { sentinel: () => '' });
    const { status, output } = await run();
    assert.equal(status, 3);
    assert.match(output, /no answer within 3 s/);
  });
});
