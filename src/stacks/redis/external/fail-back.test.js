import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplyError } from 'ioredis';
import { failBack } from './fail-back.js';

/** @import { NodeInfo } from '../../types.js' */

/** @param {string} id @param {string} host @returns {NodeInfo} */
const node = (id, host) => {
  const address = { host, port: 1 };
  return { id, kind: id.startsWith('sentinel') ? 'sentinel' : 'redis', address, announced: address };
};

const NODES = [
  node('redis-1', '10.0.0.1'),
  node('redis-3', '10.0.0.3'),
  node('sentinel-1', '10.0.0.1'),
  node('sentinel-2', '10.0.0.3'),
  node('sentinel-3', '10.0.0.3'),
];

/**
 * @param {string} first primary
 * @param {number} refusals of the Sentinel
 */
async function asked(first, refusals) {
  /** @type {string[]} */
  const done = [];
  let primary = first;
  const members = {
    async primary() {
      return /** @type {NodeInfo} */ (NODES.find(({ id }) => id === primary));
    },
    observer: {
      async ask(/** @type {string} */ id, /** @type {(control: any) => Promise<unknown>} */ question) {
        await question({
          call: async (/** @type {string[]} */ ...words) => void done.push(`${id}: ${words.join(' ')}`),
        });
        if (done.length <= refusals) throw new ReplyError('NOGOODSLAVE No suitable replica to promote');
        primary = 'redis-1';
      },
    },
    ready: async () => void done.push('ready'),
  };
  await failBack(NODES, /** @type {any} */ (members), { masterName: 'mymaster', deadlineMs: 1000 });
  return done;
}

test('a primary with most Sentinels beside it is replaced, also if the Sentinel refuses at first', async () => {
  const question = 'sentinel-1: SENTINEL FAILOVER mymaster';
  assert.deepEqual(await asked('redis-3', 1), [question, question, 'ready']);
});

test('another primary stays', async () => assert.deepEqual(await asked('redis-1', 0), []));
