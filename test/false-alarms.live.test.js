import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ownTemporaryFolder } from '../src/stacks/fixture.js';
import { checkAudit } from './false-alarms.js';
import { needs } from './needs.js';

await ownTemporaryFolder();

describe('the audit of real trials', { skip: await needs('server') }, () => {
  test('finds no loss in clean trials, and every planted one', async () => {
    const outcomes = await checkAudit({ clean: 5, planted: 5, seed: 1, lanes: 2 });
    assert.deepEqual(
      outcomes.map(({ wrong }) => wrong),
      outcomes.map(() => null),
    );
    assert.equal(new Set(outcomes.flatMap(({ trial }) => trial.plant?.harm ?? [])).size, 5, 'each kind of harm');
    assert.ok(outcomes.every(({ acked }) => acked > 0));
  });
});
