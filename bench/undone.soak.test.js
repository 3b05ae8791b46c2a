/**
 * Scenarios leave nothing, whichever step they are in when they end, and however they end. SENTINEL_BENCH_KILLS=100 or more runs all of them, which
 * takes 20 minutes: `SENTINEL_BENCH_KILLS=100 node --test bench/undone.soak.test.js`.
 */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { assertNothingLeft, ownState } from '../src/faults/fixture.js';
import { recover } from '../src/run/recover.js';
import { eventually } from '../src/stacks/fixture.js';
import { hasEnded } from '../src/stacks/hosts/processes.js';
import { firewallTables } from '../src/stacks/network/firewall-fixture.js';
import { needs } from '../test/needs.js';
import { SCENARIOS } from './undone-scenarios-fixture.js';

/**
 * @import { EndedBy, StartedServer } from './undone-fixture.js'
 *
 * @typedef {{status?: string, reason?: string, acked?: number}} RunReport
 * @typedef {RunReport & {reached: number, started: StartedServer[], tables: string[]}} UndoneEnd tables: of the firewall
 */

const folder = await ownState();
const FIXTURE = fileURLToPath(new URL('./undone-fixture.js', import.meta.url));
/** A stack has three nodes and three Sentinels; a step may have shut one down. */
const SERVERS = 5;
const PATIENCE_MS = 180_000;

const ALL_FROM = 100;
const runsAll = Number(process.env.SENTINEL_BENCH_KILLS) >= ALL_FROM;

/** @param {string} name @param {EndedBy} how @returns {Promise<UndoneEnd>} what the process said before it ended */
async function run(name, how) {
  const ownFolder = join(folder, `${name}-${how}`.replace(/[^\w-]/g, ''));
  mkdirSync(ownFolder);
  const child = fork(FIXTURE, [JSON.stringify({ name, how, folder: ownFolder })], { execArgv: [] });
  /** @type {UndoneEnd} */
  const report = { reached: 0, started: [], tables: [] };
  const signal = /** @type {const} */ ({ 'Ctrl-C': 'SIGINT', 'kill -9': 'SIGKILL' })[/** @type {string} */ (how)];
  child.on('message', (/** @type {RunReport & {reached?: StartedServer[], tables?: string[]}} */ message) => {
    const { reached, tables = [], ...rest } = message;
    Object.assign(report, rest);
    if (!reached) return;
    report.reached++;
    report.started.push(...reached);
    report.tables.push(...tables);
    if (report.reached === SCENARIOS[name].steps && signal) child.kill(signal);
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  await new Promise((resolve) => child.once('exit', resolve));
  clearTimeout(timer);
  return report;
}

/** @param {readonly StartedServer[]} started */
async function assertEnded(started) {
  await eventually('what it started has ended', () => started.every((each) => hasEnded(each.pid, each.startTime)));
}

for (const [name, { needs: needed, steps, often = false }] of Object.entries(SCENARIOS)) {
  const skip =
    often || runsAll
      ? await needs('proc', ...needed)
      : `it takes a minute; SENTINEL_BENCH_KILLS=${ALL_FROM} or more runs it`;
  describe(name, { skip }, () => {
    after(async () => {
      await recover({ tell: () => {} });
      assertNothingLeft(folder);
    });

    test('succeeds, and leaves nothing', async () => {
      const { status, reason, acked = 0 } = await run(name, 'success');
      assert.equal(status, 'ok', reason);
      assert.ok(acked > 0);
      assertNothingLeft(folder);
    });

    for (const how of /** @type {const} */ (['error', 'Ctrl-C', 'kill -9'])) {
      test(`leaves nothing when it ends by ${how} in any of its steps`, async () => {
        const { status, reason, reached, started, tables } = await run(name, how);
        assert.equal(reached, steps, reason);
        assert.ok(started.length >= SERVERS * (how === 'error' ? 1 : steps), 'all other servers ran');
        assert.equal(tables.length > 0, needed.includes('firewall'), 'the firewall had rules');
        if (how === 'kill -9') {
          assert.equal(status, undefined, 'it could not say anything');
          await recover({ tell: () => {} });
        } else {
          assert.equal(status, how === 'error' ? 'failed' : 'ended');
          assert.match(
            String(reason),
            how === 'error' ? /the step fails/ : /Interrupted by SIGINT; everything was put back/,
          );
        }
        await assertEnded(started);
        assertNothingLeft(folder);
        if (tables.length > 0)
          assert.deepEqual(
            firewallTables().filter((table) => tables.includes(table)),
            [],
          );
      });
    }
  });
}
