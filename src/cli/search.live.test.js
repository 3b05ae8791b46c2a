/** The fault search as a user runs it, on real servers. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { firewallTables } from '../stacks/network/firewall-fixture.js';
import { becomes, leftIn, newFolder, runCli, stackFolder, startCli } from './fixture.js';

const folder = await ownTemporaryFolder();
const skip = await needs('server', 'firewall');
const DEADLINE_MS = 150_000;
const APART = ['--placement', 'apart', '--lanes', '2'];
/** The host of the primary with one replica, a client and one Sentinel of three. */
const GROUP = 'partition:primary+replica-1@0+4';

/** @param {string} out */
function searchIn(out) {
  const [name] = readdirSync(out);
  return {
    document: JSON.parse(readFileSync(join(out, name, 'search.json'), 'utf8')),
    page: readFileSync(join(out, name, 'report.md'), 'utf8'),
  };
}

/** @param {string} tmp @returns {string | null} the packet filter's table of the stack there, while there is one */
function tableIn(tmp) {
  const stack = stackFolder(tmp);
  if (stack === null) return null;
  try {
    const { net } = JSON.parse(readFileSync(join(stack, 'stack.json'), 'utf8'));
    return firewallTables().find((name) => name.endsWith(String(net).replaceAll('.', '_'))) ?? null;
  } catch {
    // Its record is being written.
    return null;
  }
}

/** @param {string} tmp @param {NodeJS.Signals} signal sent while the network is divided */
async function endDuringPartition(tmp, signal) {
  const args = ['search', '--mode', 'async', '--replay', 'partition:primary@0+60', '--tries', '1'];
  const search = startCli([...args, '--out', join(tmp, 'out')], { tmp, deadlineMs: DEADLINE_MS });
  let table = '';
  await becomes(
    () => {
      table = tableIn(tmp) ?? '';
      return table !== '';
    },
    'the network is divided',
    DEADLINE_MS,
  );
  search.kill(signal);
  return { table, ...(await search.ended) };
}

describe('sentinel-bench search', { skip }, () => {
  test('a partition of a group loses writes with WAIT 1, none with WAIT 2, and the page says so', async () => {
    const tmp = newFolder(folder);
    for (const { mode, loses } of [
      { mode: 'wait1-min1', loses: true },
      { mode: 'wait2', loses: false },
    ]) {
      const out = join(tmp, mode);
      const args = ['search', '--mode', mode, '--replay', GROUP, '--tries', '2', ...APART, '--out', out];
      const { status, stderr } = await runCli(args, { tmp, deadlineMs: DEADLINE_MS });
      assert.equal(status, loses ? 1 : 0, stderr);
      const { document, page } = searchIn(out);
      assert.equal(document.tried, 2, stderr);
      assert.equal(document.losing.length, loses ? 2 : 0);
      if (loses) {
        const most = Math.max(...document.losing.map((/** @type {{seconds: number}} */ { seconds }) => seconds));
        assert.ok(most > 2, `${most} s of writes lost in a partition of 4 s`);
        assert.match(page, /--replay 'partition:primary\+replica-1@0\+4'/);
      } else {
        assert.match(page, /lost nothing in 2 schedules \([1-9][\d,]* acknowledged writes\)/);
      }
    }
    assert.deepEqual(leftIn(tmp), []);
  });

  test('Ctrl-C in the middle of a partition: nothing is left, and the exit status is 130', async () => {
    const tmp = newFolder(folder);
    const { status, stderr, table } = await endDuringPartition(tmp, 'SIGINT');
    assert.equal(status, 130, stderr);
    assert.deepEqual([leftIn(tmp), firewallTables().includes(table)], [[], false]);
  });
});
