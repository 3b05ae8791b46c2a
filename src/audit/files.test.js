import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { ResultSchema } from '../../bench/index.js';
import { UserError } from '../errors.js';
import { resultOf } from '../report/fixture.js';
import { listWriters, loadWriter, saveLedger, saveReadings } from './files.js';
import { FACTS, ledgerOf, readingOf } from './fixture.js';
import { recheck } from './recheck.js';
import { auditOf } from './verdict.js';

/**
 * @import { AuditResult } from '../result/failure-schema.js'
 * @import { LedgerEntry } from './fixture.js'
 */

/** @type {LedgerEntry[]} */
const ENTRIES = [
  { is: 'acked', at: 1 },
  { is: 'acked', at: 20, falseAck: true },
  { is: 'rejected', at: 30 },
  { is: 'unknown' },
];
const facts = {
  ...FACTS,
  benchmark: 'primary-killed',
  case: 'wait1',
  writes: 4,
  faultFromMs: 10,
  errors: { CLOSED: 1 },
  firstError: { afterMs: 12.5, text: 'CLOSED by the server' },
  moves: [{ afterMs: 0, node: 'redis-1' }],
};
// A writer's memory has room for more than was due.
const ledger = ledgerOf(ENTRIES, 10);
const readings = {
  readings: new Map([
    ['redis-1', readingOf('r..r')],
    ['redis-2', { ...readingOf('r..r', 0), primary: true }],
  ]),
  primaryId: 'redis-2',
  former: { id: 'redis-1', reading: readingOf('rr.') },
};
const NAME = 'primary-killed.wait1-1-sticky';

/** @type {string} */
let folder;
/** @type {(kind: string, name?: string) => string} */
const fileOf = (kind, name = NAME) => join(folder, 'audit', `${name}.${kind}`);
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sentinel-bench-audit-'));
  await saveLedger(folder, facts, ledger);
  await saveReadings(folder, facts, readings);
});
afterEach(() => rm(folder, { recursive: true }));

/** @param {(audit: AuditResult) => void} [change] */
async function writeResult(change = () => {}) {
  const result = resultOf();
  const audit = auditOf({ ledger, ...readings, ...facts });
  change(audit);
  Object.assign(result.benchmarks[0], { name: 'primary-killed', audit: [audit] });
  await writeFile(join(folder, 'result.json'), JSON.stringify(result));
}

/** @param {string} file @param {(text: string) => string} change of the first line */
async function changeHeader(file, change) {
  const content = await readFile(file);
  const newline = content.indexOf('\n');
  const line = Buffer.from(change(content.toString('utf8', 0, newline)));
  await writeFile(file, Buffer.concat([line, content.subarray(newline)]));
}

describe('the files of an audit', () => {
  test('are read back as they were written', async () => {
    assert.deepEqual(await listWriters(folder), [NAME]);
    const saved = await loadWriter(folder, NAME);
    assert.deepEqual(saved.readings, readings);
    const { benchmark, ...rest } = facts;
    assert.deepEqual([saved.benchmark, saved.facts], [benchmark, rest]);
    for (const part of /** @type {const} */ (['ticks', 'states', 'nodes', 'waited', 'flags'])) {
      assert.deepEqual(saved.ledger[part], ledger[part].slice(0, 4), part);
    }
    assert.deepEqual((await readdir(join(folder, 'audit'))).sort(), [`${NAME}.ledger`, `${NAME}.readings`]);
  });

  test('a ledger without readings is a trial whose nodes were not read', async () => {
    await rm(fileOf('readings'));
    assert.equal((await loadWriter(folder, NAME)).readings, null);
    const { writers } = await recheck(folder, ResultSchema);
    assert.equal(writers[0].audit, null);
  });

  test('a ledger never holds more than its capacity, or than was due', async () => {
    await assert.rejects(saveLedger(folder, { ...facts, writes: 11 }, ledger), /10 writes cannot hold 11/);
    await writeFile(join(folder, 'file'), '');
    const refused = saveLedger(join(folder, 'file'), facts, ledger);
    await assert.rejects(refused, (error) => error instanceof UserError && error.exitStatus === 3);
  });

  /** @type {Record<string, [spoil: () => Promise<unknown>, expected: RegExp]>} */
  const damages = {
    'a ledger short of a byte': [
      async () => truncate(fileOf('ledger'), (await readFile(fileOf('ledger'))).length - 1),
      /has 31 bytes of content where 32 were written/,
    ],
    'a ledger that is empty': [() => truncate(fileOf('ledger'), 0), /is not a ledger of sentinel-bench/],
    'readings in place of a ledger': [() => copyFile(fileOf('readings'), fileOf('ledger')), /is not a ledger of/],
    'a changed byte': [
      async () => {
        const content = await readFile(fileOf('ledger'));
        content[content.length - 10] ^= 1;
        await writeFile(fileOf('ledger'), content);
      },
      /was changed since it was written/,
    ],
    'another version': [
      () => changeHeader(fileOf('ledger'), (line) => line.replace('ledger@1', 'ledger@2')),
      /has version 2 of the format; this sentinel-bench reads version 1/,
    ],
    'another order of bytes': [
      () => changeHeader(fileOf('ledger'), (line) => line.replace(/"endianness":"../, '"endianness":"XX')),
      /another byte order/,
    ],
    'a header that lacks something': [
      () => changeHeader(fileOf('ledger'), (line) => line.replace('"rate"', '"speed"')),
      /is damaged at rate/,
    ],
    'another number of writes': [
      () => changeHeader(fileOf('ledger'), (line) => line.replace('"writes":4', '"writes":3')),
      /is not a ledger of 3 writes/,
    ],
    'readings of another number of writes': [
      () => changeHeader(fileOf('readings'), (line) => line.replace('"writes":4', '"writes":3')),
      /has 3 writes, but its ledger has 4/,
    ],
    'readings without the primary': [
      () => changeHeader(fileOf('readings'), (line) => line.replace('"primaryId":"redis-2"', '"primaryId":"redis-3"')),
      /lacks the reading of redis-3/,
    ],
    'a ledger under another name': [
      () =>
        rename(fileOf('ledger'), fileOf('ledger', 'primary-killed.async-1-sticky')).then(() => rm(fileOf('readings'))),
      /async-1-sticky\.ledger is the ledger of primary-killed\.wait1-1-sticky/,
    ],
    'readings without their ledger': [() => rm(fileOf('ledger')), /wait1-1-sticky\.ledger is missing/],
  };
  for (const [name, [spoil, expected]] of Object.entries(damages)) {
    test(`damaged: ${name}`, async () => {
      await spoil();
      await assert.rejects(recheck(folder, ResultSchema), (error) => {
        assert.ok(error instanceof UserError, String(error));
        assert.match(error.message, expected);
        assert.deepEqual([error.exitStatus, /\.$/.test(error.remedy)], [2, true]);
        return true;
      });
    });
  }
});

describe('auditing again', () => {
  test('agrees with the result it was made from', async () => {
    await writeResult();
    const { compared, writers } = await recheck(folder, ResultSchema);
    assert.equal(compared, true);
    assert.equal(writers.length, 1);
    const [{ audit, recorded, differences, broken }] = writers;
    assert.deepEqual([audit, differences, broken], [recorded, [], []]);
    assert.deepEqual(audit?.formerPrimary, { id: 'redis-1', present: 2, extra: 1, extraAcked: 1, extraUntold: 0 });
  });

  test('names what differs', async () => {
    await writeResult((audit) => {
      audit.ackedLost = 0;
      audit.present['redis-2'] = 3;
    });
    const [{ differences }] = (await recheck(folder, ResultSchema)).writers;
    assert.deepEqual(differences, [
      { field: 'ackedLost', recorded: 0, audited: 1 },
      { field: 'present', recorded: { 'redis-1': 2, 'redis-2': 3 }, audited: { 'redis-1': 2, 'redis-2': 2 } },
    ]);
  });

  test('names what is on one side only', async () => {
    await writeResult((audit) => {
      audit.round = 2;
    });
    const { writers } = await recheck(folder, ResultSchema);
    assert.deepEqual(
      writers.map(({ round, differences }) => [round, ...differences]),
      [
        [1, { field: '', recorded: false, audited: true }],
        [2, { field: '', recorded: true, audited: false }],
      ],
    );
  });

  test('without a result there is nothing to compare; a damaged result is an error', async () => {
    const { compared, writers } = await recheck(folder, ResultSchema);
    assert.deepEqual([compared, writers[0].differences, writers[0].audit?.ackedLost], [false, [], 1]);
    await writeFile(join(folder, 'result.json'), '{');
    await assert.rejects(recheck(folder, ResultSchema), /is not whole JSON/);
  });

  test('says which safety claims do not hold', async () => {
    const bad = new Map([['redis-2', readingOf('rwr.', 3)]]);
    await saveReadings(folder, facts, { readings: bad, primaryId: 'redis-2' });
    const [{ broken }] = (await recheck(folder, ResultSchema)).writers;
    assert.deepEqual(broken, ['1 rejected but present', '1 with a wrong value', '3 keys that were never written']);
  });

  test('a folder without ledgers is an error', async () => {
    await rm(join(folder, 'audit'), { recursive: true });
    await assert.rejects(recheck(folder, ResultSchema), /has no audit\./);
    await assert.rejects(recheck(join(folder, 'nowhere'), ResultSchema), /nowhere has no audit\./);
  });
});
