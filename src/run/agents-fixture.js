/** For tests only: the agents of a run on hosts of namespaces, and what they leave there. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { openAgentsOfRun } from '../agents/agents-run.js';
import { findMachines } from '../agents/machines.js';
import { nodesOfAgents } from '../agents/machines-fixture.js';
import { programPath, SYSTEM_FOLDERS } from '../programs.js';
import { commandIn } from '../stacks/network/namespaces.js';

/** @returns where to reach the NATS server of the machines that are up */
export function natsOfMachines() {
  const found = findMachines();
  assert.ok(found);
  return found.nats;
}

/**
 * @param {readonly string[]} wanted names of agents, or `all`
 * @param {Partial<Parameters<typeof openAgentsOfRun>[1]>} needed beside writers
 */
export function openAgents(wanted, needed = {}) {
  return openAgentsOfRun({ nats: natsOfMachines(), wanted }, { load: false, writers: true, ...needed });
}

/** @param {string} tmp @returns {string[]} working directories of processes of nodes that agents started */
export function runningNodes(tmp) {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const directory = /^\d+$/.test(pid) ? readlinkSync(`/proc/${pid}/cwd`) : '';
      return directory.startsWith(nodesOfAgents(tmp)) ? [directory] : [];
    } catch {
      return [];
    }
  });
}

/** @param {string} identity of the hosts @param {number} host @param {string} name of a program @param {...string} args */
export function onHost(identity, host, name, ...args) {
  const [program, ...words] = [...commandIn(identity, host), String(programPath(name, SYSTEM_FOLDERS)), ...args];
  return execFileSync(program, words, { encoding: 'utf8' });
}

/** @param {string} identity of the hosts @param {number} host @returns {string[]} tables of our rules there */
export function rulesOn(identity, host) {
  const tables = onHost(identity, host, 'nft', 'list', 'tables').split('\n');
  return tables.filter((line) => line.includes('sentinel_bench'));
}
