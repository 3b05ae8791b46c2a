/** For tests only: what `run` would measure, without a stack. */
import { Command } from 'commander';
import { planBenchmarks } from '../run/plan.js';
import { nodesOf } from '../stacks/redis/topology.js';
import { typedOptions } from './applicable.js';
import { addCommands } from './declare.js';
import { commands } from './run.js';
import { requestOf } from './run-request.js';

/** @returns {Command} */
export function runCommand() {
  const program = new Command();
  addCommands(program, commands);
  return program.commands[0].exitOverride().configureOutput({ writeErr() {} });
}

/** @param {readonly string[]} words @returns {(name: string) => ReturnType<typeof requestOf>} of a benchmark */
export function reading(words) {
  const command = runCommand();
  command.parseOptions([...words]);
  const [options, typed] = [command.opts(), typedOptions(command)];
  return (name) => requestOf([name], options, typed);
}

/** @param {ReturnType<typeof requestOf>} request @returns {Promise<string>} its cases, and what is not measured */
export async function casesOf(request) {
  const nodes = nodesOf();
  const stack = {
    about: { backend: 'local', server: { name: 'valkey', version: '8.1.0' } },
    access: {},
    can: new Set(['configure', 'slow-link']),
    nodes,
    database: {
      primary: async () => nodes[0],
      replicas: async () => [],
      settings: { mayChange: async () => () => true },
      samples: {},
    },
    network: { groups: null },
  };
  // What this machine can do is not asked here.
  const benchmarks = request.benchmarks.map((each) => ({
    ...each,
    needs: [],
    whyNotCase: undefined,
    stacks: undefined,
  }));
  const tuning = { async become() {}, async back() {} };
  const testbed = { stack, tuning, controls: new Map(), profile: request.profile };
  const storages = [{ label: 'tmp', path: '/tmp', emulated: false }];
  const plan = await planBenchmarks(
    /** @type {any} */ (testbed),
    /** @type {any} */ ({ ...request, benchmarks }),
    storages,
  );
  return JSON.stringify(plan.map(({ benchmark: _, ...planned }) => planned));
}
