/**
 * For tests only: a process that runs one migration and stops at one of its steps, as the first argument says: `{at, how}`. The step has then
 * shut its node down and not started it. It tells its parent which servers run, and ends as a run does.
 */

import { messageOf } from '../../src/errors.js';
import { abortable } from '../../src/run/interruption.js';
import { PROFILES } from '../../src/run/profiles.js';
import { runSuite } from '../../src/run/suite.js';
import { listStacks, pidOf } from '../../src/stacks/local/record.js';
import { startTimeOf } from '../../src/stacks/processes.js';
import { findServers } from '../../src/stacks/redis/local/server.js';
import { migrate } from './scenarios.js';

/**
 * @import { Fault } from '../../src/faults/types.js'
 * @import { Scene } from '../../src/run/types.js'
 * @import { Stack } from '../../src/stacks/types.js'
 *
 * @typedef {{at: number, how: 'success' | 'error' | 'Ctrl-C' | 'kill -9', folder: string}} Plan at: the step, counted from 1
 */

/** @type {Plan} */
const { at, how, folder } = JSON.parse(process.argv[2]);
let step = 0;
/** @type {AbortSignal | undefined} */
let stopping;

async function stopHere() {
  const servers = listStacks()
    .filter(({ owner }) => owner.pid === process.pid)
    .flatMap((record) => record.nodes.flatMap((node) => pidOf(record, node.id) ?? []))
    .map((pid) => ({ pid, startTime: startTimeOf(pid) }));
  process.send?.({ servers });
  if (how === 'error') throw new Error('the step fails');
  // The parent sends a signal.
  if (how !== 'success') await new Promise((resolve) => stopping?.addEventListener('abort', resolve, { once: true }));
}

/** @param {Stack} stack @returns {Stack} */
function watched(stack) {
  return new Proxy(stack, {
    get(target, name) {
      if (name !== 'act') return Reflect.get(target, name);
      return async (/** @type {string} */ id, /** @type {Parameters<Stack['act']>[1]} */ action) => {
        if (action === 'start' && step === at) await stopHere();
        return target.act(id, action);
      };
    },
  });
}

/** @param {Scene['inject']} inject @returns {Scene['inject']} */
function counting(inject) {
  return (fault, id) => {
    step++;
    return inject(
      { ...fault, inject: (site, node) => fault.inject({ ...site, stack: watched(site.stack) }, node) },
      id,
    );
  };
}

const servers = await findServers(['redis-server', 'valkey-server']);
const { cases, script } = migrate;
try {
  const { benchmarks } = await abortable(
    async (signal) => {
      stopping = signal;
      const { result, stopped } = await runSuite({
        suite: 'upgrade',
        benchmarks: [
          {
            ...migrate,
            cases: (options) => cases(options).filter(({ id }) => id.endsWith('-async-by-failover')),
            script: (scene, theCase) =>
              script({ ...scene, inject: counting(scene.inject), prepare: counting(scene.prepare) }, theCase),
          },
        ],
        profile: { ...PROFILES.quick, trials: 1, healthySeconds: 0.3 },
        seed: 1,
        lanes: 1,
        folder: async () => folder,
        command: 'sentinel-bench run migrate',
        stack: { backend: 'local', server: servers[0].path, servers },
        progress: { tell() {}, now() {}, stop() {} },
        signal,
      });
      if (stopped) throw stopped;
      return result;
    },
    () => {},
  );
  const [{ status, reason, audit = [] }] = benchmarks;
  process.send?.({ status, reason, acked: Math.max(0, ...audit.map(({ acked }) => acked)), steps: step });
} catch (error) {
  process.send?.({ status: 'ended', reason: messageOf(error) });
}
process.disconnect();
