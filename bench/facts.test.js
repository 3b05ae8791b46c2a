/** The facts of samples are the figures that their pages print. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { factsOf } from '../src/facts/index.js';
import { count, duration, interval, percent } from '../src/format.js';
import { milliseconds } from '../src/report/trials/figures.js';
import { readResult } from '../src/result/read.js';
import { MS_A_SECOND, NS_A_MS } from '../src/units.js';
import { ResultSchema, suiteTerms } from './index.js';

/** @import { Fact } from '../src/facts/fact.js' */

/** @param {string} name of a sample */
async function sample(name) {
  const folder = `results/sample/${name}`;
  const facts = factsOf(await readResult(folder, ResultSchema), suiteTerms);
  const page = ['report.md', 'details.md'].map((file) => readFileSync(`${folder}/${file}`, 'utf8')).join('\n');
  return { facts, page };
}

/** @param {readonly Fact[]} facts @param {string} metric @param {Partial<Fact>} [about] */
function chosen(facts, metric, about = {}) {
  const found = facts.filter(
    (fact) =>
      fact.metric === metric &&
      Object.entries(about).every(([name, value]) => fact[/** @type {keyof Fact} */ (name)] === value),
  );
  assert.ok(found.length > 0, `a fact has the metric ${metric}`);
  return found;
}

/** @param {Fact} fact */
const asInterval = ({ median, low, high }) => ({ median, low: low ?? Number.NaN, high: high ?? Number.NaN });

describe('what a page prints is a fact', async () => {
  const { facts, page } = await sample('main-valkey');

  test('a cost with its interval', () => {
    for (const cost of chosen(facts, 'cost', { experiment: 'async-vs-wait' }))
      assert.ok(page.includes(interval(asInterval(cost), percent)), `${cost.caseId}: ${cost.median}`);
  });

  test('p99 over all rounds', () => {
    for (const p99 of chosen(facts, 'p99-service-time-all', { experiment: 'async-vs-wait' }))
      assert.ok(page.includes(duration(p99.median * NS_A_MS)), `${p99.caseId}: ${p99.median} ms`);
  });
});

describe('what a page prints of trials is a fact', async () => {
  const { facts, page } = await sample('failure-docker');

  test('lost writes, of all trials together and of all that were acknowledged', () => {
    const losses = chosen(facts, 'lost-writes', { experiment: 'primary-partition' }).filter(
      ({ writer }) => writer !== 'native',
    );
    for (const lost of losses.filter(({ total }) => total !== 0)) {
      const [acked] = chosen(facts, 'acked', { experiment: lost.experiment, caseId: lost.caseId, writer: lost.writer });
      const text = `${count(Number(lost.total))} (${percent(Number(lost.total) / Number(acked.total))}`;
      assert.ok(page.includes(text), `${lost.caseId}, ${lost.writer}: ${text}`);
    }
  });

  test('the worst native writer: seconds lost in the worst trial, and in how many trials', () => {
    const about = { experiment: 'primary-partition', mode: 'async', writer: 'native' };
    const [{ worst, trialsWithLoss, n }] = chosen(facts, 'lost-seconds', about);
    const often = trialsWithLoss === n ? '' : `, ${trialsWithLoss}/${n}`;
    assert.ok(page.includes(`${milliseconds(Number(worst) * MS_A_SECOND)}${often}`));
  });

  test('outages', () => {
    for (const { median, caseId, writer } of chosen(facts, 'outage', { experiment: 'primary-partition' }))
      assert.ok(page.includes(milliseconds(median * MS_A_SECOND)), `${caseId}, ${writer}: ${median} s`);
  });
});
