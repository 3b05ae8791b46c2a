import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { parse } from 'junit2json';
import { resultOf } from '../report/fixture.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../report/trials/fixture.js';
import { renderJunit } from './export-junit.js';

/** @import { Result } from './schema.js' */

/** @param {Result} result @returns {Promise<any>} as a reader of JUnit XML reads it */
async function read(result) {
  const xml = renderJunit(result);
  assert.match(xml, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites /);
  return parse(xml);
}

/** @param {any} document @param {string} name */
function testCalled(document, name) {
  const found = document.testsuite
    .flatMap((/** @type {any} */ suite) => suite.testcase)
    .filter((/** @type {any} */ one) => one.name === name);
  assert.equal(found.length, 1, name);
  return found[0];
}

describe('JUnit XML, as junit2json reads it', () => {
  test('a check is a test: passed, or failed with its detail', async () => {
    const result = resultOf();
    result.benchmarks[0].checks = [
      { name: 'every write was acknowledged', ok: true, detail: '100 writes' },
      { name: 'a < b & "c"', ok: false, detail: 'wait1: 3 < 5 & "more"\nthe second line' },
    ];
    const document = await read(result);
    const [suite] = document.testsuite;
    assert.deepEqual([document.tests, document.failures, document.errors, document.skipped], [3, 1, 0, 0]);
    assert.deepEqual(
      [suite.name, suite.tests, suite.failures, suite.timestamp],
      ['sentinel-bench.main.async-vs-wait', 3, 1, result.startedAt.slice(0, 19)],
    );
    assert.equal(suite.time, 10, 'two cases of five rounds of a second');
    const passed = testCalled(document, 'every write was acknowledged');
    assert.equal(passed.failure, undefined);
    assert.deepEqual(passed['system-out'], ['100 writes']);
    const [failure] = testCalled(document, 'a < b & "c"').failure;
    assert.equal(failure.message, 'wait1: 3 < 5 & "more" the second line');
    assert.equal(failure.inner, 'wait1: 3 < 5 & "more"\nthe second line');
    const properties = suite.properties.map((/** @type {any} */ { name, value }) => [name, value]);
    assert.deepEqual(properties.at(-1), ['server', 'redis 7.0.15']);
  });

  test('a skipped benchmark and a case that was not measured are skipped with the reason; a failed benchmark is an error', async () => {
    const result = resultOf();
    const [first] = result.benchmarks;
    first.checks = [];
    first.notMeasured = [{ id: 'waitaof', reason: 'Redis 7.0.15 has no WAITAOF.' }];
    result.benchmarks = [
      first,
      { ...first, name: 'payload', status: 'skipped', reason: 'needs Docker', cases: [], notMeasured: [] },
      { ...first, name: 'pipeline', status: 'failed', reason: 'the primary was gone', notMeasured: [] },
    ];
    const document = await read(result);
    assert.deepEqual([document.tests, document.failures, document.errors, document.skipped], [4, 0, 1, 2]);
    assert.deepEqual(
      document.testsuite.map((/** @type {any} */ { skipped, errors }) => [skipped, errors]),
      [
        [1, 0],
        [1, 0],
        [0, 1],
      ],
    );
    assert.equal(testCalled(document, 'case waitaof').skipped[0].message, 'Redis 7.0.15 has no WAITAOF.');
    const measured = document.testsuite.map((/** @type {any} */ { testcase }) => testcase[0]);
    assert.equal(measured[1].skipped[0].message, 'needs Docker');
    assert.equal(measured[2].error[0].message, 'the primary was gone');
  });

  test('a trial that lost writes passes and says so; one with writes that cannot be is a failure', async () => {
    const audits = [
      auditOf('async', { ackedLost: 7 }),
      auditOf('async', { writer: 'failover-aware', unavailableMs: null }),
      auditOf('async', { round: 3, wrongValue: 2, surplus: 1 }),
      auditOf('async', { round: 4, unsentPresent: 1 }),
      auditOf('async', { round: 5 }),
    ];
    // The second trial failed, so it is not in the result.
    const trials = [1, 3, 4, 5].map((round) =>
      trialOf('async', { round, ...(round === 5 && { converged: null }), names: ['sticky'] }),
    );
    const benchmark = failureBenchmarkOf('primary-killed', [{ mode: 'async', audits, trials }]);
    const [round] = benchmark.cases[0].rounds;
    benchmark.cases[0].rounds = [1, 2, 3, 4].map((seconds) => ({ ...round, seconds }));
    const document = await read(failureResultOf([benchmark]));
    assert.deepEqual([document.tests, document.failures], [5, 3]);
    assert.equal(document.testsuite[0].time, 10, 'the time of the trials, once');
    const lossy = testCalled(document, 'trial 1 of async');
    assert.equal(lossy.failure, undefined);
    assert.deepEqual(lossy['system-out'][0].split('\n'), [
      'sticky: 10000 acked, 7 of them lost, 0 rejected, 0 unknown; unavailable for 1200 ms',
      'failover-aware: 10000 acked, 0 of them lost, 0 rejected, 0 unknown; unavailable until the end',
    ]);
    const wrong = testCalled(document, 'trial 3 of async');
    assert.equal(wrong.time, 2);
    assert.equal(wrong.failure[0].message, 'sticky: 2 with a wrong value; sticky: 1 keys that were never written');
    assert.equal(testCalled(document, 'trial 4 of async').failure[0].message, 'sticky: 1 never sent but present');
    assert.equal(testCalled(document, 'trial 5 of async').failure[0].message, 'the nodes did not agree again');
  });

  test('whatever a server says, the document is well-formed and keeps what can be seen of it', async () => {
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        ']]>',
        '<!--',
        '</failure><testcase name="x"/>',
        '&#0;',
        '\u0000',
        '\ufffe\uffff',
        '\ud800',
        '\r',
      ),
      fc.constantFrom('<?xml?>', '<!DOCTYPE a [<!ENTITY b "c">]>&b;', '\u001b[2J', '\u202eabc', '"\'><'),
    );
    const result = resultOf();
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (name, detail) => {
        result.benchmarks[0].checks = [{ name: `a${name}`, ok: false, detail: `b${detail}c` }];
        result.stack.server.version = detail;
        const document = await read(result);
        assert.equal(document.testsuite[0].testcase.length, 2);
        const [failure] = document.testsuite[0].testcase[1].failure;
        assert.match(failure.inner, /^b.*c$/s);
        assert.doesNotMatch(failure.inner, /(?![\t\n])\p{Cc}|\p{Cf}/u);
      }),
      { numRuns: 30 },
    );
  });
});
