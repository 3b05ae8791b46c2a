import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { csvText, resultOf } from '../report/fixture.js';
import { pythonWith, runPython } from '../report/python-fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../report/trials/fixture.js';

/** Without changing line ends, and refusing what is not quite CSV. */
const READ = `
import csv, io, json, sys
text = sys.stdin.buffer.read().decode('utf-8')
print(json.dumps(list(csv.reader(io.StringIO(text, newline=''), strict=True))))`;

/**
 * @import { RowsOf } from './export-csv.js'
 * @import { Result } from './schema.js'
 */

const { python, skip } = pythonWith('csv');

/**
 * @param {Result} result
 * @param {RowsOf} rowsOf
 * @returns {Record<string, string>[]} as another program reads it
 */
function read(result, rowsOf) {
  const [header, ...rows] = runPython(python, READ, csvText(result, rowsOf));
  assert.equal(new Set(header).size, header.length, 'two columns have one name');
  return rows.map((/** @type {string[]} */ cells) => {
    assert.equal(cells.length, header.length);
    return Object.fromEntries(cells.map((cell, i) => [header[i], cell]));
  });
}

describe('CSV, as Python reads it', { skip }, () => {
  test('a row for each round, with every figure as result.json has it', () => {
    const result = resultOf();
    const { rounds, params } = result.benchmarks[0].cases[1];
    rounds[1].errors = { 'ERR "quoted", with a comma\r\nand a line': 3, Zürich: 1 };
    rounds[2].load.cpu = null;
    rounds[2].throughput = 0.1 + 0.2;
    params.settings = { 'min-replicas-to-write': '1' };
    const rows = read(result, 'rounds');
    assert.equal(rows.length, 10);
    rounds.forEach((round, i) => {
      const row = rows[5 + i];
      assert.deepEqual([row.benchmark, row.case, row.round], ['async-vs-wait', 'wait1', String(i + 1)]);
      assert.deepEqual([row.wait, row.client, row.payload_bytes], ['1', 'native', '64']);
      assert.equal(Number(row.throughput_per_second), round.throughput);
      assert.equal(Number(row.latency_p99_ns), round.latencyNs.p99);
      assert.equal(Number(row.latency_mean_ns), round.latencyNs.mean);
      assert.equal(Number(row.acked), round.outcomes.acked);
      assert.equal(row.load_cpu_cores, i === 2 ? '' : '0.45');
      assert.equal(row.node_redis_1_memory_bytes, '12000000');
      assert.deepEqual(JSON.parse(row.errors), round.errors);
      assert.deepEqual(JSON.parse(row.settings), params.settings);
    });
    assert.equal(rows[0].settings, '');
    assert.ok(!('histogram' in rows[0]));
  });

  test('a row for each writer of a trial, and for each step of its timeline', () => {
    const audits = [
      auditOf('async', { ackedLost: 7 }),
      auditOf('async', { writer: 'failover-aware', unavailableMs: null }),
    ];
    const result = failureResultOf([
      failureBenchmarkOf('primary-killed', [{ mode: 'async', audits, trials: [trialOf('async')] }]),
    ]);
    const rows = read(result, 'audits');
    assert.deepEqual(
      rows.map((row) => [row.writer, row.mode, row.acked_lost, row.unavailable_ms, row.trial_detection_ms]),
      [
        ['sticky', 'async', '7', '1200', '608.8'],
        ['failover-aware', 'async', '0', '', '608.8'],
      ],
    );
    const steps = read(result, 'steps');
    assert.equal(steps.length, 100);
    const { writer, from_ms, acked, unknown, p99_ms } = steps[10];
    assert.deepEqual([writer, from_ms, acked, unknown, p99_ms], ['sticky', '1000', '0', '10', '']);
  });
});
