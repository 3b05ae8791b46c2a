/**
 * report.md: one page that people act on. details.md has everything else.
 */

import { isFailureBenchmark } from '../audit/of-trials.js';
import {
  benchmarkHeading,
  bytes,
  count,
  duration,
  firstSentences,
  IN_MEMORY_TEXT,
  limitsText,
  plural,
  range,
  rate,
  serverText,
  shorten,
} from '../format.js';
import { NS_A_MS } from '../units.js';
import { agentsText } from './agents.js';
import { code, escapeProse, escapeText, heading, list, renderBlocks, text } from './blocks.js';
import { FINDING_CHARACTERS, findingKey, ROUNDS_FOR_INTERVAL } from './findings.js';
import { commandOf, renderPages, serversOf, wrapped } from './frame.js';

/**
 * @import { BenchmarkResult, CaseResult, Result } from '../result/schema.js'
 * @import { Benchmark, Suite } from '../run/types.js'
 * @import { Block } from './blocks.js'
 * @import { Figures } from './document.js'
 */

const FINDINGS = 3;

/**
 * @param {Result} result
 * @param {readonly Suite[]} suites
 * @param {Figures} figures
 * @returns {string} Markdown; ends with a line break
 */
export function renderFrontPage(result, suites, figures) {
  const paged = suites
    .filter(({ page }) => page !== undefined)
    .flatMap(({ benchmarks }) => benchmarks.map(({ name }) => name));
  const templated = result.benchmarks.filter(({ name }) => paged.includes(name));
  // Benchmarks that this version does not know are in details.md.
  const known = suites.flatMap(({ benchmarks }) => benchmarks.map(({ name }) => name));
  const others = result.benchmarks.filter(({ name }) => known.includes(name) && !paged.includes(name));
  if (templated.length === 0) return renderComposed(result, suites, figures);
  const page = renderPages({ ...result, benchmarks: templated }, suites, figures);
  return others.length === 0 ? page : `${page}\n${renderComposed({ ...result, benchmarks: others }, suites, figures)}`;
}

/**
 * @param {Result} result of suites without a template
 * @param {readonly Suite[]} suites
 * @param {Figures} figures
 * @returns {string} as {@link renderFrontPage}
 */
function renderComposed(result, suites, figures) {
  const pages = suites.flatMap((suite) => {
    const benchmarks = benchmarksOf(suite, result);
    return benchmarks.length > 0 && suite.frontPage ? suite.frontPage({ ...result, benchmarks }) : [];
  });
  const answer = pages.flatMap((page) => page.answer);
  const answerFindings = pages.flatMap((page) => page.toldFindings ?? []);
  const toldFindings = new Set(answerFindings);
  const actions = pages.flatMap((page) => page.actions ?? []);
  const blocks = [
    ...problems(result),
    // Without a text between them Markdown would join the two lists.
    ...(problems(result).length > 0 ? [text('The answer:')] : []),
    list(
      withConditions(
        answer.length > 0 ? answer : headlines(result).map(({ text: sentence }) => `${sentence}.`),
        conditionsText(
          result,
          pages.flatMap((page) => page.basis ?? []),
          answerFindings,
        ),
      ),
    ),
    ...pages.flatMap((page) => page.evidence),
    ...(actions.length > 0 ? [heading(2, 'What to do'), ...actions] : []),
    ...result.benchmarks
      .filter(({ name }) => !pages.some(({ covers }) => covers?.includes(name)))
      .flatMap((benchmark) => briefOf(benchmark, result, { suites, toldFindings })),
    heading(2, 'Limits'),
    list([...pages.flatMap((page) => page.limits ?? []), ...commonLimits(result, suites)]),
    text(
      '`details.md` has every table, timeline and check, and so has `report.html`, which a run writes beside it. ' +
        (result.stack.backend === 'external' ? 'To run it again:' : 'To run it again, on servers of its own:'),
    ),
    code(wrapped(commandOf(result)), 'sh'),
  ];
  return [
    `# sentinel-bench: ${escapeText(result.suite)}`,
    escapeProse(`${scopeText(result)}.`),
    escapeProse(`${environmentText(result)}.`),
    `${renderBlocks(blocks, figures)}\n`,
  ].join('\n\n');
}

/**
 * @param {readonly string[]} sentences
 * @param {string} conditions
 * @returns {string[]} the first sentence is quoted alone, so it names its conditions
 */
function withConditions([first, ...others], conditions) {
  if (first === undefined) return [];
  return [conditions === '' ? first : `${first} Conditions: ${conditions}.`, ...others];
}

/**
 * @param {Result} result
 * @param {readonly CaseResult[]} basis cases that pages name; empty: those of the first finding of the answer
 * @param {readonly string[]} answerFindings findings of the answer, by their keys
 * @returns {string} such as `64 B, 10 connections, pipeline depth 1, loopback`, or `failures 64 B, 10 connections, pipeline depth 1; costs 256 B, 1 connection,
 *   pipeline depth 1; loopback`. Of costs those of the first finding if it has cases, else the most frequent ones; empty: nothing was measured
 */
function conditionsText({ benchmarks, stack }, basis, answerFindings) {
  const [first] = benchmarks.flatMap((benchmark) =>
    benchmark.findings
      .filter((each) => findingKey(benchmark.name, each) === answerFindings[0])
      .map(({ evidence }) => benchmark.cases.filter(({ id }) => evidence.includes(id))),
  );
  const casesOf = (/** @type {readonly BenchmarkResult[]} */ some) => some.flatMap(({ cases }) => cases);
  const failures = usualLoad(casesOf(benchmarks.filter(isFailureBenchmark)));
  const all = casesOf(benchmarks.filter((each) => !isFailureBenchmark(each)));
  const costs = usualLoad([basis, first ?? []].find((some) => some.length > 0) ?? all);
  if (failures === '' && costs === '') return '';
  const both = failures !== '' && costs !== '' && failures !== costs;
  return both ? `failures ${failures}; costs ${costs}; ${stack.path}` : `${failures || costs}, ${stack.path}`;
}

/**
 * @param {readonly CaseResult[]} cases
 * @returns {string} the payload, connections and depth that most of them have together; empty: there are no cases
 */
function usualLoad(cases) {
  if (cases.length === 0) return '';
  return mostFrequent(
    cases.map(({ params: { payloadBytes, connections, pipeline } }) =>
      [bytes(payloadBytes), plural(connections, 'connection'), `pipeline depth ${count(pipeline)}`].join(', '),
    ),
  );
}

/**
 * @param {Pick<Result, 'benchmarks'>} result
 * @returns {{benchmark: string, text: string}[]} the first finding of each benchmark, without a full stop
 */
export function headlines({ benchmarks }) {
  return benchmarks.flatMap(({ name, findings }) =>
    findings.slice(0, 1).map(({ text: finding }) => ({ benchmark: name, text: firstSentences(finding) })),
  );
}

/**
 * @param {Suite} suite
 * @param {Result} result
 * @returns {BenchmarkResult[]} those of the suite
 */
export function benchmarksOf(suite, { benchmarks }) {
  return benchmarks.filter(({ name }) => suite.benchmarks.some((each) => each.name === name));
}

/**
 * @param {Result} result
 * @returns {string} what was measured, how often
 */
export function scopeText({ startedAt, profile, benchmarks, trials: run, stack }) {
  const { name, rounds, seconds, trials, writesPerSecond } = profile;
  const measured = benchmarks.filter(({ cases }) => cases.length > 0);
  const timed = measured.filter((each) => !isFailureBenchmark(each));
  const lengths = timed.map((each) => each.pace?.seconds ?? seconds);
  const counts = timed.flatMap((each) => roundsOf(each, rounds));
  const parts =
    timed.length === 0
      ? []
      : [
          `each setting timed in ${spread(counts)} round${counts.every((each) => each === 1) ? '' : 's'} of ${spread(lengths)} s`,
        ];
  if (trials !== undefined && measured.some(isFailureBenchmark)) {
    const rates = new Set(
      measured.filter(isFailureBenchmark).flatMap(({ cases }) => cases.map((one) => one.params.rate)),
    );
    const each = rates.size === 1 ? [...rates][0] : writesPerSecond;
    const load = each === undefined ? '' : `, ${rate(each).replace(/ ?\/s$/, ' writes/s')} from each writer`;
    const pace = run === undefined || run.done < 2 ? '' : `; ${plural(run.lanes, 'trial')} at a time`;
    parts.push(
      `each mode in each of its failures tried ${trials === 1 ? 'once' : `${count(trials)} times`}${load}${pace}`,
    );
  }
  parts.push(...loadText(measured, stack));
  const when = `${startedAt.slice(0, 16).replace('T', ' ')} UTC`;
  return `Measured ${when}, profile ${name}${parts.length === 0 ? '' : `: ${parts.join('; ')}`}`;
}

/**
 * A cost without its payload, connections and depth cannot be compared with that of another page.
 *
 * @param {readonly BenchmarkResult[]} benchmarks
 * @param {Pick<Result['stack'], 'nodes'>} stack
 * @returns {string[]} empty: nothing was measured
 */
function loadText(benchmarks, { nodes }) {
  const cases = benchmarks.flatMap((each) => each.cases.map(({ params }) => params));
  if (cases.length === 0) return [];
  const of = (/** @type {'payloadBytes' | 'connections' | 'pipeline'} */ name) => cases.map((params) => params[name]);
  const delays = nodes.some(({ kind }) => kind === 'sentinel')
    ? cases.flatMap(({ downAfterMs }) => downAfterMs ?? [])
    : [];
  return [
    [
      `values of ${usual(of('payloadBytes'), bytes)}`,
      `connections ${usual(of('connections'), count)}`,
      `pipeline depth ${usual(of('pipeline'), count)}`,
      ...(delays.length === 0 ? [] : [`down-after ${usual(delays, (ms) => duration(ms * NS_A_MS))}`]),
    ].join(', '),
  ];
}

/**
 * @param {readonly number[]} values at least one
 * @param {(value: number) => string} show
 * @returns {string} the most frequent value, and the range if there are others: `64 B (from 12 B to 256 KiB)`
 */
function usual(values, show) {
  const first = show(mostFrequent(values));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  // In words, because numbers in parentheses are intervals elsewhere.
  return low === high ? first : `${first} (from ${show(low)} to ${show(high)})`;
}

/**
 * @template T
 * @param {readonly T[]} values at least one
 */
function mostFrequent(values) {
  const often = (/** @type {T} */ value) => values.filter((each) => each === value).length;
  return [...new Set(values)].sort((a, b) => often(b) - often(a))[0];
}

/**
 * @param {BenchmarkResult} benchmark
 * @param {number} planned by the profile
 * @returns {number[]} rounds: more than planned if headline cases got further ones
 */
function roundsOf({ pace, precision, cases }, planned) {
  return precision ? cases.map((one) => one.rounds.length) : [pace?.rounds ?? planned];
}

/** @param {readonly number[]} values */
function spread(values) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  return low === high ? String(high) : range(low, high, String);
}

/**
 * @param {Pick<Result, 'stack' | 'environment' | 'agents' | 'benchmarks'>} result
 * @returns {string} where it was measured
 */
export function environmentText({ stack, environment, agents, benchmarks }) {
  const { cores, cpuModel, memoryBytes, os, virtualization } = environment;
  const limits = limitsText(environment);
  const machine = [
    `${plural(cores, 'core')} of ${cpuModel}`,
    bytes(memoryBytes),
    ...(limits === '' ? [] : [`limited to ${limits}`]),
    os,
    ...(virtualization === '' ? [] : [virtualization]),
  ];
  const load = agentsText({ agents, benchmarks });
  const servers = serversOf({ stack, benchmarks }).map(serverText).join(', ');
  return [
    `${servers}, ${[...topology({ stack, benchmarks }), `backend ${stack.backend} (${stack.path}${stack.inMemory ? ', files in memory' : ''})`, ...machine].join(', ')}`,
    ...load,
  ].join('; ');
}

/**
 * @param {Pick<Result, 'stack' | 'benchmarks'>} result
 * @returns {string[]} such as `1 primary, 2 replicas, 3 Sentinels`, and whether nodes keep files; empty: no failure was measured, and
 *   other benchmarks may have stacks of their own
 */
function topology({ stack: { nodes, config }, benchmarks }) {
  if (!benchmarks.some(isFailureBenchmark)) return [];
  const number = (/** @type {string} */ role) => nodes.filter((node) => node.role === role).length;
  const [primaries, replicas, sentinels] = ['primary', 'replica', 'sentinel'].map(number);
  if (primaries !== 1) return [];
  const primary = nodes.find(({ role }) => role === 'primary');
  const { save, appendonly } = (primary && config?.[primary.id]) ?? {};
  return [
    '1 primary',
    plural(replicas, 'replica'),
    ...(sentinels === 0 ? [] : [plural(sentinels, 'Sentinel')]),
    ...(save === '' && appendonly === 'no' ? ['no RDB, no AOF unless named'] : []),
  ];
}

/**
 * @param {Result} result
 * @returns {Block[]} failures and failed checks; empty: there are none
 */
function problems({ benchmarks }) {
  const failed = benchmarks.flatMap(({ name, status, reason, checks }) => [
    ...(status === 'failed' ? [`\`${name}\` failed. ${reason ?? ''}`.trimEnd()] : []),
    ...checks.flatMap(({ name: check, ok, detail }) =>
      ok ? [] : [`\`${name}\`: check failed: ${check}. ${shorten(detail, FINDING_CHARACTERS)}`],
    ),
  ]);
  return failed.length > 0 ? [text('Failed:'), list(failed)] : [];
}

/**
 * @param {BenchmarkResult} result
 * @param {Result} run
 * @param {{suites: readonly Suite[], toldFindings: ReadonlySet<string>}} page toldFindings: findings that are not repeated
 * @returns {Block[]} its short section; empty when nothing was measured
 */
function briefOf(result, run, { suites, toldFindings }) {
  if (result.cases.length === 0) return [];
  const benchmark = suites.flatMap(({ benchmarks }) => benchmarks).find(({ name }) => name === result.name);
  const more = result.findings.filter((each) => !toldFindings.has(findingKey(result.name, each)));
  const findings = more.slice(0, FINDINGS).map(({ text: sentence }) => shorten(sentence, FINDING_CHARACTERS));
  const evidence = benchmark?.brief?.(result, run) ?? [];
  // The page already says everything that it found.
  if (result.findings.length > 0 && findings.length + evidence.length === 0) return [];
  return [
    heading(2, benchmarkHeading(result, benchmark)),
    text(result.question),
    ...(findings.length > 0 ? [list(findings)] : []),
    ...evidence,
  ];
}

/**
 * @param {Result} result
 * @param {readonly Suite[]} suites
 * @returns {string[]}
 */
function commonLimits({ benchmarks, stack }, suites) {
  const named = (/** @type {string} */ name) => {
    const benchmark = suites.flatMap((suite) => suite.benchmarks).find((each) => each.name === name);
    return benchmark?.title === undefined ? `\`${name}\`` : benchmarkHeading({ name }, benchmark);
  };
  const checks = benchmarks.flatMap((benchmark) => benchmark.checks.filter((check) => !check.skipped));
  const skipped = benchmarks.filter(({ status }) => status === 'skipped');
  const passed = checks.filter(({ ok }) => ok).length;
  return [
    ...skipped.map((each) => `Not measured: ${named(each.name)}. ${each.reason ?? ''}`.trimEnd()),
    ...intervalMeaning(benchmarks),
    ...(stack.inMemory ? [IN_MEMORY_TEXT] : []),
    ...(stack.path === 'loopback'
      ? [
          `Clients and nodes share one machine (loopback): no network delay is included${benchmarks.some(isSlowed) ? ', besides the one that was added' : ''}.`,
        ]
      : []),
    ...(checks.length > 0 ? [`${passed} of ${plural(checks.length, 'check')} of this run passed.`] : []),
  ];
}

/**
 * @param {BenchmarkResult} benchmark
 * @returns {boolean} links between nodes were slowed on purpose
 */
function isSlowed({ cases }) {
  return cases.some(({ params }) => (params.linkLatencyMs ?? 0) > 0);
}

/**
 * @param {readonly BenchmarkResult[]} benchmarks
 * @returns {string[]} what numbers in parentheses are; empty: nothing was measured in rounds
 */
function intervalMeaning(benchmarks) {
  const timed = benchmarks
    .filter((each) => !isFailureBenchmark(each))
    .map(({ name, cases }) => ({ name, rounds: Math.min(...cases.flatMap((one) => one.rounds.length || [])) }))
    .filter(({ rounds }) => Number.isFinite(rounds));
  const few = timed.filter(({ rounds }) => rounds < ROUNDS_FOR_INTERVAL);
  if (timed.length === 0) return [];
  if (timed.every(({ rounds }) => rounds === 1))
    return ['One round a case: nothing here shows how much of a difference is chance.'];
  if (few.length === timed.length)
    return [
      `In parentheses: the range of ${Math.min(...few.map(({ rounds }) => rounds))} rounds, which are too few for a 95% interval.`,
    ];
  const ranges = few.map(({ name, rounds }) => `\`${name}\` ${rounds}`).join(', ');
  const exception = few.length === 0 ? '' : ` With fewer than ${ROUNDS_FOR_INTERVAL} rounds (${ranges}): their range.`;
  return [
    `In parentheses after a rate, a time or a cost: the 95% bootstrap interval of the median over rounds, on this machine.${exception}`,
  ];
}
