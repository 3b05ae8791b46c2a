/** A recovery with several journals: one that is stuck does not keep the others from being settled. */
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, before, describe, test } from 'node:test';
import { UserError } from '../errors.js';
import { journalNames, keepStateApart } from '../faults/fixture.js';
import { placeOf } from '../faults/journal.js';
import { journalFolder, makeJournalFolder } from '../faults/journal-file.js';
import { startTimeOf } from '../stacks/hosts/processes.js';
import { recover, recoverJournals } from './recover.js';

/** No process has this number. */
const DEAD_PID = 2 ** 22 + 1;

describe('journals of dead processes', () => {
  const folder = keepStateApart();
  before(async () => {
    process.env.TMPDIR = join(folder, 'tmp');
    mkdirSync(process.env.TMPDIR, { mode: 0o700 });
    // No stack of this machine is looked at.
    process.env.DOCKER_HOST = `unix://${join(folder, 'no-engine')}`;
    await makeJournalFolder();
  });

  afterEach(() => {
    for (const name of journalNames()) rmSync(join(journalFolder(), name));
  });

  /**
   * @param {number} age the older ones have the smaller number, and are settled last
   * @param {string} text
   */
  function journal(age, text) {
    const host = hostname().replaceAll('.', '%2E');
    writeFileSync(join(journalFolder(), `m${age}-0.${DEAD_PID}.1.${host}.jsonl`), text, { mode: 0o600 });
  }

  const header = (/** @type {string} */ identity) =>
    `${JSON.stringify({ version: 1, owner: { pid: DEAD_PID, startTime: '1', host: hostname() }, backend: 'local', identity, place: placeOf('local') })}\n`;
  const step = `${JSON.stringify({ n: 1, undo: { kind: 'act', id: 'redis-1', action: 'start' } })}\n`;

  test('the newest cannot be read: it is kept and named, and the older ones are settled', async () => {
    journal(9, 'nonsense\n');
    journal(5, `${header('all undone') + step}{"done":1}\n`);
    journal(1, header('its stack is gone') + step);
    /** @type {string[]} */
    const messages = [];
    const stuck = await recoverJournals({ tell: (line) => messages.push(line) });
    assert.deepEqual(
      stuck.map(({ identity }) => identity),
      [null],
    );
    assert.match(stuck[0].error.message, /cannot be understood/);
    assert.deepEqual(
      journalNames().map((name) => name.slice(0, 2)),
      ['m9'],
    );
    assert.deepEqual(messages, [`Dropped what process ${DEAD_PID} had left to undo: its stack is gone.`]);
  });

  test('a journal of a process that lives is left alone', async () => {
    const startTime = startTimeOf(process.pid);
    const name = `m3-0.${process.pid}.${startTime}.${hostname().replaceAll('.', '%2E')}.jsonl`;
    writeFileSync(join(journalFolder(), name), header('in use') + step, { mode: 0o600 });
    assert.deepEqual(await recoverJournals({ tell: assert.fail }), []);
    assert.deepEqual(journalNames(), [name]);
  });

  test('the first journal that cannot be put back is thrown; the others are printed with their remedies', async () => {
    journal(9, 'nonsense\n');
    journal(7, 'other nonsense\n');
    journal(5, header('its stack is gone') + step);
    /** @type {string[]} */
    const messages = [];
    await assert.rejects(recover({ tell: (line) => messages.push(line) }), (error) => {
      assert.ok(error instanceof UserError);
      assert.match(error.message, /m9-0.* cannot be understood/);
      return true;
    });
    assert.equal(messages.length, 2);
    assert.match(messages[0], /^Dropped what process/);
    assert.match(messages[1], /m7-0.* cannot be understood.*\. \S.*\.$/);
    assert.deepEqual(
      journalNames()
        .map((name) => name.slice(0, 2))
        .sort(),
      ['m7', 'm9'],
    );
  });

  test('an empty journal is removed: its process died before it changed anything', async () => {
    journal(5, '');
    assert.deepEqual(await recoverJournals({ tell: assert.fail }), []);
    assert.deepEqual(journalNames(), []);
  });
});
