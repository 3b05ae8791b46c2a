/** A program that is not ours reads the facts of all samples. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, openSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { duckdbPython, needs } from '../test/needs.js';

const folder = mkdtempSync(join(tmpdir(), 'facts-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Of some samples figures that their pages show: costs, losses and outages as numbers; both ways to read conditions. */
const QUERY = `
  SELECT count(DISTINCT run) AS runs,
    max(worst) FILTER (metric = 'lost-writes' AND experiment = 'partition-with-replica' AND length = 'long'
      AND mode = 'wait1-min1-aof' AND writer = 'native') AS lost,
    max(worst) FILTER (metric = 'lost-seconds' AND experiment = 'primary-partition' AND run = '2026-11-26 21:11:18.133Z'
      AND mode = 'async' AND length IS NULL AND writer = 'native') AS seconds,
    max(median) FILTER (metric = 'cost' AND experiment = 'sweep-healthy' AND run = '2026-11-30 19:21:09.815Z'
      AND mode = 'wait2-min2-aof-always' AND (conditions->>'$.pipeline') = '1'
      AND (conditions->>'$.waitMode') = 'pipelined') AS cost,
    max(median) FILTER (metric = 'p99-response-time' AND experiment = 'sweep-response-time' AND run = '2026-11-30 19:21:09.815Z'
      AND mode = 'wait2-min2-aof-always') AS p99,
    bool_or(isinf(worst)) FILTER (metric = 'outage') AS endless
  FROM read_csv('FILE')`;

test('DuckDB reads the facts of all samples in one query', { skip: await needs('duckdb') }, () => {
  const file = join(folder, 'facts.csv');
  execFileSync(process.execPath, ['src/cli/index.js', 'facts', 'results/sample'], {
    stdio: ['ignore', openSync(file, 'w'), 'inherit'],
  });
  const script =
    'import duckdb, json, sys; duckdb.sql("SET enable_progress_bar = false"); r = duckdb.sql(sys.argv[1]); print(json.dumps(dict(zip(r.columns, r.fetchone()))))';
  const output = execFileSync(duckdbPython(), ['-c', script, QUERY.replace('FILE', file)], { encoding: 'utf8' });
  const { runs, lost, seconds, cost, p99, endless } = JSON.parse(output);
  const samples = readdirSync('results/sample').length;
  assert.deepEqual({ runs, lost, endless }, { runs: samples, lost: 41_059, endless: true });
  // 19.1 s, 84% and 4.72 ms on the pages.
  assert.deepEqual([seconds.toFixed(1), cost.toFixed(2), p99.toFixed(2)], ['19.1', '0.84', '4.72']);
});
