import { pause } from '../../src/faults/index.js';
import { numbersOf } from './data.js';

const { seconds, lag } = numbersOf('replicas-paused');

/** @type {import('./types.js').Performed} */
export default {
  id: 'replicas-paused',
  needs: ['pause'],
  async script({ profile, primary, replicas, inject, write, info, mark }) {
    await write(profile.healthySeconds);
    const undo = [];
    for (const { id } of replicas) undo.push(await inject(pause, id));
    let warned = false;
    for (let second = 0; second < seconds; second++) {
      await write(1);
      if (warned || lagOf(await info(primary.id, 'replication')) <= lag) continue;
      warned = true;
      mark('lagging', primary.id, { value: `${lag} s` });
    }
    for (const each of undo) await each();
    await write(profile.healthySeconds + 1);
  },
};

/** @param {Readonly<Record<string, string>>} replication of INFO @returns seconds of the replica that lags most; 0: none is connected */
function lagOf(replication) {
  const lags = Object.entries(replication).flatMap(([name, text]) =>
    /^slave\d+$/.test(name) ? Number(/\blag=(\d+)/.exec(text)?.[1] ?? 0) : [],
  );
  return Math.max(0, ...lags);
}
