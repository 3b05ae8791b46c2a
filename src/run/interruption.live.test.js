import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { ResultSchema } from '../../bench/index.js';
import { needs } from '../../test/needs.js';
import { leftIn, newFolder, nodePid, portsIn, runCli, startCli } from '../cli/fixture.js';
import { connectPatiently } from '../clients/conformance/nodes.js';
import { readResult } from '../result/read.js';
import { ownTemporaryFolder } from '../stacks/fixture.js';

/**
 * @import { EndedCommand, StartedCommand } from '../cli/fixture.js'
 * @import { Result } from '../result/schema.js'
 * @import { TestContext } from 'node:test'
 */

const folder = await ownTemporaryFolder();

const skip = await needs('server', 'proc');

/** One of the quickest: 5 cases, a few seconds. */
const RUN = ['run', 'async-vs-wait', '--client', 'native', '--backend', 'local', '--out', 'out'];
const ROUNDS_BEGIN = /^async-vs-wait: 5 cases/m;

/** So often a run may be over before a busy machine delivers the signal: each time it comes sooner. */
const ATTEMPTS = 6;

/**
 * Each run's folder has everything that belongs in it.
 * @param {string} tmp
 * @returns {Promise<Result[]>}
 */
async function wholeResults(tmp) {
  const out = join(tmp, 'out');
  const names = existsSync(out) ? readdirSync(out).filter((name) => name !== 'latest') : [];
  return Promise.all(
    names.map(async (name) => {
      const result = await readResult(join(out, name), ResultSchema);
      const files = readdirSync(join(out, name)).filter((file) => file !== 'logs' && file !== 'charts');
      assert.deepEqual(files.sort(), [
        'details.md',
        'facts.csv',
        'histograms',
        'report.html',
        'report.md',
        'result.json',
      ]);
      const histograms = result.benchmarks.reduce((sum, { cases }) => sum + cases.length, 0);
      assert.equal(readdirSync(join(out, name, 'histograms')).length, histograms);
      return result;
    }),
  );
}

/** @param {EndedCommand} ended @param {string} signal */
function assertInterrupted({ status, stderr }, signal) {
  assert.equal(status, 130, stderr);
  const complaints = stderr.split('\n').filter((line) => /error|^ +at /i.test(line));
  assert.deepEqual(complaints, [`error: Interrupted by ${signal}; everything was put back.`], stderr);
}

/**
 * Sends a signal at a random moment of a run, and sees to it that the run was interrupted by it. One that was over by then has whole
 * results, and does not count.
 * @param {Object} options
 * @param {RegExp} options.after once this was said …
 * @param {number} options.withinMs … and so many milliseconds later, at random
 * @param {string} options.signal
 * @param {(cli: StartedCommand, tmp: string) => unknown} options.nothingLeft called after each run, interrupted or not
 * @param {string} [options.tmp] default: a new one for each attempt
 * @param {TestContext} [options.t]
 */
async function interrupt({ after, withinMs, signal, nothingLeft, tmp: given, t }) {
  let waitMs = Math.random() * withinMs;
  for (let attempt = 1; ; attempt++, waitMs /= 2) {
    t?.diagnostic(`after ${Math.round(waitMs)} ms`);
    const tmp = given ?? newFolder(folder);
    const earlier = (await wholeResults(tmp)).length;
    const cli = startCli(RUN, { tmp });
    await cli.says('stderr', after);
    await delay(waitMs);
    cli.kill(/** @type {NodeJS.Signals} */ (signal));
    const ended = await cli.ended;
    await nothingLeft(cli, tmp);
    const results = (await wholeResults(tmp)).slice(earlier);
    if (results.length === 0) return assertInterrupted(ended, signal);
    assert.equal(results[0].benchmarks[0].status, 'ok', 'half a benchmark makes no result');
    assert.ok(ended.status === 0 || ended.status === 130 || ended.signal === signal, `${ended.status} ${ended.stderr}`);
    assert.ok(attempt < ATTEMPTS, `${signal} was sent ${attempt} times, and none interrupted the run: ${ended.stderr}`);
  }
}

/** @param {StartedCommand} _cli @param {string} tmp */
function nothingIn(_cli, tmp) {
  assert.deepEqual(leftIn(tmp), []);
}

describe('a run on a stack of its own, interrupted', { skip, concurrency: 4 }, () => {
  /** When: once this was said, and so many milliseconds later, at random. */
  const moments = [
    { name: 'start-up', after: /^Starting/m, withinMs: 500, signal: 'SIGTERM' },
    { name: 'first connections and warm-up', after: /^Measuring/m, withinMs: 150, signal: 'SIGHUP' },
    { name: 'rounds', after: ROUNDS_BEGIN, withinMs: 2500, signal: 'SIGQUIT' },
  ];
  for (const { name, after, withinMs, signal } of moments) {
    test(`${name}: ${signal} leaves nothing`, (t) => interrupt({ after, withinMs, signal, nothingLeft: nothingIn, t }));
  }

  test('while the results are written: they are whole', async () => {
    const tmp = newFolder(folder);
    const cli = startCli(RUN, { tmp });
    // The answer is printed just before.
    await cli.says('stdout', /\bWAIT 2\b/);
    cli.kill('SIGINT');
    const { status, signal, stderr } = await cli.ended;
    assert.ok(status === 130 || status === 0 || signal === 'SIGINT', `${status} ${stderr}`);
    assert.deepEqual(leftIn(tmp), []);
    const [{ benchmarks }] = await wholeResults(tmp);
    assert.equal(benchmarks[0].status, 'ok');
  });
});

describe('a node lost in mid-run', { skip, concurrency: 2 }, () => {
  const both = ['run', 'concurrency', ...RUN.slice(1)];

  test('fails that benchmark; the next one is measured on a healed stack', async () => {
    const tmp = newFolder(folder);
    const cli = startCli(both, { tmp });
    await cli.says('stderr', /^concurrency: 8 cases/m);
    await delay(Math.random() * 1000);
    process.kill(nodePid(tmp, 'redis-1'), 'SIGKILL');
    const { status, stderr } = await cli.ended;
    assert.equal(status, 1, stderr);
    assert.match(stderr, /^concurrency: failed\. /m);
    assert.deepEqual(leftIn(tmp), []);
    const [{ benchmarks }] = await wholeResults(tmp);
    assert.equal(benchmarks[0].status, 'failed');
    assert.match(String(benchmarks[0].reason), /redis-1/);
    assert.doesNotMatch(JSON.stringify(benchmarks), /127\.0\.0\.1/, 'a result names no address');
    assert.equal(benchmarks[1].status, 'ok');
    // Headline cases get more rounds until they are decided, or, on a slow machine, until their time is over.
    assert.ok(benchmarks[1].cases.every(({ rounds, stop }) => rounds.length >= (stop === 'time' ? 8 : 20)));
    assert.ok(benchmarks[1].checks.every(({ ok }) => ok));
    assert.match(
      readFileSync(join(tmp, 'out', 'latest', 'logs', 'concurrency.redis-1.log'), 'utf8'),
      /Ready to accept/,
    );
  });
});

describe('a run on a stack that stays, interrupted', { skip }, () => {
  test('leaves the database and the configuration as they were', async () => {
    const tmp = newFolder(folder);
    assert.equal((await runCli(['up', '--backend', 'local'], { tmp })).status, 0);
    try {
      const primary = await connectPatiently({ host: '127.0.0.1', port: portsIn(tmp)['redis-1'] });
      await primary.call('MSET', 'theirs', '1', 'sentinel-bench:other', '2');
      const before = await primary.call('CONFIG', 'GET', '*');
      const nothingLeft = async () => {
        assert.equal(await primary.call('DBSIZE'), 2);
        assert.deepEqual(await primary.call('MGET', 'theirs', 'sentinel-bench:other'), ['1', '2']);
        assert.deepEqual(await primary.call('CONFIG', 'GET', '*'), before);
      };
      await interrupt({ after: ROUNDS_BEGIN, withinMs: 2500, signal: 'SIGINT', nothingLeft, tmp });
      primary.close();
    } finally {
      assert.equal((await runCli(['down', '--backend', 'local'], { tmp })).status, 0);
    }
    assert.deepEqual(leftIn(tmp), []);
  });
});
