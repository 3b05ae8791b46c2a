import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, test } from 'node:test';
import { probeStorage } from '../measure/storage.js';
import { ownTemporaryFolder } from './fixture.js';
import { slowVolumePossible, startSlowVolume } from './slow-volume.js';
import { loopDevices, mountsIn, recoverVolumes } from './volume.js';

/** @import { SpawnSyncOptions } from 'node:child_process' */

const folder = await ownTemporaryFolder();
const possible = await slowVolumePossible();

const DELAY_MS = 5;
const BYTES = 4 * 2 ** 30;

const MODULE = JSON.stringify(new URL('./slow-volume.js', import.meta.url).href);

/** @returns {number[]} processes that work in a folder of this test's */
function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(`${folder}/`);
      } catch {
        // It ended meanwhile.
        return false;
      }
    })
    .map(Number);
}

function assertNothingLeft() {
  assert.deepEqual(mountsIn(folder), []);
  assert.deepEqual(loopDevices(folder), []);
  assert.deepEqual(processes(), []);
  assert.deepEqual(
    readdirSync(folder).filter((name) => name !== 'state'),
    [],
  );
  const records = join(folder, 'state', 'sentinel-bench', 'volumes');
  assert.deepEqual(existsSync(records) ? readdirSync(records) : [], []);
}

/**
 * What a process with fewer rights sees.
 *
 * @param {SpawnSyncOptions} less
 * @returns {{ok: boolean, reason: string}}
 */
function answerTo(less) {
  const script = `import { slowVolumePossible } from ${MODULE}; console.log(JSON.stringify(await slowVolumePossible()));`;
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { cwd: '/', ...less });
  return JSON.parse(String(output));
}

/** @param {{ok: boolean, reason: string}} answer */
function assertOneSentence({ reason }) {
  assert.match(reason, /^[A-Z][^\n]+\.$/);
  assert.ok(!reason.includes('. '), reason);
}

describe('where there can be none', () => {
  test('missing programs are named, with how to install them', () => {
    const answer = answerTo({ env: { ...process.env, PATH: '/nowhere' } });
    assert.equal(answer.ok, false);
    if (possible.ok) assert.match(answer.reason, /nbdkit and nbdfuse.* on PATH, so install .*apt install/);
    assertOneSentence(answer);
  });
});

describe('a slow volume', { skip: !possible.ok && possible.reason }, () => {
  test('makes each sync wait for its writes, and is gone without trace when closed', async () => {
    const volume = await startSlowVolume({ writeDelayMs: DELAY_MS, bytes: BYTES });
    try {
      const storage = { label: 'slow', path: volume.path, emulated: true, how: volume.how };
      const { fsyncNs, filesystem, freeBytes } = await probeStorage(storage, { samples: 20 });
      assert.equal(filesystem, 'ext4');
      assert.ok(freeBytes > BYTES / 2, `${freeBytes}`);
      assert.ok(fsyncNs.min >= DELAY_MS * 1e6, `a sync took ${fsyncNs.min / 1e6} ms`);
      // A busy machine makes most of them longer.
      assert.ok(fsyncNs.min < 20 * DELAY_MS * 1e6, `each of them took ${fsyncNs.min / 1e6} ms`);
      assert.match(volume.how, /delays by 5 ms/);
      assert.ok(!volume.how.includes('/'), 'no path in it');
      // It need not be empty.
      writeFileSync(join(volume.path, 'left'), Buffer.alloc(2 ** 24, 1));
      await recoverVolumes();
      assert.equal(readFileSync(join(volume.path, 'left')).length, 2 ** 24, 'a living process keeps its volume');
    } finally {
      await volume.close();
      await volume.close();
    }
    assertNothingLeft();
  });

  for (const moment of ['mounted', 'daemon']) {
    test(`of a killed process (${moment}) is found and taken down`, async () => {
      const owner = spawn(
        process.execPath,
        [
          '--input-type=module',
          '--eval',
          `import { startSlowVolume } from ${MODULE};
          const volume = await startSlowVolume({ writeDelayMs: ${DELAY_MS}, bytes: ${BYTES} });
          console.log(volume.path);
          process.stdin.on('end', () => process.exit()).resume();`,
        ],
        { stdio: ['pipe', 'pipe', 'inherit'] },
      );
      const ended = once(owner, 'exit');
      let path = '';
      for await (const line of createInterface({ input: owner.stdout })) {
        path = line;
        break;
      }
      owner.kill('SIGKILL');
      await ended;
      assert.deepEqual(mountsIn(path), [path], 'it is still there');
      assert.notDeepEqual(processes(), []);
      // A daemon that died, too, must not keep the rest.
      if (moment === 'daemon') process.kill(processes()[0], 'SIGKILL');

      /** @type {string[]} */
      const messages = [];
      await recoverVolumes((line) => messages.push(line));
      assert.deepEqual(messages, [`Removed the slow volume that process ${owner.pid} left.`]);
      assertNothingLeft();
    });
  }
});
