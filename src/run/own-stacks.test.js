import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { makeCase } from './case.js';
import { stagesOf } from './own-stacks.js';

describe('cases that are measured on the same stack', () => {
  const cases = [
    makeCase({ replicas: 0, storage: 'tmp', payloadBytes: 1024 }),
    makeCase({ replicas: 0, storage: 'tmp', payloadBytes: 1024, operation: 'get' }),
    makeCase({ replicas: 1, storage: 'tmp', payloadBytes: 1024 }),
    makeCase({ replicas: 0, storage: 'slow', payloadBytes: 1024 }),
    makeCase({ replicas: 0, storage: 'tmp', payloadBytes: 180_000, preloadKeys: 2000 }),
    makeCase({ replicas: 0, storage: 'tmp', payloadBytes: 180_000 }),
  ];

  test('agree in what runs, where its files are and what is loaded', () => {
    const stages = stagesOf(cases);
    assert.deepEqual(
      stages.map((stage) => stage.cases.length),
      [2, 1, 1, 1, 1],
    );
    assert.deepEqual(
      stages.map((stage) => stage.storage),
      ['tmp', 'tmp', 'slow', 'tmp', 'tmp'],
    );
  });

  test('own stacks hold every key of the key space', () => {
    const [small, , , loaded, large] = stagesOf(cases).map(({ keys }) => keys);
    assert.deepEqual([small, loaded, large], [65_536, 2000, 372]);
  });
});
