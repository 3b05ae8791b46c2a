import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pauseTrialOf } from './decision-fixture.js';
import { pauseOf } from './decision-pause.js';

const WRITERS = ['stays', 'follows'];

describe('writes while replicas stand still', () => {
  test('what counts is the end of the pause, and the writer that fared worse', () => {
    const trial = pauseTrialOf('min1', [{ writer: 'stays' }, { writer: 'follows', outcome: 'rejected', after: 70 }]);
    assert.deepEqual(pauseOf([trial], WRITERS), {
      trials: 1,
      lengthMs: 9997,
      ackedAtEnd: { median: 0, low: 0, high: 0 },
      instead: 'rejected',
    });
  });

  test('part of the end: refusals that began in it', () => {
    // The last 2 s end 0.3 s before the undoing was told: 8.7 s … 10.7 s; refused from 9.7 s on.
    const trial = pauseTrialOf('min1', [{ writer: 'stays', outcome: 'rejected', after: 87 }]);
    assert.deepEqual(pauseOf([trial], WRITERS)?.ackedAtEnd, { median: 0.5, low: 0.5, high: 0.5 });
  });

  test('answers tell more than what was not sent because there were none', () => {
    const trial = pauseTrialOf('wait2', [{ writer: 'stays', outcome: 'unsent' }]);
    assert.equal(pauseOf([trial], WRITERS)?.instead, 'unsent');
    trial.writers[0].underAcked = trial.writers[0].underAcked.map((_, step) => (step % 10 === 0 ? 1 : 0));
    assert.equal(pauseOf([trial], WRITERS)?.instead, 'underAcked');
  });

  test('several trials: their range', () => {
    const trials = [
      pauseTrialOf('min1', [{ writer: 'stays' }], 1),
      pauseTrialOf('min1', [{ writer: 'stays', outcome: 'rejected' }], 2),
      pauseTrialOf('min1', [{ writer: 'stays' }], 3),
    ];
    const pause = pauseOf(trials, WRITERS);
    assert.deepEqual(pause?.ackedAtEnd, { median: 1, low: 0, high: 1 });
    assert.equal(pause?.trials, 3);
  });

  test('a pause that never ended, writers that do not count, or no trial: not measured', () => {
    const trial = pauseTrialOf('async', [{ writer: 'stays' }]);
    assert.equal(pauseOf([], WRITERS), null);
    assert.equal(pauseOf([trial], ['redis']), null);
    trial.marks = trial.marks.filter(({ what }) => what !== 'fault undone');
    assert.equal(pauseOf([trial], WRITERS), null);
  });
});
