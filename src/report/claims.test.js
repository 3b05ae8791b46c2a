import assert from 'node:assert/strict';
import { test } from 'node:test';
import { theirsText } from './articles.js';
import { claimRows, claimsMarkdown, claimsTerminal, countVerdicts, examineRun } from './claims.js';
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

const held = { ours: '51%', holds: true, rounds: 5, evidence: ['none', 'wait1'] };
const failed = { ...held, ours: '20%', holds: false };

/**
 * @param {Claim[]} claims
 * @param {string} run
 * @param {string} startedAt
 */
function foundIn(claims, run, startedAt) {
  return examineRun(claims, { ...resultOf(), startedAt }).map((each) => ({ ...each, run }));
}

test('the latest run counts, and runs that decided otherwise are named', () => {
  const claim = claimOf('a.cost', held, { differs: 'values of 64 B' });
  const earlier = foundIn([claimOf('a.cost', failed)], 'first', '2026-01-01T00:00:00.000Z');
  const open = foundIn([claimOf('a.cost', { ...held, holds: null })], 'open', '2026-01-02T00:00:00.000Z');
  const latest = foundIn([claim], 'last', '2026-01-03T00:00:00.000Z');
  const [row, other, more] = claimRows(KNOWN, [claim], [...earlier, ...latest, ...open]);
  assert.equal(row.verdict, 'reproduced');
  assert.equal(row.counts?.run, 'last');
  assert.equal(row.counts?.differs, 'values of 64 B');
  assert.deepEqual(
    row.disagree.map(({ run, verdict }) => [run, verdict]),
    [['first', 'contradicted']],
  );
  assert.deepEqual([other.verdict, other.reason], ['not examined', 'It needs a year.']);
  assert.equal(more.verdict, 'not examined');
});

test('conditions closest to theirs count before later runs, and a stand-in counts last', () => {
  const close = claimOf('a.cost', held);
  const far = claimOf('a.cost', failed, { differs: 'another client' });
  const standIn = claimOf('a.cost', failed, { differs: 'another database', standIn: true });
  const early = foundIn([standIn, close, far], 'early', '2026-01-01T00:00:00.000Z');
  const late = foundIn([standIn, claimOf('a.cost', null), far], 'late', '2026-01-02T00:00:00.000Z');
  const [row] = claimRows(KNOWN, [standIn, close, far], [...late, ...early]);
  assert.deepEqual([row.counts?.run, row.verdict], ['early', 'reproduced']);
  const [without] = claimRows(KNOWN, [standIn, close, far], late);
  assert.equal(without.counts?.differs, 'another client');
});

test('a run without the benchmark examines nothing, and the reason names the benchmark', () => {
  const claim = claimOf('a.more', held, { benchmark: 'pipeline' });
  assert.deepEqual(foundIn([claim], 'run', '2026-01-01T00:00:00.000Z'), []);
  const more = claimRows(KNOWN, [claim], [])[2];
  assert.match(more.reason ?? '', /`sentinel-bench run pipeline`/);
});

test('tables have five columns, and the verdicts are counted', () => {
  const claim = claimOf('a.cost', held);
  const rows = claimRows(KNOWN, [claim], foundIn([claim], 'run-1', '2026-01-01T00:00:00.000Z'));
  assert.deepEqual(countVerdicts(rows), { reproduced: 1, contradicted: 0, undecided: 0, 'not examined': 2 });
  const markdown = claimsMarkdown(rows, 1);
  assert.match(markdown, /^# What the articles say, and what was measured\n\n3 claims: 1 reproduced, /);
  assert.match(
    markdown,
    /^\| It costs half \| 50%; node-redis, 256 B \| 51% \(async-vs-wait, run-1\) \| reproduced \| {1,2}\|$/m,
  );
  assert.match(markdown, /^\| It never fails \|.*\| not examined \| It needs a year\. \|$/m);
  const terminal = claimsTerminal(rows, { runs: 1, columns: 100 });
  assert.ok(terminal.split('\n').every((line) => line.startsWith('A verdict') || line.length <= 100));
  assert.match(terminal, /3 claims: 1 reproduced, 0 contradicted, 0 undecided, 2 not examined\. From 1 run\./);
});
