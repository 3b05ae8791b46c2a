import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { needs } from '../../test/needs.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';
import { newFolder, portsIn, runCli, startCli } from './fixture.js';

/** A busy machine delays writes and then sends them all at once, which shifts the mean of three seconds. So the test tries again. */
const ATTEMPTS = 20;

const folder = await ownTemporaryFolder();
const skip = await needs('server');

describe('link observe', { skip }, () => {
  const tmp = newFolder(folder);
  before(async () => {
    const up = await runCli(['up', '--backend', 'local'], { tmp });
    assert.equal(up.status, 0, up.stderr);
  });
  after(() => runCli(['down', '--backend', 'local'], { tmp }));

  /** @param {string[]} args */
  const observe = (...args) => runCli(['link', 'observe', '--for', '3s', ...args], { tmp });

  test('writes show in the figures, and a link that is too slow gives exit status 1', async () => {
    const target = `127.0.0.1:${portsIn(tmp)['redis-1']}`;
    const load = ['--rate', '500/s', '--payload', '2000b', '--keys', '100', '--duration', '1h'];
    const writing = startCli(['load', '--target', target, ...load, '--json'], { tmp, deadlineMs: 3_600_000 });
    try {
      /** @type {any} */
      let document;
      // 500 values of 2,000 B a second, each with its command and its key.
      const isAsWritten = () => document?.demand.mean > 900_000 && document.demand.mean < 1_300_000;
      const isAsCounted = () =>
        document.demand.sent === null || Math.abs(document.demand.sent / document.demand.mean - 1) < 0.2;
      // The load starts after a moment, and warms up at full speed.
      for (let attempt = 0; attempt < ATTEMPTS && !(isAsWritten() && isAsCounted()); attempt++) {
        const { status, stdout, stderr } = await observe('--json', '--link-speed', '4mbit');
        document = JSON.parse(stdout);
        assert.equal(status, document.link.shortfall.pilesUp > 0 ? 1 : 0, stderr);
        assert.ok(document.demand.peak >= document.demand.mean);
      }
      assert.ok(isAsWritten(), `${document.demand.mean} B/s`);
      assert.ok(isAsCounted(), `${document.demand.sent}`);
      assert.ok(document.link.shortfall.use > 1.5);
      assert.ok(document.link.shortfall.limitAfterSeconds > 60);
    } finally {
      writing.kill('SIGINT');
      await writing.ended;
    }
  });
});
