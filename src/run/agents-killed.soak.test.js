/**
 * Controller, agents and NATS are killed at random moments of trials whose writers run on agents. Each time every ledger has to be collected,
 * and nothing may be left. How often is up to SENTINEL_BENCH_KILLS, of which an eighth are made here; its findings are diagnostics.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { needs } from '../../test/needs.js';
import { keysWritten, killPart, machinesFolder, startPart } from '../agents/machines-fixture.js';
import { leftIn, newFolder, runCli, stackFolder, startCli } from '../cli/fixture.js';
import { eventually, ownTemporaryFolder } from '../stacks/fixture.js';

const tmp = await ownTemporaryFolder();
const skip = await needs('redis-server', 'nats-server', 'namespaces');
const TIMES = Math.max(1, Math.round(Number(process.env.SENTINEL_BENCH_KILLS ?? 8) / 8));

const CONTROLLER = 'controller';
const AGENTS = ['host-1', 'host-2', 'host-3'];
const PARTS = [CONTROLLER, 'nats', ...AGENTS];

/** From before the first connection to the middle of the second trial. */
const LONGEST_MS = 40_000;
/** Longer than an agent takes to miss its controller, and shorter. */
const APART_MS = 5000;
/** Keys of writers that have begun. */
const BEGUN = 100;

/** @returns {string[]} at least one of the parts */
function victims() {
  const chosen = PARTS.filter(() => Math.random() < 1 / 3);
  return chosen.length > 0 ? chosen : [PARTS[Math.floor(Math.random() * PARTS.length)]];
}

/** @param {string} folder @returns {string[]} ledgers in it, at any depth */
function ledgersIn(folder) {
  const names = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
  return names.filter((name) => name.endsWith('.ledger')).map((name) => basename(name));
}

const heldByAgents = () => ledgersIn(join(tmp, 'state', 'sentinel-bench', 'ledgers'));

/** @param {number} pid of a controller @returns {string[]} namespaces of its stacks */
function namespacesOf(pid) {
  return readdirSync('/run/netns').filter((name) => name.startsWith(`sentinel-bench-${pid}-`));
}

async function whenAgentsAreFree() {
  await eventually('all agents are free', async () => {
    const { status, stdout } = await runCli(['agents', 'list', '--json'], { tmp });
    if (status !== 0) return false;
    const { agents } = JSON.parse(stdout);
    return agents.length === AGENTS.length && agents.every((/** @type {any} */ { busy }) => busy === null);
  });
}

describe('controller, agents and NATS killed in the middle of trials', { skip }, () => {
  before(async () => {
    const up = await runCli(['agents', 'up', '--namespaces', String(AGENTS.length)], { tmp });
    assert.equal(up.status, 0, up.stderr);
  });
  after(async () => {
    const down = await runCli(['agents', 'down'], { tmp });
    assert.equal(down.status, 0, down.stderr);
    assert.deepEqual(leftIn(tmp), []);
  });

  test(`${TIMES} times, every ledger is collected and nothing is left`, async (t) => {
    let [writing, collected] = [0, 0];
    for (let time = 0; time < TIMES; time++) {
      const machines = String(machinesFolder(tmp));
      const out = newFolder(tmp);
      const args = [
        'run',
        'partition-with-replica',
        '--backend',
        'hosts',
        '--lanes',
        '1',
        '--trials',
        '1',
        '--down-after',
        '1s',
      ];
      const run = startCli([...args, '--agents', ...AGENTS, '--out', out], { tmp });
      const waitMs = Math.random() * LONGEST_MS;
      await delay(waitMs);
      const chosen = victims();
      const begun = (await keysWritten()) > BEGUN;
      for (const part of chosen) {
        if (part === CONTROLLER) run.kill('SIGKILL');
        else killPart(machines, part);
      }
      const atOnce = chosen.includes(CONTROLLER);
      if (!atOnce) await delay(Math.random() * APART_MS);
      run.kill('SIGKILL');
      const { stderr } = await run.ended;
      const message = `${chosen.join(', ')} killed after ${Math.round(waitMs)} ms: ${stderr}`;
      for (const part of chosen) if (part !== CONTROLLER) startPart(machines, part);
      await whenAgentsAreFree();

      const held = heldByAgents();
      const folder = readdirSync(out).find((name) => existsSync(join(out, name, 'agents.json')));
      if (folder) {
        const collecting = await runCli(['collect', join(out, folder)], { tmp });
        assert.equal(collecting.status, 0, `${message}${collecting.stderr}`);
        const here = ledgersIn(join(out, folder));
        for (const name of held) assert.ok(here.includes(name), `${name} is missing. ${message}`);
        const lost = chosen.filter((part) => AGENTS.includes(part)).length;
        if (begun && atOnce) {
          assert.ok(here.length >= AGENTS.length - lost, `only ${here}. ${message}`);
          writing++;
        }
        if (here.length > 0) {
          const { stdout } = await runCli(['audit', join(out, folder), '--json'], { tmp });
          const { writers, holds } = JSON.parse(stdout);
          assert.deepEqual([writers.length, holds], [here.length, true], message);
        }
        collected += held.length;
      } else assert.deepEqual(held, [], message);
      assert.deepEqual(heldByAgents(), [], message);

      const recovered = await runCli(['recover'], { tmp });
      assert.equal(recovered.status, 0, `${message}${recovered.stderr}`);
      assert.equal(stackFolder(tmp), null, message);
      assert.deepEqual(namespacesOf(run.pid), [], message);
      const left = leftIn(tmp).filter((what) => !what.includes(machines));
      assert.deepEqual(left, [], message);
    }
    t.diagnostic(`${writing} of ${TIMES} kills met writers at work; ${collected} ledgers collected from agents`);
  });
});
