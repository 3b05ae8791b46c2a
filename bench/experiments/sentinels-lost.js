import { kill, stop } from '../../src/faults/index.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';

export const ONE = 'one';
export const TWO = 'two';
/** Time beyond down-after in which a failover without a majority would show. */
const NOTHING_SECONDS = 5;

/** @type {import('./types.js').Experiment} */
export default {
  id: 'sentinels-lost',
  title: 'Sentinels lost',
  explained: 'of three, by SIGTERM; then the primary is killed',
  question: 'Is there a failover when the primary is killed with one or two of three Sentinels lost?',
  method:
    'Sentinels get SIGTERM, then the primary SIGKILL. With two of three lost, no failover is expected until they are started again.',
  settings: {
    [ONE]: { title: 'killed, 1 Sentinel lost', fault: 'killed, 1 Sentinel lost' },
    [TWO]: { title: 'killed, 2 Sentinels lost, then back', fault: 'killed, 2 Sentinels lost, then back' },
  },
  needs: ['stop', 'kill'],
  async script(
    { profile, primary, sentinels, downAfterMs, inject, prepare, write, until, switched, mark },
    { params },
  ) {
    const back = [];
    for (const { id } of sentinels.slice(0, params.setting === ONE ? 1 : 2)) back.push(await prepare(stop, id));
    await write(profile.healthySeconds);
    await inject(kill, primary.id);
    if (params.setting === TWO) {
      const happened = await until(switched, downAfterMs / 1000 + NOTHING_SECONDS);
      mark(happened ? 'minority-failover' : 'no-failover-yet');
      for (const undo of back) await undo();
    }
    await until(switched, 2 * (downAfterMs / 1000) + FAILOVER_SECONDS);
    await write(profile.healthySeconds + 1);
  },
};
