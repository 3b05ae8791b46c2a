import { stop } from '../../src/faults/index.js';

/** The time without the replica. */
const STOPPED_SECONDS = 2;
const BACK_WITHIN_SECONDS = 20;

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
    await until(async () => (await count()) === '1', STOPPED_SECONDS);
    await write(STOPPED_SECONDS);
    await undo();
    await until(async () => (await count()) === '2', BACK_WITHIN_SECONDS);
    const after = await info(primary.id, 'stats');
    if (after.sync_full !== before.sync_full) mark('full-resync', replica.id);
    if (after.sync_partial_ok !== before.sync_partial_ok) mark('partial-resync', replica.id);
    await write(profile.healthySeconds);
  },
};
