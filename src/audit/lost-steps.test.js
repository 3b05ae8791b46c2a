import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf, trialOf } from '../report/trials/fixture.js';
import { secondsLost } from './lost-steps.js';

/** Writes a second that were asked for; the steps have 100 ms. */
const RATE = 1000;

/** @param {number[]} acked @param {number[]} lost */
function secondsOf(acked, lost) {
  const [writer] = trialOf('async', { names: ['sticky'] }).writers;
  const trial = trialOf('async', { writers: [{ ...writer, acked, lost }] });
  return secondsLost(auditOf('async', { ackedLost: lost.reduce((sum, each) => sum + each, 0) }), trial, RATE);
}

/** @param {number} steps @param {number} value */
const times = (steps, value) => Array.from({ length: steps }, () => value);

describe('seconds of acknowledged writes lost', () => {
  test('a writer that kept the rate that was asked for: writes over that rate', () => {
    assert.equal(secondsOf([...times(50, 97), 100], [...times(50, 97), 0]), 4.85);
  });

  test('a slow disk: a loss of all of 25 s is no loss of 3 s', () => {
    const acked = [12, ...times(250, 12), 12];
    const lost = [0, ...times(250, 12), 0];
    assert.equal(Math.round(secondsOf(acked, lost) * 1000), 25_000);
  });

  test('the last writes before a silence do not stand for a whole step, and a backlog does not for one only', () => {
    assert.equal(secondsOf([100, 3, 0, 0, 0], [0, 3, 0, 0, 0]), 0.003);
    assert.equal(secondsOf([100, 0, 0, 1200, 0, 100], [0, 0, 0, 1200, 0, 0]), 1.2);
  });

  test('a result without the times of lost writes: writes over the rate that was asked for', () => {
    const audit = auditOf('async', { ackedLost: 500 });
    assert.equal(secondsLost(audit, trialOf('async', { names: ['sticky'] }), RATE), 0.5);
    assert.equal(secondsLost(audit, undefined, RATE), 0.5);
  });
});
