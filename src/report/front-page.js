/**
 * report.md: one page that people act on. Everything else is in details.md.
 */
import { chart, code, escapeProse, escapeText, heading, list, renderBlocks, text } from './blocks.js';
import { chartsOf } from './charts/of-benchmark.js';
import { bytes, firstSentences, plural, rate, serverText, shorten } from './format.js';
import { isFailureBenchmark } from './trials/figures.js';

/**
 * @import { BenchmarkResult, Result } from '../result/schema.js'
 * @import { Benchmark, Suite } from '../run/types.js'
 * @import { Block } from './blocks.js'
 * @import { Figures } from './document.js'
 */

/** A finding on the page is one sentence that fits on two lines. */
export const FINDING_CHARACTERS = 160;
const FINDINGS = 3;

/**
 * @param {Result} result
 * @param {readonly Suite[]} suites
 * @param {Figures} figures
 * @returns {string} Markdown; ends with a line break
 */
export function renderFrontPage(result, suites, figures) {
  const pages = suites.flatMap((suite) => {
    const benchmarks = benchmarksOf(suite, result);
    return benchmarks.length > 0 && suite.frontPage ? suite.frontPage({ ...result, benchmarks }) : [];
  });
  const answer = pages.flatMap((page) => page.answer);
  const actions = pages.flatMap((page) => page.actions ?? []);
  const blocks = [
    ...problems(result),
    // Two lists without a text between them would be one.
    ...(problems(result).length > 0 ? [text('The answer:')] : []),
    list(answer.length > 0 ? answer : headlines(result).map(({ text: sentence }) => `${sentence}.`)),
    ...pages.flatMap((page) => page.evidence),
    ...(actions.length > 0 ? [heading(2, 'What to do'), ...actions] : []),
    ...result.benchmarks.flatMap((benchmark) => briefOf(benchmark, result, { suites, answer })),
    heading(2, 'Limits'),
    list([...pages.flatMap((page) => page.limits ?? []), ...commonLimits(result)]),
    text('Every table, timeline and passed check: `details.md` and `report.html` beside this file. Run it again:'),
    code(commandOf(result), 'sh'),
  ];
  return [
    `# sentinel-bench: ${escapeText(result.suite)}`,
    escapeProse(`${scopeText(result)}.`),
    escapeProse(`${environmentText(result)}.`),
    `${renderBlocks(blocks, figures)}\n`,
  ].join('\n\n');
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
 * @returns {string} the command that repeats the run, with its seed
 */
export function commandOf({ command, seed }) {
  return / --seed[ =]/.test(command) ? command : `${command} --seed ${seed}`;
}

/**
 * @param {Result} result
 * @returns {string} what was measured, how often
 */
export function scopeText({ startedAt, profile, benchmarks }) {
  const { name, rounds, seconds, trials, writesPerSecond } = profile;
  const measured = benchmarks.filter(({ cases }) => cases.length > 0);
  const timed = measured.filter((each) => !isFailureBenchmark(each));
  const paces = new Set(
    timed.map(({ pace = { rounds, seconds } }) => `${plural(pace.rounds, 'round')} of ${pace.seconds} s a case`),
  );
  const parts = [...paces];
  if (trials !== undefined && measured.some(isFailureBenchmark)) {
    const load = writesPerSecond === undefined ? '' : `, ${rate(writesPerSecond)} from each writer`;
    parts.push(`${plural(trials, 'trial')} of each failure${load}`);
  }
  const when = `${startedAt.slice(0, 16).replace('T', ' ')} UTC`;
  return `Measured ${when}, profile ${name}${parts.length === 0 ? '' : `: ${parts.join('; ')}`}`;
}

/**
 * @param {Pick<Result, 'cluster' | 'environment'>} result
 * @returns {string} where it was measured
 */
export function environmentText({ cluster: { server, backend, path }, environment }) {
  const { cores, cpuModel, memoryBytes, os, virtualization } = environment;
  const machine = [
    `${cores} × ${cpuModel}`,
    bytes(memoryBytes),
    os,
    ...(virtualization === '' ? [] : [virtualization]),
  ];
  return `${serverText(server)}, backend ${backend} (${path}), ${machine.join(', ')}`;
}

/**
 * @param {Result} result
 * @returns {Block[]} failed checks, and what was not measured; passed checks are one line
 */
function problems({ benchmarks }) {
  const failed = benchmarks.flatMap(({ name, status, reason, checks }) => [
    ...(status === 'failed' ? [`\`${name}\` failed. ${reason ?? ''}`.trimEnd()] : []),
    ...checks.flatMap(({ name: check, ok, detail }) => (ok ? [] : [`\`${name}\`: check failed: ${check}. ${detail}`])),
  ]);
  const skipped = benchmarks.filter(({ status }) => status === 'skipped');
  return [
    ...(failed.length > 0 ? [text('Failed:'), list(failed)] : []),
    ...(skipped.length > 0
      ? [text('Not measured:'), list(skipped.map(({ name, reason }) => `\`${name}\`: ${reason ?? ''}`))]
      : []),
  ];
}

/**
 * @param {BenchmarkResult} result
 * @param {Result} run
 * @param {{suites: readonly Suite[], answer: readonly string[]}} page answer: sentences above, which are not repeated
 * @returns {Block[]} its short section; none when nothing was measured
 */
function briefOf(result, run, { suites, answer }) {
  if (result.cases.length === 0) return [];
  const benchmark = suites.flatMap(({ benchmarks }) => benchmarks).find(({ name }) => name === result.name);
  const more = result.findings.filter(({ text: sentence }) => !answer.includes(`${sentence}.`));
  const findings = more.slice(0, FINDINGS).map(({ text: sentence }) => shortened(sentence));
  const [first] = chartsOf(result, benchmark, run);
  const evidence = benchmark?.brief ? benchmark.brief(result, run) : first ? [chart(first)] : [];
  return [
    heading(2, result.name),
    text(result.question),
    ...(findings.length > 0 ? [list(findings)] : []),
    ...evidence,
  ];
}

/** @param {string} sentence of a result, perhaps longer than the page allows */
function shortened(sentence) {
  return shorten(sentence, FINDING_CHARACTERS);
}

/**
 * @param {Result} result
 * @returns {string[]}
 */
function commonLimits({ benchmarks, cluster }) {
  const checks = benchmarks.flatMap((benchmark) => benchmark.checks);
  const passed = checks.filter(({ ok }) => ok).length;
  return [
    'An interval in parentheses is the 95% bootstrap interval of the median over rounds, on this machine.',
    ...(cluster.path === 'loopback' ? ['Loopback: there is no network distance between clients and nodes.'] : []),
    ...(checks.length > 0 ? [`${passed} of ${plural(checks.length, 'check')} passed.`] : []),
  ];
}
