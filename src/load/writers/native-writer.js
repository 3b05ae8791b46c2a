/**
 * Writers over connections of the `native` client. primary-connections.js decides when and where they connect.
 * Writes have no time-out. When the primary hangs, a writer hangs until it gets an error, as clients do that trust TCP.
 * @import { NativeConnection } from '../../clients/native.js'
 * @import { Address } from '../../stacks/types.js'
 * @import { TrialPlan, WriterPlan } from '../trial-thread.js'
 * @import { Writer } from './writer.js'
 * @import { Taken } from './primary-connections.js'
 */
import { valueMaker } from '../../audit/value.js';
import { client as native } from '../../clients/native.js';
import { createPacedWriter } from './paced-writer.js';
import { PrimaryConnections } from './primary-connections.js';

/**
 * @param {WriterPlan} plan @param {TrialPlan} trial
 * @param {{failoverAware?: boolean, virtualAddress?: true}} options failoverAware: it leaves its node as soon as a Sentinel says
 *   `+switch-master`; virtualAddress: it only dials the primary's further address
 */
export function createWriter(plan, trial, { failoverAware = false, virtualAddress }) {
  if (!virtualAddress) return nativeWriter(plan, trial, { failoverAware });
  if (!trial.virtualAddress) throw new Error('this stack has no virtual address');
  return writerTo(trial.virtualAddress, plan, trial);
}

/**
 * @param {Address} address that several nodes may have, one after the other: the writer does not know which one it reaches. It keeps a
 *   connection until it gets an error
 * @param {WriterPlan} plan @param {TrialPlan} trial
 */
export function writerTo(address, plan, trial) {
  const nodes = [{ id: 'address', address, announced: address }];
  return nativeWriter(plan, { ...trial, sentinels: [], nodes }, { failoverAware: false, isOneNode: false });
}

/**
 * @param {WriterPlan} plan @param {TrialPlan} trial
 * @param {{failoverAware: boolean, isOneNode?: boolean}} options isOneNode: each address is that of one node @returns {Writer}
 */
function nativeWriter(plan, trial, { failoverAware, isOneNode = true }) {
  const value = valueMaker(plan.shape.keyPrefix, plan.shape.payloadBytes);
  /** The number of the write under way on each place. */
  const numbers = new Int32Array(plan.connections);
  return createPacedWriter(plan, trial, async (report) => {
    let place = /** @type {Taken<NativeConnection> | null} */ (null);
    const connections = new PrimaryConnections(trial, {
      connect: async (target) => /** @type {NativeConnection} */ (await native.connect(target, plan.shape)),
      places: plan.connections,
      failoverAware,
      onMove: (node) => isOneNode && report.moved(node),
      onError: report.error,
      onAnswer: (index, { outcomes, waitCount }) =>
        report.answered(numbers[index], { outcome: outcomes[0], waitCount }),
      onFree: report.free,
    });
    return {
      open: () => connections.open(),
      free() {
        place = connections.take();
        return place && (isOneNode ? place.node : 0);
      },
      write(number) {
        const { index, connection } = /** @type {Taken<NativeConnection>} */ (place);
        numbers[index] = number;
        connection.keys[0] = number;
        connection.setValue(value(number));
        connection.write();
      },
      notice: () => connections.notice(),
      close: () => connections.close(),
    };
  });
}
