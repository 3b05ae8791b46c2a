/** The check of drivers, with drivers that lie: each has to be caught by the check that is meant for it. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { startLocal } from '../../stacks/redis/local/index.js';
import { checkDriver } from './index.js';
import { scenarios } from './scenarios.js';

/** @import { CheckResult } from './index.js' */

const FIXTURE = fileURLToPath(new URL('../driver-fixture.js', import.meta.url));
/** A driver that never ends is killed soon. */
const LIMITS = { readyMs: 6000, endMs: 1500 };

/** @type {Awaited<ReturnType<typeof startLocal>>} */
let stack;
before(async () => {
  stack = await startLocal({});
});
after(() => stack.close());

/** @param {string} lie @param {Parameters<typeof checkDriver>[1]['only']} [only] */
function check(lie, only) {
  const command = { name: 'fixture', run: [process.execPath, FIXTURE, lie] };
  return checkDriver(command, { stack, limits: LIMITS, only });
}

/** @param {CheckResult[]} checks @param {string} name */
function textOf(checks, name) {
  return checks.find((each) => each.name === name)?.text ?? '';
}

describe('the check of drivers', { concurrency: 2 }, () => {
  test('an honest driver passes', async () => {
    // Without the slowest scenario, and those in which the machine has to be quick.
    const quick = [...scenarios.keys()].filter((id) => !['lost', 'backlog', 'deaf'].includes(id));
    const { checks, ready, passed } = await check('', quick);
    assert.deepEqual(
      checks.filter(({ verdict, name }) => verdict === 'failed' && name !== 'schedule'),
      [],
    );
    assert.equal(ready?.library, 'none');
    assert.equal(textOf(checks, 'retries silently'), 'no');
    assert.equal(textOf(checks, 'WAIT on the connection of the write'), 'yes');
    assert.equal(typeof passed, 'boolean');
  });

  /** @type {Record<string, [NonNullable<Parameters<typeof check>[1]>, string]>} */
  const LIES = {
    early: [['answers'], 'no answer before the server’s'],
    twice: [['answers'], 'each write reported once'],
    forgets: [['answers'], 'each write reported once'],
    values: [['answers'], 'keys and values'],
    'one-at-a-time': [['answers'], 'schedule'],
    ahead: [['answers'], 'schedule'],
    garbage: [['answers'], 'only lines of the protocol'],
    'never-stops': [['input'], 'ends at the end of input'],
    hangs: [['answers'], 'outcomes of OK'],
    optimist: [['errors', 'dropped'], 'outcomes of error replies'],
    rejects: [['dropped'], 'outcomes of a dropped connection'],
    crosses: [['wait'], 'WAIT goes where `ready` says'],
    'ignores-count': [['wait'], 'outcomes of WAIT'],
    'sends-on': [['backlog'], 'ends with more writes than it can send'],
    leaks: [['secret'], 'no password in its output, command line or environment'],
  };
  for (const [lie, [only, name]] of Object.entries(LIES)) {
    test(`a driver that ${lie.startsWith('never') ? lie : `lies (${lie})`} is caught by “${name}”`, async () => {
      const { checks, passed } = await check(lie, only);
      assert.ok(!passed);
      const caught = checks.filter(({ verdict }) => verdict === 'failed').map((each) => each.name);
      assert.ok(caught.includes(name), `caught by ${caught.join(', ')}`);
    });
  }
});
