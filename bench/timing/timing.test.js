import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rowsOf } from '../../src/facts/query.js';
import { NAMED_FIGURES } from '../../src/report/fixture.js';
import { renderFrontPage } from '../../src/report/frame.js';
import { auditOf, failureBenchmarkOf, failureResultOf, trialOf } from '../../src/report/trials/fixture.js';
import { variationIn } from '../../src/result/variation.js';
import { PROFILES } from '../../src/run/profiles.js';
import { suiteTerms } from '../facts.js';
import { failoverTiming } from './failover-timing.js';
import { attemptsOf, choicesOf, measuredIn, rateOf, recommended, SITUATIONS, situationOf } from './figures.js';
import timing from './index.js';

const OPTIONS = { server: { name: 'redis', version: '7.0.15' }, storages: [] };

describe('situations', () => {
  test('a variation says all about its situation', () => {
    for (const profile of Object.values(PROFILES)) {
      for (const { params } of failoverTiming.cases({ ...OPTIONS, profile })) {
        assert.deepEqual(situationOf(params).variation, variationIn(params));
        assert.ok([1000, 2000, 5000, 30_000].includes(Number(params.downAfterMs)));
      }
    }
    assert.throws(() => situationOf({ setting: 'sleepy' }), RangeError);
  });

  test('only a killed primary calls for a promotion', () => {
    const wanted = failoverTiming
      .cases({ ...OPTIONS, profile: PROFILES.quick })
      .filter(({ params }) => /** @type {Function} */ (failoverTiming.needsFailover)(params));
    assert.deepEqual([...new Set(wanted.map(({ params }) => situationOf(params).kind))], ['killed', 'hung']);
  });
});

/** The replica that the Sentinels chose was frozen. @type {import('../../src/result/failure-schema.js').TrialEvent[]} */
const HUNG = [
  { at: 2000, by: 'harness', kind: 'fault-begun', node: 'redis-3', fault: 'pause' },
  { at: 2050, by: 'sentinel-1', kind: 'replica-chosen', node: 'redis-3' },
];

/** @type {Readonly<Record<string, import('../../src/result/variation.js').CaseVariation>>} */
const BLOCKED = Object.fromEntries(
  SITUATIONS.flatMap(({ blockedSeconds, variation }) =>
    blockedSeconds === undefined ? [] : [[`blocked-${blockedSeconds}s`, variation]],
  ),
);

/**
 * @param {[situation: string, downAfterMs: number, promotions: number, outageMs?: number, ackedLost?: number][]} cells
 * @returns {import('../../src/result/schema.js').Result}
 */
function resultOf(cells) {
  /** @type {import('../../src/result/failure-schema.js').TrialEvent} */
  const promoted = { at: 2100, by: 'sentinel-1', kind: 'replica-promoted', node: 'redis-2' };
  const benchmark = failureBenchmarkOf(
    'failover-timing',
    cells.map(([situation, downAfterMs, promotions, unavailableMs = 1000, ackedLost = 0]) => {
      const id = `${situation}-${downAfterMs}`;
      const events = [
        ...Array.from({ length: promotions }, () => promoted),
        ...(situation.startsWith('hung') ? HUNG : []),
      ];
      return {
        id,
        mode: 'async',
        variation: BLOCKED[situation] ?? { setting: situation },
        audits: [auditOf(id, { unavailableMs, ackedLost, acked: 5000 })],
        trials: [trialOf(id, { events })],
      };
    }),
  );
  for (const [index, one] of benchmark.cases.entries()) one.params.downAfterMs = cells[index][1];
  return failureResultOf([benchmark]);
}

/** @param {Parameters<typeof resultOf>[0]} cells */
const measuredOf = (cells) => measuredIn(rowsOf(resultOf(cells), suiteTerms));

/** @param {Parameters<typeof resultOf>[0]} cells */
function pageOf(cells) {
  const page = renderFrontPage(resultOf(cells), [timing], NAMED_FIGURES);
  assert.doesNotMatch(page, /undefined|NaN|\[object|Infinity|null/);
  return page;
}

const CELLS = /** @type {Parameters<typeof resultOf>[0]} */ ([
  ['killed', 1000, 1, 2500],
  ['killed', 5000, 1, 6500],
  ['blocked-2s', 1000, 1, 2000, 700],
  ['blocked-4s', 1000, 1, 4000, 900],
  ['blocked-2s', 5000, 0, 2000],
  ['blocked-4s', 5000, 0, 4000],
  ['blocked-10s', 5000, 1, 10_000, 800],
  ['hung-timeout-3s', 2000, 1, 9700],
  ['killed-quorum-3', 2000, 1, 3500],
  ['idle', 5000, 0],
]);

describe('what is recommended', () => {
  test('the shortest down-after that withstood a command of 4 s', () => {
    const choices = choicesOf(measuredOf(CELLS));
    assert.equal(recommended(choices)?.downAfterMs, 5000);
    assert.deepEqual(
      choices.map(({ downAfterMs, outage, withstood, mostLost }) => [downAfterMs, outage, withstood, mostLost]),
      [
        [1000, 2.5, 0, 900],
        [2000, null, null, null],
        [5000, 6.5, 4, 800],
      ],
    );
  });

  test('none if healthy nodes were replaced, or a second promotion followed a kill', () => {
    for (const needless of /** @type {typeof CELLS} */ ([
      ['busy', 5000, 1],
      ['killed', 5000, 2],
    ])) {
      const cells = CELLS.filter(([situation, downAfterMs]) => situation !== needless[0] || downAfterMs !== 5000);
      assert.equal(recommended(choicesOf(measuredOf([...cells, needless]))), null);
      assert.match(pageOf([...cells, needless]), /there were 1 needless failover and no TILT/);
    }
  });

  test('the page has the value to set, and what a shorter one loses; a run of one situation has a page', () => {
    const page = pageOf(CELLS);
    assert.match(
      page,
      /^- Set `down-after-milliseconds` to \*\*5,000\*\* if .* 4 s\. After a kill writes then stop for 6\.50 s\.$/m,
    );
    assert.match(page, /^- A shorter one .*: with 1 s needless failovers lost up to 900 acknowledged writes\.$/m);
    assert.match(page, /SENTINEL SET mymaster down-after-milliseconds 5000$/m);
    pageOf([['idle', 5000, 0]]);
    pageOf([['killed-quorum-3', 2000, 1]]);
  });

  test('the outage of a second attempt, and how much seeing nothing leaves open', () => {
    const measured = measuredOf(CELLS);
    assert.deepEqual(attemptsOf(measured), [{ failoverTimeoutSeconds: 3, outage: 9.7 }]);
    // The Sentinels chose the other replica.
    assert.deepEqual(attemptsOf(measured.map((each) => ({ ...each, chosenHung: false }))), []);
    // 5 s of a trial.
    const { seen, anHour } = rateOf(
      measured.filter(({ situation }) => situation.kind === 'idle'),
      'needless',
    );
    assert.deepEqual([seen, Math.round(anHour)], [0, 2160]);
  });
});
