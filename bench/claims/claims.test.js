import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allBenchmarks, articleClaims, suites } from '../index.js';

const examinations = suites.flatMap(({ claims = [] }) => claims);
const claimsById = new Map(articleClaims.map((claim) => [claim.id, claim]));

test('each claim has an id of its own', () => {
  assert.equal(claimsById.size, articleClaims.length);
  assert.equal(new Set(articleClaims.map(({ article }) => article)).size, 5);
});

test('each examination names a known claim and a known benchmark', () => {
  for (const { id, benchmark } of examinations) {
    assert.ok(claimsById.has(id), id);
    assert.ok(allBenchmarks.has(benchmark), `${id}: ${benchmark}`);
  }
});

test('each claim is examined by a suite, or says what would be needed', () => {
  const examined = new Set(examinations.map(({ id }) => id));
  for (const { id, unexamined } of articleClaims) assert.notEqual(examined.has(id), unexamined !== undefined, id);
});

test('at most five claims stay unexamined', () => {
  const left = articleClaims.filter(({ unexamined }) => unexamined !== undefined).map(({ id }) => id);
  assert.ok(left.length <= 5, left.join(', '));
});

test('a claim is one sentence without its full stop; a reason is whole sentences', () => {
  for (const { id, claim, unexamined } of articleClaims) {
    assert.match(claim, /^\S.{10,110}[^.]$/, id);
    if (unexamined !== undefined) assert.match(unexamined, /\.$/, id);
  }
});
