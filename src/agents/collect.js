/** Ledgers from agents to the machine of the controller: at the end of each trial, or later, when the controller was killed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { placeLedger } from '../audit/files.js';
import { badInput, codeOf } from '../errors.js';
import { writeWholeSync } from '../files.js';
import { waitFor } from '../wait.js';
import { askAgent, discoverAgents, newRunId } from './controller.js';
import { LOST_MS, RunId } from './protocol.js';
import { refusal } from './refusals.js';

/**
 * @import { NatsConnection } from '@nats-io/nats-core'
 * @import { Controller } from './controller.js'
 * @import { HeldLedger } from './writers-protocol.js'
 */

/** An agent misses its controller, then waits for the answers to its last writes. */
const WRITERS_END_MS = LOST_MS + 20_000;

/** In the folder of a run: the id under which agents hold its ledgers. */
const NOTE = 'agents.json';
const Note = z.object({ schema: z.literal('sentinel-bench/agents-run@1'), run: RunId });

/** @param {string} folder of the run @param {string} run */
export function noteRun(folder, run) {
  writeWholeSync(join(folder, NOTE), JSON.stringify({ schema: 'sentinel-bench/agents-run@1', run }));
}

/** @param {string} folder of a run */
function runIn(folder) {
  try {
    return Note.parse(JSON.parse(readFileSync(join(folder, NOTE), 'utf8'))).run;
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' ? 'No agents wrote in that run' : `${NOTE} cannot be read`;
    throw badInput(`${why}: ${folder}.`, 'Name the folder of a run with --agents, such as results/latest.', {
      cause: error,
    });
  }
}

/**
 * @param {Controller['ask']} ask @param {string} agent @param {string} run @param {HeldLedger} ledger
 * @returns {Promise<Buffer>} its file, which has a digest of its content @throws {UserError} it is not whole
 */
export async function fetchLedger(ask, agent, run, { bytes, ...ledger }) {
  const pieces = [];
  for (let offset = 0; offset < bytes; ) {
    const { data } = await ask(agent, 'ledgers-read', { run, ledger, offset });
    const piece = Buffer.from(data, 'base64');
    if (piece.length === 0) break;
    pieces.push(piece);
    offset += piece.length;
  }
  const content = Buffer.concat(pieces);
  if (content.length === bytes) return content;
  throw refusal('ledger-not-whole', { writer: ledger.writer, agent });
}

/**
 * Brings the ledgers of a run into its folder. An agent drops a ledger once it is on the disk here.
 * @param {NatsConnection} nats @param {string} folder of the run
 * @returns {Promise<{agent: string, placed: number, had: number}[]>} by agent that held some; had: those that were in the folder already
 * @throws {UserError} the folder is of no such run, or writers are still at work
 */
export async function collectLedgers(nats, folder) {
  const run = runIn(folder);
  /** @type {Controller['ask']} */
  const ask = (agent, operation, body) => askAgent(nats, { run: newRunId(), agent, operation, body });
  const ended = async () => (await discoverAgents(nats)).every(({ busy }) => busy !== run);
  if (!(await waitFor(ended, { deadlineMs: WRITERS_END_MS, pollMs: 500 }))) {
    throw refusal('run-under-way');
  }
  const agents = (await discoverAgents(nats)).filter(({ allow }) => allow.includes('writers'));
  if (agents.length === 0) throw refusal('no-writers-agent');
  const collected = [];
  for (const { name: agent } of agents) {
    const { ledgers } = await ask(agent, 'ledgers', { run });
    let placed = 0;
    for (const ledger of ledgers) {
      const { bytes, ...which } = ledger;
      if (await placeLedger(folder, await fetchLedger(ask, agent, run, ledger), which)) placed++;
      await ask(agent, 'ledgers-drop', { run, ledgers: [which] });
    }
    if (ledgers.length > 0) collected.push({ agent, placed, had: ledgers.length - placed });
  }
  return collected;
}
