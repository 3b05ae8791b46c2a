import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { auditOf, failureBenchmarkOf, trialOf } from '../../src/report/trials/fixture.js';
import { PROFILES } from '../../src/run/profiles.js';
import { performed, scenarioNamed } from './fixture.js';

/**
 * @import { TrialEvent } from '../../src/result/failure-schema.js'
 * @import { BenchmarkResult } from '../../src/result/schema.js'
 * @import { CaseVariation } from '../../src/result/variation.js'
 */

/** @type {(name: string, params?: {}, options?: Parameters<typeof performed>[2]) => Promise<string[]>} what the script of a scenario does */
const courseOf = async (name, params, options) => (await performed(scenarioNamed(name), params, options)).course;

const withReplica = scenarioNamed('partition-with-replica');

const APART = 'redis-1, sentinel-1, redis-2, minority | redis-3, sentinel-2, sentinel-3, majority';

describe('scenarios with groups', () => {
  test('a replica goes along with the primary: Sentinels apart, unless the user asks for them beside each node', async () => {
    const course = await courseOf('partition-with-replica');
    assert.deepEqual(course, [
      'write 1',
      `network is divided: ${APART}`,
      'write 15',
      'undo group-partition',
      'write 1',
    ]);
    const [, colocated] = await courseOf('partition-with-replica', { placement: 'colocated' });
    assert.match(colocated, /: redis-1, sentinel-1, redis-2, sentinel-2, minority \| redis-3, sentinel-3, majority$/);
    assert.ok((await courseOf('partition-with-replica', { length: 'long' })).includes('write 30'));
  });

  test('a trial says that no promotion is due where the Sentinels on the other side have no majority', async () => {
    const marksOf = async (/** @type {object} */ params, /** @type {string[][] | null} */ hosts = null) => {
      const { marks } = await performed(withReplica, { ...params }, { promoted: false, hosts });
      return marks.filter((what) => what === 'no-promotion-due');
    };
    assert.deepEqual(await marksOf({}), []);
    assert.deepEqual(await marksOf({ placement: 'colocated' }), ['no-promotion-due']);
    const colocated = [1, 2, 3].map((n) => [`redis-${n}`, `sentinel-${n}`]);
    assert.deepEqual(await marksOf({}, colocated), ['no-promotion-due'], 'an existing deployment, by its addresses');
    assert.deepEqual(
      await marksOf({}, [['redis-1', 'sentinel-1'], ['redis-2'], ['redis-3', 'sentinel-2', 'sentinel-3']]),
      [],
    );
    // Its primary has moved to the host with two Sentinels.
    assert.deepEqual(
      await marksOf({}, [['redis-3', 'sentinel-2', 'sentinel-3'], ['redis-1', 'sentinel-1'], ['redis-2']]),
      ['no-promotion-due'],
    );
  });

  test('where nobody was promoted, it waits until the primary hears from each replica', async () => {
    const state = (/** @type {string} */ rest) => `ip=10.0.0.1,port=6379,${rest}`;
    const online = (/** @type {number} */ lag) => state(`state=online,offset=9,lag=${lag}`);
    /** @type {Record<string, string>[]} */
    const replication = [
      { role: 'master', slave0: online(0) },
      { slave0: online(0), slave1: online(17) },
      { slave0: online(0), slave1: state('state=send_bulk,offset=0,lag=0') },
      { slave0: online(1), slave1: `${online(0)},type=replica` },
      { slave0: online(0) },
    ];
    await courseOf('partition-with-replica', { placement: 'colocated' }, { promoted: false, replication });
    assert.equal(replication.length, 1);
    const unread = [{ slave0: online(17) }];
    await courseOf('partition-with-replica', {}, { replication: unread });
    assert.equal(unread.length, 1, 'a replica was promoted');
  });

  test('with one replica there is no such partition', async () => {
    const stack = /** @type {any} */ ({
      about: { backend: 'external' },
      nodes: [{ kind: 'redis' }, { kind: 'redis' }],
    });
    const theCase = /** @type {any} */ ({ params: {} });
    assert.match((await withReplica.whyNotCase?.(theCase, stack)) ?? '', /`--replicas 2`/);
    assert.equal(await withReplica.whyNotCase?.(/** @type {any} */ ({ params: { replicas: 2 } }), stack), null);
  });

  const KILLED = 'redis-1 is killed (SIGKILL) and stays down';
  const CUT = 'network is divided: redis-2 | redis-1';
  const HANGS = 'hangs (SIGSTOP); its sockets stay open';
  const BRIEFLY =
    'network is divided: redis-1, sentinel-1, minority | redis-2, sentinel-2, redis-3, sentinel-3, majority';
  const UNDONE = ['undo group-partition', 'undo kill'];

  /** @type {[scenario: string, params: {}, faults: string[]][]} */
  const FAULTS = [
    ['partition-one-way', {}, [`network is divided: ${APART.replace('|', '→')}`, 'undo group-partition']],
    [
      'partition-one-way',
      { setting: 'primary-alone' },
      [
        'network is divided: redis-1, sentinel-1, minority → redis-2, redis-3, sentinel-2, sentinel-3, majority',
        'undo group-partition',
      ],
    ],
    ['partition-flapping', {}, [`network is divided: ${APART}, 4000 ms of every 5000 ms`, 'undo group-partition']],
    [
      'sentinels-cut-off',
      {},
      ['network is divided: redis-1 | sentinel-1, sentinel-2, sentinel-3', 'undo group-partition'],
    ],
    [
      'confirming-replica-lost',
      {},
      [
        'network is divided: redis-3 | redis-1',
        'redis-2 is killed (SIGKILL) and stays down',
        KILLED,
        ...UNDONE,
        'undo kill',
      ],
    ],
    [
      'stale-replica-preferred',
      {},
      ['redis-2 is promoted before the other replica (replica-priority 1)', CUT, KILLED, ...UNDONE],
    ],
    ['replica-frozen-then-primary', {}, [`redis-2 ${HANGS}`, KILLED, 'undo pause', 'undo kill']],
    ['host-partitioned-briefly', { length: 'plus-500ms' }, [BRIEFLY, 'undo group-partition']],
    ['primary-paused-briefly', { length: 'until-promoted' }, [`redis-1 ${HANGS}`, 'undo pause']],
    // Without a first promotion there is no second primary to separate.
    ['settings-on-primary', {}, [KILLED, 'undo kill']],
  ];
  for (const [name, params, faults] of FAULTS) {
    test(`faults of ${name} ${JSON.stringify(params)}, in order`, async () => {
      const promoted = !['settings-on-primary', 'host-partitioned-briefly'].includes(name);
      const course = await courseOf(name, params, { promoted });
      assert.deepEqual(
        course.filter((step) => !step.startsWith('write')),
        faults,
      );
    });
  }

  test('how long is written: over the periods of a flapping network, and beyond down-after', async () => {
    assert.equal((await courseOf('partition-flapping'))[2], 'write 13.8');
    const beyond = await courseOf('host-partitioned-briefly', { length: 'plus-500ms' }, { promoted: false });
    assert.equal(beyond[2], 'write 2.5');
  });

  test('the stale replica may be preferred in a planned failover, too, or be empty', async () => {
    const course = await courseOf('stale-replica-preferred');
    assert.ok(
      course.indexOf('undo group-partition') > course.indexOf(KILLED) + 1,
      'the partition outlasts the failover',
    );
    const [, , cut, , replaced] = await courseOf('stale-replica-preferred', { way: 'by-failover' });
    assert.deepEqual([cut, replaced], [CUT, 'redis-1 is replaced as the primary (SENTINEL FAILOVER)']);
    const empty = await courseOf('stale-replica-preferred', { setting: 'empty' });
    assert.equal(
      empty.indexOf('redis-2 is killed (SIGKILL) and started again without its data'),
      empty.indexOf(CUT) + 1,
    );
    assert.ok(empty.includes(KILLED));
    const stack = /** @type {any} */ ({ about: { backend: 'external' }, host: {}, can: new Set() });
    const whyNot = (/** @type {object} */ params) =>
      scenarioNamed('stale-replica-preferred').whyNotCase?.(/** @type {any} */ ({ params }), stack);
    assert.match(String(await whyNot({ setting: 'empty' })), /needs a stack that the run starts/);
    assert.match(String(await whyNot({ way: 'by-failover' })), /--allow failover/);
  });
});

test('a partition of the primary alone has lengths, too, in the larger profiles', async () => {
  const partition = scenarioNamed('primary-partition');
  const courses = [await courseOf(partition.name), await courseOf(partition.name, { length: 'plus-500ms' })];
  const server = { name: 'redis', version: '7.0.15' };
  const cut = 'redis-1 is separated from its peers; clients still reach it';
  assert.deepEqual(courses, [
    ['write 1', cut, 'write 1', 'undo partition', 'write 1'],
    ['write 1', cut, 'write 2.5', 'undo partition', 'write 1'],
  ]);
  const withLength = Object.values(PROFILES).map(
    (profile) =>
      partition.cases({ profile, server, storages: [] }).filter(({ params }) => params.length !== undefined).length,
  );
  assert.deepEqual(withLength, [0, 18, 18]);
  const promotes = /** @type {(params: any) => boolean} */ (partition.needsFailover);
  assert.deepEqual([promotes({}), promotes({ length: 'plus-0ms' })], [true, false]);

  const quiet = { events: [] };
  const result = (/** @type {object} */ usual) =>
    failureBenchmarkOf('primary-partition', [
      { mode: 'wait1', audits: [auditOf('wait1')], trials: [trialOf('wait1', usual)] },
      {
        id: 'wait1-plus-0ms',
        mode: 'wait1',
        variation: { length: 'plus-0ms' },
        audits: [auditOf('wait1-plus-0ms', { ackedLost: 7 })],
        trials: [trialOf('wait1-plus-0ms', quiet)],
      },
    ]);
  const failedOver = (/** @type {object} */ usual) =>
    partition.checks?.(result(usual)).find(({ name }) => name === 'every trial saw a failover')?.ok;
  assert.deepEqual([failedOver({}), failedOver(quiet)], [true, false]);
});

test('which replica was promoted: the one that had been frozen, or the other', () => {
  /** @type {(promoted: string) => TrialEvent[]} */
  const events = (promoted) => [
    { at: 1, by: 'harness', kind: 'fault-begun', node: 'redis-2', fault: 'pause' },
    { at: 2, by: 'harness', kind: 'fault-begun', node: 'redis-1', fault: 'kill' },
    { at: 3, by: 'sentinel-1', kind: 'promoted', node: promoted },
  ];
  const ofTrials = (/** @type {string[]} */ ...promoted) =>
    failureBenchmarkOf('replica-frozen-then-primary', [
      {
        mode: 'wait1',
        audits: promoted.map((_, index) => auditOf('wait1', { round: index + 1 })),
        trials: promoted.map((id, index) => trialOf('wait1', { round: index + 1, events: events(id) })),
      },
    ]);
  const findingOf = (/** @type {BenchmarkResult} */ result) =>
    scenarioNamed('replica-frozen-then-primary')
      .findings?.(result, {})
      .find(({ id }) => id === 'chosen')?.text;
  const start = 'The Sentinels promoted the replica that had been frozen in';
  assert.equal(findingOf(ofTrials('redis-3', 'redis-2', 'redis-3')), `${start} 1 of 3 trials`);
  assert.equal(findingOf(ofTrials('redis-3')), `${start} 0 of 1 trial`);
  assert.equal(findingOf(ofTrials()), undefined);
});

test('a replica that lost its data need not have what WAIT 2 confirmed', () => {
  const result = (/** @type {CaseVariation} */ variation) =>
    failureBenchmarkOf('stale-replica-preferred', [
      {
        mode: 'wait2',
        variation,
        audits: [auditOf('wait2', { ackedLost: 5 })],
        trials: [trialOf('wait2')],
      },
    ]);
  const holds = (/** @type {BenchmarkResult} */ each) =>
    scenarioNamed('stale-replica-preferred')
      .checks?.(each)
      .find(({ name }) => name === 'nothing that WAIT 2 acknowledged is lost')?.ok;
  assert.equal(holds(result({})), false);
  assert.equal(holds(result({ way: 'by-failover' })), false);
  assert.equal(holds(result({ setting: 'empty' })), undefined);
});
