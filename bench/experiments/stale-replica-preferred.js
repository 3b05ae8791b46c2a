/**
 * One replica falls behind, then the primary is killed while both replicas can be promoted: which one do the Sentinels choose?
 */
import { failover, kill } from '../../src/faults/index.js';
import { applySettings } from '../../src/faults/settings.js';
import { whySkipped } from '../../src/run/abilities.js';
import { between, PROMOTED } from '../../src/run/perform.js';
import { readAddress, sameAddress } from '../../src/stacks/address.js';
import { askNode, nodeOf } from '../../src/stacks/ask.js';
import { toRecord } from '../../src/stacks/redis/observe.js';
import { waitFor } from '../../src/wait.js';
import { WITH_GROUPS } from './groups.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { Step } from '../../src/run/perform.js'
 * @import { Stack } from '../../src/stacks/types.js'
 */

/** For so long only the other replica gets writes. */
export const BEHIND_SECONDS = 8;

/** Sentinels compare priorities before offsets; the lower one wins. */
const PREFERRED = { 'replica-priority': '1' };
/** A Sentinel asks nodes for INFO every 10 s, and a busy one later. */
const LOOK_MS = 25_000;

/** @type {Fault} */
export const preferred = {
  name: 'replica-priority',
  what: 'is promoted before the other replica (replica-priority 1)',
  needs: ['configure'],
  async inject(site, id) {
    const undo = await applySettings(site, { nodes: { [id]: PREFERRED } });
    if (await waitFor(() => sentinelsPrefer(site.stack, id), { deadlineMs: LOOK_MS, pollMs: 200 })) return undo;
    await undo();
    throw new Error(`the Sentinels did not see the replica-priority of ${id} within ${LOOK_MS / 1000} s`);
  },
};

/** @param {Stack} stack @param {string} id @returns {Promise<boolean>} every Sentinel has seen the priority */
async function sentinelsPrefer(stack, id) {
  const { announced } = nodeOf(stack, id);
  const answers = await Promise.all(
    stack.nodes
      .filter(({ kind }) => kind === 'sentinel')
      .map((sentinel) =>
        askNode(stack, sentinel.id, (control) => control.call('SENTINEL', 'REPLICAS', stack.access.masterName)),
      ),
  );
  return answers.every((answer) =>
    /** @type {string[][]} */ (answer)
      .map(toRecord)
      .some(
        ({ ip, port, 'slave-priority': priority }) =>
          sameAddress(readAddress(ip, port), announced) && priority === PREFERRED['replica-priority'],
      ),
  );
}

/** Instead of a kill. */
const BY_FAILOVER = 'by-failover';
const EMPTY = 'empty';

/** Where a server keeps its data: the snapshot, and the append-only file, which is a folder since Redis 7. */
const DATA_FILES = ['dump.rdb', 'appendonlydir', 'appendonly.aof'];

/** As a node whose disk was replaced: it has its settings, and no data. @type {Fault} */
export const emptied = {
  name: 'restart-empty',
  what: 'is killed (SIGKILL) and started again without its data',
  needs: ['kill', 'configure'],
  async inject({ stack, journal }, id) {
    const undo = await journal.note({ kind: 'act', id, action: 'start' });
    await askNode(stack, id, (control) => control.call('CONFIG', 'REWRITE'));
    // Before the kill, because nothing can be removed from a container that does not run. The server does not write them again.
    for (const file of DATA_FILES) await stack.host.files?.remove(id, file);
    await stack.host.act(id, 'kill');
    await stack.host.act(id, 'start');
    return undo;
  },
};

/**
 * @param {Fault} by ends the role of the primary
 * @param {readonly Step[]} [also] happens while the replica is behind
 * @returns {Step[]}
 */
export function staleSteps(by = kill, also = []) {
  return [
    { at: 'before', fault: preferred, on: 'replica-1', prepares: true },
    // It stays so until a replica was promoted: the kernel of this machine still has what the killed primary had sent, and delivers it when the
    // partition heals.
    { at: 0, fault: between('replica-1', 'primary'), until: PROMOTED },
    ...also,
    { at: BEHIND_SECONDS, fault: by, until: PROMOTED },
  ];
}

/** @type {import('./types.js').Performed} */
export default {
  ...WITH_GROUPS,
  id: 'stale-replica-preferred',
  needs: ['group-partition', 'kill', 'configure'],
  async whyNot(theCase, stack) {
    const { setting, way } = theCase.params;
    if (way === BY_FAILOVER && !stack.can.has('failover')) return whySkipped(stack, ['failover']);
    if (setting === EMPTY && !stack.host.files)
      return 'It removes the data of a replica, so it needs a stack that the run starts.';
    return WITH_GROUPS.whyNot(theCase, stack);
  },
  promotes: true,
  steps: (_, { setting, way }) =>
    staleSteps(
      way === BY_FAILOVER ? failover : kill,
      setting === EMPTY ? [{ at: 0, fault: emptied, on: 'replica-1' }] : [],
    ),
};
