/** @import { Deployment, PredictedFault, Prediction } from '../types.js' @import { FindingTest } from './index.js' */
import { primaryOf } from '../machines.js';
import { lostSeconds as lost } from '../predict.js';

/** @param {PredictedFault} fault @param {Deployment} d */
function hasPrimary({ machines }, d) {
  return machines.includes(primaryOf(d)?.machine ?? '');
}

/**
 * @param {PredictedFault['kind']} kind @param {(prediction: Prediction, d: Deployment) => boolean} [when]
 * @returns {FindingTest<Prediction>} the fault loses confirmed writes
 */
const loses =
  (kind, when = () => true) =>
  (prediction, d) =>
    prediction.fault.kind === kind && lost(prediction) > 0 && when(prediction, d) && { loses: lost(prediction) };

/** @type {Readonly<Record<string, FindingTest<Prediction>>>} */
export const OF_PREDICTIONS = Object.freeze({
  'restart-empties': ({ fault, loss }) => fault.kind === 'restart' && loss.kind === 'all' && {},
  'restart-loses-changes': ({ fault, loss }) =>
    fault.kind === 'restart' && loss.kind === 'changes' && { changes: loss.count },
  'no-failover': ({ fault, promotes, because }, d) =>
    fault.kind === 'machine-lost' && hasPrimary(fault, d) && !promotes && { because },
  'no-planned-failover': ({ fault, promotes, because }) => fault.kind === 'planned' && !promotes && { because },
  'cut-loses': (prediction, d, all) => {
    const losing = all.filter((each) => each.fault.kind === 'cut' && lost(each) > 0);
    const near = Math.max(0, ...losing.map(({ confirming = 0 }) => confirming));
    const isBad = near + 1 > d.nodes.length / 2;
    return losing.includes(prediction) && { loses: lost(prediction), needed: near + 1, bad: isBad ? 'yes' : 'no' };
  },
  'hang-loses': loses('frozen'),
  'planned-loses': loses('planned'),
  'machine-loses': loses('machine-lost', ({ fault, promotes }, d) => promotes && hasPrimary(fault, d)),
  'power-loses': loses('power', ({ loss }) => loss.kind === 'seconds'),
  'stops-without-replica': ({ fault, stops, because }) =>
    stops === 'until-back' && because === 'too-few-replicas' && fault.kind !== 'power' && {},
  'stops-after-failover': ({ fault, stops, promotes }, d) =>
    stops === 'until-back' && promotes && hasPrimary(fault, d) && {},
});
