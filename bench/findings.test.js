import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { readResult } from '../src/result/read.js';
import { allBenchmarks, ResultSchema } from './index.js';

const SAMPLES = fileURLToPath(new URL('../results/sample/', import.meta.url));

describe('findings of the samples', () => {
  for (const name of readdirSync(SAMPLES)) {
    test(`${name}: each has an id, once in its benchmark`, async () => {
      const { benchmarks, storage: storages, stack } = await readResult(`${SAMPLES}${name}`, ResultSchema);
      for (const measured of benchmarks.filter(({ cases }) => cases.length > 0)) {
        const benchmark = allBenchmarks.get(measured.name);
        const findings = benchmark?.findings(measured, { storages, server: stack.server }) ?? [];
        const ids = findings.map(({ id }) => id);
        assert.ok(!ids.includes(undefined), `${measured.name}: ${findings.find(({ id }) => id === undefined)?.text}`);
        assert.equal(new Set(ids).size, ids.length, `${measured.name}: ${ids.join(', ')}`);
      }
    });
  }
});
