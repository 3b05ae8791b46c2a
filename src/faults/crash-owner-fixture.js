/**
 * For tests only: a process with a stack of its own, which ends with it. It injects a fault, does nothing more after some step, and
 * waits to be killed. Its argument says which, as JSON.
 *
 * @typedef {{index: number, lifetime: number, backend: 'local' | 'docker'}} OwnerPlan index: of the fault in FAULTS
 *
 * @typedef {{died: boolean, servers: {pid: number, startTime: string | null}[], nets: string[]}} OwnerReport died: after that step;
 *   nets: of addresses between which there may be rules
 */

import { listStacks, pidOf } from '../stacks/hosts/local/record.js';
import { startTimeOf } from '../stacks/hosts/processes.js';
import { CAN_RELAY } from '../stacks/network/relay/relay.js';
import { startDocker } from '../stacks/redis/docker/index.js';
import { startLocal } from '../stacks/redis/local/index.js';
import { FIRST_PRIMARY } from '../stacks/redis/topology.js';
import { disturb, FAULTS } from './crash-fixture.js';

/** @type {OwnerPlan} */
const { index, lifetime, backend } = JSON.parse(process.argv[2]);
const { fault, id = FIRST_PRIMARY } = FAULTS[index];
const volatileDisks = fault.needs.includes('power-loss') || fault.needs.includes('fill') ? [id] : [];
const stack =
  backend === 'docker'
    ? await startDocker({ volatileDisks })
    : await startLocal({
        server: 'redis-server',
        ...(fault.needs.includes('group-partition') ? { network: true } : { links: CAN_RELAY }),
        volatileDisks,
      });
const { died } = await disturb(stack, (site) => fault.inject(site, id), { lifetime, unheard: true });
const servers = listStacks()
  .filter(({ owner }) => owner.pid === process.pid)
  .flatMap((record) => record.nodes.flatMap((node) => pidOf(record, node.id) ?? []))
  .map((pid) => ({ pid, startTime: startTimeOf(pid) }));
const nets = listStacks().flatMap(({ owner, net }) => (owner.pid === process.pid && net ? [net] : []));
process.send?.({ died, servers, nets });
// Listening keeps it alive.
process.on('disconnect', () => process.exit());
