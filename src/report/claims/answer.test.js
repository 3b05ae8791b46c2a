import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { answerOf, answerOfAll, answerOfTrials, answerOfWays } from './answer.js';

/** @import { ClaimAnswer } from './answer.js' */

/** Theirs: half of the throughput is lost. */
const COST = { number: 0.5, none: 0, unit: 'share' };
/** Theirs: twenty times as long. */
const FACTOR = { number: 20, none: 1, unit: 'factor' };
const LIMIT = { band: { most: 5 } };

describe('the answer of an interval', () => {
  for (const [
    what,
    [median, low, high],
    expected,
    answer,
  ] of /** @type {[string, number[], object, ClaimAnswer][]} */ ([
    ['inside the band', [0.52, 0.45, 0.58], COST, 'same'],
    ['median inside, no effect excluded', [0.52, 0.3, 0.7], COST, 'about the same'],
    ['median inside, no effect included', [0.52, -0.1, 0.9], COST, 'too noisy'],
    ['beyond the band', [0.8, 0.7, 0.9], COST, 'same direction, larger'],
    ['short of the band', [0.2, 0.1, 0.3], COST, 'same direction, smaller'],
    ['around no effect, without theirs', [0.05, -0.1, 0.2], COST, 'not seen here'],
    ['around no effect, with theirs', [0.3, -0.1, 0.6], COST, 'too noisy'],
    ['the opposite side', [-0.2, -0.3, -0.1], COST, 'differs here'],
    ['hardly on the opposite side', [-0.2, -0.3, -0.01], COST, 'not seen here'],
    ['a factor within half as much again', [15, 13.5, 22], FACTOR, 'same'],
    ['a smaller factor', [5, 4, 6], FACTOR, 'same direction, smaller'],
    ['a limit kept', [3, 2, 4], LIMIT, 'same'],
    ['a limit kept by the median', [4, 2, 6], LIMIT, 'about the same'],
    ['a limit that the median misses', [6, 4, 7], LIMIT, 'too noisy'],
    ['a limit missed', [8, 6, 9], LIMIT, 'differs here'],
    ['no effect is inside the band', [1.6, 1.5, 1.7], { number: 0.9, none: 1, unit: 'factor' }, 'differs here'],
  ]))
    test(`${what}: ${answer}`, () => assert.equal(answerOf({ median, low, high }, expected), answer));
});

test('trials: one exception refutes a statement; too few without one prove nothing', () => {
  for (const [failing, n, each, answer] of /** @type {[number, number, 'all' | 'some', ClaimAnswer][]} */ ([
    [0, 3, 'all', 'same'],
    [0, 2, 'all', 'too noisy'],
    [1, 3, 'all', 'differs here'],
    [2, 3, 'some', 'same'],
    [3, 3, 'some', 'not seen here'],
    [1, 1, 'some', 'too noisy'],
  ]))
    assert.equal(answerOfTrials({ failing, n, each }), answer, `${failing} of ${n}, ${each}`);
  assert.equal(answerOfTrials({ failing: 0, n: 4, fewest: 2, each: 'all' }), 'too noisy', 'cases are no repetitions');
});

test('parts that must all hold: the worst answer', () => {
  assert.equal(answerOfAll(['same', 'not seen here', 'about the same']), 'not seen here');
  assert.equal(answerOfAll(['same', 'differs here', 'too noisy']), 'differs here');
});

describe('ways', () => {
  /** @param {[ClaimAnswer, number?][]} ways */
  const of = (ways) => answerOfWays(ways.map(([answer, failing]) => ({ answer, failing }))).answer;

  test('one holds, another fails in two trials', () => {
    const { answer, holding, against } = answerOfWays([
      { answer: 'differs here', failing: 3 },
      { answer: 'same', failing: 0 },
    ]);
    assert.deepEqual([answer, holding.length, against.length], ['only if', 1, 1]);
    assert.equal(of([['same', 0], ['differs here', 1]]), 'too noisy', 'one trial may be luck'); // biome-ignore format: one line
    assert.equal(of([['same'], ['not seen here']]), 'only if', 'measured in rounds');
  });

  test('all hold, or none', () => {
    assert.equal(of([['same'], ['about the same']]), 'about the same');
    assert.equal(of([['same direction, larger'], ['not seen here']]), 'same direction, larger', 'the closest way');
    assert.equal(of([['about the same'], ['too noisy']]), 'about the same');
  });
});
