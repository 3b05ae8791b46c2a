/** The model, on plain data: each row is a deployment, a fault, and what follows. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isAllowed, MOST_CLIENTS, SETTINGS } from './commands.js';
import { faultsOf } from './machines.js';
import { plainDeployment as deployment, RATE } from './plain-fixture.js';
import { predictAll } from './predict.js';
import { clientsIn } from './read.js';
import { Unknown } from './unknown.js';

/** @import { Deployment, PredictedFault, PredictedLoss } from './types.js' */

/** @param {number} seconds @param {...number} machines @returns {PredictedFault} */
const cut = (seconds, ...machines) => ({ kind: 'cut', machines: machines.map((one) => `m${one}`), seconds });
/** @param {...number} machines @returns {PredictedFault} */
const lost = (...machines) => ({ kind: 'machine-lost', machines: machines.map((one) => `m${one}`), seconds: Infinity });
/** @type {PredictedFault} */
const RESTART = { kind: 'restart', machines: ['m1'], seconds: 3 };
/** @type {PredictedFault} */
const PLANNED = { kind: 'planned', machines: [], seconds: 0 };
/** @type {PredictedFault} */
const FROZEN = { kind: 'frozen', machines: ['m1'], seconds: 31 };
/** @type {PredictedFault} */
const POWER = { kind: 'power', machines: ['m1', 'm2', 'm3'], seconds: 1 };
const APART = [1, 3, 3];
const unknown = new Unknown('CONFIG GET was denied');
const stale = [{}, { priority: 10, offset: 100_000 - 10 * RATE }, {}];

/** @type {Readonly<Record<string, [Deployment, number, PredictedFault, PredictedLoss | number | 'all', ('no' | 'until-back')?]>>} deployment, WAIT, fault, loss, stop */
const ROWS = {
  'restart without a file': [deployment(), 2, RESTART, 'all'],
  'restart with snapshots': [
    deployment({ settings: { save: '3600 1' }, saved: { changes: 18_293, ok: true } }),
    2,
    RESTART,
    { kind: 'changes', count: 18_293 },
  ],
  'restart with an append-only file': [deployment({ aof: true }), 0, RESTART, 0],
  'two machines cut off, WAIT 1, two Sentinels on the third': [
    deployment({ sentinelsOn: APART, downAfter: 5 }),
    1,
    cut(15, 1, 2),
    26,
  ],
  'the same with one Sentinel a node': [deployment({ downAfter: 5 }), 1, cut(15, 1, 2), 0],
  'the same with WAIT 2': [deployment({ sentinelsOn: APART, downAfter: 5 }), 2, cut(15, 1, 2), 0],
  'primary cut off 15 s, min-replicas': [deployment({ downAfter: 2, minReplicas: 1 }), 0, cut(15, 1), 10.5],
  'primary cut off 40 s, defaults': [deployment(), 0, cut(40, 1), 51],
  'primary cut off for less than down-after': [deployment(), 0, cut(15, 1), 0],
  'min-replicas unknown': [
    deployment({ minReplicas: unknown }),
    0,
    cut(40, 1),
    { kind: 'unknown', why: unknown, most: 51 },
  ],
  'min-replicas unknown, and it does not matter': [deployment({ minReplicas: unknown }), 1, cut(40, 1), 0],
  'preferred replica 10 s behind': [deployment({ nodes: stale }), 1, lost(1), 10],
  'preferred replica 10 s behind, WAIT 2': [deployment({ nodes: stale }), 2, lost(1), 0, 'until-back'],
  'preferred replica silent for 8 s while writes are refused after 1 s': [
    deployment({
      nodes: [{ bytesPerSecond: 10 }, { priority: 10, offset: 100_000 - 10 * RATE, ackSeconds: 8 }, {}],
      minReplicas: 2,
      settings: { 'min-replicas-max-lag': '1' },
    }),
    1,
    lost(1),
    1.5,
  ],
  'machine lost, WAIT 1': [deployment(), 1, lost(1), 0],
  'machine lost, no WAIT': [deployment(), 0, lost(1), 1],
  'a Sentinel away, another on the dead machine': [deployment({ away: [2], aof: true }), 0, lost(1), 0, 'until-back'],
  'quorum of all, and no file': [deployment({ quorum: 3 }), 0, lost(1), 'all', 'until-back'],
  'CONFIG renamed on the preferred replica': [
    deployment({ nodes: [{}, { priority: 1, hidden: ['CONFIG'] }, {}], aof: true }),
    0,
    lost(1),
    0,
    'until-back',
  ],
  'every priority 0': [
    deployment({ nodes: [{}, { priority: 0 }, { priority: 0 }], aof: true }),
    0,
    lost(1),
    0,
    'until-back',
  ],
  'replica lost, WAIT 2': [deployment(), 2, lost(2), 0, 'until-back'],
  'replica lost, WAIT 1': [deployment(), 1, lost(2), 0, 'no'],
  'replica lost, min-replicas 2': [deployment({ minReplicas: 2 }), 0, lost(2), 0, 'until-back'],
  'planned, no WAIT': [deployment(), 0, PLANNED, 11],
  'planned, WAIT 1': [deployment(), 1, PLANNED, 1],
  'planned, min-replicas 1': [deployment({ minReplicas: 1 }), 0, PLANNED, 1],
  'planned, min-replicas 1, four replicas': [
    deployment({ minReplicas: 1, nodes: [{}, {}, {}, {}, {}] }),
    0,
    PLANNED,
    3,
  ],
  'planned, no WAIT, and no majority of the Sentinels': [deployment({ away: [1, 2] }), 0, PLANNED, 11],
  'planned, WAIT 2': [deployment(), 2, PLANNED, 0],
  'hang, no WAIT': [deployment(), 0, FROZEN, 11],
  'hang, WAIT 1': [deployment(), 1, FROZEN, 2],
  'hang, WAIT 2': [deployment(), 2, FROZEN, 0],
  'power, everysec': [deployment({ aof: true }), 2, POWER, 2],
  'power, always': [deployment({ aof: true, settings: { appendfsync: 'always' } }), 2, POWER, 0],
};

describe('what a fault takes', () => {
  for (const [name, [d, wait, fault, expected, stops]] of Object.entries(ROWS)) {
    test(name, () => {
      const [prediction] = predictAll(d, [fault], { wait });
      const loss =
        expected === 'all'
          ? { kind: 'all' }
          : expected === 0
            ? { kind: 'none' }
            : typeof expected === 'number'
              ? { kind: 'seconds', seconds: expected }
              : expected;
      assert.deepEqual(prediction.loss, loss);
      if (stops) assert.equal(prediction.stops, stops);
    });
  }

  test('every way to cut three machines in two, and every machine, is tried', () => {
    const faults = faultsOf(deployment());
    const sides = faults.filter(({ kind }) => kind === 'cut').map(({ machines }) => machines.join());
    assert.deepEqual(sides.sort(), ['m1', 'm1,m2', 'm1,m3']);
    assert.deepEqual(
      faults
        .filter(({ kind }) => kind === 'machine-lost')
        .map(({ machines }) => machines.join())
        .sort(),
      ['m1', 'm2', 'm3'],
    );
  });
});

describe('commands', () => {
  const ALLOWED = [
    'INFO',
    'SENTINEL MASTERS',
    'CONFIG GET save appendonly',
    'CLIENT LIST',
    'ACL DRYRUN bob CONFIG REWRITE',
  ];
  const REFUSED = [
    'CONFIG GET *',
    'CONFIG GET requirepass',
    `CONFIG GET ${SETTINGS.join(' ')} save`,
    'config get save',
    'SENTINEL CONFIG GET *',
    'SENTINEL REPLICAS a b',
    'KEYS *',
    'CLIENT LIST TYPE normal',
    'CLIENT',
    'ACL DRYRUN bob FLUSHALL',
    'ACL GETUSER bob',
    'INFO commandstats',
    'PING',
    '',
  ];
  for (const text of ALLOWED) test(`allowed: ${text}`, () => assert.ok(isAllowed(text.split(' '))));
  for (const text of REFUSED) test(`refused: ${text}`, () => assert.ok(!isAllowed(text.split(' '))));

  test('of many clients only a sample is listed', async () => {
    /** @type {string[][]} */
    const sent = [];
    const ask = async (/** @type {string[]} */ ...words) => {
      sent.push(words);
      return words[1] === 'ID' ? 7000 : '';
    };
    await clientsIn({ ask }, MOST_CLIENTS);
    await clientsIn({ ask }, 5000);
    assert.deepEqual(
      sent.map((words) => words.length),
      [2, 2, 3 + MOST_CLIENTS],
    );
    assert.ok(sent.every(isAllowed));
  });
});
