/**
 * One suite for every fault on every backend that can do it, on real servers: it does what it says, what undoes it is on disk
 * by then, and it is undone.
 */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { canDial } from '../stacks/network/firewall-fixture.js';
import { CAN_RELAY } from '../stacks/network/relay/relay.js';
import { ask, bothReplicas, eventually, isReady, silence, writeAndWait } from '../stacks/redis/conformance-help.js';
import { startDocker } from '../stacks/redis/docker/index.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { findServer } from '../stacks/redis/local/server.js';
import { journalLines, journalNames, ownState } from './fixture.js';
import {
  ALL_LINKS,
  blockingCommand,
  fill,
  groupPartition,
  isolate,
  kill,
  lose,
  NETWORK,
  partition,
  pause,
  powerLoss,
  restart,
  slowLink,
  stop,
} from './index.js';
import { createJournal } from './journal.js';
import { applySettings, settingsForBlocking } from './settings.js';

/**
 * @import { Network } from '../stacks/network/network.js'
 * @import { Stack, NodeFiles } from '../stacks/types.js'
 * @import { Flapping } from './index.js'
 * @import { Fault, Journal } from './types.js'
 */

await ownState();

const SLOW_MS = 30;

/** A cut link holds its data, so WAIT counts no replica meanwhile. */
const WAIT_MS = 200;

const REDIS = ['redis-1', 'redis-2', 'redis-3'];

/** Where nothing may be skipped, this is an error. */
const NO_DISK = await needs('volatile disk');
const NO_BRIDGE = await needs('bridge firewall');

/** @typedef {{oneWay?: boolean, flapping?: Flapping}} TriedPartition */

const BOTH_WAYS = /** @type {TriedPartition} */ ({});
const ONE_WAY = /** @type {TriedPartition} */ ({ oneWay: true });
const FLAPPING = /** @type {TriedPartition} */ ({ flapping: { lostMs: 1000, wellMs: 1000 } });

/** What the server itself does is the same everywhere: it is tried on the first backend. */
const BY_SERVER = ['blocking-command', 'slow-script'];

/**
 * The third and the fourth differ from the first by their network alone.
 *
 * @typedef {Object} FaultBackend
 * @property {string} name
 * @property {string[]} needed
 * @property {() => Promise<Stack>} start
 * @property {string[]} lacks abilities
 * @property {(fault: string) => boolean} tries this fault of a replica
 * @property {TriedPartition[]} partitions of groups, where it can divide the network
 */
/** @type {FaultBackend[]} */
const BACKENDS = [
  {
    name: 'local',
    needed: ['redis-server'],
    start: async () =>
      startLocal({
        server: 'redis-server',
        links: CAN_RELAY,
        volatileDisks: NO_DISK ? [] : REDIS,
        // The other backends block by scripts.
        settings: settingsForBlocking((await findServer('redis-server')) ?? assert.fail('there is none')),
      }),
    lacks: [
      'isolate',
      ...(CAN_RELAY ? [] : ['partition', 'lose', 'slow-link']),
      ...(NO_DISK ? ['power-loss', 'fill'] : []),
      'group-partition',
    ],
    tries: () => true,
    partitions: [],
  },
  {
    name: 'local, with a network of groups',
    needed: ['redis-server', 'firewall'],
    start: () => startLocal({ server: 'redis-server', network: true }),
    lacks: ['isolate', 'partition', 'lose', 'slow-link', 'power-loss', 'fill'],
    tries: () => false,
    partitions: [BOTH_WAYS, ONE_WAY, FLAPPING],
  },
  {
    name: 'hosts',
    needed: ['redis-server', 'namespaces'],
    start: () => startLocal({ server: 'redis-server', hosts: true }),
    lacks: ['slow-link', 'power-loss', 'fill'],
    tries: (fault) => ['lose', 'partition', 'isolate'].includes(fault),
    partitions: [ONE_WAY],
  },
  {
    name: 'docker',
    needed: ['docker'],
    start: () => startDocker({ volatileDisks: NO_DISK ? [] : REDIS }),
    lacks: ['slow-link', ...(NO_DISK ? ['power-loss', 'fill'] : []), ...(NO_BRIDGE ? ['group-partition'] : [])],
    tries: (fault) => !BY_SERVER.includes(fault),
    partitions: NO_BRIDGE ? [] : [BOTH_WAYS],
  },
];

/** A folder since Redis 7, a file before. */
const AOF_NAMES = ['appendonlydir', 'appendonly.aof'];

/** @param {Stack} stack @param {string} id */
async function runId(stack, id) {
  return /run_id:(\w+)/.exec(String(await ask(stack, id, 'INFO', 'server')))?.[1];
}

/** @param {Stack} stack @param {string} id */
const answers = async (stack, id) => (await ask(stack, id, 'PING')) === 'PONG';

/** @param {Stack} stack @param {string} id @returns {Promise<boolean>} it has room for a snapshot */
async function canSave(stack, id) {
  try {
    return (await ask(stack, id, 'SAVE')) === 'OK';
  } catch {
    return false;
  }
}

/** @param {Stack} stack @param {string} id */
const isSilent = async (stack, id) => (await silence(stack, id)) !== null;

/** One of two replicas, which may be cut off, does not acknowledge, and the other does. @param {Stack} stack */
async function oneAcknowledges(stack) {
  let reached = 0;
  // On a busy machine it may be none in so short a time.
  await eventually('a replica acknowledges', async () => {
    ({ reached } = await writeAndWait(stack, 2, { waitMs: WAIT_MS }));
    return reached > 0;
  });
  return reached === 1;
}

/**
 * What a fault does to a replica. While it lasts `holds` is true whenever it is asked; afterwards a busy machine may still look
 * like it for a moment.
 * @type {{fault: Fault, pending: object, holds: (stack: Stack, id: string, formerRunId: string | undefined) => Promise<boolean>, restarts?: boolean}[]}
 */
const ON_REPLICA = [
  { fault: pause, pending: { kind: 'act', action: 'resume' }, holds: isSilent },
  ...[stop, kill, lose, powerLoss].map((fault) => ({
    fault,
    pending: { kind: 'act', action: 'start' },
    holds: isSilent,
    restarts: true,
  })),
  {
    fault: fill,
    pending: { kind: 'act', action: 'free' },
    holds: async (c, id) => (await answers(c, id)) && !(await canSave(c, id)),
  },
  {
    fault: restart,
    pending: { kind: 'act', action: 'start' },
    holds: async (c, id, former) => (await answers(c, id)) && (await runId(c, id)) !== former,
    restarts: true,
  },
  {
    fault: partition,
    pending: { kind: 'act', action: 'join' },
    holds: async (c, id) => (await answers(c, id)) && (await oneAcknowledges(c)),
  },
  {
    fault: isolate,
    pending: { kind: 'act', action: 'join' },
    holds: async (c, id) => (await isSilent(c, id)) && (await oneAcknowledges(c)),
  },
  {
    fault: slowLink({ latencyMs: SLOW_MS }),
    pending: { kind: 'slow' },
    // One replica is slowed; the other acknowledges as before.
    holds: async (c) => (await writeAndWait(c, 2)).ms >= SLOW_MS / 2 && (await writeAndWait(c, 2)).reached === 2,
  },
  {
    // Longer than one script may last.
    fault: blockingCommand(6000),
    pending: { kind: 'call', command: ['PING'] },
    holds: isSilent,
  },
  {
    fault: blockingCommand(1500, { script: true }),
    pending: { kind: 'call', command: ['PING'] },
    holds: isSilent,
  },
];

for (const { name, needed, start, lacks, tries, partitions } of BACKENDS) {
  describe(name, { skip: await needs(...needed) }, () => {
    /** @type {Stack} */
    let stack;
    /** @type {Journal} */
    let journal;
    before(async () => {
      stack = await start();
    });
    after(() => stack?.close());
    beforeEach(() => {
      journal = createJournal(stack);
    });
    afterEach(async () => {
      // Whatever a test that failed left must not fail the next one.
      try {
        await stack.heal();
        await journal.undoAll();
        await stack.heal();
      } finally {
        await journal.close({ abandon: true });
      }
    });

    test('the list of missing abilities is complete', () => {
      const abilities = new Set([
        ...ON_REPLICA.flatMap(({ fault }) => fault.needs),
        ...groupPartition({ groups: [] }).needs,
      ]);
      assert.deepEqual([...abilities].filter((ability) => !stack.can.has(ability)).sort(), [...lacks].sort());
    });

    const possible = ON_REPLICA.filter(({ fault }) => !fault.needs.some((ability) => lacks.includes(ability)));
    for (const { fault, pending, holds, restarts } of possible) {
      if (!tries(fault.name)) continue;
      test(`${fault.name}: does what it says, and is undone`, async () => {
        const [{ id }] = await bothReplicas(stack);
        const former = await runId(stack, id);
        assert.deepEqual(journalNames(), []);

        const undo = await fault.inject({ stack, journal }, id);
        const [line, ...more] = journalLines();
        assert.deepEqual({ ...line.undo, ...pending, id }, line.undo, 'what undoes it is on disk');
        assert.deepEqual(more, []);
        assert.ok(await holds(stack, id, former), `${id} ${fault.what}`);

        await undo();
        await undo();
        assert.deepEqual(journalLines().slice(1), [{ done: line.n }]);
        await eventually('the stack is well', () => isReady(stack));
        await eventually('both acknowledge', async () => (await writeAndWait(stack, 2)).reached === 2);
        const current = await runId(stack, id);
        await eventually(`${id} no longer ${fault.what}`, async () => !(await holds(stack, id, current)));
        assert.equal((await runId(stack, id)) !== former, restarts === true, 'another process only after a restart');
        await journal.close();
        assert.deepEqual(journalNames(), []);
      });
    }

    for (const { oneWay, flapping } of partitions) {
      test(`group partition, ${oneWay ? 'one way' : 'both ways'}${flapping ? ', flapping' : ''}`, async () => {
        const network = /** @type {Network} */ (stack.network.groups);
        const leader = await stack.database.primary();
        const [first, second] = await bothReplicas(stack);
        const groups = [
          [leader.id, first.id, 'sentinel-1', 'here'],
          [second.id, 'sentinel-2', 'sentinel-3', 'there'],
        ];
        await network.admit(['here', 'there']);
        const [here, there] = ['here', 'there'].map((client) => network.clientAddress(client));
        const reaches = async () => ({
          here: await canDial(leader.address, here),
          there: await canDial(leader.address, there),
          anybody: await canDial(leader.address),
        });
        assert.deepEqual(await reaches(), { here: true, there: true, anybody: true });
        const undo = await groupPartition({ groups, oneWay, flapping }).inject({ stack, journal }, NETWORK);
        const [line, ...more] = journalLines();
        assert.deepEqual([line.undo, more], [{ kind: 'network' }, []], 'what undoes it is on disk');
        if (flapping) {
          await eventually('it comes', async () => !(await reaches()).there);
          await eventually('it goes', async () => (await reaches()).there);
          await eventually('it comes again', async () => !(await reaches()).there);
        } else {
          assert.deepEqual(await reaches(), { here: true, there: false, anybody: true });
          assert.ok(await oneAcknowledges(stack), 'a replica in its group acknowledges, the other does not');
        }
        await undo();
        await undo();
        assert.deepEqual(journalLines().slice(1), [{ done: line.n }]);
        assert.deepEqual(await reaches(), { here: true, there: true, anybody: true });
        await stack.heal();
        await eventually('both acknowledge', async () => (await writeAndWait(stack, 2)).reached === 2);
      });
    }

    if (!tries('stop')) return;

    test('an append-only file of a temporary setting is removed, and an older one stays', async () => {
      // As one that `up` started.
      const stays = { stack: { ...stack, about: { ...stack.about, ours: false } }, journal };
      const files = /** @type {NodeFiles} */ (stack.host.files);
      const has = () => Promise.all(REDIS.map((id) => Promise.all(AOF_NAMES.map((name) => files.has(id, name)))));
      assert.ok((await has()).flat().every((there) => !there));
      const undo = await applySettings(stays, { all: { appendonly: 'yes' } });
      assert.ok((await has()).every((there) => there.includes(true)));
      await undo();
      assert.ok((await has()).flat().every((there) => !there));

      for (const value of ['yes', 'no']) await ask(stack, 'redis-2', 'CONFIG', 'SET', 'appendonly', value);
      await (await applySettings(stays, { all: { appendonly: 'yes' } }))();
      assert.deepEqual(
        (await has()).map((there) => there.includes(true)),
        [false, true, false],
      );
      for (const name of AOF_NAMES) await files.remove('redis-2', name);
      assert.ok((await has()).flat().every((there) => !there));
      for (const name of ['../redis-1', '/data', '.', '..', 'a/b']) {
        await assert.rejects(async () => files.remove('redis-2', name), RangeError);
      }
    });

    if (!tries('blocking-command')) return;

    const ifSlow = lacks.includes('slow-link') ? null : test;
    ifSlow?.('all links are slowed at once', async () => {
      const undo = await slowLink({ latencyMs: SLOW_MS }).inject({ stack, journal }, ALL_LINKS);
      assert.ok((await writeAndWait(stack, 1)).ms >= SLOW_MS / 2);
      await undo();
      await eventually('they are fast again', async () => (await writeAndWait(stack, 1)).ms < SLOW_MS / 2);
    });
  });
}
