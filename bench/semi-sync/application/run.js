/** Starts the application, and fills its database. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ENTRIES } from '../../../src/clients/mysql.js';
import { environmentForPrograms } from '../../../src/programs.js';
import { untilAborted } from '../../../src/run/interruption.js';
import { LOOPBACK } from '../../../src/stacks/address.js';
import { askNode } from '../../../src/stacks/ask.js';
import { isInSync } from '../../../src/stacks/mariadb/replication.js';
import { waitFor } from '../../../src/wait.js';
import { CONNECTIONS } from './wrk.js';

/**
 * @import { Control, NodeInfo, Stack } from '../../../src/stacks/types.js'
 * @import { ServedApplication } from './server.js'
 */

/** Of the row of a person. */
export const PROFILE_BYTES = 256;
const SERVER = fileURLToPath(new URL('server.js', import.meta.url));
/** People who are registered before a round, so that a search finds a page of them. */
const PEOPLE = 10_000;
const STATEMENT_MS = 20_000;
const IN_SYNC_MS = 120_000;

/** Stacks whose database has the people. @type {WeakSet<Stack>} */
const filled = new WeakSet();

/**
 * @param {Stack} stack
 * @param {{primary: NodeInfo, readers: readonly NodeInfo[], prefix: string, signal: AbortSignal}} options
 * @returns {Promise<{url: string, close: () => Promise<void>}>} it answers
 */
export async function startApplication({ access: { credentials } }, { primary, readers, prefix, signal }) {
  const child = fork(SERVER, { env: environmentForPrograms(), stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit');
  const close = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  try {
    /** @type {ServedApplication} */
    const plan = {
      primary: primary.address,
      readers: readers.map(({ address }) => address),
      credentials,
      connections: CONNECTIONS,
      profileBytes: PROFILE_BYTES,
      prefix,
    };
    child.send(plan);
    const [port] = await untilAborted(once(child, 'message'), signal);
    return { url: `http://${LOOPBACK}:${port}`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** As many people begin with each two letters. @param {Stack} stack @param {string} primaryId @param {string} prefix of the application's keys */
export async function fillPeople(stack, primaryId, prefix) {
  if (filled.has(stack)) return;
  const key = 'CONCAT(?, CHAR(97 + seq MOD 26), CHAR(97 + seq DIV 26 MOD 26), seq)';
  const people = `SELECT ${key}, REPEAT('x', ${PROFILE_BYTES}) FROM seq_0_to_${PEOPLE - 1}`;
  const fill = (/** @type {Control} */ control) =>
    control.call(`INSERT IGNORE INTO ${ENTRIES} (k, v) ${people}`, prefix);
  await askNode(stack, primaryId, fill, { timeoutMs: STATEMENT_MS });
  filled.add(stack);
}

/** @param {Stack} stack @param {NodeInfo} primary @param {readonly NodeInfo[]} replicas @throws {Error} a replica does not catch up */
export async function untilReplicated(stack, primary, replicas) {
  const { gtid_binlog_pos: position } = await askNode(stack, primary.id, (control) => control.info());
  for (const { id } of replicas) {
    const has = () =>
      askNode(stack, id, async (control) => {
        const state = await control.info();
        return isInSync(state, Number(state.master_port), position);
      });
    if (!(await waitFor(has, { deadlineMs: IN_SYNC_MS }))) throw new Error(`${id} did not catch up`);
  }
}
