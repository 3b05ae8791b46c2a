/**
 * How to read a report, and the circumstances of its run.
 */
import { markdownTable } from 'markdown-table';
import { bulletList, codeBlock, escapeText } from './blocks.js';
import { ENOUGH_BEYOND, TOO_FEW } from './columns.js';
import { intervalName } from './findings.js';
import { bytes, plural, serverText } from './format.js';
import { isFailureBenchmark, onlyFailures } from './trials/figures.js';

/** @import { Result } from '../result/schema.js' */

/** Settings that change what is measured here; those that differ between nodes are shown besides. */
const TELLING_SETTINGS = [
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
 * @returns {string} Markdown
 */
export function renderCircumstances(result) {
  return [
    '## How to read this',
    onlyFailures(result.benchmarks) ? bulletList(OUTCOMES) : renderReading(result),
    '## Environment',
    renderEnvironment(result),
    '### Configuration of the Redis nodes',
    ...aboutOwnStacks(result.benchmarks),
    renderConfig(result.cluster.config),
    '## Run again',
    'The same order of rounds and the same keys:',
    codeBlock(/ --seed[ =]/.test(result.command) ? result.command : `${result.command} --seed ${result.seed}`),
  ].join('\n\n');
}

/** What the writers of a failure count; the tables' own words stand beneath them. */
const OUTCOMES = Object.freeze([
  'A write is acked when Redis said OK and the WAIT count reached what was asked, underAcked when the count was lower, ' +
    'rejected when an error says that it was not applied, unknown when no answer came: it may or may not have been applied.',
  'Writes are due at an even rate, whatever becomes of those before. One that was due and could not leave is unsent; it ' +
    'was not attempted.',
  'Response time counts from when a write was due until it was answered, its WAIT included.',
]);

/** @param {Pick<Result, 'benchmarks' | 'profile'>} result */
function renderReading({ benchmarks, profile }) {
  const [usual, ...further] = roundsOf(benchmarks, profile.rounds);
  return bulletList([
    mediansOver(usual.rounds),
    ...further.map(({ rounds, names }) => `Of ${names.join(', ')}: ${mediansOver(rounds)}`),
    'Cost is the share of throughput that the setting takes from the same load, compared round by round. A cost ' +
      'whose interval includes 0 is not measurable here.',
    'Percentiles are service time, where a benchmark does not say otherwise: from the moment a batch was sent until its last reply, its WAIT included. The next batch ' +
      'of a connection is sent after that, so a stall delays few of them: do not read these figures as what users wait ' +
      'when requests come at a rate of their own.',
    `Percentiles are of all rounds together. ${TOO_FEW} stands where fewer than ${ENOUGH_BEYOND} independent values lie beyond.`,
    'A write is acked when Redis said OK and the WAIT count reached what was asked; throughput counts acked writes only. It is ' +
      'underAcked when the count was lower, rejected when an error says it was not applied, unknown when no answer came.',
    '“Limited by” names what kept a case from being faster, from measured CPU. client: the load thread was busy, and the ' +
      'figure says nothing about Redis. primary: the thread that executes its commands was busy. machine: all cores were. ' +
      'nothing: everybody waited, for round trips, for replicas or for storage.',
    'client “native” is this tool’s own load client. redis and ioredis show what an application gets through that library.',
  ]);
}

/**
 * @param {Result['benchmarks']} benchmarks
 * @param {number} usual the profile's number of rounds
 * @returns {{rounds: number, names: string[]}[]} at least one; those with the profile's number first
 */
function roundsOf(benchmarks, usual) {
  const timed = benchmarks.filter((each) => each.cases.length > 0 && !isFailureBenchmark(each));
  /** @type {Map<number, string[]>} */
  const names = new Map();
  for (const { name, pace } of timed) {
    const rounds = pace?.rounds ?? usual;
    names.set(rounds, [...(names.get(rounds) ?? []), name]);
  }
  const all = [...names].map(([rounds, own]) => ({ rounds, names: own }));
  if (all.length === 0) return [{ rounds: usual, names: [] }];
  return all.sort((a, b) => Number(b.rounds === usual) - Number(a.rounds === usual));
}

/**
 * What is asked of the run's first stack says little of a benchmark that started others.
 *
 * @param {Result['benchmarks']} benchmarks
 * @returns {string[]} none where all were measured on that stack
 */
function aboutOwnStacks(benchmarks) {
  const names = benchmarks.flatMap(({ name, cases }) =>
    cases.some(({ params }) => params.replicas !== undefined) ? `\`${name}\`` : [],
  );
  if (names.length === 0) return [];
  return [
    `Of the stack that the run began with. ${names.join(' and ')} had stacks of their own: how many replicas ran, and what was set ` +
      'for a case, stands with it there and in result.json.',
  ];
}

/** @param {number} rounds */
function mediansOver(rounds) {
  const over = rounds === 1 ? 'the one round' : `${rounds} rounds`;
  return `Throughput and cost are medians over ${over}${intervalMeaning(rounds, intervalName(rounds))}`;
}

/**
 * @param {number} rounds
 * @param {string} name
 */
function intervalMeaning(rounds, name) {
  if (rounds === 1) return '. One round has no interval: nothing here tells how much of a difference is chance.';
  if (rounds < 5) {
    return `; in parentheses the ${name}. So few rounds cannot give a 95% interval: run a larger profile to tell small differences from chance.`;
  }
  return `; in parentheses the ${name} of that median, by bootstrap over rounds. It tells how far the median would move if these rounds were run again here, not how another machine would do.`;
}

/** @param {Result} result */
function renderEnvironment({ environment, cluster, tool }) {
  const { server } = cluster;
  const libraries = Object.entries(environment.clients).map(([name, version]) => `${name} ${version}`);
  const rows = [
    [
      'machine',
      `${environment.cores} × ${environment.cpuModel}, ${bytes(environment.memoryBytes)}, ${environment.architecture}`,
    ],
    ['virtualization', environment.virtualization || 'none known'],
    ['system', `${environment.os}, ${environment.kernel}`],
    ['server', serverText(server)],
    ['backend', `${cluster.backend}: ${cluster.why}`],
    ['path to the nodes', cluster.path],
    ['nodes', nodesOf(cluster)],
    ['Node.js', environment.node],
    ['client libraries', libraries.join(', ')],
    ['sentinel-bench', `${tool.version}${tool.commit === null ? '' : `, commit ${tool.commit.slice(0, 12)}`}`],
  ];
  return markdownTable([['', ''], ...rows.map(([name, value]) => [name, escapeText(value)])]);
}

/** @param {Result['cluster']} cluster */
function nodesOf({ nodes, masterName }) {
  const times = (/** @type {string} */ role) => nodes.filter((node) => node.role === role).length;
  return `${times('primary')} primary, ${plural(times('replica'), 'replica')}, ${plural(times('sentinel'), 'Sentinel')} (${masterName})`;
}

/** @param {Result['cluster']['config']} config */
function renderConfig(config) {
  const ids = Object.keys(config);
  if (ids.length === 0) return 'Not known: the nodes were not asked.';
  const names = [...new Set(ids.flatMap((id) => Object.keys(config[id])))].sort();
  const valuesOf = (/** @type {string} */ name) => ids.map((id) => config[id][name] ?? 'not set');
  const differs = (/** @type {string} */ name) => new Set(valuesOf(name)).size > 1;

  const common = TELLING_SETTINGS.filter((name) => names.includes(name) && !differs(name));
  const parts = [];
  if (common.length > 0) {
    parts.push(
      table(
        ['setting', 'all nodes'],
        common.map((name) => [name, valuesOf(name)[0]]),
      ),
    );
  }
  const different = names.filter(differs);
  if (different.length > 0) {
    parts.push(
      'Settings that differ:',
      table(
        ['setting', ...ids],
        different.map((name) => [name, ...valuesOf(name)]),
      ),
    );
  }
  parts.push('Every other setting stands in result.json.');
  return parts.join('\n\n');
}

/**
 * @param {string[]} header
 * @param {string[][]} rows
 */
function table(header, rows) {
  return markdownTable([
    header,
    ...rows.map((row) => row.map((value) => escapeText(value === '' ? '(empty)' : value))),
  ]);
}
