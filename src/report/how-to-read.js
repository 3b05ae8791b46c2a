/**
 * The end of details.md: how to read the report, the environment, the configuration, and how to run it again.
 */

import { isFailureBenchmark, onlyFailures } from '../audit/of-trials.js';
import { bytes, limitsText, plural, serverText } from '../format.js';
import { code, heading, list, table, text } from './blocks.js';
import { ENOUGH_BEYOND, TOO_FEW } from './columns.js';
import { intervalName } from './findings.js';
import { commandOf } from './frame.js';
import { READING_TRIALS } from './trials/section.js';

/**
 * @import { Result } from '../result/schema.js'
 * @import { Block } from './blocks.js'
 */

/** Settings that change the figures. Settings that differ between nodes are shown besides. */
const SHOWN_SETTINGS = [
  'min-replicas-to-write',
  'min-replicas-max-lag',
  'appendonly',
  'appendfsync',
  'save',
  'repl-diskless-sync',
  'repl-diskless-sync-delay',
  'repl-backlog-size',
  'repl-disable-tcp-nodelay',
  'client-output-buffer-limit',
  'io-threads',
  'maxmemory',
  'maxmemory-policy',
];

/**
 * @param {Result} result
 * @returns {Block[]}
 */
export function circumstances(result) {
  return [
    heading(2, 'How to read this'),
    list([
      ...(onlyFailures(result.benchmarks) ? [] : readingOfRounds(result)),
      ...(result.benchmarks.some(isFailureBenchmark) ? READING_TRIALS : []),
    ]),
    heading(2, 'Environment'),
    table(['', ''], environmentRows(result)),
    heading(3, 'Configuration of the Redis nodes'),
    ...aboutOwnStacks(result.benchmarks),
    ...configuration(result.stack.config),
    heading(2, 'Run again'),
    text('With the same order of rounds and the same keys:'),
    code(commandOf(result)),
  ];
}

/**
 * @param {Pick<Result, 'benchmarks' | 'profile'>} result
 * @returns {string[]}
 */
function readingOfRounds({ benchmarks, profile }) {
  const [usual, ...further] = roundsOf(benchmarks, profile.rounds);
  return [
    `${mediansOver(usual.rounds)}.`,
    ...further.map(({ rounds, names }) => `${names.join(', ')}: ${mediansOver(rounds)}.`),
    'Cost is the share of throughput that a setting takes from the same load, compared round by round. If its interval includes 0, ' +
      'no cost was measurable.',
    'Percentiles are service time unless a benchmark says otherwise: from sending a batch to its last reply, WAIT included. A connection ' +
      'sends its next batch after that reply (closed loop), so a stall delays few batches. At a fixed rate users wait longer than this.',
    `Percentiles are those of all rounds together. ${TOO_FEW}: fewer than ${ENOUGH_BEYOND} independent values lie beyond the percentile.`,
    'A write is acked when Redis answered OK and WAIT reached the count that was asked for. Throughput counts acked writes only. A write ' +
      'is underAcked when the count was lower, rejected when an error says that it was not applied, unknown when no answer came.',
    '“Limited by” names what was busy, by measured CPU. client: the load thread; the figure says nothing about Redis. primary: its ' +
      'thread that executes commands. machine: all cores. nothing: everything waited for round trips, replicas or storage.',
    'client: `native` is the load client of this tool. `node-redis` and `ioredis` show what an application gets through that library.',
  ];
}

/**
 * @param {Result['benchmarks']} benchmarks
 * @param {number} usual rounds of the profile
 * @returns {{rounds: number, names: string[]}[]} at least one; the benchmarks with the profile's rounds come first
 */
function roundsOf(benchmarks, usual) {
  /** @type {Map<number, string[]>} */
  const names = new Map();
  for (const benchmark of benchmarks) {
    if (benchmark.cases.length === 0 || isFailureBenchmark(benchmark)) continue;
    const rounds = benchmark.pace?.rounds ?? usual;
    names.set(rounds, [...(names.get(rounds) ?? []), benchmark.name]);
  }
  if (names.size === 0) return [{ rounds: usual, names: [] }];
  return [...names]
    .map(([rounds, caseNames]) => ({ rounds, names: caseNames }))
    .sort((a, b) => Number(b.rounds === usual) - Number(a.rounds === usual));
}

/** @param {number} rounds */
function mediansOver(rounds) {
  if (rounds === 1)
    return 'Throughput and cost come from one round. One round has no interval: nothing here shows how much of a difference is chance';
  const medians = `Throughput and cost are medians over ${rounds} rounds; in parentheses the ${intervalName(rounds)}`;
  return rounds < 5
    ? `${medians}. So few rounds cannot give a 95% interval: a larger profile tells small differences from chance`
    : `${medians} of that median (bootstrap over rounds). It shows how far the median would move in another run here, not on another machine`;
}

/**
 * The configuration is that of the run's first stack. It says little about a benchmark that started others.
 *
 * @param {Result['benchmarks']} benchmarks
 * @returns {Block[]} empty if all benchmarks used the first stack
 */
function aboutOwnStacks(benchmarks) {
  const names = benchmarks.flatMap(({ name, cases }) =>
    cases.some(({ params }) => params.replicas !== undefined) ? `\`${name}\`` : [],
  );
  if (names.length === 0) return [];
  return [
    text(
      `This is the stack that the run began with. ${names.join(' and ')} used other stacks: their sections and result.json have the ` +
        'number of replicas and the settings of each case.',
    ),
  ];
}

/**
 * @param {Result} result
 * @returns {string[][]}
 */
function environmentRows({ environment, stack, tool }) {
  const { cores, cpuModel, memoryBytes, architecture, virtualization, os, kernel, node, clients } = environment;
  const limits = limitsText(environment);
  const roles = (/** @type {string} */ role) => stack.nodes.filter((each) => each.role === role).length;
  return [
    ['machine', `${cores} × ${cpuModel}, ${bytes(memoryBytes)}, ${architecture}`],
    ...(limits === '' ? [] : [['limited to', limits]]),
    ['virtualization', virtualization || 'none known'],
    ['system', `${os}, ${kernel}`],
    ['server', serverText(stack.server)],
    ['backend', `${stack.backend}: ${stack.why}`],
    ['path to the nodes', stack.path],
    [
      'nodes',
      `${roles('primary')} primary, ${plural(roles('replica'), 'replica')}, ${plural(roles('sentinel'), 'Sentinel')} (${stack.masterName})`,
    ],
    ['Node.js', node],
    [
      'client libraries',
      Object.entries(clients)
        .map(([name, version]) => `${name} ${version}`)
        .join(', '),
    ],
    ['sentinel-bench', `${tool.version}${tool.commit === null ? '' : `, commit ${tool.commit.slice(0, 12)}`}`],
  ];
}

/**
 * @param {Result['stack']['config']} config
 * @returns {Block[]}
 */
function configuration(config) {
  const ids = Object.keys(config);
  if (ids.length === 0) return [text('Not known: the nodes were not asked.')];
  const names = [...new Set(ids.flatMap((id) => Object.keys(config[id])))].sort();
  const valuesOf = (/** @type {string} */ name) => ids.map((id) => (config[id][name] ?? 'not set') || '(empty)');
  const differs = (/** @type {string} */ name) => new Set(valuesOf(name)).size > 1;
  const common = SHOWN_SETTINGS.filter((name) => names.includes(name) && !differs(name));
  const different = names.filter(differs);
  return [
    table(
      ['setting', 'all nodes'],
      common.map((name) => [name, valuesOf(name)[0]]),
    ),
    ...(different.length > 0
      ? [
          text('Settings that differ:'),
          table(
            ['setting', ...ids],
            different.map((name) => [name, ...valuesOf(name)]),
          ),
        ]
      : []),
    text('result.json has all other settings.'),
  ];
}
