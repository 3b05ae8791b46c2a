/**
 * The process dies after any single step of a fault or of a change of settings: what the journal holds then restores the stack
 * completely. A recovery that dies after any of its own steps leaves the rest to the next one.
 */
import { describe, test } from 'node:test';
import { FAULTS } from './crash-fixture.js';
import { assertRestoredAfterEachStep, NODES, SEMI_SYNC } from './crash-world-fixture.js';
import { keepStateApart } from './fixture.js';
import * as faults from './index.js';
import { applySettings } from './settings.js';

/**
 * @import { SystemName } from '../stacks/types.js'
 * @import { Site, Undo } from './types.js'
 */

/** @typedef {[name: string, work: (site: Site) => Promise<Undo>, system?: SystemName]} Disturbance system: default: redis */

/** @type {Disturbance[]} */
const DISTURBANCES = [
  ...FAULTS.map(
    ({ fault, id = NODES[0] }) =>
      /** @type {Disturbance} */ ([`${fault.name} of ${id}`, (site) => fault.inject(site, id)]),
  ),
  ['a slow script', (site) => faults.blockingCommand(1000, { script: true }).inject(site, NODES[0])],
  [
    'settings of every node',
    (site) => applySettings(site, { all: { 'min-replicas-to-write': '1', appendonly: 'yes' } }),
  ],
  [
    'settings of every MariaDB node',
    (site) => applySettings(site, { all: { sync_binlog: '0', ...SEMI_SYNC } }),
    'mariadb',
  ],
  [
    'two faults and settings, one after the other',
    async (site) => {
      await faults.pause.inject(site, 'redis-1');
      await applySettings(site, { nodes: { 'redis-2': { appendonly: 'yes' } } });
      await faults.partition.inject(site, 'redis-2');
      return () => site.journal.undoAll();
    },
  ],
];

describe('a crash after any step', () => {
  keepStateApart();

  for (const [name, work, system = 'redis'] of DISTURBANCES) {
    test(name, async () => {
      await assertRestoredAfterEachStep(work, system);
    });
  }
});
