/** A driver as a writer of a trial, with a driver that has no library, on a stack and on scripted servers. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, afterEach, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { needs } from '../../../test/needs.js';
import { answeredAfterMs, createLedger, isFalseAck, openLedger, State } from '../../audit/ledger.js';
import { valueMaker } from '../../audit/value.js';
import { call } from '../../clients/conformance/nodes.js';
import { shapeOf } from '../../clients/fixture.js';
import { keyName } from '../../clients/native-batch.js';
import { eventually, ownTemporaryFolder } from '../../stacks/fixture.js';
import { hasEnded, startTimeOf } from '../../stacks/hosts/processes.js';
import { startLocal } from '../../stacks/redis/local/index.js';
import { clockMs } from '../../stats/clock.js';
import { createWriter } from './driver-writer.js';
import { nodesOf } from './stack-fixture.js';

/**
 * @import { Stack } from '../../stacks/types.js'
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 * @import { Writer } from './writer.js'
 */

const FIXTURE = fileURLToPath(new URL('../../drivers/driver-fixture.js', import.meta.url));
const RATE = 100;
const PREFIX = 'sentinel-bench:driver-writer:';

await ownTemporaryFolder();
const skip = await needs('server', 'relay');

describe('a driver as a writer', { skip }, () => {
  /** @type {Stack} */
  let stack;
  /** @type {Writer | undefined} */
  let writer;
  /** @type {NodeJS.Timeout | undefined} */
  let ticker;
  let trials = 0;

  before(async () => {
    // A relay lies between the nodes, so what Sentinels announce is not what clients use.
    stack = await startLocal({ backend: 'local', links: true });
  });
  after(() => stack?.close());
  afterEach(async () => {
    clearInterval(ticker);
    await writer?.close();
  });

  /** @param {string} lie of the driver @param {{wait?: number}} [how] */
  async function begin(lie, { wait = 0 } = {}) {
    const keyPrefix = `${PREFIX}${++trials}:`;
    const ledger = createLedger(10_000);
    /** @type {WriterPlan} */
    const plan = {
      name: 'driver.fixture',
      rate: RATE,
      connections: 5,
      shape: shapeOf({ payloadBytes: 40, waitReplicas: wait, waitMode: 'sequential', keyPrefix }),
      ledger: ledger.buffer,
    };
    const sentinels = nodesOf(stack, 'sentinel');
    /** @type {TrialPlan} */
    const trial = {
      writers: [plan],
      nodes: nodesOf(stack, 'redis'),
      sentinels: sentinels.map(({ address }) => address),
      sentinelsAnnounced: sentinels.map(({ announced }) => announced),
      masterName: stack.access.masterName,
      credentials: stack.access.credentials,
      giveUpMs: 1000,
      drainMs: 2000,
    };
    const command = { name: 'fixture', run: [process.execPath, FIXTURE, lie] };
    const entry = { name: 'fixture', title: 'fixture', variants: { defaults: '' }, command, missing: null };
    const made = createWriter(plan, trial, () => entry);
    writer = made;
    await made.open();
    made.account.beganAt = clockMs();
    made.begin();
    ticker = setInterval(() => made.tick(clockMs()), 1);
    return { writer: made, ledger: openLedger(ledger.buffer), keyPrefix };
  }

  /** @param {Writer} one */
  async function finish(one) {
    one.end(clockMs());
    await eventually('the driver is done', () => one.isDone(clockMs()));
    await one.close();
    clearInterval(ticker);
    return one.sample();
  }

  test('every write is in the ledger and on the primary, which the driver reaches past the relay', async () => {
    const primary = await stack.database.primary();
    assert.notEqual(primary.address.port, primary.announced.port);
    const { writer: one, ledger, keyPrefix } = await begin('', { wait: 1 });
    await delay(1000);
    const { writes, errors } = await finish(one);
    assert.ok(writes >= 80, `${writes} writes`);
    assert.deepEqual(errors, {});
    const value = valueMaker(keyPrefix, 40);
    for (let number = 0; number < writes; number++) {
      assert.equal(ledger.states[number], State.acked);
      assert.ok(ledger.waited[number] > 1);
      assert.ok(answeredAfterMs(ledger, number) >= (number * 1000) / RATE);
      assert.ok(!isFalseAck(ledger, number));
      assert.equal(String(await call(primary.address, 'GET', keyName(keyPrefix, number))), value(number));
    }
    assert.equal(ledger.states[writes], State.none);
  });

  test('a driver that dies leaves what it reported; what was due then is unknown, and later writes are unsent', async () => {
    const { writer: one, ledger } = await begin('forgets');
    const pid = pidOfDriver();
    const startTime = startTimeOf(pid);
    await delay(600);
    process.kill(pid, 'SIGKILL');
    await eventually('the driver has ended', () => hasEnded(pid, startTime));
    await delay(300);
    const { writes, errors } = await finish(one);
    assert.equal(errors.CLOSED, 1);
    assert.equal(ledger.states[0], State.acked);
    // The driver never reports this one.
    assert.equal(ledger.states[3], State.unknown);
    assert.equal(ledger.states[writes - 1], State.unsent);
  });

  test('lies of the protocol are counted, and the first report of a write stays', async () => {
    const { writer: one, ledger } = await begin('twice');
    await delay(300);
    const { errors } = await finish(one);
    assert.equal(errors.PROTOCOL, 1);
    assert.equal(ledger.states[7], State.acked);
  });
});

/** @returns {number} of the fixture that this process started last */
function pidOfDriver() {
  const text = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], { encoding: 'utf8' });
  const line = text.split('\n').findLast((each) => each.includes('driver-fixture.js'));
  return Number(line?.trim().split(' ')[0]);
}
