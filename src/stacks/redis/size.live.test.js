/**
 * Stacks of another size than the usual one, on both backends.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { needs } from '../../../test/needs.js';
import { askNode } from '../ask.js';
import { ownTemporaryFolder } from '../fixture.js';
import { listStacks } from '../hosts/local/record.js';
import { startDocker } from './docker/index.js';
import { startLocal } from './local/index.js';
import { nodesOf } from './topology.js';

await ownTemporaryFolder();

const BACKENDS = [
  { name: 'local', skip: await needs('server'), start: startLocal },
  { name: 'docker', skip: await needs('docker'), start: startDocker },
];
const SIZES = [
  { replicas: 4, sentinelCount: 5, quorum: '3' },
  { replicas: 1, sentinelCount: 3, quorum: '2' },
];

for (const { name, skip, start } of BACKENDS) {
  describe(`a stack of another size, ${name}`, { skip }, () => {
    for (const { quorum, ...size } of SIZES) {
      test(`${size.replicas} replicas and ${size.sentinelCount} Sentinels know each other`, async () => {
        const stack = await start(size);
        try {
          assert.deepEqual(
            stack.nodes.map(({ id }) => id),
            nodesOf(size).map(({ id }) => id),
          );
          assert.equal((await stack.database.replicas()).length, size.replicas);
          for (const { id } of stack.nodes.filter(({ kind }) => kind === 'sentinel')) {
            const [fields] = /** @type {string[][]} */ (
              await askNode(stack, id, (control) => control.call('SENTINEL', 'MASTERS'))
            );
            const field = (/** @type {string} */ key) => fields[fields.indexOf(key) + 1];
            assert.equal(field('quorum'), quorum, id);
            assert.equal(field('num-slaves'), String(size.replicas), id);
            assert.equal(field('num-other-sentinels'), String(size.sentinelCount - 1), id);
          }
          if (name === 'local')
            assert.equal(listStacks()[0].nodes.length, stack.nodes.length, 'its record can be read again');
        } finally {
          await stack.close();
        }
      });
    }
  });
}
