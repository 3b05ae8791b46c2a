import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Interrupted, NotPutBack } from '../../src/run/interruption.js';
import { runQuietly } from '../../src/run/suite-fixture.js';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { listRecords, removeRecord } from '../../src/stacks/records/records.js';
import { DISK } from '../../src/stacks/volumes/emulated-volume.js';
import { whyNoSlowVolume } from '../../src/stacks/volumes/slow-volume.js';
import { takeApart } from '../../src/stacks/volumes/volume.js';
import { needs } from '../../test/needs.js';
import persistence from './persistence.js';

await ownTemporaryFolder();
const skip = (await needs('server')) || ((await whyNoSlowVolume()) ?? false);

/** Holds the volume's content, so that the volume cannot be taken down: at once, for it may be about to be. */
function holdVolume() {
  const [{ name, folder }] = listRecords('volumes');
  const device = String(execFileSync('losetup', ['--find', '--show', join(folder, DISK)])).trim();
  const holder = openSync(device, 'r');
  return async () => {
    closeSync(holder);
    await takeApart(folder);
    removeRecord('volumes', name);
  };
}

describe('a slow volume that cannot be taken down', { skip }, () => {
  /** @param {(text: string) => void} [onNow] @param {AbortSignal} [signal] */
  async function runThatLeavesIt(onNow = () => {}, signal = new AbortController().signal) {
    /** @type {(() => Promise<void>) | undefined} */
    let release;
    try {
      return await runQuietly({
        benchmarks: [
          {
            ...persistence,
            cases: (options) => persistence.cases(options).slice(0, 1),
            pace: () => ({ rounds: 1, seconds: 0.1, warmUpSeconds: 0 }),
          },
        ],
        parameters: { slowVolume: 1 },
        progress: {
          tell(line) {
            if (line.includes('loaded in')) release = holdVolume();
          },
          now: onNow,
          stop() {},
        },
        signal,
      });
    } finally {
      await release?.();
    }
  }

  test('the figures are kept, and the report names what is left', async () => {
    const { result, stopped } = await runThatLeavesIt();
    assert.equal(result.benchmarks[0].cases.length, 1);
    assert.ok(stopped instanceof NotPutBack, String(stopped));
    assert.match(stopped.message, /could not be taken down: \/dev\/loop\d+ is left/);
  });

  test('an interruption does not say that everything was put back', async () => {
    const controller = new AbortController();
    const onNow = (/** @type {string} */ text) => {
      if (text.includes('round 1')) controller.abort(new Interrupted('SIGINT'));
    };
    await assert.rejects(runThatLeavesIt(onNow, controller.signal), NotPutBack);
  });
});
