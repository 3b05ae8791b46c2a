import { kill, stop } from '../../src/faults/index.js';
import { FAILOVER_SECONDS } from '../../src/run/scene.js';
import { numbersOf } from './data.js';

const { nothing } = numbersOf('sentinels-lost');

/** @type {import('./types.js').Performed} */
export default {
  id: 'sentinels-lost',
  needs: ['stop', 'kill'],
  async script(
    { profile, primary, sentinels, downAfterMs, inject, prepare, write, until, switched, mark },
    { params },
  ) {
    const back = [];
    for (const { id } of sentinels.slice(0, params.setting === 'one' ? 1 : 2)) back.push(await prepare(stop, id));
    await write(profile.healthySeconds);
    await inject(kill, primary.id);
    if (params.setting === 'two') {
      const happened = await until(switched, downAfterMs / 1000 + nothing);
      mark(happened ? 'minority-failover' : 'no-failover-yet');
      for (const undo of back) await undo();
    }
    await until(switched, 2 * (downAfterMs / 1000) + FAILOVER_SECONDS);
    await write(profile.healthySeconds + 1);
  },
};
