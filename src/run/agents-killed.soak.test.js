/**
 * Controller, agents and NATS are killed at random moments of trials whose writers run on agents. In most of them agents start the nodes, too, those of
 * MariaDB in every fourth, and separate them or narrow their links. Each time every ledger has to be collected, every fault healed, and nothing may be
 * left. How often is up to
 * SENTINEL_BENCH_KILLS, of which an eighth are made here, twice at least; its findings are diagnostics.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { needs } from '../../test/needs.js';
import {
  keysOnAgents,
  keysWritten,
  killPart,
  machinesFolder,
  nodesOfAgents,
  startPart,
  withAgentsUp,
} from '../agents/machines-fixture.js';
import { journalsIn, leftIn, newFolder, runCli, stackFolder, startCli } from '../cli/fixture.js';
import { eventually, holdsInTime, ownTemporaryFolder } from '../stacks/fixture.js';
import { textOf } from '../stacks/hosts/processes.js';
import { onHost, rulesOn } from './agents-fixture.js';

/** @import { StartedCommand } from '../cli/fixture.js' */

const tmp = await ownTemporaryFolder();
const skip = await needs('redis-server', 'nats-server', 'namespaces');
const noMariadb = await needs('mariadb');
const TIMES = Math.max(2, Math.round(Number(process.env.SENTINEL_BENCH_KILLS ?? 8) / 8));

const CONTROLLER = 'controller';
const AGENTS = ['host-1', 'host-2', 'host-3', 'host-4'];
const PARTITION = 'partition-with-replica';
const SOON = ['--down-after', '1s'];
/** Who starts the nodes, the scenario, and the agents that then run its writers, once for each. */
const KINDS = [
  { backend: ['hosts', '--lanes', '1'], scenario: PARTITION, more: SOON, writersOn: ['host-1', 'host-2', 'host-3'] },
  { backend: ['agents'], scenario: PARTITION, more: SOON, writersOn: ['host-1', 'host-2', 'host-4'] },
  { backend: ['agents'], scenario: 'narrow-link', more: SOON, writersOn: ['host-1', 'host-1'] },
  ...(noMariadb ? [] : [{ backend: ['agents'], scenario: 'semi-sync-partition', more: [], writersOn: ['host-1'] }]),
];
const PARTS = [CONTROLLER, 'nats', ...AGENTS];

/** From before the first connection to the middle of the second trial. */
const LONGEST_MS = 40_000;
/** The first fault lasts so long, or a little less. */
const FAULT_MS = 15_000;
/** Until it begins, on a busy machine. */
const BEGINS_MS = 150_000;
/** Longer than an agent takes to miss its controller, and shorter. */
const APART_MS = 5000;
/** An agent undoes, ends nodes, or starts again after a recovery. */
const FREE_MS = 90_000;
/** Of a log, in a message. */
const SHOWN_LINES = 12;
/** Keys of writers that have begun; those of MariaDB are not counted. */
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

const undoFolder = () => join(tmp, 'state', 'sentinel-bench', 'undo');

/** @returns {boolean} a journal of this moment has a network to join, or links to make fast again */
function isDisturbed() {
  return journalsIn(tmp).some((name) => {
    // Without a line that is being written.
    const text = textOf(join(undoFolder(), name)).split('\n').slice(0, -1);
    const lines = text.map((line) => JSON.parse(line));
    return lines.some(
      ({ n, undo }) => ['network', 'slow'].includes(undo?.kind) && !lines.some(({ done }) => done === n),
    );
  });
}

/** @param {StartedCommand} run */
async function whenDisturbed(run) {
  let waits = true;
  const ended = run.ended.then(({ stderr }) => {
    if (waits) throw new Error(`It ended before its fault: ${stderr}`);
  });
  await Promise.race([eventually('the network is disturbed', isDisturbed, BEGINS_MS), ended]);
  waits = false;
}

/** @returns {string[]} tables with rules, and queues that are not the kernel's choice, in the namespaces of the agents */
function rulesLeft() {
  const identity = basename(String(machinesFolder(tmp)));
  return AGENTS.flatMap((_, host) => {
    const queues = onHost(identity, host, 'tc', 'qdisc', 'show').split('\n');
    return [...rulesOn(identity, host), ...queues.filter((line) => / root /.test(line) && !/^qdisc \S+ 0:/.test(line))];
  });
}

/** @param {string} folder @returns {string[]} */
function list(folder) {
  return existsSync(folder) ? readdirSync(folder) : [];
}

const heldByAgents = () => ledgersIn(join(tmp, 'state', 'sentinel-bench', 'ledgers'));

/** @param {number} pid of a controller @returns {string[]} namespaces of its stacks */
function namespacesOf(pid) {
  return readdirSync('/run/netns').filter((name) => name.startsWith(`sentinel-bench-${pid}-`));
}

/** @param {string} machines their folder @returns {Promise<string[]>} for each agent that is not free: why, and the end of its log */
async function agentsNotFree(machines) {
  const { status, stdout, stderr } = await runCli(['agents', 'list', '--json'], { tmp });
  const agents = status === 0 ? JSON.parse(stdout).agents : [];
  return AGENTS.flatMap((name) => {
    const found = agents.find((/** @type {{name: string}} */ agent) => agent.name === name);
    if (found?.busy === null) return [];
    const why = found ? `works for the run ${found.busy}` : `does not answer. ${lastLines(stderr)}`;
    return `${name} ${why}\n${lastLines(textOf(join(machines, name, 'log')))}`;
  });
}

/** @param {string} text */
function lastLines(text) {
  return text.trimEnd().split('\n').slice(-SHOWN_LINES).join('\n');
}

/** @param {string} machines their folder @param {string} message what was done to them */
async function whenAgentsAreFree(machines, message) {
  /** @type {string[]} */
  let busy = [];
  const areFree = async () => {
    busy = await agentsNotFree(machines);
    return busy.length === 0;
  };
  assert.ok(await holdsInTime(areFree, FREE_MS), `not all agents are free.\n${busy.join('\n')}\n${message}`);
}

describe('controller, agents and NATS killed in the middle of trials', { skip }, () => {
  withAgentsUp(tmp, AGENTS.length);

  test(`${TIMES} times, every ledger is collected and nothing is left`, async (t) => {
    let [writing, disturbed, collected] = [0, 0, 0];
    for (let time = 0; time < TIMES; time++) {
      const { backend, scenario, more, writersOn } = KINDS[time % KINDS.length];
      const byAgents = backend[0] === 'agents';
      const machines = String(machinesFolder(tmp));
      const out = newFolder(tmp);
      const args = ['run', scenario, '--backend', ...backend, '--trials', '1', ...more];
      const run = startCli([...args, '--agents', ...AGENTS, '--out', out], { tmp });
      const began = performance.now();
      // Half of the kills meet a fault, the others any moment.
      const isAnyMoment = time % 4 === 0 || time % 4 === 3;
      if (!isAnyMoment) await whenDisturbed(run);
      await delay(Math.random() * (isAnyMoment ? LONGEST_MS : FAULT_MS));
      const waitMs = performance.now() - began;
      const chosen = victims();
      const begun = (await (byAgents ? keysOnAgents(tmp) : keysWritten())) > BEGUN;
      const inFault = isDisturbed();
      const dying = [];
      for (const part of chosen) {
        if (part === CONTROLLER) run.kill('SIGKILL');
        else dying.push(killPart(machines, part));
      }
      await Promise.all(dying);
      const atOnce = chosen.includes(CONTROLLER);
      if (!atOnce) await delay(Math.random() * APART_MS);
      run.kill('SIGKILL');
      const { stderr } = await run.ended;
      const message = `${backend[0]}, ${scenario}: ${chosen.join(', ')} killed after ${Math.round(waitMs)} ms:\n${lastLines(stderr)}`;
      if (inFault) disturbed++;
      for (const part of chosen) if (part !== CONTROLLER) startPart(machines, part);
      await whenAgentsAreFree(machines, message);

      const held = heldByAgents();
      const folder = readdirSync(out).find((name) => existsSync(join(out, name, 'agents.json')));
      if (folder) {
        const collecting = await runCli(['collect', join(out, folder)], { tmp });
        assert.equal(collecting.status, 0, `${message}${collecting.stderr}`);
        const here = ledgersIn(join(out, folder));
        for (const name of held) assert.ok(here.includes(name), `${name} is missing. ${message}`);
        const lost = writersOn.filter((part) => chosen.includes(part)).length;
        if (begun && atOnce) {
          assert.ok(here.length >= writersOn.length - lost, `only ${here}. ${message}`);
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
      assert.deepEqual([journalsIn(tmp), rulesLeft(), list(nodesOfAgents(tmp))], [[], [], []], message);
    }
    t.diagnostic(
      `${writing} of ${TIMES} kills met writers at work, ${disturbed} a fault; ${collected} ledgers collected from agents`,
    );
  });
});
