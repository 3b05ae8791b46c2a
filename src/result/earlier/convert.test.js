import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { describe, test } from 'node:test';
import { ResultSchema } from '../../../bench/index.js';
import { eventText } from '../events.js';
import { SCHEMA_ID } from '../schema.js';
import { convertAuditFacts, convertResult } from './convert.js';
import { convertMark } from './events.js';

/** @import { TrialEvent } from '../failure-schema.js' */

const EARLIER = new URL('./', import.meta.url);
/** Words of version 1, as whole names or ids. Settings of Redis have some of them, too. */
const OLD_WORDS = /"(?:cluster|level|habit|one-flush|awaited|stays|follows|\w+-cut)"|-awaited\b|: cut"/;

describe('a result of version 1', async () => {
  for (const name of (await readdir(EARLIER)).filter((file) => file.endsWith('.json'))) {
    test(`${name} has the words of this version, and is otherwise the same`, async () => {
      const text = await readFile(new URL(name, EARLIER), 'utf8');
      const document = JSON.parse(text);
      const converted = convertResult(document, SCHEMA_ID);
      assert.deepEqual(document, JSON.parse(text), 'it was not changed');
      assert.deepEqual(ResultSchema.parse(converted), converted);
      const words = JSON.stringify(converted);
      assert.doesNotMatch(words, OLD_WORDS);
      assert.deepEqual(numbersIn(words), numbersIn(JSON.stringify(document)), 'figures in their order');
    });
  }

  test('every name that changed', () => {
    const converted = convertResult(
      {
        schema: 'sentinel-bench/result@1',
        command: 'sentinel-bench run primary-cut sweep-cut --out short-cut',
        cluster: { config: { 'redis-1': { 'cluster-enabled': 'no' } } },
        benchmarks: [
          {
            name: 'sweep-cut',
            cases: [
              {
                id: 'one-awaited-wait1',
                params: { level: 'wait1', mode: 'scan', habit: 'awaited', writers: ['stays', 'follows', 'redis'] },
                summary: { relativeToBaseline: { baseline: 'awaited-awaited' } },
              },
            ],
            notMeasured: [{ id: 'two-awaited' }],
            findings: [{ text: 'it stays', evidence: ['one-awaited-wait1'] }],
            checks: [{ detail: 'WAIT 2, stays: none of 2; WAIT 2, follows: none of 3' }],
            audit: [{ case: 'one-awaited-wait1', writer: 'follows' }],
            timeline: [
              {
                case: 'one-awaited-wait1',
                marks: [
                  { afterMs: 1, who: 'stays', what: 'first accepted by', detail: 'redis-1' },
                  { afterMs: 2, who: 'harness', what: 'fault begun', detail: 'redis-1: cut' },
                ],
                writers: [{ writer: 'stays' }],
              },
            ],
          },
        ],
      },
      SCHEMA_ID,
    );
    assert.deepEqual(converted, {
      schema: SCHEMA_ID,
      command: 'sentinel-bench run primary-partition sweep-partition --out short-cut',
      stack: { config: { 'redis-1': { 'cluster-enabled': 'no' } } },
      benchmarks: [
        {
          name: 'sweep-partition',
          cases: [
            {
              id: 'one-sequential-wait1',
              params: {
                mode: 'wait1',
                copyMode: 'scan',
                waitMode: 'sequential',
                writers: ['sticky', 'failover-aware', 'redis'],
              },
              summary: { relativeToBaseline: { baseline: 'awaited-sequential' } },
            },
          ],
          notMeasured: [{ id: 'two-sequential' }],
          findings: [{ text: 'it stays', evidence: ['one-sequential-wait1'] }],
          checks: [{ detail: 'WAIT 2, sticky: none of 2; WAIT 2, failover-aware: none of 3' }],
          audit: [{ case: 'one-sequential-wait1', writer: 'failover-aware' }],
          timeline: [
            {
              case: 'one-sequential-wait1',
              events: [
                { at: 1, by: 'sticky', kind: 'first-accepted', node: 'redis-1' },
                { at: 2, by: 'harness', kind: 'fault-begun', node: 'redis-1', fault: 'partition' },
              ],
              writers: [{ writer: 'sticky' }],
            },
          ],
        },
      ],
    });
  });

  test('what is damaged stays so', () => {
    for (const benchmarks of [null, 7, 'text', {}, [null, 7, []], [{ cases: [{ params: 3, id: 4 }], timeline: {} }]])
      assert.deepEqual(convertResult({ schema: 'sentinel-bench/result@1', benchmarks, command: 3 }, SCHEMA_ID), {
        schema: SCHEMA_ID,
        benchmarks,
        command: 3,
      });
    for (const document of [null, 7, []]) assert.deepEqual(convertResult(document, SCHEMA_ID), document);
  });
});

describe('events of versions 1 and 2', () => {
  /** @type {[what: string, detail: string, event: object][]} */
  const pairs = [
    ['+switch-master', 'redis-2', { kind: 'promoted', node: 'redis-2' }],
    ['promoted', 'mariadb-2', { kind: 'promoted', node: 'mariadb-2' }],
    ['+tilt', '', { kind: 'tilt' }],
    ['fault begun', 'network: group-partition', { kind: 'fault-begun', node: 'network', fault: 'group-partition' }],
    [
      'fault begun',
      'redis-1: safe-failover',
      { kind: 'fault-begun', node: 'redis-1', fault: 'safe-failover', planned: true },
    ],
    [
      'prepared',
      'redis-3: RedisShake copies to redis-2',
      { kind: 'prepared', node: 'redis-3', fault: 'RedisShake copies to redis-2' },
    ],
    ['first error', 'CLOSED read: ECONNRESET', { kind: 'first-error', detail: 'CLOSED read: ECONNRESET' }],
    ['2 replicas', 'redis-1', { kind: 'replicas-connected', node: 'redis-1', value: '2' }],
    ['lag above 2 s', 'redis-1', { kind: 'lagging', node: 'redis-1', value: '2 s' }],
    ['says', 'dual-channel: no', { kind: 'setting-read', detail: 'dual-channel', value: 'no' }],
    ['step refused', 'failover: INPROG', { kind: 'step-refused', fault: 'failover', detail: 'INPROG' }],
    ['of another tool', 'redis-1', { kind: 'other', detail: 'of another tool redis-1' }],
  ];
  for (const [what, detail, event] of pairs)
    test(`${what} ${detail}`, () => {
      const by = what.startsWith('+') ? 'sentinel-1' : 'harness';
      const converted = /** @type {TrialEvent} */ (convertMark({ afterMs: 5, who: by, what, detail }));
      assert.deepEqual(converted, { at: 5, by, ...event });
      assert.equal(eventText(converted), `${what} ${detail}`.trim(), 'people read the same');
    });

  test('what is damaged stays so', () => {
    for (const mark of [null, 7, {}, { what: 3, detail: '' }]) assert.equal(convertMark(mark), mark);
  });
});

test('each part of a variant gets a field', () => {
  const params = (/** @type {object} */ own) => ({
    schema: 'sentinel-bench/result@2',
    benchmarks: [{ cases: [{ params: own }] }],
  });
  for (const [variant, fields] of /** @type {[string, object][]} */ ([
    ['plus-500ms', { length: 'plus-500ms' }],
    ['colocated', { placement: 'colocated' }],
    ['apart-with-2', { placement: 'apart', setting: 'with-2' }],
    ['blocked-4s', { setting: 'blocked', length: '4s' }],
    ['by-failover', { way: 'by-failover' }],
    ['down-after-1s', { setting: 'down-after-1s' }],
  ])) {
    const converted = convertResult(params({ mode: 'async', variant }), SCHEMA_ID);
    assert.deepEqual(converted, { ...params({ mode: 'async', ...fields }), schema: SCHEMA_ID });
  }
});

test('an audit file of version 1 names what its result names', () => {
  assert.deepEqual(convertAuditFacts({ benchmark: 'primary-cut', case: 'wait1', round: 2, writer: 'stays' }), {
    benchmark: 'primary-partition',
    case: 'wait1',
    round: 2,
    writer: 'sticky',
    appends: false,
  });
  const facts = { benchmark: 'primary-killed', case: 'async', round: 1, writer: 'redis' };
  assert.deepEqual(convertAuditFacts(facts), { ...facts, appends: true }, 'it wrote with APPEND');
  assert.deepEqual(convertAuditFacts({ ...facts, appends: false }), { ...facts, appends: false }, 'the file says so');
});

/** @param {string} json */
function numbersIn(json) {
  return json.replace('result@3', 'result@1').match(/-?\d[\d.e+-]*/g);
}
