import assert from 'node:assert/strict';
import { test } from 'node:test';
import { claimBlocks, theirsText } from './articles.js';
import { renderBlocks } from './blocks.js';
import { claimRows, claimsMarkdown, examineRun } from './claims.js';
import { resultOf } from './fixture.js';

/** @import { Claim, Examined } from './articles.js' */
/** @import { KnownClaim } from './claims.js' */

/** @type {KnownClaim[]} */
const KNOWN = [
  { id: 'a.cost', claim: 'It costs half', figure: '50%', conditions: { tool: 'node-redis', payload: '256 B' } },
  { id: 'a.other', claim: 'It never fails', figure: '', conditions: {}, unexamined: 'It needs a year.' },
  { id: 'a.more', claim: 'More is better', figure: '2×', conditions: {} },
].map((claim) => ({ ...claim, article: 'An article', theirs: theirsText(claim) }));

/**
 * @param {string} id
 * @param {Examined | null} examined
 * @param {Partial<Claim>} [more]
 * @returns {Claim}
 */
function claimOf(id, examined, more = {}) {
  const texts = KNOWN.find((each) => each.id === id);
  assert.ok(texts);
  return { ...texts, benchmark: 'async-vs-wait', differs: '', examine: () => examined, ...more };
}

const confirmed = { ours: '51%', holds: true, rounds: 5, allowed: '41% to 61%', evidence: ['none', 'wait1'] };
const failed = { ...confirmed, ours: '20%', holds: false };

/**
 * @param {Claim[]} claims
 * @param {string} run
 * @param {string} startedAt
 */
function foundIn(claims, run, startedAt) {
  return examineRun(claims, { ...resultOf(), startedAt }).map((each) => ({ ...each, run }));
}

test('of runs alike the latest counts, and runs that decided otherwise are named', () => {
  const claim = claimOf('a.cost', confirmed, { differs: 'values of 64 B' });
  const earlier = foundIn([claimOf('a.cost', failed)], 'first', '2026-01-01T00:00:00.000Z');
  const open = foundIn([claimOf('a.cost', { ...confirmed, holds: null })], 'open', '2026-01-02T00:00:00.000Z');
  const latest = foundIn([claim], 'last', '2026-01-03T00:00:00.000Z');
  const [row, other, more] = claimRows(KNOWN, [claim], [...earlier, ...latest, ...open]);
  assert.equal(row.verdict, 'reproduced');
  assert.equal(row.counts?.run, 'last');
  assert.equal(row.counts?.differs, 'values of 64 B');
  assert.deepEqual(
    row.disagree.map(({ run, verdict }) => [run, verdict]),
    [['first', 'contradicted']],
  );
  // Another fault of the same run may disagree as well.
  assert.match(claimsMarkdown([row], 2), /; other faults or runs disagree: contradicted in first \(async-vs-wait\) \|/);
  assert.deepEqual([other.verdict, other.reason], ['not examined', 'It needs a year.']);
  assert.deepEqual(
    [more.verdict, more.reason],
    ['not measured', 'not measured: `sentinel-bench run  --profile standard`'],
  );
});

test('conditions closest to theirs count before later runs, and a stand-in counts last', () => {
  const close = claimOf('a.cost', confirmed);
  const far = claimOf('a.cost', failed, { differs: 'another client' });
  const standIn = claimOf('a.cost', failed, { differs: 'another database', standIn: true });
  const early = foundIn([standIn, close, far], 'early', '2026-01-01T00:00:00.000Z');
  const late = foundIn([standIn, claimOf('a.cost', null), far], 'late', '2026-01-02T00:00:00.000Z');
  const [row] = claimRows(KNOWN, [standIn, close, far], [...late, ...early]);
  assert.deepEqual([row.counts?.run, row.verdict], ['early', 'reproduced']);
  const [without] = claimRows(KNOWN, [standIn, close, far], late);
  assert.equal(without.counts?.differs, 'another client');
});

test('one trial in containers never overrides three trials, whenever and wherever it ran', () => {
  const trials = (/** @type {number} */ rounds, /** @type {Partial<Examined>} */ more) =>
    claimOf('a.cost', { ours: `${rounds}`, holds: true, rounds, trials: true, evidence: [], ...more });
  const local = foundIn([trials(3, { differs: 'local nodes' })], 'local', '2026-01-01T00:00:00.000Z');
  const docker = foundIn([trials(1, { holds: false })], 'docker', '2026-01-02T00:00:00.000Z');
  for (const found of [
    [...local, ...docker],
    [...docker, ...local],
  ]) {
    const [row] = claimRows(KNOWN, [], found);
    assert.deepEqual([row.counts?.run, row.verdict], ['local', 'reproduced']);
    assert.deepEqual(row.disagree, [], 'one trial decides nothing');
  }
  const more = foundIn([trials(7, { differs: 'local nodes' })], 'more', '2025-01-01T00:00:00.000Z');
  const three = foundIn([trials(3, {})], 'three', '2026-01-02T00:00:00.000Z');
  assert.equal(claimRows(KNOWN, [], [...three, ...more])[0].counts?.run, 'more', 'more trials before the backend');
  const here = foundIn([trials(3, { differs: 'local nodes' })], 'here', '2026-01-03T00:00:00.000Z');
  assert.equal(claimRows(KNOWN, [], [...here, ...three])[0].counts?.run, 'three', 'the backend before the date');
});

test('enough rounds count before closer conditions, and a run that decides nothing disagrees with none', () => {
  const close = claimOf('a.cost', { ...confirmed, rounds: 2 });
  const far = claimOf('a.cost', failed);
  const found = [
    ...foundIn([close, claimOf('a.cost', null)], 'close', '2026-01-02T00:00:00.000Z'),
    ...foundIn([claimOf('a.cost', null), far], 'far', '2026-01-01T00:00:00.000Z'),
  ];
  const [row] = claimRows(KNOWN, [close, far], found);
  assert.deepEqual([row.counts?.run, row.verdict, row.disagree.length], ['far', 'contradicted', 0]);
  const open = foundIn(
    [claimOf('a.cost', { ...confirmed, holds: null, rounds: 11 })],
    'open',
    '2026-01-03T00:00:00.000Z',
  );
  const [undecided] = claimRows(
    KNOWN,
    [],
    [...open, ...foundIn([claimOf('a.cost', confirmed)], 'few', '2026-01-04T00:00:00.000Z')],
  );
  assert.deepEqual([undecided.counts?.run, undecided.verdict, undecided.disagree.length], ['open', 'undecided', 0]);
});

test('fewer long rounds count before many short ones', () => {
  const foundWith = (/** @type {number} */ seconds, /** @type {number} */ rounds) => {
    const result = resultOf();
    for (const { cases } of result.benchmarks)
      for (const one of cases) for (const round of one.rounds) round.seconds = (seconds * rounds) / one.rounds.length;
    const claim = claimOf('a.cost', { ...confirmed, rounds });
    return examineRun([claim], result).map((each) => ({ ...each, run: `${rounds} rounds` }));
  };
  const [row] = claimRows(KNOWN, [], [...foundWith(0.1, 20), ...foundWith(1, 11)]);
  assert.equal(row.counts?.run, '11 rounds');
});

test('a run on Valkey counts where Redis was not measured, and says so', () => {
  const result = resultOf();
  result.stack.server = { name: 'valkey', version: '9.1.2' };
  const claim = claimOf('a.cost', confirmed);
  const valkey = examineRun([claim], result).map((each) => ({
    ...each,
    run: 'valkey',
    startedAt: '2026-01-02T00:00:00.000Z',
  }));
  const redis = foundIn([claim], 'redis', '2026-01-01T00:00:00.000Z');
  assert.equal(claimRows(KNOWN, [claim], [...valkey, ...redis])[0].counts?.run, 'redis');
  const [alone] = claimRows(KNOWN, [claim], valkey);
  assert.match(alone.counts?.differs ?? '', /^valkey 9\.1\.2 \(theirs: Redis\)/);
});

test('what a run leaves out is not measured, and any run that has it counts', () => {
  const left = {
    ...confirmed,
    ours: 'not measured: `sentinel-bench run a`',
    holds: null,
    missing: /** @type {const} */ (true),
    rounds: 9,
  };
  const without = foundIn([claimOf('a.cost', left)], 'without', '2026-01-02T00:00:00.000Z');
  const [row] = claimRows(KNOWN, [], without);
  assert.equal(row.verdict, 'not measured');
  assert.match(
    claimsMarkdown([row], 1),
    /\| not measured: `sentinel-bench run a` \(async-vs-wait, without\) \| not measured \|/,
  );
  const one = foundIn([claimOf('a.cost', { ...confirmed, rounds: 1 })], 'one', '2026-01-01T00:00:00.000Z');
  assert.equal(claimRows(KNOWN, [], [...without, ...one])[0].counts?.run, 'one');
});

test('a run without the benchmark examines nothing, and the reason names the benchmark', () => {
  const claim = claimOf('a.more', confirmed, { benchmark: 'pipeline' });
  assert.deepEqual(foundIn([claim], 'run', '2026-01-01T00:00:00.000Z'), []);
  const more = claimRows(KNOWN, [claim], [])[2];
  assert.match(more.reason ?? '', /^not measured: `sentinel-bench run pipeline --profile standard`$/);
});

test('the table of a benchmark has a row for each claim: the first way to examine it that was measured', () => {
  const [benchmark] = resultOf().benchmarks;
  const site = { benchmark: benchmark.name };
  const ways = [claimOf('a.cost', null, site), claimOf('a.cost', confirmed, site), claimOf('a.cost', failed, site)];
  const shown = renderBlocks(claimBlocks([...ways, claimOf('a.more', null, site)], benchmark, {}), {
    figure: () => '',
  });
  assert.match(shown, /“An article”/);
  assert.equal(shown.match(/^\| It costs half /gm)?.length, 1);
  assert.match(shown, /\| 51% +\| reproduced \(5 rounds, allowed 41% to 61%\) \|/);
  assert.match(shown, /^\| More is better .*\| not measured +\|/m);
});
