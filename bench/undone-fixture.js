/**
 * For tests only: scenarios that are stopped at each of their steps, and a process that runs one of them. The first argument is a {@link UndonePlan}.
 *
 * A trial runs for each step. It stops there when the step has shut its node down and not started it, or has done all it does. The process then tells
 * its parent which processes it has started, and which tables of the firewall its stack has. It ends as a run does.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../src/errors.js';
import { abortable } from '../src/run/interruption.js';
import { PROFILES } from '../src/run/profiles.js';
import { runQuietly } from '../src/run/suite-fixture.js';
import { startTimeOf } from '../src/stacks/hosts/processes.js';
import { firewallTables } from '../src/stacks/network/firewall-fixture.js';
import { findServers } from '../src/stacks/redis/local/server.js';
import { findValkey9 } from '../test/needs.js';
import { suites } from './index.js';
import { SCENARIOS, VALKEY_9 } from './undone-scenarios-fixture.js';

/**
 * @import { Case, Scene, Stack, TrialBenchmark } from './types.js'
 *
 * @typedef {'success' | 'error' | 'Ctrl-C' | 'kill -9'} EndedBy
 * @typedef {{name: string, how: EndedBy, folder: string}} UndonePlan name: of the scenario
 * @typedef {{pid: number, startTime: string | null}} StartedServer
 */

/** Few, so that many trials fit on a small machine. */
const WRITES_PER_SECOND = 50;

/** @param {string} name @returns {TrialBenchmark} */
function scenarioNamed(name) {
  const benchmark = suites.flatMap(({ benchmarks }) => benchmarks).find((each) => each.name === name);
  if (benchmark?.kind === 'trial') return benchmark;
  throw new RangeError(`no scenario is called ${name}`);
}

/** @param {number} pid @returns {StartedServer[]} the processes that it and its children have started */
function startedBy(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
    try {
      return readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
    } catch {
      // The thread has ended.
      return [];
    }
  });
  return children.flatMap((child) => {
    try {
      return [{ pid: child, startTime: startTimeOf(child) }, ...startedBy(child)];
    } catch {
      // It has ended meanwhile.
      return [];
    }
  });
}

/** @param {Stack} stack @returns {string[]} names of the tables of the firewall with rules between its addresses */
function tablesOf({ nodes }) {
  const nets = new Set(nodes.map(({ address }) => address.host.split('.').slice(0, 3).join('_')));
  return firewallTables().filter((name) => [...nets].some((net) => name.endsWith(`_${net}`)));
}

/**
 * @param {Case} one
 * @param {number} number
 * @returns {Case} with values of another size: a run measures no case twice
 */
function copyOf({ id, params }, number) {
  return { id: `${id}-${number}`, params: { ...params, payloadBytes: params.payloadBytes + number } };
}

/** @param {UndonePlan} plan */
async function main({ name, how, folder }) {
  const { case: wanted, steps, needs, servers: programs, benchmark: of = name, profile = 'quick' } = SCENARIOS[name];
  const benchmark = scenarioNamed(of);
  /** @type {AbortSignal | undefined} */
  let stopping;

  /** @param {Stack} stack */
  async function stopHere(stack) {
    process.send?.({ reached: startedBy(process.pid), tables: needs.includes('firewall') ? tablesOf(stack) : [] });
    if (how === 'error') throw new Error('the step fails');
    // The parent sends a signal.
    await new Promise((resolve) => stopping?.addEventListener('abort', resolve, { once: true }));
  }

  /**
   * @param {Scene} scene
   * @param {number} at the step to stop at, counted from 1; 0: none
   * @returns {Scene}
   */
  function stoppedAt(scene, at) {
    let step = 0;
    /** @param {Scene['inject']} inject @returns {Scene['inject']} */
    const counting = (inject) => async (fault, id) => {
      step++;
      if (step !== at) return inject(fault, id);
      let stopped = false;
      return inject(
        {
          ...fault,
          async inject(site, node) {
            const stop = async () => {
              if (stopped) return;
              stopped = true;
              await stopHere(site.stack);
            };
            const undo = await fault.inject({ ...site, stack: beforeStart(site.stack, stop) }, node);
            try {
              await stop();
            } catch (error) {
              // What needs nothing of the stack is not in its journal. A script undoes it, and the error keeps the script from that.
              if (fault.needs.length === 0) await undo();
              throw error;
            }
            return undo;
          },
        },
        id,
      );
    };
    return { ...scene, inject: counting(scene.inject), prepare: counting(scene.prepare) };
  }

  const found = await Promise.all(programs.map(async (each) => (each === VALKEY_9 ? await findValkey9() : each)));
  const servers = await findServers(found.map(String));
  /** @type {TrialBenchmark['cases']} */
  const cases = (options) =>
    benchmark
      .cases(options)
      .filter(({ id }) => wanted.test(id))
      .flatMap((one) => (how === 'success' ? one : Array.from({ length: steps }, (_, at) => copyOf(one, at + 1))));
  /** @param {Case} theCase */
  const stepOf = ({ id }) => (how === 'success' ? 0 : Number(/\d+$/.exec(id)?.[0]));

  try {
    const { benchmarks } = await abortable(
      async (signal) => {
        stopping = signal;
        const { result, stopped } = await runQuietly({
          benchmarks: [
            {
              ...benchmark,
              cases,
              script: async (scene, theCase) => benchmark.script?.(stoppedAt(scene, stepOf(theCase)), theCase),
            },
          ],
          profile: { ...PROFILES[profile], trials: 1, healthySeconds: 0.3, writesPerSecond: WRITES_PER_SECOND },
          lanes: steps,
          folder: async () => folder,
          stack: { backend: 'local', server: servers[0].path, ...(servers.length > 1 && { servers }) },
          signal,
        });
        if (stopped) throw stopped;
        return result;
      },
      () => {},
    );
    const [{ status, reason, audit = [] }] = benchmarks;
    process.send?.({ status, reason, acked: Math.max(0, ...audit.map(({ acked }) => acked)) });
  } catch (error) {
    process.send?.({ status: 'ended', reason: messageOf(error) });
  }
  process.disconnect();
}

/**
 * @param {Stack} stack
 * @param {() => Promise<void>} stop
 * @returns {Stack} the same; `stop` comes before a node is started
 */
function beforeStart(stack, stop) {
  return {
    ...stack,
    host: {
      ...stack.host,
      async act(id, action) {
        if (action === 'start') await stop();
        await stack.host.act(id, action);
      },
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(JSON.parse(process.argv[2]));
