import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inOrder, repeatAlone, runTogether } from './jobs.js';

/** @import { Job, JobOutcome, Summary } from './jobs.js' */

/** @param {string} name @param {Partial<Job>} [more] @returns {Job} */
const jobOf = (name, more) => ({ name, entry: name, docker: false, live: true, ...more });

/** @param {string[]} failed @returns {Summary} */
const failing = (...failed) => ({ pass: 1, failed, skipped: [], seconds: 1 });

test('unit tests come first, then Docker, then the others; long files before short ones', () => {
  const jobs = [
    jobOf('a'),
    jobOf('long'),
    jobOf('longest'),
    jobOf('with docker', { docker: true }),
    jobOf('unit tests, part 1 of 2', { live: false }),
  ];
  assert.deepEqual(
    inOrder(jobs, { long: 20, longest: 300 }).map(({ name }) => name),
    ['unit tests, part 1 of 2', 'with docker', 'longest', 'long', 'a'],
  );
});

describe('jobs that run together', () => {
  /** The oldest job ends whenever no further one begins. @param {Job[]} jobs */
  async function watch(jobs) {
    /** @type {{name: string, end: () => void}[]} */
    const running = [];
    /** @type {Record<string, string[]>} what ran as each began */
    const beside = {};
    const run = ({ name } = jobOf('')) =>
      new Promise((/** @type {(summary: Summary) => void} */ resolve) => {
        beside[name] = running.map((other) => other.name);
        running.push({ name, end: () => resolve(failing()) });
      });
    const all = runTogether(jobs, run, { most: 3, mostWithDocker: 2 });
    for (const _ of jobs) {
      await nextTurn();
      running.shift()?.end();
    }
    return { beside, outcomes: await all };
  }

  test('as many as allowed, fewer with Docker, and never two with Docker', async () => {
    const docker = { docker: true };
    const jobs = [jobOf('d1', docker), jobOf('d2', docker), ...['a', 'b', 'c', 'd'].map((name) => jobOf(name))];
    const { beside, outcomes } = await watch(jobs);
    assert.equal(outcomes.length, 6);
    assert.deepEqual(beside.d1, []);
    assert.deepEqual(beside.a, ['d1']);
    assert.deepEqual(beside.d2, ['a']);
    assert.ok(Object.values(beside).some((others) => others.length === 2));
    for (const [name, others] of Object.entries(beside)) {
      const withDocker = [name, ...others].filter((each) => each.startsWith('d') && each !== 'd').length;
      assert.ok(withDocker <= 1);
      assert.ok(others.length < (withDocker === 1 ? 2 : 3), `${name} beside ${others}`);
    }
  });
});

describe('a file that failed', () => {
  /** @param {Partial<JobOutcome>} outcome @param {Summary} second */
  async function repeated(outcome, second) {
    /** @type {string[]} */
    const again = [];
    const first = { job: jobOf('x.live.test.js'), summary: failing('it works (x)'), beside: true, ...outcome };
    const run = async (/** @type {Job} */ { name }, /** @type {readonly string[]} */ tests = []) => {
      again.push([name, ...tests].join(': '));
      return second;
    };
    return { ...(await repeatAlone([first], run)), again };
  }

  test('beside others, and passes alone: it counts as passed, and is named', async () => {
    assert.deepEqual(await repeated({}, { ...failing(), pass: 2 }), {
      summaries: [{ ...failing(), pass: 2 }],
      wavering: [{ file: 'x.live.test.js', names: ['it works (x)'] }],
      again: ['x.live.test.js'],
    });
  });

  test('beside others and alone: it fails', async () => {
    const { summaries, wavering } = await repeated({}, failing('it works (x)'));
    assert.deepEqual(summaries, [failing('it works (x)')]);
    assert.deepEqual(wavering, []);
  });

  test('after minutes: only what failed runs again, and the rest counts as before', async () => {
    const summary = { ...failing('it works (all) (/x.live.test.js)'), pass: 7, seconds: 200 };
    assert.deepEqual(await repeated({ summary }, { ...failing(), pass: 1 }), {
      summaries: [{ ...summary, pass: 8, failed: [] }],
      wavering: [{ file: 'x.live.test.js', names: summary.failed }],
      again: ['x.live.test.js: it works (all)'],
    });
    const { summaries } = await repeated({ summary }, { ...failing(), pass: 0 });
    assert.deepEqual(summaries, [summary]);
  });

  test('alone, as a unit test, because it hung, or much of it after minutes: it fails at once', async () => {
    const final = [
      { beside: false },
      { job: jobOf('unit tests', { live: false }) },
      { summary: { ...failing('did not end'), hung: true } },
      { summary: { ...failing(...'abcdef'), seconds: 200 } },
    ];
    for (const outcome of final) {
      const { summaries, wavering, again } = await repeated(outcome, failing());
      assert.notDeepEqual(summaries[0].failed, []);
      assert.deepEqual([wavering, again], [[], []]);
    }
  });
});
