import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { ownTemporaryFolder } from '../../src/stacks/fixture.js';
import { needs } from '../../test/needs.js';
import linkDark, { darkChecks, MINIMUM, measureDark } from './dark.js';
import { LinkFigures } from './document.js';
import { openPair } from './fixture.js';

/** @import { StageStack } from '../../src/run/own-stacks.js' */

await ownTemporaryFolder();
const skip = await needs('server');

describe('a link that goes dark, on a real stack', { skip, timeout: 300_000 }, () => {
  /** @type {StageStack | undefined} */
  let stage;
  after(() => stage?.close());

  test('both nodes notice by repl-timeout, WAIT by its own, and min-replicas refuses', async () => {
    stage = await openPair(linkDark.stacks?.settings);
    const { testbed } = stage;
    const { tuning, primary, replicas = [] } = testbed;
    assert.ok(primary);
    const roles = { primary: primary.id, replicas: replicas.map(({ id }) => id) };
    const [plain, minimum] = linkDark.cases(/** @type {any} */ ({}));
    const cases = [];
    for (const { id, params } of [plain, minimum]) {
      const settings = { ...params.settings, 'repl-timeout': params.settings?.[MINIMUM] === '1' ? '5' : '2' };
      const theCase = { id, params: { ...params, settings } };
      await tuning.become(theCase.params, roles);
      const round = await measureDark({ testbed, theCase, keyPrefix: 'dark:', now: () => {} });
      LinkFigures.parse(round.link);
      cases.push({ ...theCase, rounds: [round] });
    }
    assert.deepEqual(
      darkChecks(/** @type {any} */ ({ cases })).filter(({ ok }) => !ok),
      [],
    );
    const [first, second] = cases.map(({ rounds }) => rounds[0].link?.dark);
    assert.ok(first && second);
    assert.ok(first.acked > 0, 'the primary went on');
    assert.ok(Number(second.refusedMs) < Number(second.primaryNoticedMs), 'min-replicas acts before repl-timeout');
    const control = testbed.controls.get(replicas[0].id);
    assert.equal((await control?.info('replication'))?.role, 'master', 'the path is closed');
  });
});
