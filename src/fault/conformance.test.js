import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { ask, eventually, isReady } from '../cluster/conformance-help.js';
import { connectControl } from '../cluster/control.js';
import { dockerAvailable, startDocker } from '../cluster/docker.js';
import { startLocal } from '../cluster/local.js';
import { findServer } from '../cluster/local-server.js';
import { CAN_RELAY } from '../cluster/relay.js';
import { UserError } from '../errors.js';
import { journalLines, journalNames, ownState } from './fixture.js';
import { ALL_LINKS, clientPause, cut, failover, isolate, kill, pause, restart, slowLink, stop } from './index.js';
import { createJournal } from './journal.js';

/**
 * One suite for every fault on every backend that can do it, on real servers: it does what it says, what undoes it is on disk
 * by then, and it is undone.
 *
 * @typedef {import('../cluster/types.js').Cluster} Cluster
 * @typedef {import('./types.js').Fault} Fault
 * @typedef {import('./types.js').Site} Site
 */

await ownState();

const SLOW_MS = 30;

/** A cut link holds what is sent on it; WAIT is told of nobody meanwhile. */
const WAIT_MS = '200';

const BACKENDS = [
  {
    name: 'local',
    unavailable: () => findServer('redis-server').then((found) => (found ? null : 'there is no redis-server')),
    start: () => startLocal({ server: 'redis-server', links: CAN_RELAY }),
    lacks: CAN_RELAY ? ['isolate'] : ['isolate', 'cut', 'slow-link'],
  },
  {
    name: 'docker',
    unavailable: () => dockerAvailable().then(({ ok, reason }) => (ok ? null : reason)),
    start: () => startDocker(),
    lacks: ['slow-link'],
  },
];

/**
 * @param {Cluster} cluster
 * @param {string} id
 */
async function runId(cluster, id) {
  return /run_id:(\w+)/.exec(String(await ask(cluster, id, 'INFO', 'server')))?.[1];
}

/**
 * @param {Cluster} cluster
 * @param {string} id
 */
const answers = (cluster, id) => ask(cluster, id, 'PING').then(String, () => null);

/**
 * How many replicas acknowledge a write, and how long the WAIT took.
 *
 * @param {Cluster} cluster
 * @param {number} replicas
 */
async function writeAndWait(cluster, replicas) {
  const { address } = await cluster.primary();
  const control = await connectControl(address);
  try {
    await control.call('SET', 'sentinel-bench:fault', performance.now());
    const began = performance.now();
    return { reached: Number(await control.call('WAIT', replicas, WAIT_MS)), ms: performance.now() - began };
  } finally {
    control.close();
  }
}

/**
 * What a fault does to a replica.
 *
 * @type {{fault: Fault, pending: object, holds: (cluster: Cluster, id: string, formerRunId: string | undefined) => Promise<boolean>, restarts?: boolean}[]}
 */
const ON_REPLICA = [
  { fault: pause, pending: { kind: 'act', action: 'resume' }, holds: async (c, id) => (await answers(c, id)) === null },
  {
    fault: stop,
    pending: { kind: 'act', action: 'start' },
    holds: async (c, id) => (await answers(c, id)) === null,
    restarts: true,
  },
  {
    fault: kill,
    pending: { kind: 'act', action: 'start' },
    holds: async (c, id) => (await answers(c, id)) === null,
    restarts: true,
  },
  {
    fault: restart,
    pending: { kind: 'act', action: 'start' },
    holds: async (c, id, former) => (await answers(c, id)) === 'PONG' && (await runId(c, id)) !== former,
    restarts: true,
  },
  {
    fault: cut,
    pending: { kind: 'act', action: 'join' },
    holds: async (c, id) => (await answers(c, id)) === 'PONG' && (await writeAndWait(c, 2)).reached === 1,
  },
  {
    fault: isolate,
    pending: { kind: 'act', action: 'join' },
    holds: async (c, id) => (await answers(c, id)) === null && (await writeAndWait(c, 2)).reached === 1,
  },
  {
    fault: slowLink({ latencyMs: SLOW_MS }),
    pending: { kind: 'slow' },
    // One replica is slowed; the other acknowledges as before.
    holds: async (c) => (await writeAndWait(c, 2)).ms >= SLOW_MS / 2 && (await writeAndWait(c, 2)).reached === 2,
  },
  {
    fault: clientPause(60_000, 'WRITE'),
    pending: { kind: 'call', command: ['CLIENT', 'UNPAUSE'] },
    // A replica holds back no more than a PUBLISH: it is no write, and goes to all others.
    holds: async (c, id) =>
      (await answers(c, id)) === 'PONG' &&
      (await ask(c, id, 'PUBLISH', 'x', 'y').then(
        () => false,
        () => true,
      )),
  },
];

for (const { name, unavailable, start, lacks } of BACKENDS) {
  const reason = await unavailable();
  if (reason !== null && process.env.SENTINEL_BENCH_NO_SKIP !== '1') {
    test(name, { skip: reason }, () => {});
    continue;
  }
  describe(name, () => {
    /** @type {Cluster} */
    let cluster;
    /** @type {import('./types.js').Journal} */
    let journal;
    before(async () => {
      cluster = await start();
    });
    after(() => cluster?.close());
    beforeEach(() => {
      journal = createJournal(cluster);
    });
    afterEach(async () => {
      // Whatever a test that failed left must not fail the next one.
      try {
        await cluster.heal();
        await journal.undoAll();
        await cluster.heal();
      } finally {
        await journal.close({ abandon: true });
      }
    });

    test('what it cannot do is what is left out here', () => {
      const abilities = new Set(ON_REPLICA.flatMap(({ fault }) => fault.needs));
      assert.deepEqual([...abilities].filter((ability) => !cluster.can.has(ability)).sort(), [...lacks].sort());
    });

    const possible = ON_REPLICA.filter(({ fault }) => !fault.needs.some((ability) => lacks.includes(ability)));
    for (const { fault, pending, holds, restarts } of possible) {
      test(`${fault.name}: does what it says, and is undone`, async () => {
        const [{ id }] = await cluster.replicas();
        const former = await runId(cluster, id);
        assert.deepEqual(journalNames(), []);

        const undo = await fault.inject({ cluster, journal }, id);
        const [line, ...more] = journalLines();
        assert.deepEqual({ ...line.undo, ...pending, id }, line.undo, 'what undoes it is on disk');
        assert.deepEqual(more, []);
        assert.ok(await holds(cluster, id, former), `${id} ${fault.what}`);

        await undo();
        await undo();
        assert.deepEqual(journalLines().slice(1), [{ done: line.n }]);
        await eventually('the stack is well', () => isReady(cluster));
        await eventually('both acknowledge', async () => (await writeAndWait(cluster, 2)).reached === 2);
        assert.ok(!(await holds(cluster, id, await runId(cluster, id))), `${id} no longer ${fault.what}`);
        assert.equal((await runId(cluster, id)) !== former, restarts === true, 'another process only after a restart');
        await journal.close();
        assert.deepEqual(journalNames(), []);
      });
    }

    test('what undoes a fault is on disk before anything is done', async () => {
      const [{ id }] = await cluster.replicas();
      /** @type {any[]} */
      const seen = [];
      const witness = {
        ...cluster,
        act: async () => void seen.push(journalLines()),
        slow: async () => void seen.push(journalLines()),
      };
      const able = new Set(/** @type {const} */ (['cut', 'slow-link', 'pause', 'stop', 'kill', 'isolate']));
      for (const { fault } of ON_REPLICA) {
        if (fault.name === 'client-pause') continue;
        const own = createJournal({ ...witness, can: able });
        await fault.inject({ cluster: witness, journal: own }, id);
        assert.equal(seen.shift()?.length, 1, fault.name);
        await own.close({ abandon: true });
        seen.length = 0;
      }
    });

    test('undoAll undoes several, newest first, and again does nothing', async () => {
      const [first, second] = await cluster.replicas();
      const site = { cluster, journal };
      await pause.inject(site, first.id);
      await kill.inject(site, second.id);
      await stop.inject(site, 'sentinel-1');
      await journal.undoAll();
      await journal.undoAll();
      assert.deepEqual(
        journalLines().flatMap(({ done }) => done ?? []),
        [3, 2, 1],
      );
      await eventually('the stack is well', () => isReady(cluster));
    });

    test('what cannot be undone is named and stays; the rest is undone, and it is once it can be', async () => {
      const [first, second] = await cluster.replicas();
      await pause.inject({ cluster, journal }, first.id);
      await journal.note({ kind: 'call', id: second.id, command: ['PING'] });
      await cluster.act(second.id, 'kill');
      await assert.rejects(journal.undoAll(), (error) => {
        assert.ok(error instanceof UserError);
        assert.match(
          error.message,
          RegExp(`send PING to ${second.id} \\((.*ECONNREFUSED|.*EHOSTUNREACH|.*ETIMEDOUT|.*timed out)`),
        );
        assert.doesNotMatch(error.message, RegExp(first.id));
        return true;
      });
      assert.equal(await answers(cluster, first.id), 'PONG');
      assert.deepEqual(journalLines().at(-1), { done: 1 });
      await cluster.act(second.id, 'start');
      await journal.undoAll();
      assert.deepEqual(journalLines().at(-1), { done: 2 });
    });

    test('CLIENT PAUSE ALL is over when undone, though it holds back what would end it', async () => {
      const [{ id }] = await cluster.replicas();
      const undo = await clientPause(1000, 'ALL').inject({ cluster, journal }, id);
      assert.equal(await answers(cluster, id), null);
      await undo();
      assert.equal(await answers(cluster, id), 'PONG');
    });

    test('a planned failover makes another node the primary', async () => {
      const { id } = await cluster.primary();
      // One that is away is passed over.
      await kill.inject({ cluster, journal }, 'sentinel-1');
      const undo = await failover.inject({ cluster, journal }, id);
      await eventually('the Sentinels name another primary', async () => (await cluster.primary()).id !== id);
      await undo();
    });

    test('a failover that no Sentinel begins is an error with its words', async () => {
      const replicas = await cluster.replicas();
      for (const replica of replicas) await kill.inject({ cluster, journal }, replica.id);
      await cluster.act('sentinel-1', 'stop');
      await cluster.act('sentinel-1', 'start');
      const { id } = await cluster.primary();
      await eventually('it is refused', async () =>
        failover.inject({ cluster, journal }, id).then(
          () => false,
          (error) => error instanceof UserError && /sentinel-1: NOGOODSLAVE/.test(error.message),
        ),
      );
    });

    const ifSlow = lacks.includes('slow-link') ? null : test;
    ifSlow?.('all links are slowed at once', async () => {
      const undo = await slowLink({ latencyMs: SLOW_MS }).inject({ cluster, journal }, ALL_LINKS);
      assert.ok((await writeAndWait(cluster, 1)).ms >= SLOW_MS / 2);
      await undo();
      assert.ok((await writeAndWait(cluster, 1)).ms < SLOW_MS / 2);
    });
  });
}
