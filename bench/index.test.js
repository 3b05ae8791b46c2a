import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ExitStatus } from '../src/errors.js';
import { clientNames } from '../src/registry/clients.js';
import { benchmarksBySuite } from '../src/report/scope.js';
import { PROFILES } from '../src/run/profiles.js';
import { allBenchmarks, selectBenchmarks, suites } from './index.js';

/** As the result's schema has it: names of files are made of it. */
const FILE_NAME = /^[A-Za-z0-9._-]+$/;
/** Knows every command. */
const server = { name: 'redis', version: '7.4.0' };
const storages = [
  { label: 'tmp', emulated: false },
  { label: 'slow', emulated: true },
];

for (const [key, benchmark] of allBenchmarks) {
  describe(`benchmark ${key}`, () => {
    test('has a question and a method', () => {
      assert.equal(benchmark.name, key);
      assert.match(benchmark.name, FILE_NAME);
      assert.match(benchmark.question, /^[A-Z][^.?]+\?$/, 'one sentence that ends with a question mark');
      assert.match(benchmark.method, /^[A-Z0-9].+\.$/);
    });

    for (const profile of Object.values(PROFILES)) {
      // Another system has one client, so the user has no choice.
      for (const client of [undefined, ...(benchmark.system === undefined ? clientNames : [])]) {
        test(`cases of ${profile.name} with ${client ?? 'the clients it chooses'}`, () => {
          const cases = benchmark.cases({ profile, client, server, storages });
          const ids = cases.map(({ id }) => id);
          // Not every failure is met with every library.
          if (benchmark.kind !== 'trial' || client === undefined) assert.ok(ids.length > 0);
          assert.equal(new Set(ids).size, ids.length, `each id once: ${ids.join(', ')}`);
          for (const { id, params, baseline } of cases) {
            assert.match(id, FILE_NAME);
            // Its own way of measuring has a client of its own; a run leaves out what is not measured through the one asked for.
            if (benchmark.kind === 'custom') assert.equal(params.client, benchmark.system ? 'wrk' : 'native');
            else if (client) assert.equal(params.client, client);
            if (baseline === undefined) continue;
            const other = cases.find((each) => each.id === baseline);
            assert.ok(other, `the baseline ${baseline} of ${id} is measured, too`);
            assert.equal(other.baseline, undefined, `the baseline ${baseline} of ${id} has none itself`);
          }
        });
      }
    }

    test('larger profiles include the cases of smaller ones', () => {
      const ids = Object.values(PROFILES).map((profile) =>
        benchmark.cases({ profile, server, storages }).map(({ id }) => id),
      );
      for (let larger = 1; larger < ids.length; larger++) {
        for (const id of ids[larger - 1]) assert.ok(ids[larger].includes(id), id);
      }
    });

    // The audit of a trial without a write has tested nothing, which is a failure.
    if (benchmark.kind === 'trial') return;
    test('no check fails for a case that was not measured', () => {
      const { question } = benchmark;
      const nothing = { name: key, question, cases: [], findings: [], checks: [], audit: [], timeline: [] };
      const checks = benchmark.checks({ ...nothing, status: 'ok' }, { server });
      assert.deepEqual(
        checks.filter(({ ok }) => !ok),
        [],
      );
    });
  });
}

describe('selecting', () => {
  test('no name: the benchmarks of the suite and the profile, in order', () => {
    for (const { name, benchmarks } of suites) {
      const ofQuick = benchmarks.filter(({ profiles }) => profiles?.includes('quick') ?? true);
      assert.deepEqual(selectBenchmarks([], name, 'quick'), ofQuick);
      assert.ok(selectBenchmarks([], name, 'full').length > 0, `${name} has a benchmark`);
    }
  });

  test('names: these benchmarks, in the given order, each once, in any profile', () => {
    const limited = [...allBenchmarks.values()].find(({ profiles }) => profiles && !profiles.includes('quick'));
    const chosen = ['pipeline', 'concurrency', ...(limited ? [limited.name] : [])];
    const names = selectBenchmarks([...chosen, 'pipeline'], 'main', 'quick').map(({ name }) => name);
    assert.deepEqual(names, chosen);
  });

  test('an unknown name', () => {
    assert.throws(() => selectBenchmarks(['pipeline', 'nope'], 'main', 'quick'), {
      exitStatus: ExitStatus.badInput,
      message: /nope/,
      remedy: /pipeline/,
    });
  });
});

test('a benchmark of several suites is on the page of the one that was run, or else of the first', () => {
  const pageOf = (/** @type {string} */ suite) => {
    const result = /** @type {any} */ ({ suite, benchmarks: [{ name: 'durable-modes' }] });
    return benchmarksBySuite(result, suites).flatMap(({ suite: { name }, benchmarks }) => benchmarks.map(() => name));
  };
  assert.deepEqual(pageOf('failure'), ['failure']);
  assert.deepEqual(pageOf('clients'), ['clients']);
  assert.deepEqual(pageOf('config-sweep'), ['main']);
});

test('two benchmarks never share a name', () => {
  const all = suites.flatMap(({ benchmarks }) => benchmarks);
  assert.deepEqual(
    all.filter((benchmark) => allBenchmarks.get(benchmark.name) !== benchmark).map(({ name }) => name),
    [],
  );
});
