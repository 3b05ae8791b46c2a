/** The ledgers that an agent holds on its disk until the controller has them: a folder for each run, in the state folder of the user. */
import { rmSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ledgerFile, listWriters, loadWriter, removeWriter, saveLedger } from '../audit/files.js';
import { makeStateFolder, stateFolder } from '../stacks/records/records.js';
import { CHUNK_BYTES } from './writers-protocol.js';

/**
 * @import { WriterName } from '../audit/files.js'
 * @import { Ledger } from '../audit/ledger.js'
 * @import { WriterFacts } from '../audit/verdict.js'
 * @import { HeldLedger } from './writers-protocol.js'
 */

/** @param {string} agent its name @returns of a run: */
export function openLedgers(agent) {
  const folderOf = (/** @type {string} */ run) => join(stateFolder('ledgers'), agent, run);

  /** @param {string} run @param {WriterName} which @returns {Promise<HeldLedger>} */
  async function held(run, { benchmark, case: id, round, writer }) {
    const which = { benchmark, case: id, round, writer };
    return { ...which, bytes: (await stat(ledgerFile(folderOf(run), which))).size };
  }

  return {
    /** On disk when it resolves. @param {string} run @param {WriterFacts & {benchmark: string}} facts @param {Ledger} ledger */
    async save(run, facts, ledger) {
      makeStateFolder('ledgers');
      await saveLedger(folderOf(run), facts, ledger);
      return held(run, facts);
    },
    async list(/** @type {string} */ run) {
      const found = [];
      for (const name of await listWriters(folderOf(run))) {
        const { benchmark, facts } = await loadWriter(folderOf(run), name);
        found.push(await held(run, { benchmark, ...facts }));
      }
      return found;
    },
    /** At most {@link CHUNK_BYTES}; empty: beyond the end. @param {string} run @param {WriterName} which @param {number} offset */
    async read(run, which, offset) {
      const file = await open(ledgerFile(folderOf(run), which), 'r');
      const reading = file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, offset);
      const { buffer, bytesRead } = await reading.finally(() => file.close());
      return buffer.subarray(0, bytesRead);
    },
    /** Idempotent; the folder goes with the last ledger. @param {string} run @param {readonly WriterName[]} ledgers */
    async drop(run, ledgers) {
      for (const which of ledgers) await removeWriter(folderOf(run), which);
      if ((await listWriters(folderOf(run))).length === 0) rmSync(folderOf(run), { recursive: true, force: true });
    },
  };
}
