import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { randomFrom } from '../../src/stats/random.js';
import {
  contains,
  drawSchedule,
  lengthOf,
  MOST_STEPS,
  normalise,
  parseSchedule,
  RULES,
  STEP_KINDS,
  scheduleInWords,
  scheduleText,
  simpler,
} from './schedule.js';

/** @import { Schedule, ScheduleStep } from './schedule.js' */

const OPTIONS = { hosts: 3, faultyHosts: 2, downAfterSeconds: 1 };
const drawn = fc.integer().map((seed) => drawSchedule(randomFrom(seed), { ...OPTIONS, kinds: STEP_KINDS }));

/** @param {Partial<ScheduleStep>} step @returns {ScheduleStep} */
const step = (step) => ({ kind: 'freeze', hosts: [0], at: 0, lasts: 1, ...step });

describe('schedules', () => {
  test('a seed always draws the same schedule, and seeds draw different ones', () => {
    const texts = Array.from({ length: 50 }, (_, seed) => scheduleText(drawSchedule(randomFrom(seed), OPTIONS)));
    assert.deepEqual(
      texts,
      Array.from({ length: 50 }, (_, seed) => scheduleText(drawSchedule(randomFrom(seed), OPTIONS))),
    );
    assert.ok(new Set(texts).size > 40, `${new Set(texts).size} of 50 differ`);
    // Samples name their seed.
    assert.deepEqual(texts.slice(0, 3), [
      'restart:primary@0',
      'failover@0,blind:primary@1.8+3',
      'one-way:primary+replica-2@0+5.7',
    ]);
  });

  test('an experiment is a schedule of its own, by its name', () => {
    const schedule = parseSchedule('partition-with-replica');
    assert.equal(scheduleText(schedule), 'partition-with-replica');
    assert.deepEqual(scheduleInWords(schedule), ['at 0 s: partition with a replica']);
    assert.throws(() => parseSchedule('partition-with-replica@0,failover@2'), { exitStatus: 2 });
  });

  test('every drawn schedule harms at most the hosts allowed, and has one network fault at a time', () => {
    fc.assert(
      fc.property(drawn, (schedule) => {
        assert.ok(schedule.length >= 1 && schedule.length <= MOST_STEPS);
        const harmed = new Set(schedule.filter(({ kind }) => !RULES[kind].faultless).flatMap(({ hosts }) => hosts));
        assert.ok(harmed.size <= OPTIONS.faultyHosts, scheduleText(schedule));
        const network = schedule.filter(({ kind }) => RULES[kind].network);
        for (const [i, one] of network.entries())
          if (i > 0) assert.ok(one.at >= network[i - 1].at + network[i - 1].lasts - 1e-9, scheduleText(schedule));
        assert.equal(schedule[0].at, 0);
      }),
    );
  });

  test('a thousand schedules contain every kind of step, and partitions of one and of two hosts', () => {
    const options = { ...OPTIONS, kinds: STEP_KINDS };
    const schedules = Array.from({ length: 1000 }, (_, seed) => drawSchedule(randomFrom(seed), options));
    const kinds = new Set(schedules.flat().map(({ kind }) => kind));
    assert.deepEqual([...kinds].sort(), [...STEP_KINDS].sort());
    const sizes = new Set(schedules.flat().flatMap(({ kind, hosts }) => (kind === 'partition' ? hosts.length : [])));
    assert.deepEqual([...sizes].sort(), [1, 2]);
  });

  test('text and schedule are the same', () => {
    fc.assert(
      fc.property(drawn, (schedule) => {
        assert.deepEqual(parseSchedule(scheduleText(schedule)), schedule);
      }),
    );
  });

  test('text that is no schedule is refused, with the reason', () => {
    /** @type {[string, RegExp][]} */
    const cases = [
      ['', /its kind must be one of kill/],
      ['toString:primary@0+1', /its kind must be one of kill/],
      ['freeze:primary@0', /say how long it lasts/],
      ['failover@0+1', /ends by itself/],
      ['freeze:primary+replica-1@0+1', /hits one host/],
      ['freeze@0+1', /must name hosts/],
      ['freeze:replica-0@0+1', /must name hosts/],
      ['freeze:primary@-1+1', /cannot be read/],
      ['freeze:primary@0+1;reboot', /cannot be read/],
    ];
    for (const [text, message] of cases) assert.throws(() => parseSchedule(text), { message }, text);
  });

  test('normalising moves the first step to 0 and network faults behind each other', () => {
    const steps = [
      step({ at: 4 }),
      step({ kind: 'partition', at: 2, lasts: 3 }),
      step({ kind: 'one-way', at: 3, lasts: 1 }),
    ];
    assert.equal(scheduleText(normalise(steps)), 'partition:primary@0+3,freeze:primary@2+1,one-way:primary@3+1');
    assert.equal(lengthOf(normalise(steps)), 4);
  });

  test('a schedule contains its parts, at whatever times', () => {
    const whole = parseSchedule('freeze:primary@0+2,kill:replica-1@1+1,freeze:primary@4+1');
    assert.equal(contains(whole, parseSchedule('freeze:primary@0+9')), true);
    assert.equal(contains(whole, parseSchedule('freeze:primary@0+1,freeze:primary@1+1')), true);
    assert.equal(contains(whole, parseSchedule('freeze:replica-1@0+1')), false);
    assert.equal(contains(parseSchedule('freeze:primary@0+1'), whole), false);
  });

  test('no suggestion is larger than the schedule, and simplifying ends', () => {
    const size = (/** @type {Schedule} */ schedule) =>
      schedule.length * 1000 + schedule.flatMap(({ hosts }) => hosts).length * 100 + lengthOf(schedule);
    fc.assert(
      fc.property(drawn, (schedule) => {
        let left = schedule;
        for (let steps = 0; left.length > 0; steps++) {
          assert.ok(steps < 200, 'it does not end');
          const [[next] = []] = simpler(left);
          if (!next) break;
          assert.ok(size(next) <= size(left), `${scheduleText(next)} after ${scheduleText(left)}`);
          left = next;
        }
        assert.equal(left.length, 1);
      }),
    );
  });
});
