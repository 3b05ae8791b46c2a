import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, describe, test } from 'node:test';
import { slowLink } from '../../src/faults/index.js';
import { createJournal } from '../../src/faults/journal.js';
import { programPath } from '../../src/programs.js';
import { eventually, ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { CAN_RELAY } from '../../src/stacks/network/relay/relay.js';
import { ask } from '../../src/stacks/redis/conformance-help.js';
import { startLocal } from '../../src/stacks/redis/local/index.js';
import { findValkey9, needs } from '../../test/needs.js';
import { deploymentOf, failOver, killer, startWriters, textOf } from './failover-script-fixture.js';

/** @import { Stack } from '../../src/stacks/types.js' */

/**
 * examples/planned-failover.sh under writers whose every acknowledged write is looked for, with the client of Redis and that of Valkey.
 */

const folder = await ownTemporaryFolder();
const noValkey9 = await needs('valkey 9');
const DOWN_AFTER_MS = 5000;
/** A Sentinel notices after down-after and 20 s that the primary calls itself a replica. */
const NOTICED_MS = 90_000;
const WRITES_BEHIND = 50_000;

const FLAVOURS = /** @type {const} */ (['redis', 'valkey']);
/** @type {Record<string, string | false>} */
const skips = {};
for (const flavour of FLAVOURS)
  skips[flavour] = (await needs(`${flavour}-server`)) || (!CAN_RELAY && 'loopback has one address here');

// They mostly wait.
describe('the safe failover', { concurrency: true }, () => FLAVOURS.forEach(suiteOf));

/** @param {typeof FLAVOURS[number]} flavour of the server and of the client */
function suiteOf(flavour) {
  const cli = String(programPath(`${flavour}-cli`));
  const ownFolder = join(folder, flavour);
  /** What the script does with either client is tested with one of them. @param {typeof FLAVOURS[number]} chosen */
  const testWith = (chosen) => (chosen === flavour ? test : () => {});

  describe(`with ${flavour}-cli`, { skip: skips[flavour], concurrency: 1 }, () => {
    /** @type {Stack} */
    let stack;

    before(async () => {
      mkdirSync(ownFolder);
      stack = await startLocal({ server: `${flavour}-server`, links: true });
    });
    after(() => stack?.close());
    beforeEach(async () => {
      await stack.heal();
      await setDownAfter(DOWN_AFTER_MS);
      await setPriorities('100');
      await sentinelsSee((seen) => seen.every((priority) => priority === '100'));
    });

    /** @param {(priorities: string[]) => boolean} isSeen of the replicas, by every Sentinel */
    async function sentinelsSee(isSeen) {
      await eventually('the Sentinels see the priorities', async () => {
        for (const { id } of stack.nodes.filter(({ kind }) => kind === 'sentinel')) {
          const answer = await ask(stack, id, 'SENTINEL', 'REPLICAS', stack.access.masterName);
          const replicas = /** @type {string[][]} */ (answer);
          if (!isSeen(replicas.map((words) => words[words.indexOf('slave-priority') + 1]))) return false;
        }
        return true;
      });
    }

    /** @param {string} priority of every node */
    async function setPriorities(priority) {
      for (const { id, kind } of stack.nodes)
        if (kind === 'redis') await ask(stack, id, 'CONFIG', 'SET', 'replica-priority', priority);
    }

    /** @param {number} ms */
    async function setDownAfter(ms) {
      const words = ['SENTINEL', 'SET', stack.access.masterName, 'down-after-milliseconds', `${ms}`];
      for (const { id, kind } of stack.nodes)
        if (kind === 'sentinel') await ask(stack, id, words[0], ...words.slice(1));
    }

    /** @param {string} id */
    const role = async (id) => /** @type {string[]} */ (await ask(stack, id, 'ROLE'))[0];

    /** @param {ReturnType<typeof startWriters>} writers */
    async function writesGoOn(writers) {
      const ackedBefore = writers.acked.length;
      await eventually('writes go on', () => writers.acked.length > ackedBefore + 100, NOTICED_MS);
    }

    /** @param {ReturnType<typeof startWriters>} writers @param {string} [when] */
    async function nothingLost(writers, when) {
      await stack.heal();
      const { acked, lost } = await writers.stop();
      assert.ok(acked > 0, when);
      assert.equal(lost, 0, `${when ?? ''} lost ${lost} of ${acked} acknowledged writes`);
    }

    for (const [wait, chosen] of /** @type {const} */ ([
      [0, 'redis'],
      [1, 'valkey'],
    ])) {
      testWith(chosen)(`loses no acknowledged write ${wait ? 'with WAIT 1' : 'of async clients'}`, async () => {
        const former = await stack.database.primary();
        const writers = startWriters(deploymentOf(stack), { wait });
        await writesGoOn(writers);
        const { status, output } = await failOver(deploymentOf(stack), { cli }).ended;
        assert.equal(status, 0, output);
        assert.notEqual((await stack.database.primary()).id, former.id);
        assert.equal(await role(former.id), 'slave');
        await writesGoOn(writers);
        await nothingLost(writers);
      });
    }

    testWith('redis')(
      'a replica that is 50,000 writes behind: it gives up, and writes flow on the old primary',
      async () => {
        const former = await stack.database.primary();
        const [replica] = await stack.database.replicas();
        const journal = createJournal(stack);
        const unslow = await slowLink({ latencyMs: 0, bytesPerSecond: 200_000 }).inject({ stack, journal }, replica.id);
        try {
          await writeMany(former.id);
          const { status, output } = await failOver(deploymentOf(stack), { cli }).ended;
          assert.equal(status, 1, output);
          assert.match(output, /The replica \S+ is \d+ bytes behind after 1666 ms/);
          assert.match(output, /Undone: \S+ accepts writes again/);
          assert.equal((await stack.database.primary()).id, former.id);
          assert.equal(await ask(stack, former.id, 'SET', 'failover-script:after', 'x'), 'OK');
        } finally {
          await unslow();
          await journal.close();
        }
      },
    );

    /** @param {string} id */
    async function writeMany(id) {
      const script = `for n = 0, ${WRITES_BEHIND - 1} do redis.call('SET', 'failover-script:many:' .. n, 'x') end return 1`;
      assert.equal(await ask(stack, id, 'EVAL', script, '0'), 1);
    }

    testWith('valkey')('a Sentinel that finds no good replica: the old primary accepts writes again', async () => {
      const former = await stack.database.primary();
      await setPriorities('0');
      await sentinelsSee((seen) => seen.every((priority) => priority === '0'));
      const none = await failOver(deploymentOf(stack), { cli }).ended;
      assert.deepEqual([none.status, /know no replica/.test(none.output)], [1, true], none.output);

      // The Sentinels look again within 10 s. Until then this one refuses, and the script cannot know.
      await setPriorities('100');
      const writers = startWriters(deploymentOf(stack));
      const { status, output } = await failOver(deploymentOf(stack), { cli }).ended;
      assert.equal(status, 1, output);
      assert.match(output, /refuses: \(error\) NOGOODSLAVE/);
      assert.match(output, /Undone: \S+ accepts writes again/);
      assert.deepEqual([(await stack.database.primary()).id, await role(former.id)], [former.id, 'master']);
      await writesGoOn(writers);
      await nothingLost(writers);
    });

    testWith('redis')('--to: refused where a Sentinel may choose another one, else that one is promoted', async () => {
      const [wanted] = (await stack.database.replicas()).reverse();
      const args = ['--to', textOf(wanted.announced)];
      const refused = await failOver(deploymentOf(stack), { cli, args }).ended;
      assert.equal(refused.status, 1, refused.output);
      assert.match(refused.output, /A Sentinel may choose another replica/);
      assert.doesNotMatch(refused.output, /holds writes/);

      await ask(stack, wanted.id, 'CONFIG', 'SET', 'replica-priority', '10');
      await sentinelsSee((seen) => seen.includes('10'));
      const { status, output } = await failOver(deploymentOf(stack), { cli, args }).ended;
      assert.equal(status, 0, output);
      assert.equal((await stack.database.primary()).id, wanted.id);
    });

    testWith('valkey')('ended by a signal while writes are held: it releases them', async () => {
      const former = await stack.database.primary();
      const [replica] = await stack.database.replicas();
      await setDownAfter(60_000);
      const journal = createJournal(stack);
      const unslow = await slowLink({ latencyMs: 0, bytesPerSecond: 200_000 }).inject({ stack, journal }, replica.id);
      try {
        for (const [signal, expected] of /** @type {const} */ ([
          ['SIGINT', 130],
          ['SIGTERM', 143],
          ['SIGHUP', 129],
        ])) {
          await writeMany(former.id);
          const run = failOver(deploymentOf(stack), { cli });
          await eventually('it holds writes', () => /holds writes/.test(run.output()));
          run.child.kill(signal);
          const { status, output } = await run.ended;
          assert.deepEqual([status, /Undone/.test(output)], [expected, true], output);
          assert.equal(await ask(stack, former.id, 'SET', 'failover-script:after', 'x'), 'OK');
        }
      } finally {
        await unslow();
        await journal.close();
      }
    });

    /** @type {{chosen: typeof FLAVOURS[number], at: string, when: 'before' | 'after', left: 'old' | 'nobody' | 'new', resume?: boolean}[]} */
    const KILLS = [
      { chosen: 'valkey', at: 'CLIENT PAUSE', when: 'after', left: 'old' },
      { chosen: 'redis', at: 'REPLICAOF', when: 'before', left: 'old' },
      { chosen: 'valkey', at: 'REPLICAOF', when: 'after', left: 'nobody' },
      { chosen: 'redis', at: 'REPLICAOF', when: 'after', left: 'nobody', resume: true },
      { chosen: 'valkey', at: 'SENTINEL FAILOVER', when: 'after', left: 'new' },
      { chosen: 'valkey', at: 'CLIENT UNPAUSE', when: 'before', left: 'new' },
    ];

    for (const { chosen, at, when, left, resume } of KILLS) {
      const title = `killed ${when} ${at}${resume ? ', and called again' : ''}`;
      testWith(chosen)(`${title}: nothing is lost, and writes flow again by themselves`, async () => {
        const former = await stack.database.primary();
        const writers = startWriters(deploymentOf(stack));
        await writesGoOn(writers);
        const { signal, output } = await failOver(deploymentOf(stack), killer(ownFolder, { cli, at, when })).ended;
        assert.equal(signal, 'SIGKILL', output);
        if (left === 'nobody') assert.equal(await role(former.id), 'slave', 'the old primary refuses writes');
        if (resume) {
          const again = await failOver(deploymentOf(stack), { cli }).ended;
          assert.equal(again.status, 0, again.output);
        }
        await eventually(
          'a primary leads',
          async () => {
            const leader = await stack.database.primary();
            return (left === 'old') === (leader.id === former.id) && (await role(leader.id)) === 'master';
          },
          NOTICED_MS,
        );
        await writesGoOn(writers);
        await nothingLost(writers, title);
      });
    }
  });
}

describe('the coordinated failover by the script', () => {
  test('Valkey 9 loses no acknowledged write', { skip: noValkey9 }, async (t) => {
    const stack = await startLocal({ server: String(await findValkey9()) });
    t.after(() => stack.close());
    const former = await stack.database.primary();
    const writers = startWriters(deploymentOf(stack));
    await eventually('writes are acknowledged', () => writers.acked.length > 100);
    const { status, output } = await failOver(deploymentOf(stack), { args: ['--coordinated'] }).ended;
    assert.equal(status, 0, output);
    assert.doesNotMatch(output, /holds writes/);
    assert.notEqual((await stack.database.primary()).id, former.id);
    await stack.heal();
    assert.equal((await writers.stop()).lost, 0);
  });
});
