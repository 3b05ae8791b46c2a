import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readySnapshot } from '../stacks/fixture.js';
import { doubtsOf } from './status.js';

/** @type {Readonly<Record<string, [change: (snapshot: ReturnType<typeof readySnapshot>) => void, said: RegExp]>>} */
const DOUBTS = {
  'a second primary': [
    ({ redis }) => Object.assign(redis[2], { role: 'primary' }),
    /^redis-3 acts as a primary, and the Sentinels name redis-1/,
  ],
  'a Sentinel that names another node': [
    ({ redis, sentinels }) => Object.assign(sentinels[1], { primary: redis[2].announced }),
    /they name redis-1 and redis-3/,
  ],
  'a Sentinel of another deployment': [
    (snapshot) => {
      const address = { host: '10.0.0.2', port: 8 };
      snapshot.leftOut = [
        { id: 'sentinel-4', kind: 'sentinel', address, why: '', names: { host: '10.0.0.1', port: 7 } },
      ];
    },
    /they name redis-1 and 10\.0\.0\.1:7/,
  ],
  'a Sentinel that reaches no majority': [
    ({ sentinels }) => Object.assign(sentinels[1], { quorum: { ok: false, text: 'NOQUORUM 1 usable Sentinels' } }),
    /^sentinel-2 cannot authorize a failover now/,
  ],
  'two of three Sentinels are gone': [
    (snapshot) => {
      for (const one of snapshot.sentinels.slice(1)) one.error = 'connection refused';
      snapshot.primary = null;
    },
    /^1 of 3 Sentinels are there, which is no majority/,
  ],
};

test('nothing is doubted while all is well', () => assert.deepEqual(doubtsOf(readySnapshot()), []));

for (const [name, [change, said]] of Object.entries(DOUBTS)) {
  test(`doubts: ${name}`, () => {
    const snapshot = readySnapshot();
    change(snapshot);
    const doubts = doubtsOf(snapshot);
    assert.equal(doubts.length, 1);
    assert.match(doubts[0], said);
  });
}
