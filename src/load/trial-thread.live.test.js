import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import { answeredAfterMs, createLedger, isFalseAck, State } from '../audit/ledger.js';
import { valueMaker } from '../audit/value.js';
import { call, connectPatiently } from '../clients/conformance/nodes.js';
import { shapeOf } from '../clients/fixture.js';
import { keyName } from '../clients/native-batch.js';
import { eventually, ownTemporaryFolder } from '../stacks/fixture.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { watchSentinels } from '../stacks/redis/sentinel-events.js';
import { clockMs } from '../stats/clock.js';
import { startTrialThread } from './trial-thread.js';
import { failOver, holdForDown, nodesOf, refuseNothing, successorOf } from './writers/stack-fixture.js';

/**
 * @import { Ledger } from '../audit/ledger.js'
 * @import { Shape } from '../clients/types.js'
 * @import { Stack } from '../stacks/types.js'
 * @import { TrialPlan, TrialSample, TrialThread, WriterPlan } from './trial-thread.js'
 */

/** More than is due in any test. */
const LEDGER_WRITES = 100_000;
/** For trials in which each write is sent and answered, however long the machine stalls. */
const PATIENT = { giveUpMs: 60_000, drainMs: 60_000 };
const PAYLOAD_BYTES = 40;

await ownTemporaryFolder();

describe('the writers of a trial, on a real stack', () => {
  /** @type {Stack} */
  let stack;
  /** @type {TrialThread} */
  let thread;
  /** @type {Ledger[]} */
  let ledgers;
  let trials = 0;

  before(async () => {
    stack = await startLocal({ backend: 'local' });
    await refuseNothing(stack);
  });
  after(() => stack?.close());
  beforeEach(async () => {
    await stack.heal();
    await holdForDown(stack, 60_000);
    thread = startTrialThread();
  });
  afterEach(() => thread.close());

  /**
   * @param {string[]} names
   * @param {Partial<TrialPlan>} [changes]
   * @param {Partial<WriterPlan>} [writer]
   * @param {Partial<Shape>} [shape]
   * @returns {TrialPlan}
   */
  const planned = (names, changes = {}, writer = {}, shape = {}) => {
    trials++;
    ledgers = names.map(() => createLedger(LEDGER_WRITES));
    const { masterName, credentials } = stack.access;
    return {
      writers: names.map((name, index) => ({
        name,
        rate: 500,
        connections: 3,
        shape: shapeOf({ payloadBytes: PAYLOAD_BYTES, waitTimeoutMs: 500, keyPrefix: prefixOf(name), ...shape }),
        ledger: ledgers[index].buffer,
        ...writer,
      })),
      nodes: nodesOf(stack, 'redis'),
      sentinels: nodesOf(stack, 'sentinel').map(({ address }) => address),
      masterName,
      credentials,
      giveUpMs: 300,
      drainMs: 1000,
      ...changes,
    };
  };

  /** @param {string} name */
  const prefixOf = (name) => `sentinel-bench:trial-${trials}:${name}:`;

  /** @param {number} number counted from 1 */
  const redisNode = (number) => nodesOf(stack, 'redis')[number - 1];

  /** @param {string} id */
  const numberOf = (id) => nodesOf(stack, 'redis').findIndex((node) => node.id === id) + 1;

  /** How many writes are in this state so far. @param {Ledger} ledger @param {keyof typeof State} name */
  const countNow = (ledger, name) => ledger.states.reduce((sum, state) => sum + (state === State[name] ? 1 : 0), 0);

  /** Every write acknowledged so far. @param {Ledger} ledger */
  const ackedNow = (ledger) => countNow(ledger, 'acked');

  /** The numbers of the writes without an outcome so far. @param {Ledger} ledger */
  const underWay = ({ states }) => [...states.keys()].filter((number) => states[number] === State.unknown);

  /** @param {number} node counted from 1 @param {Ledger} ledger */
  const ackedBy = (node, ledger) =>
    ledger.states.reduce((sum, state, i) => sum + (state === State.acked && ledger.nodes[i] === node ? 1 : 0), 0);

  /** Every write that was due has a state that says so. @param {TrialSample} sample */
  function checkAccount({ writers }) {
    return writers.map(({ name, writes }, index) => {
      const ledger = ledgers[index];
      const counts = { none: 0, acked: 0, underAcked: 0, rejected: 0, unknown: 0, unsent: 0 };
      const names = /** @type {(keyof typeof State)[]} */ (Object.keys(State));
      for (let i = 0; i < writes; i++) {
        const state = names[ledger.states[i]];
        counts[state]++;
        const answered = state === 'acked' || state === 'underAcked' || state === 'rejected';
        assert.equal(answeredAfterMs(ledger, i) > 0, answered, `${name}: write ${i} is ${state}`);
        if (state !== 'unsent' && name !== 'redis' && name !== 'ioredis') assert.ok(ledger.nodes[i] > 0);
      }
      assert.equal(counts.none, 0, `${name}: each of ${writes} writes was entered`);
      assert.equal(ledger.states[writes], State.none, `${name}: nothing was entered that was not due`);
      return counts;
    });
  }

  /**
   * The values of some writes, on the primary.
   * @param {string} name
   * @param {Ledger} ledger
   * @param {number} writes
   */
  async function checkValues(name, ledger, writes) {
    const value = valueMaker(prefixOf(name), PAYLOAD_BYTES);
    const numbers = Array.from({ length: writes }, (_, i) => i).filter((i) => ledger.states[i] === State.acked);
    const some = [...numbers.slice(0, 20), ...numbers.slice(-20)];
    const { address } = await stack.database.primary();
    const found = await call(address, 'MGET', ...some.map((number) => keyName(prefixOf(name), number)));
    assert.deepEqual(found, some.map(value));
  }

  /**
   * As the Sentinels would some seconds later.
   * @param {number} former
   * @param {number} primary
   */
  async function demote(former, primary) {
    const { host, port } = redisNode(primary).announced;
    await call(redisNode(former).address, 'REPLICAOF', host, port);
  }

  /** Connections of clients, as all nodes see them, without those between nodes. */
  async function connections() {
    const lists = stack.nodes.map(async ({ id, address }) => {
      const lines = String(await call(address, 'CLIENT', 'LIST'))
        .trim()
        .split('\n');
      return lines
        .filter((line) => !/ name=sentinel-| flags=[SM] | cmd=client\|list /.test(line))
        .map((line) => `${id} ${/ addr=(\S+) /.exec(line)?.[1]}`);
    });
    return (await Promise.all(lists)).flat();
  }

  /**
   * Every connection of every writer has a write under way that stays so: none is about to be answered.
   * @param {() => boolean | Promise<boolean>} [also] what else is so then
   */
  async function allHang(also = () => true) {
    let last = '';
    let since = 0;
    await eventually('hanging writes', async () => {
      const hung = ledgers.map(underWay);
      const now = JSON.stringify(hung);
      if (now !== last || !(await also())) since = 0;
      last = now;
      return hung.every(({ length }) => length === 3) && ++since > 10;
    });
    return ledgers.map(underWay);
  }

  test('on a healthy stack every write that was due is acknowledged, in time', async () => {
    /** @type {string[]} */
    const names = ['sticky', 'failover-aware', 'redis', 'ioredis'];
    const plan = planned(names, { ...PATIENT, readsPerSecond: 50 }, {}, { waitReplicas: 1, waitTimeoutMs: 60_000 });
    const starting = clockMs();
    const { beganAt } = await thread.start(plan);
    // The threads' clocks are set at their start, a moment apart.
    assert.ok(beganAt > starting - 100 && beganAt < clockMs() + 100, 'it began just now');
    await eventually('a second of writes', () => ledgers.every((ledger) => ackedNow(ledger) >= 500));
    const stopping = clockMs();
    const sample = await thread.stop();
    assert.equal(sample.beganAt, beganAt);
    const [leastMs, mostMs] = [stopping - 100 - beganAt, sample.endedAt - beganAt];
    const primary = numberOf((await stack.database.primary()).id);
    for (const [index, counts] of checkAccount(sample).entries()) {
      const { name, writes, errors, firstError, moves } = sample.writers[index];
      assert.deepEqual(
        { ...counts, none: 0 },
        { none: 0, acked: writes, underAcked: 0, rejected: 0, unknown: 0, unsent: 0 },
      );
      assert.deepEqual(
        { errors, firstError, moves },
        { errors: {}, firstError: null, moves: [{ afterMs: 0, node: primary }] },
      );
      // All that were due when it was stopped, and never more.
      assert.ok(writes >= leastMs / 2 && writes <= mostMs / 2 + 1, `${name}: ${writes} in ${leastMs} … ${mostMs} ms`);
      for (let i = 0; i < writes; i++) {
        assert.ok(
          answeredAfterMs(ledgers[index], i) >= i * 2 - 0.01,
          `${name}: write ${i} was not sent before it was due`,
        );
        assert.equal(ledgers[index].waited[i] > 1, true, `${name}: WAIT's count is in the ledger`);
      }
      assert.ok(
        ledgers[index].flags.every((flags) => flags === 0),
        `${name}: no false acknowledgement`,
      );
      await checkValues(name, ledgers[index], writes);
    }
  });

  test('a WAIT that counts too few is underAcked; a refused write is rejected, and the writer stays with the primary', async () => {
    const { address } = await stack.database.primary();
    await call(address, 'CONFIG', 'SET', 'min-replicas-to-write', '3');
    try {
      await thread.start(planned(['sticky', 'ioredis', 'redis'], PATIENT, { rate: 200 }));
      await eventually('refusals', () => ledgers.every((ledger) => countNow(ledger, 'rejected') > 50));
      const refused = await thread.stop();
      for (const [index, { rejected }] of checkAccount(refused).entries()) {
        const { writes, errors, firstError, moves } = refused.writers[index];
        assert.equal(rejected, writes);
        assert.deepEqual(errors, { NOREPLICAS: writes });
        assert.match(firstError?.text ?? '', /^NOREPLICAS /);
        assert.equal(moves.length, 1);
      }
    } finally {
      await call(address, 'CONFIG', 'SET', 'min-replicas-to-write', '0');
    }
    await thread.start(
      planned(['sticky', 'ioredis', 'redis'], PATIENT, { rate: 50 }, { waitReplicas: 3, waitTimeoutMs: 5 }),
    );
    await eventually('answers', () => ledgers.every((ledger) => countNow(ledger, 'underAcked') > 10));
    const short = await thread.stop();
    for (const [index, { underAcked }] of checkAccount(short).entries()) {
      assert.equal(underAcked, short.writers[index].writes);
      assert.deepEqual(short.writers[index].errors, {});
    }
  });

  test('a probe that does not find an acknowledged write is a stale read', async () => {
    const [replica, other] = await stack.database.replicas();
    await call(replica.address, 'REPLICAOF', 'NO', 'ONE');
    await thread.start(planned(['failover-aware'], { readsPerSecond: 50 }));
    // They would make it follow again, after 8 s.
    for (const { id, kind } of stack.nodes) if (kind === 'sentinel') await stack.host.act(id, 'pause');
    await eventually('seconds of writes', () => ackedNow(ledgers[0]) > 1000);
    await stack.host.act(other.id, 'kill');
    const soFar = ackedNow(ledgers[0]);
    await eventually('as many again', () => ackedNow(ledgers[0]) > soFar + 1000);
    const { beganAt, endedAt, reads: counts } = await thread.stop();
    const { reads, stale, failed, longestMs } = counts;
    // Half of the reads go to the one and half to the other. On a busy machine some find their replica not done with the last
    // one, and fail, and one part of the trial may have more of them than the other.
    assert.ok(stale > reads / 8, `${stale} of ${reads} on the replica that does not follow`);
    assert.ok(failed > reads / 20, `${failed} of ${reads} on the replica that is gone`);
    assert.ok(
      stale + failed < reads,
      `${stale} and ${failed} of ${reads}: as long as the other one was there it followed`,
    );
    assert.ok(longestMs > 0 && longestMs < (endedAt - beganAt) / 2, `${longestMs} ms`);
  });

  test('planned failover: `failover-aware` moves at once, and the other writers end on the new primary', async () => {
    const before = numberOf((await stack.database.primary()).id);
    /** @type {number[]} */
    const switched = [];
    const watch = await watchSentinels(
      { nodes: stack.nodes, credentials: stack.access.credentials },
      ({ at, event }) => {
        if (event === '+switch-master') switched.push(at);
      },
    );
    try {
      const { beganAt } = await thread.start(planned(['sticky', 'failover-aware', 'redis'], { readsPerSecond: 100 }));
      await eventually('writes', () => ackedNow(ledgers[0]) > 50);
      const askedAt = clockMs();
      await failOver(stack);
      await eventually('+switch-master', () => switched.length > 0);
      await eventually('writes to the new primary', () => ledgers[1].nodes.some((node) => node > 0 && node !== before));
      const primary = numberOf((await successorOf(stack, redisNode(before))).id);
      // `sticky` has no reason to move before the old primary is demoted.
      await demote(before, primary);
      await eventually('all of them on the new primary', () =>
        ledgers.every((ledger) => ackedBy(primary, ledger) > 50),
      );
      const sample = await thread.stop();
      checkAccount(sample);
      const failoverAware = sample.writers[1].moves;
      assert.deepEqual(
        failoverAware.map(({ node }) => node),
        [before, primary],
      );
      // Without news it would stay until the Sentinels demote the old primary, 8 s later at the soonest.
      const lateMs = beganAt + failoverAware[1].afterMs - switched[0];
      assert.ok(lateMs < 5000, `it moved ${lateMs} ms after the first +switch-master`);
      assert.ok(beganAt + failoverAware[1].afterMs > askedAt - 100, 'it had no reason to move before');
      for (const { name, moves } of sample.writers) assert.equal(moves.at(-1)?.node, primary, name);
      assert.ok((sample.writers[0].errors.READONLY ?? 0) + (sample.writers[0].errors.CLOSED ?? 0) > 0);
    } finally {
      watch.close();
    }
  });

  test('kill -9: overdue writes are unsent, writes under way are unknown or sent again, and all writers come back', async () => {
    const before = await stack.database.primary();
    // Slow answers, so that something is under way.
    await thread.start(
      planned(['sticky', 'failover-aware', 'ioredis'], {}, { rate: 100 }, { waitReplicas: 3, waitTimeoutMs: 5 }),
    );
    await eventually('writes', () => ledgers.every((ledger) => countNow(ledger, 'underAcked') > 20));
    await holdForDown(stack, 500);
    const killedAt = clockMs();
    await stack.host.act(before.id, 'kill');
    await eventually('writes elsewhere', () =>
      ledgers.every((ledger) =>
        ledger.nodes.some((node, i) => node > 0 && node !== numberOf(before.id) && ledger.waited[i] > 0),
      ),
    );
    const sample = await thread.stop();
    const [sticky, failoverAware, ioredis] = checkAccount(sample);
    const awayMs = clockMs() - killedAt;
    for (const { unsent, acked } of [sticky, failoverAware, ioredis]) {
      assert.ok(unsent > 10, `${unsent} unsent: no connection could write for 0.5 s and more`);
      assert.equal(acked, 0);
    }
    assert.ok(sample.writers[0].errors.CLOSED >= 1);
    // By its defaults it gives up what it holds when it could not connect 20 times, which takes more than 10 s. On a busy machine it writes
    // before a replica follows the new primary, which refuses that.
    const { CLOSED, NOREPLICAS: _, ...others } = sample.writers[2].errors;
    assert.deepEqual(others, {});
    assert.ok(CLOSED === undefined || awayMs > 10_000, `ioredis retries without an error, for ${awayMs} ms`);
  });

  test('a WAIT that a library sends again on another connection is a false acknowledgement', async () => {
    const primary = await stack.database.primary();
    const [replica] = await stack.database.replicas();
    await thread.start(planned(['sticky', 'redis', 'ioredis'], {}, {}, { waitReplicas: 2, waitTimeoutMs: 120_000 }));
    await eventually('writes', () => ledgers.every((ledger) => ackedNow(ledger) > 20));
    await stack.host.act(replica.id, 'pause');
    const control = await connectPatiently(primary.address);
    // In WAIT: those of `sticky`, and the one that all writes of a library share.
    const hung = await allHang(async () => Number((await control.info('clients')).blocked_clients) >= 5);
    control.close();
    await call(primary.address, 'CLIENT', 'KILL', 'TYPE', 'normal');
    await stack.host.act(replica.id, 'resume');
    const soFar = ledgers.map(ackedNow);
    await eventually('all go on', () => ledgers.every((ledger, i) => ackedNow(ledger) > soFar[i] + 20));
    const sample = await thread.stop();
    checkAccount(sample);
    for (const number of hung[0]) {
      assert.equal(ledgers[0].states[number], State.underAcked, `WAIT of ${number} went with the connection`);
    }
    for (const [index, { name, writes, moves }] of sample.writers.entries()) {
      const falseAcks = Array.from({ length: writes }, (_, i) => i).filter((i) => isFalseAck(ledgers[index], i));
      // Some of the writes that hung were still to be answered; the first was not.
      assert.ok(
        falseAcks.every((number) => hung[index].includes(number)),
        `${name}: ${falseAcks}`,
      );
      assert.equal(falseAcks.includes(hung[index][0]), name !== 'sticky', `${name}: ${falseAcks}`);
      assert.ok(
        moves.every(({ node }) => node === numberOf(primary.id)),
        name,
      );
      // One of three connections may be back before the last is gone.
      if (name !== 'sticky') assert.ok(moves.length > 1, `${name} reports its new connection`);
    }
  });

  test('writes that hang at the end of a trial are unknown after `drainMs`, and no connection is left', async () => {
    const primary = await stack.database.primary();
    const before = new Set(await connections());
    await thread.start(planned(['sticky', 'failover-aware', 'redis', 'ioredis'], { drainMs: 200, readsPerSecond: 20 }));
    await eventually('writes', () => ledgers.every((ledger) => ackedNow(ledger) > 20));
    await stack.host.act(primary.id, 'pause');
    await allHang();
    const stopping = clockMs();
    const sample = await thread.stop();
    const tookMs = clockMs() - stopping;
    await stack.host.act(primary.id, 'resume');
    assert.ok(tookMs > 150 && tookMs < 10_000, `it waited ${tookMs} ms for answers that do not come`);
    for (const { unknown } of checkAccount(sample)) assert.equal(unknown, 3);
    await eventually('every connection is gone', async () => (await connections()).every((one) => before.has(one)));
  });
});
