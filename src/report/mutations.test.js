/**
 * Results that somebody has edited, with values that make no sense. By hand with more: MUTATIONS=5000 SEED=7 node --test src/report/mutations.test.js
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { answers, claimFacts, ResultSchema, recommender, suites, suiteTerms } from '../../bench/index.js';
import { UserError } from '../errors.js';
import { factsOf } from '../facts/index.js';
import { openMetricsLines } from '../facts/openmetrics.js';
import { factsCsv } from '../facts/render.js';
import { checkedResult } from '../result/read.js';
import { claimsMarkdown, claimsTerminal } from './claims/show.js';
import { compareResults } from './compare/compare.js';
import { renderComparison, renderPullRequest } from './compare/comparison-report.js';
import { historyOf, renderHistory, slim } from './compare/history.js';
import { makeReport } from './document.js';
import { resultOf } from './fixture.js';
import { shortAnswer, terminalText } from './terminal.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from './trials/fixture.js';

/** @import { Result } from '../result/schema.js' */

const { MUTATIONS = 20, SEED = 41 } = process.env;

const RESULTS = {
  rounds: resultOf(),
  trials: failureResultOf([
    failureBenchmarkOf('primary-killed', [{ mode: 'async', audits: [auditOf('async')], trials: [trialOf('async')] }]),
  ]),
};

/**
 * What report, claims, compare, recommend, history, facts and export make from it.
 * @param {Result} result
 * @param {Result} other the same run, as it was
 */
function everyAnswer(result, other) {
  shortAnswer(result, suites, { columns: 100 });
  makeReport(result, suites);
  const rows = answers([claimFacts(result)]);
  claimsMarkdown(rows, 1);
  claimsTerminal(rows, { runs: 1, columns: 100 });
  const comparison = compareResults(result, other, { metric: 'throughput', threshold: 0.05 });
  if (comparison.cases.length > 0) {
    for (const render of [renderPullRequest, renderComparison])
      render({ name: 'A', result }, { name: 'B', result: other }, comparison);
  }
  const histories = historyOf([result, other].map((each, i) => ({ name: `run ${i}`, result: slim(each) })));
  if (histories.length > 0) renderHistory(histories);
  for (const batch of /** @type {const} */ ([1, 100]))
    terminalText(recommender.answer(result, { batch }, { faultsPerYear: {}, writesPerSecond: 500 })?.blocks ?? []);
  for (const _ of openMetricsLines(result, suiteTerms));
  for (const _ of factsCsv(factsOf(result, suiteTerms)));
  for (const { histories } of suites)
    for (const { cases } of result.benchmarks)
      for (const { rounds } of cases) for (const round of rounds) histories?.recorded(round);
}

const NUMBERS = [1e300, -1e300, 1e15, 2 ** 53 - 1, 1e9, 1000, 2, 1, 0.5, 1e-9, 5e-324, 0, -1];
/** What a value of each type becomes. The last three values are of other types. */
const VALUES = Object.freeze({
  number: [...NUMBERS, ...NUMBERS, null],
  string: ['', 'x', 'async', 'redis-9', '1970-01-01T00:00:00Z', null],
  other: [null, true, false, 0, '', [], {}],
});

const PARTS = 2 ** 31;
const fraction = fc.noBias(fc.nat(PARTS - 1)).map((part) => part / PARTS);
/** One change of a document: where it is, what it does, and which value it takes, as fractions of their lists. */
const change = fc.record({
  at: fraction,
  what: fc.constantFrom('set', 'set', 'set', 'everywhere', 'remove', 'empty', 'first', 'twice', 'reverse'),
  which: fraction,
});

const changes = fc.array(change, { minLength: 1, maxLength: 4 });

/**
 * @typedef {{at: number, what: string, which: number}} ChangedPlace
 *
 * @param {Result} result stays as it is
 * @param {readonly ChangedPlace[]} list
 * @returns {{document: any, done: string[]}} the changed document, and what was changed
 */
function changed(result, list) {
  const document = structuredClone(result);
  const done = list.map((one) => {
    const { holder, key, path } = placeIn(document, one.at);
    const now = holder[key];
    const value = valueFor(now, one);
    if (value === undefined) Array.isArray(holder) ? holder.splice(Number(key), 1) : delete holder[key];
    else if (one.what === 'everywhere') setEverywhere(document, key, value);
    else holder[key] = value;
    return `${path}: ${one.what} ${JSON.stringify(value)?.slice(0, 40)}`;
  });
  return { document, done };
}

/**
 * Goes down one level after another, so that it meets rare fields as often as those of the many rounds.
 * @param {any} document
 * @param {number} at
 */
function placeIn(document, at) {
  let holder = document;
  let rest = at;
  let path = '';
  while (true) {
    const keys = Object.keys(holder);
    const index = Math.floor(rest * keys.length);
    rest = rest * keys.length - index;
    const key = keys[index];
    path += `.${key}`;
    const value = holder[key];
    const isInner = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    // A tenth of the changes hits a list or an object as a whole.
    if (!isInner || rest < 0.1) return { holder, key, path };
    rest = (rest - 0.1) / 0.9;
    holder = value;
  }
}

/** @param {any} now @param {ChangedPlace} change @returns {unknown} undefined: it is removed */
function valueFor(now, { what, which }) {
  if (what === 'remove') return undefined;
  if (Array.isArray(now) && what !== 'set' && what !== 'everywhere')
    return { empty: [], first: now.slice(0, 1), twice: [...now, ...now], reverse: now.toReversed() }[what];
  const type = typeof now;
  const values = VALUES[type === 'number' || type === 'string' ? type : 'other'];
  return structuredClone(values[Math.floor(which * values.length)]);
}

/**
 * @param {any} holder
 * @param {string} key of the fields to change
 * @param {unknown} value
 */
function setEverywhere(holder, key, value) {
  for (const each of Object.keys(holder)) {
    if (each === key) holder[each] = structuredClone(value);
    else if (typeof holder[each] === 'object' && holder[each] !== null) setEverywhere(holder[each], key, value);
  }
}

for (const [kind, good] of Object.entries(RESULTS)) {
  test(`an edited result of ${kind} is refused in one sentence, or shown`, () => {
    const edited = fc.property(changes, (list) => {
      const { document, done } = changed(good, list);
      try {
        everyAnswer(checkedResult('result.json', document, ResultSchema), good);
      } catch (error) {
        if (!(error instanceof UserError)) throw new Error(done.join('; '), { cause: error });
        assert.match(error.message, /^result\.json [^\n]+\.$/);
      }
    });
    fc.assert(edited, { numRuns: Number(MUTATIONS), seed: Number(SEED), endOnFailure: true });
  });
}
