import { stop } from '../../src/faults/index.js';
import { numbersOf } from './data.js';

const { stopped, back } = numbersOf('replica-restart');

/** @type {import('./types.js').Performed} */
export default {
  id: 'replica-restart',
  needs: ['stop'],
  oneLane: true,
  async script({ profile, primary, replicas: [replica], inject, write, until, info, mark }) {
    let connected = '';
    const count = async () => {
      const { connected_slaves: now } = await info(primary.id, 'replication');
      if (now !== connected) mark('replicas-connected', primary.id, { value: now });
      connected = now;
      return now;
    };
    const before = await info(primary.id, 'stats');
    await count();
    await write(profile.healthySeconds);
    const undo = await inject(stop, replica.id);
    await until(async () => (await count()) === '1', stopped);
    await write(stopped);
    await undo();
    await until(async () => (await count()) === '2', back);
    const after = await info(primary.id, 'stats');
    if (after.sync_full !== before.sync_full) mark('full-resync', replica.id);
    if (after.sync_partial_ok !== before.sync_partial_ok) mark('partial-resync', replica.id);
    await write(profile.healthySeconds);
  },
};
